#!/bin/sh
# Installs the Debian packages of the jobs named, if they are missing:  packaging/need.sh build test
# Without root, or on a system without apt-get, it names them and stops with status 2.
set -eu
here=$(dirname "$0")
missing=
for job in "$@"; do
  names=$(sed -n "s/^$job: //p" "$here/debian-packages")
  for name in $names; do
    if ! command -v dpkg-query >/dev/null 2>&1 ||
      [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null || true)" != installed ]; then
      missing="$missing $name"
    fi
  done
done
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1; then
  echo "whyfail needs these Debian packages, or what this system has in their place:$missing" >&2
  exit 2
fi
if [ "$(id -u)" != 0 ]; then
  echo "whyfail needs packages that are not installed; as root: apt-get install$missing" >&2
  exit 2
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -q >/dev/null
# shellcheck disable=SC2086 — the names are words
apt-get install -y -q --no-install-recommends $missing >/dev/null
