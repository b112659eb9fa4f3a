#!/usr/bin/env bash
# Measures operations on threads of 1,000 and of 1,000,000 events, and in stores
# of one thread and of 10,000. See measure/bench/README.md.
set -euo pipefail
cd "$(dirname "$0")"

events=1000000 many=10000 rounds=20
for arg; do
	case $arg in
	--short) events=100000 many=1000 rounds=5 ;;
	*) echo "usage: measure/bench/thread.sh [--short]" >&2; exit 2 ;;
	esac
done

work=${HANDOFF_BENCH_DIR:-$(mktemp -d)}/thread
[ -n "${HANDOFF_BENCH_DIR:-}" ] || trap 'rm -rf "${work%/thread}"' EXIT
rm -rf "$work"/at-*
mkdir -p "$work/bin"
CGO_ENABLED=0 go build -o "$work/bin/" ./genthread ./measure ./ssetail
handoff=${HANDOFF_BINARY:-$work/bin/handoff}
[ -n "${HANDOFF_BINARY:-}" ] || (cd .. && CGO_ENABLED=0 go build -o "$handoff" ./cmd/handoff)
measure=$work/bin/measure
thread=11111111-1111-4111-8111-111111111111
uptime

# place creates a workspace, in $work/at-NAME.
place() {
	mkdir -p "$work/at-$1/specs" "$work/at-$1/.handoff/threads"
}
for n in 1000 "$events"; do
	place "$n"
	"$work/bin/genthread" -n "$n" "$work/at-$n/.handoff/threads/$thread.jsonl"
done
sync "$work"

echo
echo "making the index of $events events, $(($(stat -c %s "$work/at-$events/.handoff/threads/$thread.jsonl") >> 20)) MB:"
echo
index="rm -rf '$work/at-$events/.handoff/threads/$thread.jsonl.idx'; exec '$handoff' thread compaction-status $thread -C '$work/at-$events'"
"$measure" -rounds 3 -bar 'index <= 64MB' index sh -c "$index"
rm -rf "$work/at-$events/.handoff/threads/$thread.jsonl.idx"
echo
if shown=$(script -qec "'$handoff' thread compaction-status $thread -C '$work/at-$events'" /dev/null </dev/null 2>/dev/null); then
	echo "a terminal is told how far it is $(tr '\r' '\n' <<<"$shown" | grep -c '^indexing ') times"
else
	echo "whether a terminal is told how far it is: not measured, script is not there"
fi
"$handoff" thread compaction-status "$thread" -C "$work/at-1000" >/dev/null

rows=() bars=()
# row NAME PLACES COMMAND… compares a command in the first place and in the second.
row() {
	local name=$1 few=$2 many=$3
	shift 3
	rows+=(--- "$name-$few" "$handoff" "$@" -C "$work/at-$few" --- "$name-$many" "$handoff" "$@" -C "$work/at-$many")
	bars+=(-bar "$name-$many / $name-$few <= 1.5" -bar "wall $name-$many / $name-$few <= 1.5" -bar "$name-$many <= 64MB")
}

# The generator's summary artifacts do not exist, so compile tries one summary
# after the other. compiled starts from one that exists.
early=00000044-0044-406d-8044-000000000044 # message 68, which both threads have
row compile 1000 "$events" compile "$thread"
row compile-early 1000 "$events" compile "$thread" --message-id "$early"
echo
echo "one command, whole process, median of $rounds; summaries are lost:"
echo
"$measure" -rounds "$rounds" "${bars[@]}" "${rows[@]:1}"

for n in 1000 "$events"; do
	"$handoff" thread compaction-checkpoint "$thread" --summary-markdown "so far so good" --stride-messages 1 -C "$work/at-$n" >/dev/null
done
rows=() bars=()
row get 1000 "$events" thread get "$thread"
row post 1000 "$events" thread post-message "$thread" --content "look at the next file"
row branch 1000 "$events" thread branch "$thread"
row branch-early 1000 "$events" thread branch "$thread" --from-message-id "$early"
row handoff 1000 "$events" thread handoff "$thread" --summary-markdown "all is well"
row compiled 1000 "$events" compile "$thread"
row compaction-status 1000 "$events" thread compaction-status "$thread"
row selection-status 1000 "$events" thread context-selection-status "$thread"
row cursor-status 1000 "$events" thread provider-cursor-status "$thread"
echo
echo "one command, whole process, median of $rounds:"
echo
"$measure" -rounds "$rounds" "${bars[@]}" "${rows[@]:1}"

echo
"$work/bin/ssetail" -rounds "$rounds" "$handoff" "$thread" "$work/at-1000" "$work/at-$events"

for n in one "$many"; do
	place "$n"
	"$work/bin/genthread" -threads "$([ "$n" = one ] && echo 1 || echo "$n")" "$work/at-$n/.handoff/threads"
done
for n in one "$many"; do "$handoff" thread list -C "$work/at-$n" >/dev/null; done # adds them to the catalogue
rows=() bars=()
row post one "$many" thread post-message "$thread" --content "look at the next file"
row get one "$many" thread get "$thread"
row branch one "$many" thread branch "$thread"
row handoff one "$many" thread handoff "$thread" --summary-markdown "all is well"
row create one "$many" thread create --title "one more"
row ensure one "$many" thread ensure
row rename one "$many" thread rename "$thread" "another title"
echo
echo "one command in a store of one thread, and of $many:"
echo
"$measure" -rounds "$rounds" "${bars[@]}" "${rows[@]:1}"
echo
"$measure" -rounds 5 -bar "list <= 64MB" \
	list "$handoff" thread list -C "$work/at-$many" --- \
	lineage "$handoff" thread lineage "$thread" -C "$work/at-$many" --- \
	beginning "$handoff" thread get 11111 -C "$work/at-$many"
rm -rf "$work"/at-*
echo
uptime
