# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced: brings in what is missing (Debian packages, LibTorch, CUDA) and builds. Where everything is here this takes
# well under a second.
. "$ROOT/scripts/common.sh"
. "$ROOT/scripts/plan.sh"
. "$ROOT/scripts/fetcher.sh"
. "$ROOT/scripts/cuda_runtime.sh"
PACKAGE_LISTS=("$LISTS/packages.txt") # a job that needs more appends its own list

package_names() { awk '!/^#/ && NF { print $1 }' "${PACKAGE_LISTS[@]}"; }

missing_packages() {
  if ! have dpkg-query; then
    package_names
    return
  fi
  local installed
  installed=$(package_names | xargs dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null |
    awk '$2 == "installed" { print $1 }' || true)
  comm -23 <(package_names | sort) <(printf '%s\n' "$installed" | sort)
}

explain_packages() { # MISSING...
  say "These packages are missing, and this script can't install them ($(os_name)):"
  local name
  for name in "$@"; do say "  $(grep -hm1 "^$name " "${PACKAGE_LISTS[@]}" | sed 's/ / - /')"; done
  if have apt-get; then
    say "Ask an administrator for, or run as root:"
    say "  apt-get update && apt-get install --no-install-recommends $*"
  else
    say "Install what corresponds to them with your distribution's package manager (the names are Debian 12's),"
    say "then run the same command with CARRYOVER_SKIP_PACKAGES=1. Carryover is developed on Debian 12."
  fi
  exit 3
}

install_packages() {
  local names as_root
  mapfile -t names < <(missing_packages)
  as_root=$(root_prefix) || explain_packages "${names[@]}"
  say "      apt-get update"
  $as_root apt-get update -qq >&2
  say "      apt-get install ${names[*]}"
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${names[@]}" \
    >"$CACHE/apt.log" 2>&1 || { tail -n 20 "$CACHE/apt.log" >&2; fail "apt-get failed; its log is $CACHE/apt.log"; }
}

