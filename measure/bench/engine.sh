#!/usr/bin/env bash
# Measures the stores: files, and JetStream on one node and on three, beside the plain
# client library of NATS. See measure/bench/README.md.
set -euo pipefail
cd "$(dirname "$0")"

appends=2000 tries=0
for arg; do
	case $arg in
	--short) appends=200 ;;
	*) echo "usage: measure/bench/engine.sh [--short]" >&2; exit 2 ;;
	esac
done

work=${HANDOFF_BENCH_DIR:-$(mktemp -d)}/engine
servers=()
finish() {
	for pid in "${servers[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
	wait 2>/dev/null || true
	servers=()
	[ -n "${HANDOFF_BENCH_DIR:-}" ] || rm -rf "${work%/engine}"
}
trap finish EXIT
server=${HANDOFF_NATS_SERVER:-$(../../.ci/nats-server)}
[ ! -d "$server" ] || server=$server/nats-server
rm -rf "$work"
mkdir -p "$work/bin"
CGO_ENABLED=0 go build -o "$work/bin/" ./enginebench
bench=$work/bin/enginebench

# cluster NODES FIRST_PORT starts servers and prints their addresses.
cluster() {
	local i j routes urls=
	for ((i = 0; i < $1; i++)); do
		mkdir -p "$work/$1-$i"
		routes=
		for ((j = 0; j < $1; j++)); do [ $i = $j ] || routes+=" \"nats://127.0.0.1:$(($2 + 2 * j + 1))\","; done
		{
			echo "server_name: n$i"
			echo "listen: \"127.0.0.1:$(($2 + 2 * i))\""
			echo "jetstream { store_dir: \"$work/$1-$i\", sync_interval: always }"
			[ "$1" = 1 ] || echo "cluster { name: bench, listen: \"127.0.0.1:$(($2 + 2 * i + 1))\", routes: [ ${routes%,} ] }"
		} >"$work/$1-$i.conf"
		"$server" -c "$work/$1-$i.conf" >"$work/$1-$i.log" 2>&1 &
		servers+=($!)
		urls+=,nats://127.0.0.1:$(($2 + 2 * i))
	done
	addresses=${urls#,}
}

uptime
for nodes in 1 3; do
	printf '\nJetStream, %s, sync_interval always:\n\n' "$([ $nodes = 1 ] && echo 'one node' || echo 'three nodes')"
	cluster $nodes $((20000 + RANDOM % 10000))
	# A cluster that is still electing its leader refuses streams.
	until "$bench" ready "$addresses" 2>"$work/ready"; do
		[ $((++tries)) -lt 60 ] || { cat "$work/ready" "$work/$nodes"-*.log; exit 1; }
		sleep 1
	done
	"$bench" jetstream -n "$appends" "$addresses"
	for pid in "${servers[@]}"; do kill -9 "$pid"; wait "$pid" 2>/dev/null || true; done
	servers=()
done
printf '\nfiles:\n\n'
mkdir -p "$work/files"
"$bench" files -n "$appends" "$work/files"
echo
uptime
