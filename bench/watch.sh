#!/usr/bin/env bash
# Measures handoff watch beside a floor and other watchers. See bench/README.md.
set -euo pipefail
cd "$(dirname "$0")"

handoffs=2000 tasks=10000
for arg; do
	case $arg in
	--short) handoffs=200 tasks=1000 ;;
	*) echo "usage: bench/watch.sh [--short]" >&2; exit 2 ;;
	esac
done

work=${HANDOFF_BENCH_DIR:-$(mktemp -d)}/watch
[ -n "${HANDOFF_BENCH_DIR:-}" ] || trap 'rm -rf "${work%/watch}"' EXIT
mkdir -p "$work/bin"
CGO_ENABLED=0 go build -o "$work/bin/watchlatency" ./watchlatency
[ -n "${HANDOFF_BINARY:-}" ] || (cd .. && CGO_ENABLED=0 go build -o "$work/bin/handoff" ./cmd/handoff)
handoff=${HANDOFF_BINARY:-$work/bin/handoff}
latency=("$work/bin/watchlatency" -handoffs "$handoffs")
tree=$work/tree

# fresh makes a tree anew: each row writes the same files.
fresh() {
	rm -rf "$tree"
	"${latency[@]}" tree "$tree" $((handoffs / 4))
	[ "$1" = plain ] || "$handoff" sync -C "$tree" >/dev/null
}

echo "from the close of a handoff, ms:"
echo
echo "| | handoffs | p50 | p99 | max |"
echo "|---|---:|---:|---:|---:|"
fresh plain && "${latency[@]}" metadata "floor: read and rename" "$tree" "$work/bin/watchlatency" floor "$tree"
fresh synced && "${latency[@]}" metadata "handoff watch --debounce 0: metadata on disk" "$tree" "$handoff" watch --debounce 0
fresh synced && "${latency[@]}" metadata "handoff watch: metadata on disk" "$tree" "$handoff" watch
fresh synced && "${latency[@]}" steady "handoff watch, a write every 5 ms (cap 250 ms)" "$tree" "$handoff" watch
if command -v inotifywait >/dev/null; then
	fresh plain && "${latency[@]}" lines "inotifywait -m -r: event" "$tree" inotifywait -m -r -e close_write --format '%w%f' specs
fi
if command -v npm >/dev/null; then
	[ -d "$work/node_modules/chokidar" ] || (cd "$work" && npm install --silent --no-audit --no-fund --prefix . chokidar@6 >&2)
	cat >"$work/chokidar.mjs" <<-'JS'
		import { watch } from 'chokidar'
		const w = watch('specs', { ignoreInitial: true })
		w.on('ready', () => console.error('watching'))
		w.on('add', path => console.log(path))
	JS
	fresh plain && "${latency[@]}" lines "chokidar: event" "$tree" node "$work/chokidar.mjs"
	fresh plain && "${latency[@]}" -pace 50ms lines "chokidar, 50 ms apart: event" "$tree" node "$work/chokidar.mjs"
fi

echo
echo "$tasks tasks where all is done:"
big=$work/big-$tasks
if [ ! -d "$big" ]; then
	"$work/bin/watchlatency" tree "$big" "$tasks"
	"$handoff" sync -C "$big" >/dev/null
fi
for _ in 1 2 3; do "$work/bin/watchlatency" start "$big" "$handoff" watch; done
uptime
