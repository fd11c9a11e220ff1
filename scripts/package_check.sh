#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# package_check.sh PACKAGE [--fresh], as root, in a mount namespace of its own (`./lab package --check` calls it so):
# installs the package in a minimal Debian 12 with what it depends on and nothing else, uses it there as a user would,
# removes it and looks at what is left. What was mounted goes with the namespace.
. "$(command -p dirname "${BASH_SOURCE[0]}")/common.sh"
. "$ROOT/scripts/debian_root.sh"

package=$1 name=$(basename "$1")
begin_checks "$CACHE/package-check.log"

install_tools() {
  as_root apt-get install -y -q --no-install-recommends desktop-file-utils appstream man-db shared-mime-info \
    xdg-utils libglib2.0-bin python3-venv ca-certificates
}
elf_files() { find "$DEBIAN/usr/lib/carryover" "$DEBIAN/usr/bin" \( -name '*.so*' -o -name 'carryover*' \) -type f; }
libraries_are_all_found() {
  local missing
  missing=$(elf_files | grep -F carryover | sed "s|^$DEBIAN||" | xargs -n 1 chroot "$DEBIAN" ldd | grep 'not found' || true)
  [ -z "$missing" ] || { printf '%s\n' "$missing"; return 1; }
}
paths_start_at_the_file() { # each place where a library is looked for
  local places
  places=$(elf_files | grep -F carryover | xargs -n 1 readelf -d 2>/dev/null | sed -n 's/.*R\(UN\)\?PATH.*\[\(.*\)\]/\2/p' |
    tr ':' '\n' | sort -u)
  printf '%s\n' "$places"
  ! grep -v '^\$ORIGIN' <<<"$places"
}
no_path_of_this_machine() {
  ! as_root dpkg -L carryover | sed "s|^|$DEBIAN|" | xargs -d '\n' grep -laF -d skip -e "$ROOT/" -e "$CACHE/"
}
run_folder_is_whole() {
  local run=$DEBIAN/srv/person/run
  [ -s "$run/summary.json" ] && [ -s "$run/hits.jsonl" ] || return 1
  printf '%d files in plots/, %d in pictures/\n' "$(find "$run/plots" -type f | wc -l)" \
    "$(find "$run/pictures" -name '*.png' -size +2k | wc -l)"
}
nothing_is_left() {
  local left=() path
  while read -r path; do
    if [ -e "$DEBIAN$path" ] && ! as_root dpkg -S "$path" >/dev/null 2>&1; then left+=("$path"); fi
  done <"$CACHE/package-files.txt"
  mapfile -t -O "${#left[@]}" left < <(cd "$DEBIAN" && find . -xdev -iname '*carryover*' ! -path './srv/*' \
    ! -path './tmp/*' ! -path './var/cache/apt/*' ! -path './proc/*')
  printf '%s\n' "${left[@]}"
  [ ${#left[@]} -eq 0 ] && ! grep -rs carryover "$DEBIAN/usr/share/mime" "$DEBIAN/usr/share/applications"
}

open_debian "${2:-}"
base_packages=$(as_root dpkg-query -f '.\n' -W | wc -l)
say "Debian 12 (minimal): $base_packages packages"
cp "$package" "$DEBIAN/tmp/$name"
as_root useradd -m -u 1000 user
install -d -m 700 -o 1000 -g 1000 "$DEBIAN/srv/person" "$DEBIAN/srv/person/.runtime"

expect "apt-get install $name" 'Setting up carryover' \
  as_root apt-get install -y -q --no-install-recommends "/tmp/$name"
as_root dpkg -L carryover >"$CACHE/package-files.txt"
dependencies=$(as_root dpkg-query -f '.\n' -W | wc -l)
expect "libraries are all found" "" libraries_are_all_found
expect "libraries are looked for in" 'ORIGIN' paths_start_at_the_file
expect "no path of this machine inside" "" no_path_of_this_machine
expect "carryover --version" '^carryover [0-9]' as_user carryover --version
expect "carryover-cli --version" '^carryover [0-9]' as_user carryover-cli --version
expect "carryover-cli info" 'query heads' as_user carryover-cli info /usr/share/carryover/demo
expect "carryover --headless on the demo" '[0-9]+ pictures in' as_user carryover --headless --no-fetch --out run
expect "its run folder, plots and pictures" '[1-9][0-9]* files in plots/, [1-9]' run_folder_is_whole
expect "carryover export --figure" "" as_user carryover export run --figure retrieval_map --size 85x60mm -o map.svg
expect "what it is made of" 'SPDX-2.3' as_user cat /usr/share/doc/carryover/sbom.spdx.json
expect "completion of bash" 'retrieval-length' as_user bash -c '. /usr/share/bash-completion/completions/carryover
  COMP_WORDS=(carryover run --retr) COMP_CWORD=2; _carryover; echo "${COMPREPLY[*]}"'
expect "setup-cuda asks for Python" 'python3-venv' as_user sh -c '! carryover setup-cuda --dry-run'
expect "desktop tools, into the same Debian" "" install_tools
expect "setup-cuda --dry-run" 'in all .* MB' as_user carryover setup-cuda --dry-run
expect "desktop-file-validate" "" as_root desktop-file-validate /usr/share/applications/carryover.desktop
expect "appstreamcli validate" 'successful' \
  as_root appstreamcli validate --no-net /usr/share/metainfo/org.carryover.Carryover.metainfo.xml
expect "man carryover" '^ *carryover, +carryover-cli' as_user man carryover
expect "man carryover-cli" '^ *carryover, +carryover-cli' as_user man carryover-cli
expect "update-mime-database" "" as_root update-mime-database /usr/share/mime
as_user sh -c 'echo "{}" >work.carryover' # an empty file would be plain text whatever its name
expect "MIME type of work.carryover" 'content-type: application/x-carryover-session' \
  as_user gio info -a standard::content-type work.carryover
expect "program for that MIME type" '^carryover.desktop' as_user xdg-mime query default application/x-carryover-session
as_root mkdir -p /usr/lib/carryover/libtorch-cuda-0/torch # what setup-cuda leaves goes with the package
expect "apt-get purge carryover" 'Removing carryover' as_root apt-get purge -y -q carryover
expect "nothing is left" "" nothing_is_left

printf '\n%s\n  %d MB packed, %d MB installed; brings %d packages into a minimal Debian 12\n  %d checks passed\n' "$name" \
  $(($(stat -c %s "$package") / 1000000)) $(($(dpkg-deb -f "$package" Installed-Size) * 1024 / 1000000)) \
  $((dependencies - base_packages - 1)) "$checks"
