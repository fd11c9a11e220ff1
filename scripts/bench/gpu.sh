#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab bench --gpu [--build-only | --pack] [args]: builds a program of its own, which needs no Qt and no tokenizer
# libraries, and measures with it (gpu_measure.sh; "How a GPU is measured" in docs/benchmarks.md). LibTorch is the one in
# CARRYOVER_TORCH_DIR (a folder with torch/ and nvidia/, such as a Python's site-packages), else the cache's, else
# python3's if it is of the same version, else fetched.
#   --build-only   build and measure nothing
#   --pack         build, and pack programs and scripts for a machine with LibTorch 2.11.0 and no compiler
. "$(command -p dirname "${BASH_SOURCE[0]}")/../setup.sh"
. "$ROOT/scripts/build_presets.sh"
. "$ROOT/scripts/bench/find_torch.sh"
PACKAGE_LISTS=("$LISTS/packages-gpu.txt")
export CARRYOVER_WITH_CUDA=1

build_only='' pack=''
case ${1:-} in
  --build-only) build_only=1 && shift ;;
  --pack) build_only=1 pack=1 && shift ;;
  *)
    if ! gpu_driver_here; then
      say "lab: this machine has no NVIDIA driver, so there is no GPU to measure (--build-only builds all the same)"
      exit 77
    fi
    ;;
esac

find_torch() { # sets TORCH_DIR and TORCH_CUDA
  local found=${CARRYOVER_TORCH_DIR:+$(absolute_path "$CARRYOVER_TORCH_DIR")}
  if [ -z "$found" ] && [ ! -e "$TORCH_CUDA" ]; then found=$(python_torch) || found=''; fi
  [ -n "$found" ] || return 0
  [ -e "$found/torch/lib/libtorch_cuda.so" ] || [ -n "$build_only" ] ||
    fail "there is no torch/lib/libtorch_cuda.so in '$found'" 3
  TORCH_DIR=$found TORCH_CUDA=$found/torch/lib/libtorch_cuda.so
}

# Headers that came without Debian packages serve as well: from CMAKE_INCLUDE_PATH, or from a folder that was carried
# along with the checkout.
CARRIED=$ROOT/.carried/include
absolute_folders() { # FOLDERS, separated by colons
  local folder all=()
  for folder in ${1//:/ }; do
    folder=$(absolute_path "$folder")
    if [ -d "$folder" ]; then all+=("$(cd "$folder" && pwd)"); fi
  done
  (IFS=: && printf '%s' "${all[*]-}")
}
CMAKE_INCLUDE_PATH=$(absolute_folders "${CMAKE_INCLUDE_PATH:-}:$CARRIED")
export CMAKE_INCLUDE_PATH
header_here() {
  local folder
  for folder in ${CMAKE_INCLUDE_PATH//:/ } /usr/include /usr/local/include; do
    if [ -e "$folder/$1" ]; then return 0; fi
  done
  return 1
}
if have g++ && have cmake && have ninja; then
  # A compiler is here, so this may be a machine that installs nothing: it says what to bring.
  for header in nlohmann/json.hpp CLI/CLI.hpp; do
    header_here "$header" || fail "<$header> is missing. Copy the folder /usr/include/${header%%/*} of a machine that \
has it to $CARRIED/${header%%/*}, name a folder that holds it in CMAKE_INCLUDE_PATH, or install Debian's \
nlohmann-json3-dev and libcli11-dev" 3
  done
  export CARRYOVER_SKIP_PACKAGES=1
fi

build_gpu() { build_preset gpu carryover-cli carryover_engine carryover_cuda kernel_parity; }
# Compiling needs none of CUDA's libraries.
if [ -n "$build_only" ]; then plan_cuda_runtime() { :; }; fi
find_torch
set_up plan_build gpu 400 build_gpu
build_gpu
folder=$(preset_folder gpu)

# Programs, libraries and scripts, stripped, as a tar that unpacks into one folder.
pack_gpu() {
  local packed=$folder/carryover-gpu
  rm -rf "$packed"
  mkdir -p "$packed/bin" "$packed/lib"
  cp "$folder"/bin/carryover-cli "$folder"/bin/kernel_parity "$packed/bin/"
  cp "$folder"/lib/libcarryover_*.so "$packed/lib/"
  cp "$ROOT"/scripts/bench/{gpu_measure.sh,find_torch.sh,compare_devices.py} "$packed/"
  strip "$packed"/bin/* "$packed"/lib/*
  tar -C "$folder" -czf "$folder/carryover-gpu.tar.gz" carryover-gpu
  say "Packed in $folder/carryover-gpu.tar.gz, $(($(stat -c %s "$folder/carryover-gpu.tar.gz") / 1000)) KB. On a machine \
with a GPU, Python and torch 2.11.0: tar -xzf carryover-gpu.tar.gz && bash carryover-gpu/gpu_measure.sh carryover-gpu/bin"
}
if [ -n "$build_only" ]; then
  say "Built in $folder/bin"
  if [ -n "$pack" ]; then pack_gpu; fi
  exit 0
fi

export CARRYOVER_TORCH_DIR=$TORCH_DIR CARRYOVER_BENCH_OUT=${CARRYOVER_BENCH_OUT:-$folder/bench}
cd "$CALLED_FROM"
exec bash "$ROOT/scripts/bench/gpu_measure.sh" "$folder/bin" "$@"
