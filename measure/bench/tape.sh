#!/usr/bin/env bash
# Compares package tape with Bub's FileTapeStore, and measures it at 1,000 and
# 1,000,000 entries. See measure/bench/README.md.
set -euo pipefail
cd "$(dirname "$0")"

beside=100000 entries=1000000 appends=2000 rounds=5 asked=20
for arg; do
	case $arg in
	--short) entries=100000 appends=200 rounds=3 asked=5 ;;
	*) echo "usage: measure/bench/tape.sh [--short]" >&2; exit 2 ;;
	esac
done

venvs=${HANDOFF_BUB_VENVS:-$(../../.ci/bub-venvs)}
work=${HANDOFF_BENCH_DIR:-$(mktemp -d)}/tape
[ -n "${HANDOFF_BENCH_DIR:-}" ] || trap 'rm -rf "${work%/tape}"' EXIT
rm -rf "$work/tapes"
mkdir -p "$work/bin" "$work/tapes"
CGO_ENABLED=0 go build -o "$work/bin/" ./gentape ./tapebench ./measure
bench=$work/bin/tapebench
uptime

for version in 0.3.4 0.4.3; do
	tapes=$work/tapes/$version
	mkdir "$tapes"
	"$work/bin/gentape" -n "$beside" "$tapes/a__b.jsonl"
	printf '\nBub %s, %d entries, %d MB, median of %d:\n\n' "$version" "$beside" $(($(stat -c %s "$tapes/a__b.jsonl") >> 20)) "$rounds"
	peer=(-python "$venvs/bub-$version/bin/python" -script tapebench/peer.py)
	"$bench" peer "${peer[@]}" -rounds "$rounds" "$tapes/a__b.jsonl"
	echo
	"$bench" durable "${peer[@]}" -n "$appends" "$tapes/a__b.jsonl"
done
rm -rf "$work/tapes"

stores=(1000 "$entries")
for n in "${stores[@]}"; do
	mkdir -p "$work/$n/tape"
	[ -f "$work/$n/tape/main.jsonl" ] || { "$work/bin/gentape" -n "$n" "$work/new.jsonl" && mv "$work/new.jsonl" "$work/$n/tape/main.jsonl"; }
done
file=$work/$entries/tape/main.jsonl
printf '\nmaking the index of %d entries, %d MB:\n\n' "$entries" $(($(stat -c %s "$file") >> 20))
"$work/bin/measure" -rounds 3 -bar 'index <= 64MB' index sh -c "rm -rf '$file.idx'; exec '$bench' index '$work/$entries'"

# Each row is a process that opens the store, asks one question, and ends.
# append goes first, so that every later question also reads its entries.
printf '\none question to a tape, whole process, median of %d:\n\n' "$asked"
"$bench" index "$work/1000" >/dev/null
rows=() bars=()
for what in append context anchors recover; do
	for n in "${stores[@]}"; do
		rows+=(--- "$what-$n" "$bench" "$what" "$work/$n")
	done
	bars+=(-bar "$what-$entries / $what-1000 <= 1.5" -bar "$what-$entries <= 64MB")
done
"$work/bin/measure" -rounds "$asked" "${bars[@]}" "${rows[@]:1}"
echo
uptime
