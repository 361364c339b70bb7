#!/usr/bin/env bash
# The server under load, on loopback: the rate of signed verifications beside that of /health of the same
# server, the slowest hundredth at 64 connections, and memory over 200,000 requests.
#
#   benches/serve.sh                  builds, starts a server, measures with wrk, prints a table
#   SECONDS_EACH=3 benches/serve.sh   shorter rounds (default 10)
#   REQUESTS=20000 benches/serve.sh   fewer requests for the memory (default 200000)
#
# wrk is taken from the PATH, else from the package manager. Exit code 1: a limit was missed.
set -euo pipefail
cd "$(dirname "$0")/.."
each=${SECONDS_EACH:-10}
requests=${REQUESTS:-200000}
data=$PWD/target/serve-bench
rm -rf "$data"
mkdir -p "$data"

command -v wrk >/dev/null || { apt-get update -qq && apt-get install -y -qq wrk; } >&2
cargo build --release --locked --quiet --bin aov >&2

XDG_DATA_HOME=$data target/release/aov serve --listen 127.0.0.1:0 2>"$data/log" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in $(seq 100); do
  address=$(sed -n 's/^listening on //p' "$data/log")
  [ -n "$address" ] && break
  sleep 0.1
done
url=http://$address

cat >"$data/verify.lua" <<LUA
local file = assert(io.open("$PWD/fixtures/real/final-request.json"))
wrk.method = "POST"
wrk.body = file:read("*a")
wrk.headers["Content-Type"] = "application/json"
LUA

# rate NAME CONNECTIONS ARGUMENTS...: requests a second, and the 99th percentile in milliseconds.
rate() {
  local name=$1 connections=$2
  shift 2
  wrk -t1 -c"$connections" -d"${each}s" --latency "$@" >"$data/$name"
  grep -q 'Non-2xx' "$data/$name" && { cat "$data/$name" >&2; exit 1; }
  awk '/Requests\/sec/ { rate = $2 } $1 == "99%" { p = $2 }
    END {
      unit = p; sub(/[0-9.]+/, "", unit); value = p + 0
      if (unit == "us") value /= 1000
      if (unit == "s") value *= 1000
      printf "%s %s\n", rate, value
    }' "$data/$name"
}
memory() { awk '/VmRSS/ { print $2 }' "/proc/$server/status"; }

rate warm 64 "$url/health" >/dev/null
read -r health health_p99 < <(rate health 64 "$url/health")
read -r verify verify_p99 < <(rate verify 64 -s "$data/verify.lua" "$url/verify/schema")
before=$(memory)
rounds=0
while :; do
  done=$(awk '/requests in/ { sum += $1 } END { print sum + 0 }' "$data"/memory-* 2>/dev/null || echo 0)
  [ "$done" -lt "$requests" ] || break
  rounds=$((rounds + 1))
  rate "memory-$rounds" 64 -s "$data/verify.lua" "$url/verify/schema" >/dev/null
done
after=$(memory)

failed=
row() {
  local verdict=within
  awk "BEGIN { exit !($4) }" || { verdict=BEYOND; failed=yes; }
  printf '  %-44s %12s   %s %s\n' "$1" "$2" "$verdict" "$3"
}
printf 'server under load, 64 connections\n'
printf '  %-44s %12s\n' '/health, requests a second' "$health" 'signed verifications a second' "$verify"
ratio=$(awk "BEGIN { printf \"%.2f\", $verify / $health }")
row 'verifications to /health' "$ratio" '0.4' "$ratio >= 0.4"
row 'slowest hundredth of verifications, ms' "$verify_p99" '50' "$verify_p99 < 50"
row "memory before, KiB" "$before" '' 1
row "memory after $done more, KiB" "$after" '1.25 x' "$after < $before * 1.25"
kill -TERM "$server"
wait "$server" || { echo "the server did not end in order" >&2; failed=yes; }
trap - EXIT
[ -z "$failed" ] || { echo 'a limit was missed' >&2; exit 1; }
