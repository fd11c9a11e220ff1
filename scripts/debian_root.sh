# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced after common.sh, as root in a mount namespace of its own: a minimal Debian, 12 unless SUITE names another, from
# the mirror that this machine's apt uses (or CARRYOVER_DEBIAN_MIRROR). Made once and kept in the cache as a tar; packages
# that apt fetched inside are kept too.
SUITE=${SUITE:-bookworm}
BASE_TAR=$CACHE/debian-$SUITE-minbase.tar
ARCHIVES=$CACHE/debian-$SUITE-archives
DEBIAN=$CACHE/debian-$SUITE-check # where it is unpacked; again for each check

debian_sources() { # lines of sources.list
  if [ -n "${CARRYOVER_DEBIAN_MIRROR:-}" ]; then
    echo "deb $CARRYOVER_DEBIAN_MIRROR $SUITE main"
    return
  fi
  if [ "$SUITE" != bookworm ]; then
    SUITE=bookworm debian_sources | awk -v suite="$SUITE" '$3 == "bookworm" { print $1, $2, suite, $4; exit }'
    return
  fi
  # shellcheck disable=SC2016 # the format is apt's
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) main $(ORIGIN) $(CODENAME)' 'Created-By: Packages' |
    awk '$5 == "Debian" && $6 ~ /^bookworm/ && $3 ~ /^bookworm/ { print $1, $2, $3, $4 }' | sort -u
}

make_base() {
  local mirror new=$CACHE/debian-$SUITE-new
  mirror=$(debian_sources | awk -v suite="$SUITE" '$3 == suite { print $2; exit }')
  [ -n "$mirror" ] || fail "apt here knows no mirror of Debian; run \`apt-get update\`, or set \
CARRYOVER_DEBIAN_MIRROR to one" 3
  [ -z "$OFFLINE" ] || fail "--offline was given, and the Debian that packages are checked in is not in the cache" 3
  say "Making a minimal Debian, $SUITE (about 2 minutes; kept in $BASE_TAR) ..."
  rm -rf "$new"
  debootstrap --variant=minbase "$SUITE" "$new" "$mirror" >"$CACHE/debootstrap.log" 2>&1 ||
    { tail -n 5 "$CACHE/debootstrap.log" >&2; fail "debootstrap failed; its log is $CACHE/debootstrap.log"; }
  rm -f "$new"/var/cache/apt/archives/*.deb
  tar -C "$new" -cf "$BASE_TAR.part" .
  mv "$BASE_TAR.part" "$BASE_TAR"
  rm -rf "$new"
}

open_debian() { # [--fresh]: leaves a fresh system in $DEBIAN, with apt set up as here
  [ "$(id -u)" = 0 ] || fail "a Debian of its own can be made by root only" 3
  if [ "$1" = --fresh ] || [ ! -s "$BASE_TAR" ]; then make_base; else say "Debian from $BASE_TAR (--fresh makes it again)"; fi
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

# --- what checks in there share
as_root() { chroot "$DEBIAN" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive "$@"; }
as_user() { chroot --userspec=1000:1000 "$DEBIAN" env -i HOME=/srv/person XDG_RUNTIME_DIR=/srv/person/.runtime \
  PATH=/usr/bin:/bin LC_ALL=C.UTF-8 sh -c 'cd && exec "$@"' sh "$@"; }

begin_checks() { # LOG
  log=$1 checks=0
  : >"$log"
}
# Runs a command, which must end with 0 and print TEXT (a pattern of grep -E) where one is given; shows its last line.
expect() { # WHAT  TEXT  COMMAND...
  local what=$1 text=$2 output code=0
  shift 2
  output=$("$@" 2>&1) || code=$?
  printf '## %s\n%s\n' "$what" "$output" >>"$log"
  if [ "$code" != 0 ] || { [ -n "$text" ] && ! grep -qE -- "$text" <<<"$output"; }; then
    tail -n 20 <<<"$output" >&2
    fail "$what: exit $code, expected 0${text:+ and '$text'}; all of it is in $log"
  fi
  checks=$((checks + 1))
  if [ -n "$text" ]; then output=$(grep -E -m1 -- "$text" <<<"$output"); else output=${output##*$'\n'}; fi
  printf '  ok  %-34s %s\n' "$what" "${output:0:80}"
}
