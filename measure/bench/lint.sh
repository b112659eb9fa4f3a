#!/usr/bin/env bash
# Compares `handoff lint` with the floor of only reading the files, and with other
# Markdown linters. It prints Markdown; measure/bench/README.md explains each number. A
# missed bar is printed and is not an error: exit code 1 means that something could
# not run.
set -euo pipefail
shopt -s inherit_errexit

usage() {
  cat <<'USAGE'
usage: measure/bench/lint.sh [--files N] [--rounds N] [--peers] [--big]

  --files N    handoffs in the corpus (10000)
  --rounds N   measured rounds after one warm-up (5)
  --peers      install the newest rumdl from PyPI and markdownlint-cli2 from npm into the work folder
  --big        measure 100,000 handoffs as well

environment:
  HANDOFF_BINARY     the program to measure, in place of ./cmd/handoff of this checkout
  HANDOFF_BENCH_DIR  work folder to keep: corpora, peers, the output of every command;
                     a temporary one, removed at the end, if unset
USAGE
}

seed=1

number() {
  if [[ ! ${2-} =~ ^[1-9][0-9]*$ ]]; then
    echo "lint.sh: $1 takes a number: $1 5" >&2
    exit 2
  fi
}

files=10000 rounds=5 install=false big=false
while (($#)); do
  case $1 in
    --files) number "$@"; files=$2; shift ;;
    --rounds) number "$@"; rounds=$2; shift ;;
    --peers) install=true ;;
    --big) big=true ;;
    -h | --help) usage; exit 0 ;;
    *)
      echo "lint.sh: unknown argument $1" >&2
      usage >&2
      exit 2
      ;;
  esac
  shift
done

bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ -n ${HANDOFF_BENCH_DIR-} ]]; then
  mkdir -p "$HANDOFF_BENCH_DIR"
  work=$(cd "$HANDOFF_BENCH_DIR" && pwd)
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
bin=$work/bin status=0

build() {
  mkdir -p "$bin"
  CGO_ENABLED=0 go build -C "$bench" -buildvcs=false -o "$bin/" ./floor ./gencorpus ./hello ./measure
  handoff=${HANDOFF_BINARY-}
  if [[ -z $handoff ]]; then
    handoff=$bin/handoff
    # As release/build.go does: see measure/bench/README.md.
    CGO_ENABLED=0 go build -C "$bench/../.." -buildvcs=false -trimpath -tags urfave_cli_no_docs -ldflags "-s -w" -o "$handoff" ./cmd/handoff
  else
    handoff=$(realpath "$handoff")
  fi
}

# corpus N prints the folder of a corpus of N handoffs. It writes the corpus
# unless the same generator has already done so.
corpus() {
  local folder
  folder=$work/corpus-$1-$(cksum <"$bin/gencorpus" | cut -d' ' -f1)
  if [[ ! -d $folder ]]; then
    rm -rf "$folder.part"
    "$bin/gencorpus" -n "$1" -seed "$seed" -o "$folder.part" >&2
    mv "$folder.part" "$folder"
  fi
  echo "$folder"
}

# find_peers sets rumdl and markdownlint to the programs in the work folder or
# on the PATH, else to nothing. PyPI has the native program of rumdl, and newer
# ones than npm.
find_peers() {
  local peers=$work/peers
  if $install; then
    mkdir -p "$peers"
    npm install --prefix "$peers" --no-audit --no-fund --ignore-scripts --loglevel=error markdownlint-cli2@latest >&2 || status=1
    python3 -m pip install --quiet --upgrade --target "$peers/python" rumdl >&2 || status=1
  fi
  rumdl=$(command -v rumdl || true)
  if [[ -x $peers/python/bin/rumdl ]]; then
    rumdl=$peers/python/bin/rumdl
  fi
  markdownlint=$(command -v markdownlint-cli2 || true)
  if [[ -x $peers/node_modules/.bin/markdownlint-cli2 ]]; then
    markdownlint=$peers/node_modules/.bin/markdownlint-cli2
  fi
}

