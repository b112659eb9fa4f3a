#!/usr/bin/env bash
# Measures the peak memory of commands that read or write a whole tape, and of a
# server that returns one. See measure/bench/README.md.
set -euo pipefail
cd "$(dirname "$0")"

entries=1100000 part=400000
for arg; do
	case $arg in
	--short) entries=100000 part=40000 ;;
	*) echo "usage: measure/bench/memory.sh [--short]" >&2; exit 2 ;;
	esac
done

work=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server"; wait "$server" || true; fi; rm -rf "$work"' EXIT
mkdir -p "$work/w/specs" "$work/w/.handoff/tape"
CGO_ENABLED=0 go build -o "$work/" ./gentape ./measure
(cd ../.. && CGO_ENABLED=0 go build -o "$work/handoff" ./cmd/handoff)
"$work/gentape" -n "$entries" "$work/w/.handoff/tape/main.jsonl"
"$work/gentape" -n "$part" "$work/part.jsonl"
printf 'a tape of %d MB, and %d MB to append\n\n' $(($(stat -c %s "$work/w/.handoff/tape/main.jsonl") >> 20)) $(($(stat -c %s "$work/part.jsonl") >> 20))

cd "$work/w"
tape="$work/handoff tape" tapes=.handoff/tape
$tape info >/dev/null # builds the index
"$work/measure" -rounds 1 -bar 'fork <= 64MB' -bar 'append <= 64MB' -bar 'read-but-last <= 64MB' \
	fork sh -c "rm -rf $tapes/copy.jsonl*; exec $tape fork copy >/dev/null" --- \
	fork-link sh -c "rm -rf $tapes/linked.jsonl*; exec $tape fork linked --link >/dev/null" --- \
	read-but-last sh -c "exec $tape read --limit -1000 --json >/dev/null" --- \
	append sh -c "rm -rf $tapes/other.jsonl*; exec $tape append --tape other --from $work/part.jsonl --json >/dev/null" --- \
	fork,append,merge sh -c "$tape fork part --from-entry $entries && $tape append --tape part --from $work/part.jsonl --json && $tape merge part"

"$work/handoff" serve --listen "unix:$work/socket" 2>/dev/null &
server=$!
until [ -S "$work/socket" ]; do read -rt 0.1 <> <(:) || true; done
for what in entries context?all=true recover; do
	code=$(curl -s -o /dev/null -w '%{http_code}' --unix-socket "$work/socket" "http://localhost/tapes/main/$what")
	printf '%s: %s, server peak %d MB\n' "$what" "$code" $(($(awk '/VmHWM/ {print $2}' "/proc/$server/status") >> 10))
done
