#!/usr/bin/env bash
# public-trees.sh HANDOFF LIST shows what handoff says of the trees of a list, to be read by eye: docs/public-trees.md has
# the results. LIST has a line for each: a git directory or a clone, its commit or HEAD, and the path for which it
# was chosen. Each tree is checked out into a new folder without a configuration, and removed.
set -u
handoff=$(realpath "$1") scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GIT_CEILING_DIRECTORIES=$scratch HOME=$scratch/home
while read -r repository commit path; do
	tree=$scratch/tree
	rm -rf "$tree" && mkdir -p "$tree" "$HOME"
	commit=$(git --git-dir="$repository" rev-parse --verify -q "$commit^{commit}") || { echo "=== $repository: no such commit" && continue; }
	git --git-dir="$repository" archive "$commit" | tar -x -C "$tree" --exclude-vcs 2>/dev/null
	echo "=== $repository ${commit:0:10} $path $([ -e "$tree/$path" ] && echo there || echo absent)"
	cd "$tree" && git init -q . && git add -A >/dev/null 2>&1 && git -c user.name=a -c user.email=a@example.org commit -qm tree
	for command in "ls -n 5" next lint; do
		echo "--- $command"
		timeout 60 "$handoff" $command 2>&1 | cut -c1-400 | head -40
	done
	echo "--- $path"
	head -c 6000 "$path" 2>/dev/null
	echo
	cd "$scratch"
done <"$2"
