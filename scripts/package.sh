#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab package: sets up, builds, and makes the .deb by cpack.
#   --check   also install it in a minimal Debian 12, use it there, and remove it. Needs root or sudo.
#   --fresh   of --check: make that Debian again; otherwise the one in the cache serves again
. "$(command -p dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$ROOT/scripts/build_presets.sh"
PACKAGE_LISTS+=("$LISTS/packages-package.txt")

check='' fresh=''
for argument in "$@"; do
  case $argument in
    --check) check=1 ;;
    --fresh) fresh=--fresh ;;
    *) fail "package takes --check and --fresh, not '$argument'" 2 ;;
  esac
done
if [ -n "$check" ]; then
  as_root=$(root_prefix) || fail "--check installs the package in a Debian of its own, which only root can do; \
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
[ -z "$check" ] || $as_root env CARRYOVER_CACHE="$CACHE" CARRYOVER_OFFLINE="$OFFLINE" \
  unshare --mount --pid --fork --kill-child bash "$ROOT/scripts/package_check.sh" "$package" $fresh
