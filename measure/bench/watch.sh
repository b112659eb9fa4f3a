#!/usr/bin/env bash
# Compares handoff watch with a floor and with other watchers. See measure/bench/README.md.
set -euo pipefail
cd "$(dirname "$0")"

handoffs=2000 apart=400 tasks=10000
for arg; do
	case $arg in
	--short) handoffs=200 apart=100 tasks=1000 ;;
	*) echo "usage: measure/bench/watch.sh [--short]" >&2; exit 2 ;;
	esac
done

work=${HANDOFF_BENCH_DIR:-$(mktemp -d)}/watch
[ -n "${HANDOFF_BENCH_DIR:-}" ] || trap 'rm -rf "${work%/watch}"' EXIT
mkdir -p "$work/bin"
CGO_ENABLED=0 go build -o "$work/bin/watchlatency" ./watchlatency
[ -n "${HANDOFF_BINARY:-}" ] || (cd ../.. && CGO_ENABLED=0 go build -o "$work/bin/handoff" ./cmd/handoff)
handoff=${HANDOFF_BINARY:-$work/bin/handoff}
latency=("$work/bin/watchlatency" -handoffs "$handoffs")
seldom=("$work/bin/watchlatency" -handoffs "$apart" -pace 50ms)
tree=$work/tree
rows=$work/rows starts=$work/starts # for the bars
: >"$rows" >"$starts"

# fresh creates a new tree: each row writes the same files. Old trees are only
# removed at the end: ext4 without a journal searches all recently freed inodes
# whenever it creates a file, so a row would pay for the previous row's files.
used=$work/used
rm -rf "$used" "$tree"
mkdir -p "$used"
fresh() {
	[ ! -d "$tree" ] || mv "$tree" "$(mktemp -d "$used/XXXXXX")"
	"${latency[@]}" tree "$tree" $((handoffs / 4))
	[ "$1" = plain ] || "$handoff" sync -C "$tree" >/dev/null
}

# row plain|synced COMMAND… measures one row on its own tree.
row() {
	fresh "$1"
	"${@:2}" | tee -a "$rows"
}

# Some watchers do not print when they are ready: they get one second.
unsaid='(sleep 1; echo watching >&2) &'
events=(sh -c "$unsaid exec '$handoff' watch --debounce 0 --notify")

echo "from the close of a handoff, ms:"
echo
echo "| | handoffs | p50 | p99 | max |"
echo "|---|---:|---:|---:|---:|"
row plain "${latency[@]}" metadata "floor: read and rename" "$tree" "$work/bin/watchlatency" floor "$tree"
row plain "${latency[@]}" metadata "floor that waits for the disk" "$tree" "$work/bin/watchlatency" durable "$tree"
row synced "${latency[@]}" metadata "handoff watch --debounce 0: metadata on disk" "$tree" "$handoff" watch --debounce 0
row synced "${latency[@]}" metadata "handoff watch: metadata on disk" "$tree" "$handoff" watch
row synced "${latency[@]}" steady "handoff watch, a write every 5 ms" "$tree" "$handoff" watch
row synced "${latency[@]}" stream "handoff watch --debounce 0, one folder, one every 3 ms: linked" "$tree" "${events[@]}"
row synced "${seldom[@]}" stream "handoff watch --debounce 0, one folder, 50 ms apart: linked" "$tree" "${events[@]}"
if command -v inotifywait >/dev/null; then
	row plain "${latency[@]}" lines "inotifywait -m -r: event" "$tree" inotifywait -m -r -e close_write --format '%w%f' specs
else
	echo "watch.sh: no inotifywait (Debian: inotify-tools): row left out" >&2
fi
if command -v entr >/dev/null; then
	row plain "${latency[@]}" -handoffs "$apart" -pace 100ms rewrites "entr: command ran" "$tree" \
		sh -c "$unsaid find specs -name '*.md' | exec entr -n -p echo /_"
else
	echo "watch.sh: no entr (Debian: entr): row left out" >&2
fi
if command -v npm >/dev/null; then
	[ -d "$work/node_modules/chokidar" ] || (cd "$work" && npm install --silent --no-audit --no-fund --prefix . chokidar@6 >&2)
	cat >"$work/chokidar.mjs" <<-'JS'
		import { watch } from 'chokidar'
		const w = watch('specs', { ignoreInitial: true })
		w.on('ready', () => console.error('watching'))
		w.on('add', path => console.log(path))
	JS
	chokidar=(node "$work/chokidar.mjs")
	row plain "${latency[@]}" lines "chokidar: event" "$tree" "${chokidar[@]}"
	row plain "${latency[@]}" stream "chokidar, one folder, one every 3 ms: event" "$tree" "${chokidar[@]}"
	row plain "${seldom[@]}" stream "chokidar, one folder, 50 ms apart: event" "$tree" "${chokidar[@]}"
else
	echo "watch.sh: no npm: chokidar left out" >&2
fi

echo
echo "$tasks tasks where all is done:"
echo
big=$work/big-$tasks
if [ ! -d "$big" ]; then
	"$work/bin/watchlatency" tree "$big" "$tasks"
	"$handoff" sync -C "$big" >/dev/null
fi
for _ in 1 2 3; do "$work/bin/watchlatency" start "$big" "$handoff" watch | sed 's/^/- /' | tee -a "$starts"; done

# The bars. A peer that is not installed sets none.
echo
awk -F ' *[|] *' '
	function bar(text, value, limit, unit) {
		printf "| %s | %s%s | %s |\n", text, value, unit, value + 0 <= limit + 0 ? "ok" : "missed"
	}
	function under(text, ours, theirs) {
		if (ours in p50 && theirs in p50)
			printf "| %s | %s / %s ms | %s |\n", text, p50[ours], p50[theirs], p50[ours] + 0 < p50[theirs] + 0 ? "ok" : "missed"
	}
	FILENAME == ARGV[1] {
		sub(/ \([0-9]+ never told\)$/, "", $2)
		p50[$2] = $4; max[$2] = $6
		next
	}
	{
		gsub(/[;:]/, "")
		if (!start || $3 + 0 < start) start = $3
		if ($10 + 0 > rss) rss = $10
		idle += $(NF - 1)
	}
	END {
		print "| bar | measured | |"
		print "|---|---:|---|"
		ours = "handoff watch --debounce 0: metadata on disk"
		bar("--debounce 0 / floor, p50 <= 5", sprintf("%.2f", p50[ours] / p50["floor: read and rename"]), 5, "")
		disk = p50["floor that waits for the disk"]
		printf "| of which the floor that waits for the disk takes | %.2f | |\n", disk / p50["floor: read and rename"]
		printf "| --debounce 0 / floor that waits for the disk, p50 | %.2f | |\n", p50[ours] / disk
		under("--debounce 0 < chokidar, p50", ours, "chokidar: event")
		under("one folder, one every 3 ms: < chokidar, p50", "handoff watch --debounce 0, one folder, one every 3 ms: linked", "chokidar, one folder, one every 3 ms: event")
		under("one folder, 50 ms apart: < chokidar, p50", "handoff watch --debounce 0, one folder, 50 ms apart: linked", "chokidar, one folder, 50 ms apart: event")
		bar("a write every 5 ms: max < 250 ms", max["handoff watch, a write every 5 ms"], 249.99, " ms")
		bar("start, best of 3 < 500 ms", start, 499, " ms")
		bar("peak RSS < 40 MB", rss, 39.99, " MB")
		bar("CPU of 10 s idle, 3 times = 0", idle, 0, " ms")
	}' "$rows" FS=' ' "$starts"
uptime
