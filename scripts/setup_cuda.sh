#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# carryover setup-cuda: what an installed Carryover needs to run on a GPU, fetched from the package index that this
# machine's pip is set up for. Each file is checked by its SHA-256; the folder appears whole or not at all.
#   --dry-run         say what would be fetched, and where it would go
#   --to DIR          into this folder (then start carryover with CARRYOVER_TORCH_DIR=DIR)
#   --anyway          on a machine without an NVIDIA driver too
#   --keep-downloads  keep what was fetched once it is unpacked
export SPEAKER='carryover setup-cuda' # who speaks, in common.sh
# A checkout's ./lab would hand ROOT down, but this script finds what lies beside itself.
ROOT=$(CDPATH='' cd "$(command -p dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$ROOT/scripts/search_path.sh"

# Root runs a Python and unpacks files from the cache: it takes one only where nobody else can write.
only_root_writes() { # FOLDER, which need not exist yet
  local folder mode
  folder=$(realpath -m "$(absolute_path "$1")")
  while [ ! -e "$folder" ]; do folder=$(dirname "$folder"); done
  while true; do
    [ "$(stat -c %u "$folder")" = 0 ] || return 1
    mode=$((8#$(stat -c %a "$folder")))
    [ $((mode & 8#022)) = 0 ] || [ $((mode & 8#1000)) != 0 ] || return 1 # or sticky, as /tmp
    [ "$folder" != / ] || return 0
    folder=$(dirname "$folder")
  done
}
if [ "$(id -u)" = 0 ]; then
  own_cache=/var/cache/carryover
  if [ -n "${CARRYOVER_CACHE:-}" ] && ! only_root_writes "$CARRYOVER_CACHE"; then
    printf "carryover setup-cuda: others than root can write to CARRYOVER_CACHE=%s, so %s is used\n" "$CARRYOVER_CACHE" \
      "$own_cache" >&2
    CARRYOVER_CACHE=$own_cache
  fi
  export CARRYOVER_CACHE=${CARRYOVER_CACHE:-$own_cache}
fi
. "$ROOT/scripts/common.sh"
. "$ROOT/scripts/plan.sh"
. "$ROOT/scripts/fetcher.sh"
. "$ROOT/scripts/cuda_runtime.sh"

# Named for the LibTorch that they belong to; the program looks for this name.
folder_name() { sed -n 's/^torch==\([^ ]*\) .*/libtorch-cuda-\1/p' "$LISTS/wheels.txt"; }
target() {
  if [ "$(id -u)" = 0 ]; then
    printf '%s/%s' "$ROOT" "$(folder_name)"
  else
    printf '%s/carryover/%s' "$(absolute_path "${XDG_DATA_HOME:-$HOME/.local/share}")" "$(folder_name)"
  fi
}

dry_run='' anyway='' keep='' target=$(target)
while [ $# -gt 0 ]; do
  case $1 in
    --dry-run) dry_run=1 ;;
    --anyway) anyway=1 ;;
    --keep-downloads) keep=1 ;;
    --to)
      target=$(realpath -m "$(absolute_path "${2:?--to takes a folder}")")
      shift
      ;;
    *) fail "'$1' is none of --dry-run, --to DIR, --anyway, --keep-downloads" 2 ;;
  esac
  shift
done

index_in_use() { # without a password that may stand in it
  local index
  index=${PIP_INDEX_URL:-$(python3 -I -m pip config get global.index-url 2>/dev/null || true)}
  sed -E 's#//[^/@]*@#//#' <<<"${index:-"pip's default"}"
}
list_wheels() {
  say "From the package index $(index_in_use), each checked by its SHA-256:"
  sed -nE 's/^([a-z0-9-]+)==([^ ]+) --hash=sha256:([0-9a-f]{64})  # bytes=([0-9]+)$/\1 \2 \4 \3/p' "${CUDA_LISTS[@]}" |
    while read -r name version bytes digest; do
      printf '  %-24s %-10s %6d MB  %s\n' "$name" "$version" $(((bytes + 500000) / 1000000)) "$digest" >&2
    done
}

free_megabytes() { # FOLDER, which need not exist yet
  local folder=$1
  while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
  df -P -BMB "$folder" | awk 'NR == 2 { print $4 + 0 }'
}

install_cuda() {
  local before=$CACHE/downloads/.before-cuda
  touch "$before"
  fetch_cuda_runtime
  unpack_cuda_runtime "$target"
  [ -n "$keep" ] || find "$CACHE/downloads" -name '*.whl' -newer "$before" -delete
  rm -f "$before"
}

if [ -e "$target/torch/lib/libtorch_cuda.so" ]; then
  say "The CUDA libraries are here already: $target"
  exit 0
fi
python3 -I -c 'import venv, ensurepip' 2>/dev/null ||
  fail "this needs Python with its venv module: apt-get install python3-venv ca-certificates" 3
mb=$(megabytes_missing "${CUDA_LISTS[@]}")
seconds=$(($(seconds_to_fetch "$mb") + 60))
plan "LibTorch's CUDA half, CUDA 13.0 and companions" "$mb" $((mb + CUDA_MEGABYTES)) "$seconds" install_cuda
if [ -n "$dry_run" ]; then
  list_wheels
  mkdir -p "$CACHE" && show_plan
  say "They would go into $target, and their downloads into $CACHE/downloads. Nothing was fetched."
  exit 0
fi
gpu_driver_here || [ -n "$anyway" ] ||
  fail "this machine has no NVIDIA driver, so nothing could run on a GPU; install the driver first, or add --anyway" 3
[ "$(free_megabytes "$target")" -gt "$CUDA_MEGABYTES" ] ||
  fail "the disk of $target has less than $CUDA_MEGABYTES MB left; free some, or choose a folder with --to" 3
mkdir -p "$(dirname "$target")" 2>/dev/null && [ -w "$(dirname "$target")" ] ||
  fail "can't write to $(dirname "$target"); choose a folder with --to" 5
list_wheels
lock_cache
carry_out_plan
unlock_cache
say "The CUDA libraries are in $target; with --device auto a GPU is taken by itself."
