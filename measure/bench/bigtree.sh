#!/usr/bin/env bash
# Measures commands of a tree with 10,000 handoffs, beside a program that looks at
# the same files. See measure/bench/README.md.
set -euo pipefail
cd "$(dirname "$0")"

handoffs=10000 rounds=10 one=
for arg; do
	case $arg in
	--short) handoffs=1000 rounds=5 ;;
	--one) one=yes ;;
	*) echo "usage: measure/bench/bigtree.sh [--one] [--short]" >&2; exit 2 ;;
	esac
done

work=${HANDOFF_BENCH_DIR:-$(mktemp -d)}/bigtree
[ -n "${HANDOFF_BENCH_DIR:-}" ] || trap 'rm -rf "${work%/bigtree}"' EXIT
rm -rf "$work/tree"
mkdir -p "$work/bin"
CGO_ENABLED=0 go build -o "$work/bin/" ./hello ./measure ./gencorpus ./statfloor
handoff=${HANDOFF_BINARY:-$work/bin/handoff}
# Built as by release/build.go and installed in the same way: see measure/bench/README.md.
[ -n "${HANDOFF_BINARY:-}" ] || { (cd ../.. && CGO_ENABLED=0 go build -trimpath -tags urfave_cli_no_docs -ldflags "-s -w" -o "$handoff.linked" ./cmd/handoff) && cp "$handoff.linked" "$handoff"; }
"$work/bin/gencorpus" -n "$handoffs" -o "$work/tree" >/dev/null 2>&1
cd "$work/tree"
if [ -n "$one" ]; then
	mkdir -p "$work/all"
	find specs -path '*/handoffs/*.md' -exec mv -n -t "$work/all" {} +
	rm -rf specs
	mkdir -p specs/1_all
	mv "$work/all" specs/1_all/handoffs
fi
git init -q .
git add -A
git -c user.email=bench@example.org -c user.name=bench commit -qm all
for task in specs/*; do
	printf '%s/.return-meta.json\n%s/handoffs\n' "$task" "$task"
	printf '%s\n' "$task"/handoffs/*.md
done >"$work/files"
for event in SessionStart PostToolBatch; do
	printf '{"session_id":"bench","cwd":"%s","hook_event_name":"%s","source":"startup","transcript_path":""}\n' "$work/tree" "$event" >"$work/$event"
done
sleep 3 # what was just written is read again
"$handoff" hook session-start --host claude <"$work/SessionStart" >/dev/null
"$handoff" next >/dev/null 2>&1 || true # nothing may wait
uptime

programs=("" "$handoff")
[ -z "${HANDOFF_BEFORE:-}" ] || programs+=("-before" "$HANDOFF_BEFORE")
rows=(--- hello "$work/bin/hello" --- floor sh -c "exec '$work/bin/statfloor' <'$work/files'")
for ((i = 0; i < ${#programs[@]}; i += 2)); do
	name=${programs[i]} program=${programs[i + 1]}
	rows+=(--- "next$name" "$program" next --json
		--- "top$name" "$program" top --json
		--- "ls$name" "$program" ls
		--- "brief$name" "$program" brief latest
		--- "search$name" "$program" search token
		--- "hook$name" sh -c "exec '$program' hook batch --host claude <'$work/PostToolBatch'"
		--- "hook-start$name" sh -c "exec '$program' hook session-start --host claude <'$work/SessionStart'")
done
echo
"$work/bin/measure" -rounds "$rounds" -base floor -bar 'next / floor <= 1.5' -bar 'next - hello <= 20ms' -bar 'hook - hello <= 6ms' "${rows[@]:1}"
