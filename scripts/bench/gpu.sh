#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab bench --gpu [--build-only] [args]: the CUDA kernels against their references, then `carryover bench --gpu`. Builds
# a program of its own, which needs no Qt and no tokenizer libraries: see "On a GPU" in docs/benchmarks.md. LibTorch is
# the one in CARRYOVER_TORCH_DIR (a folder with torch/ and nvidia/, such as a Python's site-packages), else the cache's,
# else python3's if it is of the same version, else fetched.
. "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
. "$ROOT/scripts/build_presets.sh"
PACKAGE_LISTS=("$LISTS/packages-gpu.txt")
export CARRYOVER_WITH_CUDA=1

build_only=''
if [ "${1:-}" = --build-only ]; then
  build_only=1
  shift
elif ! gpu_driver_here; then
  say "lab: this machine has no NVIDIA driver, so there is no GPU to measure (--build-only builds all the same)"
  exit 77
fi

# Where python3's packages lie, if they hold the LibTorch that this is built for.
python_torch() {
  python3 - <<'PY' 2>/dev/null
import importlib.metadata, importlib.util, os, sys
if importlib.metadata.version("torch").split("+")[0] != "2.11.0": sys.exit(1)
print(os.path.dirname(os.path.dirname(importlib.util.find_spec("torch").origin)))
PY
}
find_torch() { # sets TORCH_DIR and TORCH_CUDA
  local found=${CARRYOVER_TORCH_DIR:-}
  if [ -z "$found" ] && [ ! -e "$TORCH_CUDA" ]; then found=$(python_torch) || found=''; fi
  [ -n "$found" ] || return 0
  [ -e "$found/torch/lib/libtorch_cuda.so" ] || [ -n "$build_only" ] ||
    fail "there is no torch/lib/libtorch_cuda.so in '$found'" 3
  TORCH_DIR=$found TORCH_CUDA=$found/torch/lib/libtorch_cuda.so
}

# Tools and headers that came without Debian packages serve as well.
header_here() {
  local folder named=${CMAKE_INCLUDE_PATH:-}
  for folder in ${named//:/ } /usr/include /usr/local/include; do
    if [ -e "$folder/$1" ]; then return 0; fi
  done
  return 1
}
if have g++ && have cmake && have ninja && header_here nlohmann/json.hpp && header_here CLI/CLI.hpp; then
  export CARRYOVER_SKIP_PACKAGES=1
fi

build_gpu() { build_preset gpu carryover-cli carryover_engine carryover_cuda kernel_parity; }
# Compiling needs none of CUDA's libraries.
if [ -n "$build_only" ]; then plan_cuda_runtime() { :; }; fi
find_torch
set_up plan_build gpu 400 build_gpu
build_gpu
bin=$(preset_folder gpu)/bin results=$(preset_folder gpu)/bench
if [ -n "$build_only" ]; then
  say "Built in $bin"
  exit 0
fi

export CARRYOVER_TORCH_DIR=$TORCH_DIR
mkdir -p "$results"
start=$SECONDS parity=0
"$bin/kernel_parity" | tee "$results/kernel_parity.txt" || parity=${PIPESTATUS[0]}
[ "$parity" != 77 ] || exit 77
"$bin/carryover-cli" bench --gpu --output "$results" --overwrite "$@"
python3 "$ROOT/scripts/bench/gpu.py" "$results/bench.json"
say "Measured in $((SECONDS - start)) s; results are in $results, and in runs/bench/gpu for ./lab bench publish"
[ "$parity" = 0 ] || fail "kernels disagree with their references, so the figures above mean nothing"
