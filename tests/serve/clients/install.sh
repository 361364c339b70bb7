#!/usr/bin/env bash
# Installs the clients and validators of others that tests/serve runs, into target/serve-clients.
# A test whose client is not there is skipped.
set -euo pipefail
cd "$(dirname "$0")/../../.."
folder=${AOV_SERVE_CLIENTS:-$PWD/target/serve-clients}
mkdir -p "$folder"

python() {
  local name=$1
  shift
  [ -x "$folder/$name/bin/python" ] || python3 -m venv "$folder/$name"
  "$folder/$name/bin/pip" install -q --disable-pip-version-check "$@"
}

python sarnai sarnai==0.2.1
python tools schemathesis==4.32.5 openapi-spec-validator==0.9.0
python a2a-0.3 a2a-sdk==0.3.26
python a2a-1 a2a-sdk==1.3.0
npm install --silent --no-fund --no-audit --prefix "$folder" @redocly/cli@2.77.0 puppeteer-core@24.43.0
