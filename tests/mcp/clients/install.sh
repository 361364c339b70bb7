#!/usr/bin/env bash
# Installs the MCP clients of others that tests/mcp runs, into target/mcp-clients. A test whose client is
# not there is skipped.
set -euo pipefail
cd "$(dirname "$0")/../../.."
folder=${AOV_MCP_CLIENTS:-$PWD/target/mcp-clients}
mkdir -p "$folder"
[ -x "$folder/python/bin/python" ] || python3 -m venv "$folder/python"
"$folder/python/bin/pip" install -q --disable-pip-version-check mcp==2.3.0
# Two of them want a newer node than many systems have.
npm install --silent --no-fund --no-audit --prefix "$folder" \
  node@24 \
  @modelcontextprotocol/sdk@1.32.2 \
  @modelcontextprotocol/client@2.4.0 \
  @modelcontextprotocol/inspector@2.12.0 \
  @modelcontextprotocol/conformance@0.2.0-alpha.12
