#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab package: sets up, builds, and makes the .deb by cpack.
#   --portable  instead of the .deb, make a .tar.xz that runs where it is unpacked, on any Linux with glibc 2.36 or
#               later and a desktop: with Qt and all other libraries
#   --wheel   instead of the .deb, make a Python wheel with carryover-cli, which takes LibTorch from the torch wheel
#   --check   also install it in a minimal Debian 12, use it there, and remove it; or use the archive in minimal Debians
#             12 and 13 (those that SUITES names), which needs root or sudo; or install the wheel in an environment of
#             its own, and use the program and the package there
#   --fresh   of --check: make that Debian again; otherwise the one in the cache serves again
. "$(command -p dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$ROOT/scripts/build_presets.sh"
PACKAGE_LISTS+=("$LISTS/packages-package.txt")

check='' fresh='' kind=deb
for argument in "$@"; do
  case $argument in
    --check) check=1 ;;
    --fresh) fresh=--fresh ;;
    --portable) kind=portable ;;
    --wheel) kind=wheel ;;
    *) fail "package takes --portable, --wheel, --check and --fresh, not '$argument'" 2 ;;
  esac
done
if [ -n "$check" ] && [ $kind != wheel ]; then
  as_root=$(root_prefix) || fail "--check uses the package in a Debian of its own, which only root can do; \
run it as root or where sudo works" 3
fi

# A cache of an earlier version lacks the licences.
TORCH_LICENCE=$TORCH_DIR/${TORCH_LICENCES[0]}LICENSE
install_licences() {
  local new=$CACHE/torch-licences
  fetcher get "$LISTS/wheels.txt"
  python3 -I "$ROOT/scripts/wheels.py" unpack "$LISTS/wheels.txt" "$new" "${TORCH_LICENCES[@]}"
  cp -a "$new"/. "$TORCH_DIR/"
  rm -rf "$new"
}
plan_licences() {
  if [ ! -e "$TORCH_DIR/torch/lib/libtorch_cpu.so" ] || [ -e "$TORCH_LICENCE" ]; then return 0; fi
  local mb
  mb=$(megabytes_missing "$LISTS/wheels.txt")
  plan "Licences of LibTorch" "$mb" "$mb" "$(seconds_to_fetch "$mb")" install_licences
}

PACKAGE_TARGETS=(carryover carryover-cli carryover_engine carryover_cuda carryover_made_files)
build_package() { build_preset package "${PACKAGE_TARGETS[@]}"; }
plan_package() {
  [[ " ${PLAN_ITEM[*]-} " == *"CUDA 13.0 compiler"* ]] || plan_nvcc # the package has the plug-in
  plan_licences
  plan_build package 400 build_package
}

set_up plan_package
build_package
folder=$(preset_folder package)
python3 -I "$ROOT/scripts/sbom.py" "$folder" "$folder/share/made/sbom.spdx.json"

install_tree() { # TREE
  rm -rf "$1"
  cmake --install "$folder" --prefix "$1" --strip >"$folder/install.log"
}

# A folder of the archive's name, and the archive of it. The same tree gives the same bytes.
make_portable() { # sets archive
  local name tree time
  time=$(git -C "$ROOT" log -1 --format=%ct 2>/dev/null || date +%s)
  name=carryover-$("$folder/bin/carryover-cli" --version | awk '{ print $2; exit }')-$(uname -m)
  tree=$folder/portable/$name archive=$folder/package/$name.tar.xz
  rm -rf "$folder/portable"
  install_tree "$tree"
  python3 -I "$ROOT/scripts/portable.py" "$tree"
  say "Packing (LibTorch takes a few minutes) ..."
  mkdir -p "$folder/package"
  tar -C "$folder/portable" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" -cf - "$name" | xz -T0 -6 >"$archive.part"
  mv "$archive.part" "$archive"
  say "$archive: $(($(stat -c %s "$archive") / 1000000)) MB, $(($(du -sb "$tree" | cut -f1) / 1000000)) MB unpacked"
  say "Unpack it anywhere, and start $name/bin/carryover"
}
make_wheel() { # sets archive
  install_tree "$folder/wheel"
  archive=$(/usr/bin/python3 -I "$ROOT/scripts/python_wheel.py" "$folder/wheel" "$ROOT/python" "$folder/package")
  say "$archive: $(($(stat -c %s "$archive") / 1000000)) MB"
  say "Install it with: pip install $archive"
}
in_namespace() { # SCRIPT ARGUMENTS...
  $as_root env CARRYOVER_CACHE="$CACHE" CARRYOVER_OFFLINE="$OFFLINE" SUITE="${suite:-bookworm}" \
    unshare --mount --pid --fork --kill-child bash "$ROOT/scripts/$1" "${@:2}"
}
if [ $kind = wheel ]; then
  make_wheel
  [ -z "$check" ] || bash "$ROOT/scripts/wheel_check.sh" "$archive" "$TORCH_DIR"
  exit
fi
if [ $kind = portable ]; then
  make_portable
  [ -n "$check" ] || exit 0
  for suite in ${SUITES:-bookworm trixie}; do
    in_namespace portable_check.sh "$archive" $fresh
  done
  exit
fi
rm -f "$folder"/package/*.deb
say "Packing (LibTorch takes a few minutes) ..."
cpack --config "$folder/CPackConfig.cmake" >"$folder/cpack.log" 2>&1 || {
  tail -n 20 "$folder/cpack.log" >&2
  fail "cpack failed; its log is $folder/cpack.log"
}
package=$(echo "$folder"/package/*.deb)
rm -rf "$folder/package/_CPack_Packages"
say "$package: $(($(stat -c %s "$package") / 1000000)) MB, $(dpkg-deb -f "$package" Installed-Size |
  awk '{ printf "%.0f", $1 * 1.024 / 1000 }') MB installed"
say "Install it with: sudo apt install $package"
[ -z "$check" ] || in_namespace package_check.sh "$package" $fresh
