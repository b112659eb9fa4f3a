#!/bin/sh
# Agents race for one task: N processes claim it at the same moment, in rounds, with each tracker that is
# in PATH. It counts the rounds in which more than one process was told that the task is its own.
#
#	sh docs/race.sh [AGENTS] [ROUNDS] [TRACKER…]
#
# AGENTS is 4 and ROUNDS 10 by default; TRACKER is handoff, backlog (Backlog.md) or bd (beads). All happens
# in a temporary folder, which is removed.
set -eu

agents=${1:-4} rounds=${2:-10}
[ $# -lt 2 ] || shift 2
[ $# -gt 0 ] || set -- handoff backlog bd
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
export HOME="$root/home" GIT_AUTHOR_NAME=race GIT_AUTHOR_EMAIL=race@localhost GIT_COMMITTER_NAME=race GIT_COMMITTER_EMAIL=race@localhost
mkdir -p "$HOME"

# Each tracker has three functions: prepare an empty repository, make the task of a round, and claim it as an
# agent. The last one fails unless the tracker says that the agent has the task now.
handoff_prepare() { :; }
handoff_task() { :; }
handoff_claim() { handoff claim "task:$1" --as "$2"; }

backlog_prepare() { backlog init race --defaults; }
backlog_task() { backlog task create "Round $1" && task=$1; }
backlog_claim() {
	# As its instructions for agents say: look whether it is free, then take it.
	backlog task "$1" --plain | grep -q 'Status:.*To Do' && backlog task edit "$1" -s 'In Progress' -a "@$2"
}

bd_prepare() { bd init --prefix race; }
bd_task() { bd create "Round $1" --json | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p' | head -n 1 >"$root/bd.$1"; }
bd_claim() { bd --actor "$2" update "$(cat "$root/bd.$1")" --claim; }

race() { # TRACKER
	dir="$root/$1"
	mkdir "$dir"
	cd "$dir"
	git init -q .
	git commit -q --allow-empty -m race
	"$1_prepare" >prepare.log 2>&1 </dev/null || { echo "$1: cannot be prepared: $(tail -n 1 prepare.log)"; return; }
	none=0 one=0 more=0
	for round in $(seq "$rounds"); do
		"$1_task" "$round" >task.log 2>&1 </dev/null || { echo "$1: has no task: $(tail -n 1 task.log)"; return; }
		rm -f "$root"/go "$root"/won.*
		for agent in $(seq "$agents"); do
			(
				while [ ! -e "$root/go" ]; do :; done # all begin at once
				if "$1_claim" "$round" "agent$agent" >"claim.$agent.log" 2>&1 </dev/null; then : >"$root/won.$agent"; fi
			) &
		done
		sleep 0.2
		: >"$root/go"
		wait
		case $(ls "$root" | grep -c '^won\.') in
		0) none=$((none + 1)) ;;
		1) one=$((one + 1)) ;;
		*) more=$((more + 1)) ;;
		esac
	done
	echo "$1: $rounds rounds of $agents agents: one winner in $one, several in $more, none in $none"
}

for tracker in "$@"; do
	if command -v "$tracker" >/dev/null; then
		race "$tracker"
	else
		echo "$tracker: is not installed"
	fi
done
