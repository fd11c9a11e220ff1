#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# portable_check.sh ARCHIVE [--fresh], as root, in a mount namespace of its own (`./lab package --portable --check` calls
# it so, for each SUITE): unpacks the archive in a minimal Debian that has what a desktop has and nothing else, and uses
# it there as a user would. What was mounted goes with the namespace.
. "$(command -p dirname "${BASH_SOURCE[0]}")/common.sh"
. "$ROOT/scripts/debian_root.sh"

archive=$1 name=$(basename "$1" .tar.xz)
home=/srv/person tree=/srv/person/$name
begin_checks "$CACHE/portable-check.log"

desktop=(libegl1 libfontconfig1 libfreetype6 libgl1 libopengl0 libx11-6 libx11-xcb1 libxcb1 xauth xvfb)
elf_files() { find "$DEBIAN$tree" -type f \( -name '*.so*' -o -path '*/bin/carryover*' \) | sed "s|^$DEBIAN||"; }
libraries_are_all_found() {
  local found
  found=$(elf_files | xargs -n 1 chroot "$DEBIAN" ldd 2>/dev/null || true)
  printf 'of the system: %s\n' "$(grep '=> /' <<<"$found" | grep -vF "=> $tree" | awk '{ print $1 }' | sort -u | xargs)"
  ! grep 'not found' <<<"$found"
}
no_path_of_this_machine() { ! grep -rlaF -e "$ROOT/" -e "$CACHE/" "$DEBIAN$tree"; }
on_a_screen() { as_user xvfb-run -a -s '-screen 0 1280x800x24' "$@"; }
session_is_whole() { # the script of docs/session.md, on the demo
  {
    printf 'open model "%s"\nopen text "%s"\n' "$tree/share/carryover/demo" "$tree/share/carryover/demo/text.txt"
    cat "$ROOT/examples/session/session.txt"
  } >"$DEBIAN/srv/session.txt"
  on_a_screen "$tree/bin/carryover" --script /srv/session.txt
  [ "$(find "$DEBIAN$home" -maxdepth 1 -name '*.png' -size +2k | wc -l)" -ge 4 ]
}

open_debian "${2:-}"
as_root apt-get install -y -q --no-install-recommends "${desktop[@]}" >>"$log" 2>&1
as_root useradd -m -u 1000 user
install -d -m 700 -o 1000 -g 1000 "$DEBIAN$home" "$DEBIAN$home/.runtime"
say "$(. "$DEBIAN/etc/os-release" && printf '%s' "$PRETTY_NAME"), $(as_root dpkg-query -f '.\n' -W | wc -l) packages"
tar -C "$DEBIAN$home" --no-same-owner -xJf "$archive"

expect "libraries are all found" '' libraries_are_all_found
expect "no path of this machine inside" "" no_path_of_this_machine
expect "carryover --version" '^carryover [0-9]' as_user "$tree/bin/carryover" --version
expect "carryover-cli info" 'query heads' as_user "$tree/bin/carryover-cli" info "$tree/share/carryover/demo"
expect "carryover --headless on the demo" '[0-9]+ pictures in' \
  as_user "$tree/bin/carryover" --headless --no-fetch --out run
expect "the first story" 'predicts' on_a_screen "$tree/bin/carryover" --no-fetch --exit-after-story
expect "the session" '' session_is_whole
expect "what it is made of" 'qt6' as_user cat "$tree/share/doc/carryover/bundled.txt"
printf '%s: %d checks passed\n' "$SUITE" "$checks"
