#!/usr/bin/env bash
# Measures what an agent calls most: the start of a command, and commands of a
# successor with 1,000 handoffs that wait. See measure/bench/README.md.
set -euo pipefail
cd "$(dirname "$0")"

tasks=1000 rounds=40
for arg; do
	case $arg in
	--short) tasks=100 rounds=10 ;;
	*) echo "usage: measure/bench/successor.sh [--short]" >&2; exit 2 ;;
	esac
done

work=${HANDOFF_BENCH_DIR:-$(mktemp -d)}/successor
[ -n "${HANDOFF_BENCH_DIR:-}" ] || trap 'rm -rf "${work%/successor}"' EXIT
rm -rf "$work"/tree "$work"/small "$work"/earlier
mkdir -p "$work/bin" "$work/tree"
CGO_ENABLED=0 go build -o "$work/bin/" ./hello ./measure
handoff=${HANDOFF_BINARY:-$work/bin/handoff}
# Built as by release/build.go and installed in the same way: see measure/bench/README.md.
[ -n "${HANDOFF_BINARY:-}" ] || { (cd ../.. && CGO_ENABLED=0 go build -trimpath -tags urfave_cli_no_docs -ldflags "-s -w" -o "$handoff.linked" ./cmd/handoff) && cp "$handoff.linked" "$handoff"; }
cd "$work/tree"
git init -q .
mkdir specs
echo package parser >parser.go
for i in $(seq "$tasks"); do
	"$handoff" new --task "$i" --slug "task_$i" --phase 1 --next-action "Run the tests of parser $i and read what fails." \
		--file parser.go --goal "parser $i passes" \
		--decision 'One parser: two would differ' --dead-end 'Regular expressions: they see headings in fences' \
		--context 'The first failure hides the others' --reference parser.go >/dev/null 2>&1
done
"$handoff" claim 1 --as ann >/dev/null 2>&1
echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}' >"$work/initialize"
# Hooks run in a workspace of one handoff, which this session has got already.
small=$work/small
mkdir -p "$small/specs"
git -C "$small" init -q
cp -r specs/1_task_1 "$small/specs/"
cp parser.go "$small/"
for event in SessionStart PostToolBatch; do
	printf '{"session_id":"bench","cwd":"%s","hook_event_name":"%s","source":"startup","transcript_path":""}\n' "$small" "$event" >"$work/$event"
done
# Before a delivery the session is unknown and the handoff has no receipt; receipts of
# earlier sessions exist, and the report has been committed since it was written.
GIT_COMMITTER_DATE='2026-01-01T00:00:00Z' git -C "$small" -c user.email=bench@example.org -c user.name=bench commit -qm before --allow-empty
git -C "$small" add -A
git -C "$small" -c user.email=bench@example.org -c user.name=bench commit -qm report
sed 's/"bench"/"earlier"/' "$work/SessionStart" | "$handoff" hook session-start --host claude >/dev/null
for receipt in "$small"/.git/handoff/receipts/*.jsonl; do mv "$receipt" "${receipt%/*}/0000000000000000.jsonl"; done
cp -r "$small/.git/handoff" "$work/earlier"
printf '#!/bin/sh\nrm -rf "%s" && cp -r "%s" "%s"\n' "$small/.git/handoff" "$work/earlier" "$small/.git/handoff" >"$work/forget"
chmod +x "$work/forget"
# A transcript of 3 MB, as after two hours of work: calls with 4 KB of results each.
long=$(printf '%4000s' '' | tr ' ' x)
for i in $(seq 750); do
	printf '{"type":"user","sessionId":"bench","cwd":"%s","version":"2.1.0","uuid":"u%s","timestamp":"2026-11-22T10:00:00Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%s","content":"%s"}]}}\n' "$small" "$i" "$i" "$long"
	printf '{"type":"assistant","sessionId":"bench","cwd":"%s","version":"2.1.0","uuid":"a%s","timestamp":"2026-11-22T10:00:01Z","message":{"id":"m%s","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"I look."}],"usage":{"input_tokens":%s,"output_tokens":20}}}\n' "$small" "$i" "$i" "$((20000 + 60 * i))"
done >"$work/transcript.jsonl"
printf '{"session_id":"bench","cwd":"%s","hook_event_name":"PostToolBatch","transcript_path":"%s"}\n' "$small" "$work/transcript.jsonl" >"$work/Long"
uptime

one=$(echo specs/1_task_1/handoffs/*.md)
programs=("" "$handoff")
[ -z "${HANDOFF_BEFORE:-}" ] || programs+=("-before" "$HANDOFF_BEFORE")
before=()
rows=(--- hello "$work/bin/hello" --- flush "$work/bin/hello" "$work/file" --- shell sh -c "exec '$work/bin/hello'")
for ((i = 0; i < ${#programs[@]}; i += 2)); do
	name=${programs[i]} program=${programs[i + 1]}
	# A host starts the MCP server and waits for the first answer; here also for its end.
	rows+=(--- "start$name" "$program" schema config
		--- "hook$name" sh -c "exec '$program' hook batch --host claude <'$work/PostToolBatch'"
		--- "hook-start$name" sh -c "exec '$program' hook session-start --host claude <'$work/SessionStart'"
		--- "hook-deliver$name" sh -c "exec '$program' hook session-start --host claude <'$work/SessionStart'"
		--- "hook-long$name" sh -c "exec '$program' hook batch --host claude <'$work/Long'"
		--- "hook-long-first$name" sh -c "exec '$program' hook batch --host claude <'$work/Long'"
		--- "mcp$name" sh -c "exec '$program' mcp <'$work/initialize'"
		--- "claim$name" "$program" claim "$one" --as ann --force --why again
		--- "claim-number$name" "$program" claim 1 --as ann --force --why again
		--- "brief-number$name" "$program" brief 1
		--- "next$name" "$program" next
		--- "ls$name" "$program" ls)
	printf '#!/bin/sh\n"%s" && "%s" hook session-start --host claude <"%s" >/dev/null\n' "$work/forget" "$program" "$work/SessionStart" >"$work/has$name"
	printf '#!/bin/sh\n"%s" && "%s" hook batch --host claude <"%s" >/dev/null\n' "$work/has$name" "$program" "$work/Long" >"$work/seen$name"
	printf '#!/bin/sh\n"%s" && "%s" hook batch --host claude <"%s" >/dev/null\n' "$work/has$name" "$program" "$work/PostToolBatch" >"$work/noted$name"
	chmod +x "$work/has$name" "$work/seen$name" "$work/noted$name"
	before+=(-before "hook$name=$work/noted$name" -before "hook-start$name=$work/has$name" -before "hook-deliver$name=$work/forget"
		-before "hook-long$name=$work/seen$name" -before "hook-long-first$name=$work/has$name")
done
echo
"$work/bin/measure" -rounds "$rounds" -base hello "${before[@]}" -bar 'claim - flush <= 3ms' -bar 'hook - shell <= 5ms' -bar 'hook-start - shell <= 5ms' -bar 'hook-deliver - shell <= 5ms' -bar 'hook-long - shell <= 5ms' -bar 'hook-long-first - shell <= 5ms' -bar 'wall next <= 50ms' -bar 'wall mcp <= 50ms' "${rows[@]:1}"
echo
uptime
