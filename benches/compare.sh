#!/usr/bin/env bash
# aov beside its fastest peers: medians and ratios, each case measured in one run.
#
#   benches/compare.sh               builds, installs what is missing, measures, prints a table
#   benches/compare.sh --peers-only  the peers alone
#   RUNS=40 benches/compare.sh       more runs of the large case (default 15)
#   RECORDS=100000 benches/compare.sh    fewer lines in the case of many (default 1000000)
#
# Everything is written below target/. hyperfine is taken from the PATH, else from the package
# manager, else from cargo. Exit code 1: a limit was missed, or a program gave a wrong answer.
set -euo pipefail
cd "$(dirname "$0")/.."

jsonschema_cli=0.60.2
sourcemeta=16.11
runs=${RUNS:-15}
records=${RECORDS:-1000000}
peers_only=
[ "${1:-}" = --peers-only ] && peers_only=yes

target=$PWD/target
peers=$target/peers
data=$target/compare
mkdir -p "$peers" "$data"

say() { printf '%s\n' "$*" >&2; }

install_system_package() {
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || return 1
  say "installing $1"
  { apt-get install -y -qq "$1" || { apt-get update -qq && apt-get install -y -qq "$1"; }; } >&2
}

# --- the programs --------------------------------------------------------------------------------

if ! command -v hyperfine >/dev/null && ! install_system_package hyperfine; then
  [ -x "$peers/bin/hyperfine" ] ||
    cargo install hyperfine --locked --root "$peers" --target-dir "$peers/build" >&2
  PATH=$peers/bin:$PATH
fi

if ! "$peers/bin/jsonschema-cli" --version 2>/dev/null | grep -qF "$jsonschema_cli"; then
  cargo install jsonschema-cli --version "=$jsonschema_cli" --locked \
    --root "$peers" --target-dir "$peers/build" >&2
fi

[ -d "$peers/node_modules/@sourcemeta/jsonschema" ] ||
  npm install --prefix "$peers" --no-audit --no-fund --silent "@sourcemeta/jsonschema@$sourcemeta" >&2
# The package brings a native program for each system, and a script in front of it that costs
# more than the program.
system=$(uname -s | tr '[:upper:]' '[:lower:]')
machine=$(uname -m | sed 's/aarch64/arm64/')
native=$(find "$peers/node_modules/@sourcemeta/jsonschema" -type f -name "jsonschema-$system-$machine")
[ -x "$native" ] || { say "no native program of sourcemeta for $system-$machine"; exit 1; }

say "building aov"
cargo build --release --locked --quiet --example invoices >&2
[ -n "$peers_only" ] || cargo build --release --locked --quiet --bin aov >&2
# A copy, as cargo install makes one of the peers: a file that was just linked is mapped in smaller pages,
# which costs half a millisecond at each start.
aov=$data/aov
[ -n "$peers_only" ] || cp "$target/release/aov" "$aov"

# --- the data ------------------------------------------------------------------------------------

small=$data/invoice.json
large=$data/invoices.json
small_schema=$PWD/benches/invoice.schema.json
large_schema=$data/invoices.schema.json
"$target/release/examples/invoices" 0 "$small"
"$target/release/examples/invoices" 10000000 "$large"
{
  printf '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "array", "items":\n'
  grep -v '"\$schema"' "$small_schema"
  printf '}\n'
} >"$large_schema"
lines=$data/invoices.jsonl
"$target/release/examples/invoices" "${records}l" "$lines"
lines_schema=$small_schema
sed '1s/"total": /"totals": /' "$lines" >"$data/broken-invoices.jsonl"
# The first invoice of each without its total: every program must notice.
for name in invoice invoices; do
  sed '1,2s/"total": /"totals": /' "$data/$name.json" >"$data/broken-$name.json"
done

aov_small=("$aov" check --schema "$small_schema" --quiet)
aov_large=("$aov" check --schema "$large_schema" --quiet)
aov_lines=("$aov" check --schema "$lines_schema" --quiet)
cli_small=("$peers/bin/jsonschema-cli" validate "$small_schema" -i)
cli_large=("$peers/bin/jsonschema-cli" validate "$large_schema" -i)
sourcemeta_small=("$native" validate --fast "$small_schema")
sourcemeta_large=("$native" validate --fast "$large_schema")
sourcemeta_lines=("$native" validate --fast "$lines_schema")

