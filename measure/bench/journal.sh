#!/usr/bin/env bash
# Compares internal/journal with a bare write and fsync and with other stores, and
# measures it at 1,000 and 1,000,000 records. See measure/bench/README.md.
set -euo pipefail
cd "$(dirname "$0")"

appends=5000 each=1000 events=1000000 rounds=20
for arg; do
	case $arg in
	--short) appends=500 each=100 events=100000 rounds=5 ;;
	*) echo "usage: measure/bench/journal.sh [--short]" >&2; exit 2 ;;
	esac
done

work=${HANDOFF_BENCH_DIR:-$(mktemp -d)}/journal
[ -n "${HANDOFF_BENCH_DIR:-}" ] || trap 'rm -rf "${work%/journal}"' EXIT
rm -rf "$work/stores"
mkdir -p "$work/bin" "$work/stores"
CGO_ENABLED=0 go build -o "$work/bin/" ./journalbench ./genthread ./measure
bench=$work/bin/journalbench
uptime
echo

"$bench" durable -n "$appends" "$work/stores"
echo
"$bench" appenders -n "$each" "$work/stores"
rm -rf "$work/stores"

threads=(1000 "$events")
for n in "${threads[@]}"; do
	[ -f "$work/$n.jsonl" ] || { "$work/bin/genthread" -n "$n" "$work/new.jsonl" && mv "$work/new.jsonl" "$work/$n.jsonl"; }
done

echo
echo "making the index of $events events, $(($(stat -c %s "$work/$events.jsonl") >> 20)) MB:"
echo
index="rm -rf '$work/$events.jsonl.idx'; exec '$bench' index '$work/$events.jsonl'"
"$work/bin/measure" -rounds 3 -bar 'index <= 64MB' index sh -c "$index"

# Each row is a process that opens the thread, asks one question, and ends.
# append goes first, so that every later question also reads its records.
echo
echo "one question to a thread, whole process, median of $rounds:"
echo
"$bench" index "$work/1000.jsonl" >/dev/null
rows=() bars=()
for what in append open get find list last; do
	for n in "${threads[@]}"; do
		rows+=(--- "$what-$n" "$bench" "$what" "$work/$n.jsonl")
	done
	bars+=(-bar "$what-$events / $what-1000 <= 1.5" -bar "$what-$events <= 64MB")
done
"$work/bin/measure" -rounds "$rounds" "${bars[@]}" "${rows[@]:1}"
echo
uptime
