#!/usr/bin/env bash
# Measures a server with many concurrent clients. See measure/bench/README.md.
set -euo pipefail
cd "$(dirname "$0")"

work=${HANDOFF_BENCH_DIR:-$(mktemp -d)}/serve
[ -n "${HANDOFF_BENCH_DIR:-}" ] || trap 'rm -rf "${work%/serve}"' EXIT
rm -rf "$work/at"
mkdir -p "$work/bin"
CGO_ENABLED=0 go build -o "$work/bin/" ./serveload
handoff=${HANDOFF_BINARY:-$work/bin/handoff}
[ -n "${HANDOFF_BINARY:-}" ] || (cd ../.. && CGO_ENABLED=0 go build -o "$handoff" ./cmd/handoff)
uptime
echo
"$work/bin/serveload" ${HANDOFF_BEFORE:+-before "$HANDOFF_BEFORE"} "$@" "$handoff" "$work/at"
rm -rf "$work/at"
echo
uptime