plan_packages() {
  [ -z "${CARRYOVER_SKIP_PACKAGES:-}" ] || return 0
  local names all
  mapfile -t names < <(missing_packages)
  [ ${#names[@]} -gt 0 ] || return 0
  if ! have apt-get || ! root_prefix >/dev/null; then explain_packages "${names[@]}"; fi
  case $(os_id) in
    debian-12 | debian-13) ;;
    ubuntu-24.04) say "lab: Ubuntu 24.04 should work, but is untested." ;;
    *) say "lab: $(os_name) is untested; Carryover is developed on Debian 12 and tested on 13." ;;
  esac
  all=$(package_names | wc -l) # the whole list was measured in an empty Debian 12; a part of it costs about its share
  plan "Debian packages (${#names[@]})" $((220 * ${#names[@]} / all)) $((1000 * ${#names[@]} / all)) \
    $((120 * ${#names[@]} / all)) install_packages
}

TORCH_LICENCES=(torch-2.11.0.dist-info/licenses/ nvidia_cuda_runtime-13.0.96.dist-info/licenses/)
install_libtorch() {
  fetcher get "$LISTS/wheels.txt"
  python3 -I "$ROOT/scripts/wheels.py" unpack "$LISTS/wheels.txt" "$TORCH_DIR" torch/include/ torch/lib/libtorch_cpu.so \
    torch/lib/libc10.so nvidia/cu13/lib/libcudart.so. nvidia/cu13/lib/libcupti.so. nvidia/cu13/include/ \
    "${TORCH_LICENCES[@]}"
}
plan_libtorch() {
  [ ! -e "$TORCH_DIR/torch/lib/libtorch_cpu.so" ] || return 0
  local mb
  mb=$(megabytes_missing "$LISTS/wheels.txt")
  plan "LibTorch 2.11.0, CPU half" "$mb" $((mb + 550)) $(($(seconds_to_fetch "$mb") + 20)) install_libtorch
}

# LibTorch's CUDA half alone, out of the same wheel: tests run it without a GPU (tests/pretended_cuda).
TORCH_CUDA_TESTED=$TORCH_DIR-cuda
install_tested_cuda() {
  fetcher get "$LISTS/wheels.txt"
  python3 -I "$ROOT/scripts/wheels.py" unpack "$LISTS/wheels.txt" "$TORCH_CUDA_TESTED" torch/lib/libtorch_cuda.so \
    torch/lib/libc10_cuda.so torch/lib/libcaffe2_nvrtc.so torch/lib/libtorch_nvshmem.so
}
plan_tested_cuda() {
  [ ! -e "$TORCH_CUDA" ] && [ ! -e "$TORCH_CUDA_TESTED" ] || return 0
  local mb
  mb=$(megabytes_missing "$LISTS/wheels.txt")
  if in_ci || [ "$mb" = 0 ]; then
    plan "LibTorch 2.11.0, CUDA half, for a test" "$mb" $((mb + 515)) $(($(seconds_to_fetch "$mb") + 20)) install_tested_cuda
  fi
}

# The wheels' own tree is a toolkit but for two names that CMake and the linker look for.
install_nvcc() {
  local new=$CACHE/nvcc-13.0.new
  fetcher get "$LISTS/wheels-nvcc.txt"
  python3 -I "$ROOT/scripts/wheels.py" unpack "$LISTS/wheels-nvcc.txt" "$new" nvidia/cu13/
  ln -s lib "$new/nvidia/cu13/lib64"
  ln -s libcudart.so.13 "$new/nvidia/cu13/lib/libcudart.so"
  rm -rf "$CACHE/nvcc-13.0"
  mv "$new/nvidia/cu13" "$CACHE/nvcc-13.0"
  rm -rf "$new"
}
plan_nvcc() {
  ! nvcc_dir >/dev/null || return 0
  local mb
  mb=$(megabytes_missing "$LISTS/wheels-nvcc.txt")
  plan "CUDA 13.0 compiler" "$mb" $((mb + 330)) $(($(seconds_to_fetch "$mb") + 10)) install_nvcc
}

# Laid into LibTorch's own folder, where its libraries look for each other; libtorch_cuda.so last, as proof of the rest.
install_cuda_runtime() {
  local new=$CACHE/cuda-13.0
  fetch_cuda_runtime
  unpack_cuda_runtime "$new"
  cp -alf "$new/nvidia" "$TORCH_DIR/"
  find "$new/torch/lib" -name '*.so' ! -name libtorch_cuda.so -exec mv -t "$TORCH_DIR/torch/lib" {} +
  mv "$new/torch/lib/libtorch_cuda.so" "$TORCH_CUDA"
  rm -rf "$new"
}
plan_cuda_runtime() {
  [ ! -e "$TORCH_CUDA" ] || return 0
  local mb
  mb=$(megabytes_missing "${CUDA_LISTS[@]}")
  plan "CUDA 13.0 libraries, for the GPU found here" "$mb" $((mb + CUDA_MEGABYTES)) $(($(seconds_to_fetch "$mb") + 60)) \
    install_cuda_runtime
}

# The parts of a set-up, in order. Arguments: what the caller wants planned besides (the build, the assets).
set_up_without_engine() {
  lock_cache
  plan_packages
  "$@"
  carry_out_plan
  unlock_cache
}

# A GPU's driver brings CUDA in by itself; `CARRYOVER_WITH_CUDA=1` asks for it.
plan_engine_and() {
  plan_libtorch
  if [ -n "${CARRYOVER_WITH_CUDA:-}" ] || gpu_driver_here; then
    plan_nvcc
    plan_cuda_runtime
  elif in_ci; then
    plan_nvcc
  fi
  "$@"
}
set_up() { set_up_without_engine plan_engine_and "$@"; }
