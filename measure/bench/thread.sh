#!/usr/bin/env bash
# Measures operations on threads of 1,000, 100,000 and 1,000,000 events, and in stores
# of one thread, of 10,000, and of a chain of 10,000. See measure/bench/README.md.
set -euo pipefail
cd "$(dirname "$0")"

events=1000000 mid=100000 many=10000 rounds=20
for arg; do
	case $arg in
	--short) events=100000 mid=10000 many=1000 rounds=5 ;;
	*) echo "usage: measure/bench/thread.sh [--short]" >&2; exit 2 ;;
	esac
done

work=${HANDOFF_BENCH_DIR:-$(mktemp -d)}/thread
[ -n "${HANDOFF_BENCH_DIR:-}" ] || trap 'rm -rf "${work%/thread}"' EXIT
rm -rf "$work"/at-*
mkdir -p "$work/bin"
CGO_ENABLED=0 go build -o "$work/bin/" ./genthread ./measure ./ssetail
handoff=${HANDOFF_BINARY:-$work/bin/handoff}
[ -n "${HANDOFF_BINARY:-}" ] || (cd ../.. && CGO_ENABLED=0 go build -o "$handoff" ./cmd/handoff)
measure=$work/bin/measure
thread=11111111-1111-4111-8111-111111111111
uptime

# place creates a workspace, in $work/at-NAME.
place() {
	mkdir -p "$work/at-$1/specs" "$work/at-$1/.handoff/threads"
}
for n in 1000 "$mid" "$events"; do
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
for n in 1000 "$mid"; do "$handoff" thread compaction-status "$thread" -C "$work/at-$n" >/dev/null; done

rows=() bars=()
# row NAME PLACE PLACE COMMAND… compares a command in the first place and in the second.
row() {
	local name=$1 few=$2 many=$3
	shift 3
	rows+=(--- "$name-$few" "$handoff" "$@" -C "$work/at-$few" --- "$name-$many" "$handoff" "$@" -C "$work/at-$many")
	bars+=(-bar "$name-$many / $name-$few <= 1.3" -bar "wall $name-$many / $name-$few <= 1.5" -bar "$name-$many <= 64MB")
}
# long NAME COMMAND… compares a command on threads of 1,000 events, of many, and of most.
long() {
	local name=$1
	shift
	row "$name" 1000 "$events" "$@"
	rows+=(--- "$name-$mid" "$handoff" "$@" -C "$work/at-$mid")
	bars+=(-bar "$name-$mid / $name-1000 <= 1.3")
}

# The generator's summary artifacts and answers do not exist, so compile tries one summary
# after the other. compiled starts from one that exists. Both exit with 1.
early=00000044-0044-406d-8044-000000000044 # message 68, which both threads have
long compile compile "$thread" --incomplete
long compile-early compile "$thread" --message-id "$early" --incomplete
echo
echo "one command, whole process, median of $rounds; summaries are lost:"
echo
"$measure" -rounds "$rounds" "${bars[@]}" "${rows[@]:1}"

for n in 1000 "$mid" "$events"; do
	"$handoff" thread compaction-checkpoint "$thread" --summary-markdown "so far so good" --stride-messages 1 -C "$work/at-$n" >/dev/null
done
rows=() bars=()
long get thread get "$thread"
long post thread post-message "$thread" --content "look at the next file"
long branch thread branch "$thread"
long branch-early thread branch "$thread" --from-message-id "$early"
long handoff thread handoff "$thread" --summary-markdown "all is well"
long compiled compile "$thread" --incomplete
long compaction-status thread compaction-status "$thread"
long selection-status thread context-selection-status "$thread"
long cursor-status thread provider-cursor-status "$thread"
long cut-points thread compaction-cut-points "$thread"
long show-last thread show "$thread" --last 16
long events-first thread events "$thread" --max-events 5
long lineage thread lineage "$thread"
long list thread list
long archive thread archive "$thread"
long unarchive thread unarchive "$thread"
long rename thread rename "$thread" "another title"
echo
echo "one command, whole process, median of $rounds:"
echo
"$measure" -rounds "$rounds" "${bars[@]}" "${rows[@]:1}"

echo
echo "linear in what is printed:"
echo
"$measure" -rounds 1 -bar 'events-all <= 200MB' -bar 'show-all <= 200MB' events-all "$handoff" thread events "$thread" -C "$work/at-$events" --- \
	show-all sh -c "'$handoff' thread show $thread -C '$work/at-$events' 2>&1 | tail -1" # the generator's answers are not there: it exits with 1

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

for n in 1 "$many"; do
	place "chain-$n"
	"$work/bin/genthread" -depth "$n" "$work/at-chain-$n/.handoff/threads"
	"$handoff" thread list -C "$work/at-chain-$n" >/dev/null
done
rows=() bars=()
row get chain-1 "chain-$many" thread get "$thread"
row post chain-1 "chain-$many" thread post-message "$thread" --content "look at the next file"
row branch chain-1 "chain-$many" thread branch "$thread"
row handoff chain-1 "chain-$many" thread handoff "$thread" --summary-markdown "all is well"
row compile chain-1 "chain-$many" compile "$thread"
row compile-own chain-1 "chain-$many" compile "$thread" --no-base
row show-last chain-1 "chain-$many" thread show "$thread" --last 16
row lineage chain-1 "chain-$many" thread lineage "$thread"
row list chain-1 "chain-$many" thread list
echo
echo "one command on a thread alone, and on the last of a chain of $many (bar 2; lineage and list print all threads):"
echo
"$measure" -rounds "$rounds" "${bars[@]//1.[35]/2}" "${rows[@]:1}"
rm -rf "$work"/at-*
echo
uptime
