# shellcheck shell=bash disable=SC2034 # what is set here is used by the parts that source this file
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced after fetcher.sh: LibTorch's CUDA half and CUDA's libraries, as `./lab cuda` lays them into the cache and
# `carryover setup-cuda` into a folder of their own.
CUDA_LISTS=("$LISTS/wheels.txt" "$LISTS/wheels-cuda.txt")
CUDA_MEGABYTES=4500 # unpacked

fetch_cuda_runtime() { fetcher get "${CUDA_LISTS[@]}"; }

# The folder appears whole or not at all; the libraries in it find each other by the wheels' own layout.
unpack_cuda_runtime() { # FOLDER
  local all=$CACHE/downloads/cuda-all.txt
  cat "${CUDA_LISTS[@]}" >"$all"
  python3 -I "$ROOT/scripts/wheels.py" unpack "$all" "$1" nvidia/ torch/lib/libtorch_cuda torch/lib/libc10_cuda.so \
    torch/lib/libcaffe2_nvrtc.so torch/lib/libtorch_nvshmem.so
  rm -f "$all"
}