# answers NAME COMMAND...: 0 for the good file, something else for the broken one.
failed=
answers() {
  local name=$1 good=$2 broken=$3
  shift 3
  if ! "$@" "$good" >/dev/null 2>&1; then
    say "WRONG: $name refuses ${good##*/}: $* $good"
    failed=yes
  elif "$@" "$broken" >/dev/null 2>&1; then
    say "WRONG: $name accepts ${broken##*/}: $* $broken"
    failed=yes
  fi
}
for set in small:invoice large:invoices; do
  size=${set%%:*} file=${set#*:}
  for program in aov cli sourcemeta; do
    [ "$program" = aov ] && [ -n "$peers_only" ] && continue
    declare -n command="${program}_$size"
    answers "$program" "$data/$file.json" "$data/broken-$file.json" "${command[@]}"
  done
done
for program in aov sourcemeta; do
  [ "$program" = aov ] && [ -n "$peers_only" ] && continue
  declare -n command="${program}_lines"
  answers "$program" "$lines" "$data/broken-invoices.jsonl" "${command[@]}"
done
[ -z "$failed" ] || exit 1

# --- the measurements ----------------------------------------------------------------------------

# measure CASE RUNS FILE NAME...: medians in seconds, one line a program, from one run.
measure() {
  local size=$1 count=$2 file=$3 arguments=() warmup=3
  [ "$count" -gt 5 ] || warmup=1
  shift 3
  local program
  for program in "$@"; do
    declare -n command="${program}_$size"
    arguments+=(--command-name "$program" "$(printf '%q ' "${command[@]}" "$file")")
  done
  hyperfine -N --style none --warmup "$warmup" --runs "$count" --export-csv "$data/$size.csv" \
    "${arguments[@]}" >&2
}

# The largest resident set of a command, in KiB.
peak() {
  if [ -x /usr/bin/time ] || install_system_package time; then
    /usr/bin/time -f %M -o "$data/peak" "$@" >/dev/null 2>&1 || true
    tail -n 1 "$data/peak"
  else
    python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
  fi
}

programs=(cli sourcemeta)
[ -n "$peers_only" ] || programs=(aov "${programs[@]}")
measure small 200 "$small" "${programs[@]}"
measure large "$runs" "$large" "${programs[@]}"
lines_programs=(sourcemeta)
if [ -z "$peers_only" ]; then
  aov_one_lines=("${aov_lines[@]}" --jobs 1)
  lines_programs=(aov aov_one sourcemeta)
fi
measure lines 5 "$lines" "${lines_programs[@]}"

# table CSV PEER LIMIT: the median of each program and the ratio to the peer; exit 1 beyond it.
table() {
  awk -F, -v peer="$2" -v limit="$3" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "median") column = i; next }
    { name[NR] = $1; median[$1] = $column }
    END {
      for (row = 2; row <= NR; row++) {
        program = name[row]; ratio = median[program] / median[peer]
        verdict = ""
        if (program == "aov") {
          verdict = ratio <= limit ? "within " limit : "BEYOND " limit
          if (ratio > limit) missed = 1
        }
        printf "  %-12s %10.2f ms %8.2f x %s\n", program, median[program] * 1000, ratio, verdict
      }
      exit missed
    }' "$1"
}

bytes=$(wc -c <"$large")
printf '\nsmall invoice (%d bytes), whole process, ratio to jsonschema-cli %s\n' \
  "$(wc -c <"$small")" "$jsonschema_cli"
table "$data/small.csv" cli 1.3 || failed=yes
printf '\narray of invoices (%d bytes), ratio to sourcemeta %s --fast\n' "$bytes" "$sourcemeta"
printf '(the peers validate; aov also counts, checks content and hashes)\n'
table "$data/large.csv" sourcemeta 1.0 || failed=yes
printf '\npeak memory on the array, ratio to its size\n'
for program in "${programs[@]}"; do
  declare -n command="${program}_large"
  kib=$(peak "${command[@]}" "$large")
  awk -v program="$program" -v kib="$kib" -v bytes="$bytes" 'BEGIN {
    ratio = kib * 1024 / bytes; verdict = ""
    if (program == "aov") verdict = ratio <= 12 ? "within 12" : "BEYOND 12"
    printf "  %-12s %10.1f MiB %7.2f x %s\n", program, kib / 1024, ratio, verdict
    exit verdict ~ /BEYOND/
  }' || failed=yes
done

printf '\n%d invoices, one a line (%d bytes), ratio to sourcemeta %s --fast\n' \
  "$records" "$(wc -c <"$lines")" "$sourcemeta"
table "$data/lines.csv" sourcemeta 1.0 || failed=yes

# A stream through a pipe, and one ten times as long: memory does not grow with it.
if [ -z "$peers_only" ]; then
  stream() { while cat "$lines"; do :; done 2>/dev/null | head -c "$1" | sed '$d'; }
  printf '\npeak memory on a stream of lines\n'
  short=
  for size in 100000000 1000000000; do
    kib=$(stream "$size" | peak "${aov_lines[@]}" --jsonl -)
    awk -v size="$size" -v kib="$kib" -v short="${short:-$kib}" 'BEGIN {
      limit = short * 2; verdict = kib <= limit ? "within 2 x the shorter" : "BEYOND 2 x the shorter"
      printf "  %-12s %10.1f MiB   %s\n", size / 1e6 " MB", kib / 1024, verdict
      exit kib > limit
    }' || failed=yes
    short=${short:-$kib}
  done
fi

[ -z "$failed" ] || { say "a limit was missed"; exit 1; }