environment() {
  echo "$(nproc) CPUs ($(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)), Linux $(uname -r)," \
    "$(df --output=fstype "$work" | tail -n 1), $(go env GOVERSION)," \
    "load $(cut -d' ' -f1 /proc/loadavg), $(date -u +%Y-%m-%d)"
  echo
  echo "- handoff: ${HANDOFF_BINARY:-built from this checkout}"
  if [[ -n $rumdl ]]; then
    echo "- rumdl: $("$rumdl" --version)"
  else
    echo "- rumdl: absent, not measured (--peers installs it)"
  fi
  if [[ -n $markdownlint ]]; then
    echo "- markdownlint-cli2: $({ "$markdownlint" --help || true; } | head -n 1)"
  else
    echo "- markdownlint-cli2: absent, not measured (--peers installs it)"
  fi
}

# measure TITLE LOGS ARGUMENT… runs the measuring program in the corpus.
measure() {
  local title=$1 logs=$work/logs/$2
  shift 2
  mkdir -p "$logs"
  printf '\n### %s\n\n' "$title"
  "$bin/measure" -logs "$logs" "$@" || status=1
}

# The six headings of the schema, after any title: MD043 cannot check more.
required='["?", "## Immediate Next Action", "## Current State", "## Key Decisions Made", "## What NOT to Try",
  "## Critical Context (max 5 items)", "## References (read only if stuck)"]'

all_files() {
  local folder commands
  folder=$(corpus "$files")
  commands=(
    floor "$bin/floor" .
    --- lint "$handoff" lint --format text .
    --- lint-no-files "$handoff" lint --format text --disable dead-reference --disable dead-line .
  )
  # Peers check the same files: plans and reports are not handoffs.
  if [[ -n $rumdl ]]; then
    local check=("$rumdl" check --no-cache --no-config --include '**/handoffs/*.md')
    commands+=(
      --- rumdl "${check[@]}" .
      --- rumdl-md043 "${check[@]}" --enable MD043 --config "MD043.headings = ${required//$'\n'/}" .
    )
  fi
  if [[ -n $markdownlint ]]; then
    commands+=(--- markdownlint-cli2 "$markdownlint" '**/handoffs/*.md')
  fi
  cd "$folder"
  measure "$files handoffs" "$files" -rounds "$rounds" \
    -bar 'lint / floor <= 2.5' \
    -bar 'lint / rumdl <= 1/12' -bar 'lint / rumdl-md043 <= 1/3' -bar 'lint / markdownlint-cli2 <= 1/100' \
    "${commands[@]}"
  planted "$work/logs/$files/lint.out"
}

# planted OUTPUT compares the findings with the manifest of planted defects, so
# that a linter that is fast because it checks nothing is noticed.
planted() {
  printf '\nPlanted defects, by kind, and how many of those documents have a finding:\n\n'
  awk -F '\t' '
    FILENAME == ARGV[1] { sub(/^\.\//, ""); sub(/:.*/, ""); flagged[$0] = 1; next }
    { kinds[$2]++; planted[$1] = 1; if ($1 in flagged) hit[$2]++ }
    END {
      for (kind in kinds) printf "%s %d of %d\n", kind, hit[kind], kinds[kind] | "sort"
      close("sort")
      for (path in flagged) if (path ~ /\/handoffs\// && !(path in planted)) clean++
      printf "documents without a planted defect that have a finding: %d\n", clean
    }' "$1" manifest.tsv | sed 's/^/- /'
}

one_file() {
  local one commands
  one=$(find specs -path '*/handoffs/*.md' | sort | { grep -vxF -f <(cut -f1 manifest.tsv) || true; } | sed -n 1p)
  if [[ -z $one ]]; then
    echo "lint.sh: no clean document in a corpus of $files: ask for more files" >&2
    status=1
    return
  fi
  commands=(hello "$bin/hello" --- one "$handoff" lint --format text "$one")
  if [[ -n $rumdl ]]; then
    commands+=(--- rumdl "$rumdl" check --no-cache --no-config "$one")
  fi
  measure 'One clean file, whole process' one -rounds $((rounds * 10)) -bar 'one - hello <= 4ms' "${commands[@]}"
}

many_files() {
  local folder
  folder=$(corpus 100000)
  cd "$folder"
  measure '100000 handoffs' 100000 -rounds $((rounds < 3 ? rounds : 3)) \
    -bar 'lint <= 40MB' -bar 'lint / floor <= 2.5' \
    floor "$bin/floor" . --- lint "$handoff" lint --format text .
}

build
find_peers
environment
all_files
one_file
if $big; then many_files; fi
exit "$status"
