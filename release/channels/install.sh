#!/bin/sh
# Installs [[.Command]] [[.Version]]: downloads the archive of this system, compares its SHA-256 with the one
# below, and puts the command, under both names, in PREFIX/bin. PREFIX is /usr/local for root and
# ~/.local for others, unless it is set. Devcontainers run it as root. Nothing else is changed.
set -eu
version=[[.Version]]
if [ -z "${PREFIX:-}" ]; then
	if [ "$(id -u)" = 0 ]; then PREFIX=/usr/local; else PREFIX=$HOME/.local; fi
fi

fail() { echo "install.sh: $1" >&2; exit 1; }

case $(uname -s) in
Linux) system=linux ;;
Darwin) system=darwin ;;
*) fail "no archive for $(uname -s): see [[.Homepage]]" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
armv7* | armv8l) arch=arm ;;
*) fail "no archive for $(uname -m): see [[.Homepage]]" ;;
esac
case ${system}_$arch in
[[- range .On "darwin"]]
darwin_[[.Arch]]) sum=[[.SHA256]] ;;
[[- end]]
[[- range .On "linux"]]
linux_[[.Arch]]) sum=[[.SHA256]] ;;
[[- end]]
*) fail "no archive for $system $arch: see [[.Homepage]]" ;;
esac

# An image of a devcontainer may have no program that downloads.
if ! command -v curl >/dev/null && ! command -v wget >/dev/null && [ "$(id -u)" = 0 ]; then
	if command -v apt-get >/dev/null; then apt-get update -qq && apt-get install -qq -y --no-install-recommends curl ca-certificates; fi
	if command -v apk >/dev/null; then apk add --quiet curl; fi
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=[[.Name]]_${version}_${system}_$arch
address=[[.Downloads]]/$folder.tar.gz
if command -v curl >/dev/null; then
	curl -fsSL -o "$work/archive" "$address"
elif command -v wget >/dev/null; then
	wget -qO "$work/archive" "$address"
else
	fail "install curl or wget"
fi
if command -v sha256sum >/dev/null; then
	got=$(sha256sum "$work/archive")
else
	got=$(shasum -a 256 "$work/archive")
fi
[ "${got%% *}" = "$sum" ] || fail "$address has another SHA-256 than $sum: nothing was installed"

tar -xzf "$work/archive" -C "$work"
mkdir -p "$PREFIX/bin"
# A running program cannot be overwritten, but replaced.
cp "$work/$folder/[[.Command]]" "$PREFIX/bin/.[[.Command]].new"
chmod 755 "$PREFIX/bin/.[[.Command]].new"
mv -f "$PREFIX/bin/.[[.Command]].new" "$PREFIX/bin/[[.Command]]"
ln -sf [[.Command]] "$PREFIX/bin/[[.Name]]"
echo "installed $PREFIX/bin/[[.Command]] $version"
