#!/usr/bin/env bash
# Builds the release of a tag, checks it and prints the commands that publish it; with
# --publish it runs them. .github/workflows/release.yml runs it at a tag.
#
#	release/release.sh v0.1.0 DIR             # dry run: needs git, Go, no account and no network
#	release/release.sh --publish v0.1.0 DIR   # needs gh, uv, npm, skopeo and mcp-publisher
#
# DIR is created. What follows is passed to `go run .`, such as --targets linux/amd64. A
# run with --publish that failed can be repeated with another DIR: it skips what is published.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { printf 'release: %s\n' "$*" >&2; exit 1; }
step() { printf '\n== %s\n' "$*"; }
publish=
if [ "${1-}" = --publish ]; then publish=1; shift; fi
[ $# -ge 2 ] || fail 'want [--publish] TAG DIR, such as v0.1.0 /tmp/release'
tag=$1 version=${1#v} dist=$2
shift 2
[ ! -e "$dist" ] || fail "$dist exists"
mkdir -p "$(dirname "$dist")"
dist=$(cd "$(dirname "$dist")" && pwd)/$(basename "$dist")

step "is this $tag?"
git tag --points-at HEAD | grep -qxF "$tag" || fail "the commit has no tag $tag: git tag $tag"
said=$(sed -n 's/^const Version = "\(.*\)"$/\1/p' document/handoff/version.go)
[ "$said" = "$version" ] || fail "document/handoff/version.go has version $said"
notes=$(awk -v title="## $version" '/^## / { on = $0 == title; next } on' CHANGELOG.md)
[ -n "${notes//[[:space:]]/}" ] || fail "CHANGELOG.md has no section '## $version': run .ci/changelog $version"
echo "yes: tag, version.go and CHANGELOG.md agree"

step 'build'
(cd release && go run . --out "$dist" "$@")
cd "$dist"
wc -l <checksums.txt | xargs printf '%s files\n'

step 'check'
sha256sum --check --quiet checksums.txt
eval "$(cd "$OLDPWD/release" && go run . --names)" # package, repository and image
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=${package}_${version}_$(go env GOOS)_$(go env GOARCH)
tar -xzf "$here.tar.gz" -C "$work"
printed=$(HOME=$work "$work/$here/$package" --version)
[ "$printed" = "handoff version $version" ] || fail "the archive prints $printed"
HOME=$work "$work/$here/$package" demo --write >/dev/null
echo "$printed: demo runs from $here.tar.gz"
(cd "$OLDPWD/release" && go run . --site "$work/site")
find "$work/site" -name '*.html' | wc -l | xargs printf '%s pages of documentation\n'

# run prints a command, and runs it with --publish.
run() {
	printf '%s' '$'
	printf ' %q' "$@"
	echo
	[ -z "$publish" ] || "$@"
}
there() { [ -n "$publish" ] && "$@" >/dev/null 2>&1; }

step "publish$([ -n "$publish" ] || echo ': dry run, nothing is sent')"
# As a draft: the addresses in the other files work when it is published, last.
printf '%s\n' "$notes" >"$work/notes"
there gh release view "$tag" --repo "$repository" || run gh release create "$tag" --repo "$repository" --draft --verify-tag --title "$version" --notes-file "$work/notes"
run gh release upload "$tag" --repo "$repository" --clobber ./*
run uv publish --trusted-publishing always --check-url https://pypi.org/simple/ ./*.whl
# The package that users name is last, and by this order of names it is: its dependencies exist then.
for file in "$package"-[a-z]*-"$version".tgz "$package-$version.tgz"; do
	name=${file%-"$version".tgz}
	there npm view "$name@$version" version || run npm publish --provenance --access public "./$file"
done
names=("$version" latest) kind=--latest
[[ $version != *-* ]] || names=("$version") kind=--prerelease
for name in "${names[@]}"; do
	run skopeo copy --all "oci-archive:${package}_${version}_oci.tar" "docker://$image:$name"
done
run gh release edit "$tag" --repo "$repository" --draft=false $kind
run mcp-publisher login github-oidc
run mcp-publisher publish server.json

step 'by hand, in other repositories (see CONTRIBUTING.md)'
printf '%s\n' "$package.rb: the Homebrew tap" "$package.json: the Scoop bucket" "${repository%/*}.*.yaml: winget" 'aqua-registry.yaml: aqua, once'
