# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced after common.sh, as root in a mount namespace of its own: a minimal Debian 12 from the mirror that this
# machine's apt uses (or CARRYOVER_DEBIAN_MIRROR). Made once and kept in the cache as a tar; packages that apt fetched
# inside are kept too.
BASE_TAR=$CACHE/debian-12-minbase.tar
ARCHIVES=$CACHE/debian-12-archives
DEBIAN=$CACHE/debian-12-check # where it is unpacked; again for each check

debian_sources() { # lines of sources.list
  if [ -n "${CARRYOVER_DEBIAN_MIRROR:-}" ]; then
    echo "deb $CARRYOVER_DEBIAN_MIRROR bookworm main"
    return
  fi
  # shellcheck disable=SC2016 # the format is apt's
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) main $(ORIGIN) $(CODENAME)' 'Created-By: Packages' |
    awk '$5 == "Debian" && $6 ~ /^bookworm/ && $3 ~ /^bookworm/ { print $1, $2, $3, $4 }' | sort -u
}

make_base() {
  local mirror new=$CACHE/debian-12-new
  mirror=$(debian_sources | awk '$3 == "bookworm" { print $2; exit }')
  [ -n "$mirror" ] || fail "apt here knows no mirror of Debian 12 (bookworm); run \`apt-get update\`, or set \
CARRYOVER_DEBIAN_MIRROR to one" 3
  [ -z "$OFFLINE" ] || fail "--offline was given, and the Debian that packages are checked in is not in the cache" 3
  say "Making a minimal Debian 12 (about 2 minutes; kept in $BASE_TAR) ..."
  rm -rf "$new"
  debootstrap --variant=minbase bookworm "$new" "$mirror" >"$CACHE/debootstrap.log" 2>&1 ||
    { tail -n 5 "$CACHE/debootstrap.log" >&2; fail "debootstrap failed; its log is $CACHE/debootstrap.log"; }
  rm -f "$new"/var/cache/apt/archives/*.deb
  tar -C "$new" -cf "$BASE_TAR.part" .
  mv "$BASE_TAR.part" "$BASE_TAR"
  rm -rf "$new"
}

open_debian() { # [--fresh]: leaves a fresh system in $DEBIAN, with apt set up as here
  [ "$(id -u)" = 0 ] || fail "a Debian of its own can be made by root only" 3
  if [ "$1" = --fresh ] || [ ! -s "$BASE_TAR" ]; then make_base; else say "Debian 12 from $BASE_TAR (--fresh makes it again)"; fi
  rm -rf "$DEBIAN"
  mkdir -p "$DEBIAN" "$ARCHIVES/partial"
  trap 'umount "$DEBIAN/proc" "$DEBIAN/var/cache/apt/archives" 2>/dev/null || true; rm -rf "$DEBIAN"' EXIT
  tar -C "$DEBIAN" -xf "$BASE_TAR"
  mount -t proc proc "$DEBIAN/proc"
  mount --bind "$ARCHIVES" "$DEBIAN/var/cache/apt/archives"
  debian_sources >"$DEBIAN/etc/apt/sources.list"
  apt-config dump | grep -iE '^Acquire::https?::(proxy|cainfo)' >"$DEBIAN/etc/apt/apt.conf.d/90machine" || true
  echo 'APT::Keep-Downloaded-Packages "true";' >>"$DEBIAN/etc/apt/apt.conf.d/90machine"
  printf '#!/bin/sh\nexit 101\n' >"$DEBIAN/usr/sbin/policy-rc.d" # nothing is started in there
  chmod 755 "$DEBIAN/usr/sbin/policy-rc.d"
  cp /etc/resolv.conf /etc/hosts "$DEBIAN/etc/"
  if grep -q 'https:' "$DEBIAN/etc/apt/sources.list"; then
    install -D /etc/ssl/certs/ca-certificates.crt "$DEBIAN/etc/ssl/certs/ca-certificates.crt"
  fi
  chroot "$DEBIAN" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
}
