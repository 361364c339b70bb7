#!/usr/bin/env bash
# Installs what tests/payments runs, into target/payments: a chain, facilitators and paying clients of
# others, all of fixed versions. A test whose packages are not there is skipped.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${AOV_PAYMENTS:-$here/../../../target/payments}
mkdir -p "$folder"
cp "$here/package.json" "$folder/"
npm install --silent --no-fund --no-audit --prefix "$folder"
[ -x "$folder/python/bin/python" ] || python3 -m venv "$folder/python"
"$folder/python/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt"
