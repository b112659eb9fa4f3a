#!/usr/bin/env bash
# Measures the start of handoff, beside a Go program that prints a line: the version, and a
# hook in a session that has its handoff already, as most are. See measure/bench/README.md.
set -euo pipefail
cd "$(dirname "$0")"

rounds=200
for arg; do
	case $arg in
	--short) rounds=20 ;;
	*) echo "usage: measure/bench/start.sh [--short]" >&2; exit 2 ;;
	esac
done

work=${HANDOFF_BENCH_DIR:-$(mktemp -d)}/start
[ -n "${HANDOFF_BENCH_DIR:-}" ] || trap 'rm -rf "${work%/start}"' EXIT
rm -rf "$work/tree"
mkdir -p "$work/bin" "$work/tree/specs"
CGO_ENABLED=0 go build -o "$work/bin/" ./hello ./measure
handoff=${HANDOFF_BINARY:-$work/bin/handoff}
# Built as by release/build.go and installed in the same way: see measure/bench/README.md.
[ -n "${HANDOFF_BINARY:-}" ] || { (cd ../.. && CGO_ENABLED=0 go build -trimpath -tags urfave_cli_no_docs -ldflags "-s -w" -o "$handoff.linked" ./cmd/handoff) && cp "$handoff.linked" "$handoff"; }
cd "$work/tree"
git init -q .
echo package parser >parser.go
"$handoff" new --task 1 --slug parser --phase 1 --next-action "Run the tests of parser.go and read what fails." --file parser.go --reference parser.go --goal "The parser passes." \
	--decision 'One parser: two would differ' --dead-end 'Regular expressions: they see headings in fences' --context 'The first failure hides the others' >/dev/null
for event in SessionStart PostToolBatch; do
	printf '{"session_id":"bench","cwd":"%s","hook_event_name":"%s","source":"startup","transcript_path":""}\n' "$PWD" "$event" >"$work/$event"
done
"$handoff" hook session-start --host claude <"$work/SessionStart" >/dev/null
uptime

programs=("" "$handoff")
[ -z "${HANDOFF_BEFORE:-}" ] || programs+=("-before" "$HANDOFF_BEFORE")
rows=(hello "$work/bin/hello") options=()
for ((i = 0; i < ${#programs[@]}; i += 2)); do
	name=${programs[i]} program=${programs[i + 1]}
	rows+=(--- "version$name" "$program" --version --- "hook$name" "$program" hook batch --host claude)
	options+=(-in "hook$name=$work/PostToolBatch")
done
echo
"$work/bin/measure" -rounds "$rounds" -base hello "${options[@]}" -bar 'version / hello <= 2.2' -bar 'hook / hello <= 2.2' "${rows[@]}"
# Which package variables a start computes, the dearest first: clock time, bytes, allocations.
echo
GODEBUG=inittrace=1 "$handoff" --version 2>&1 >/dev/null | awk '/^init / { printf "%s ms  %7d bytes  %4d  %s\n", $5, $8, $10, $2 }' | sort -rn | head -n 15
