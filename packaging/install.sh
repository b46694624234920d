#!/bin/sh
# Installs mdmem from the archives of a release, after it has compared the checksum.
#
#   sh install.sh [--from URL_OR_FOLDER] [--to FOLDER]
#
# --from  where the archives and SHA256SUMS are: an https address, or a folder
# --to    where the program goes; ~/.local/bin without it
set -eu

from='@FROM@'
to=

say() { printf '%s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf 'hint: %s\n' "$2" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --from | --to)
      [ $# -ge 2 ] || fail "$1 needs a value"
      if [ "$1" = --from ]; then from=$2; else to=$2; fi
      shift 2
      ;;
    -h | --help)
      sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "$0"
      exit 0
      ;;
    *) fail "unknown argument: $1" "sh install.sh [--from URL_OR_FOLDER] [--to FOLDER]" ;;
  esac
done
if [ -z "$to" ]; then
  [ -n "${HOME:-}" ] || fail "HOME is not set" "Name the folder with --to."
  to=$HOME/.local/bin
fi
case $from in
  https://*) ;;
  *://*) fail "$from is not an https address" ;;
  *) [ -d "$from" ] || fail "no folder with a release: $from" "Name one, or an https address, with --from." ;;
esac

case $(uname -m) in
  x86_64 | amd64) machine=x86_64 ;;
  aarch64 | arm64) machine=aarch64 ;;
  *) fail "there is no archive for $(uname -m)" "Build it from source: cargo install --locked --path ." ;;
esac
case $(uname -s) in
  Linux) if getconf GNU_LIBC_VERSION >/dev/null 2>&1; then system=unknown-linux-gnu; else system=unknown-linux-musl; fi ;;
  Darwin) system=apple-darwin ;;
  *) fail "there is no archive for $(uname -s)" "Build it from source: cargo install --locked --path ." ;;
esac
name=mdmem-$machine-$system
archive=$name.tar.gz

new=
work=$(mktemp -d)
trap 'rm -rf "$work" ${new:+"$new"}' EXIT
trap 'exit 1' HUP INT TERM

fetch() {
  case $from in
    https://*)
      if command -v curl >/dev/null; then
        curl -fsSL --proto '=https' --proto-redir '=https' -o "$work/$1" "${from%/}/$1"
      elif command -v wget >/dev/null; then
        wget -q --https-only -O "$work/$1" "${from%/}/$1"
      else
        fail "neither curl nor wget is on this machine"
      fi
      ;;
    *) cp "${from%/}/$1" "$work/$1" ;;
  esac || fail "cannot fetch $1 from $from"
}
sum_of() {
  if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d ' ' -f 1
}

fetch SHA256SUMS
fetch "$archive"
wanted=$(awk -v name="$archive" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")
[ -n "$wanted" ] || fail "SHA256SUMS has no line for $archive" "Nothing was installed."
[ "$wanted" = "$(sum_of "$work/$archive")" ] ||
  fail "$archive is not what SHA256SUMS says" "Nothing was installed. Fetch it again; if it stays so, report it."
tar -xzf "$work/$archive" -C "$work" "$name/mdmem" || fail "$archive cannot be unpacked"
version=$("$work/$name/mdmem" --version) || fail "the program does not run here" "Build it from source: cargo install --locked --path ."

mkdir -p "$to" || fail "cannot make the folder $to" "Name another with --to."
[ ! -d "$to/mdmem" ] || fail "$to/mdmem is a folder" "Name another place with --to."
old=
[ ! -e "$to/mdmem" ] || old=$("$to/mdmem" --version 2>/dev/null) || old='another program'
# Beside the old one, and then in its place at once: a watcher that runs keeps the program that it has.
new=$to/.mdmem-new.$$
{ cp "$work/$name/mdmem" "$new" && chmod 755 "$new" && mv -f "$new" "$to/mdmem"; } 2>/dev/null ||
  fail "cannot write to $to" "Name another folder with --to."
new=

say "installed $version: $to/mdmem${old:+ (was $old)}"
found=$(command -v mdmem) || found=
if [ -z "$found" ]; then
  say "next: add $to to your PATH"
elif [ "$found" != "$to/mdmem" ]; then
  say "next: PATH finds $found first; remove it, or put $to before it"
elif [ -n "$old" ]; then
  say "next: restart your agents and the watcher"
fi
