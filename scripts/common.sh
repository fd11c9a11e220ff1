# shellcheck shell=bash disable=SC2034 # what is set here is used by the parts that source this file
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by every part of ./lab: where things are, how to speak, how to become root, and one lock for the cache.
set -euo pipefail
: "${ROOT:=$(CDPATH='' cd "$(command -p dirname "${BASH_SOURCE[0]}")/.." && pwd)}"
. "$ROOT/scripts/search_path.sh"
CACHE=$(absolute_path "${CARRYOVER_CACHE:-${XDG_CACHE_HOME:-${HOME:?set HOME, or CARRYOVER_CACHE}/.cache}/carryover}")
if [ -n "${TMPDIR:-}" ]; then TMPDIR=$(absolute_path "$TMPDIR"); fi
OFFLINE=${CARRYOVER_OFFLINE:-}
LISTS=$ROOT/scripts
TORCH_DIR=$CACHE/libtorch-2.11.0
TORCH_CUDA=$TORCH_DIR/torch/lib/libtorch_cuda.so # here once CUDA's run-time libraries are
export ROOT CARRYOVER_CACHE=$CACHE

# One compiler cache for all checkouts: paths are made relative to the checkout, so a second clone compiles nothing again.
export CCACHE_DIR=${CCACHE_DIR:-$CACHE/ccache} CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

say() { printf '%s\n' "$*" >&2; }
fail() { # MESSAGE [EXIT CODE]
  say "${SPEAKER:-lab}: $1"
  exit "${2:-1}"
}
have() { command -v "$1" >/dev/null 2>&1; }
in_ci() { [ "${CI:-}" = true ]; }

os_name() { (. /etc/os-release 2>/dev/null && printf '%s' "${PRETTY_NAME:-unknown}") || uname -s; }
os_id() { (. /etc/os-release 2>/dev/null && printf '%s-%s' "${ID:-unknown}" "${VERSION_ID:-}") || true; }

# How to run a command as root: prints nothing as root, `sudo` where it works, and fails where neither does.
root_prefix() {
  if [ "$(id -u)" = 0 ]; then return 0; fi
  have sudo || return 1
  sudo -n true 2>/dev/null || [ -t 0 ] || return 1
  printf 'sudo'
}

# The cache is shared by all checkouts of this user: only one of them fetches or unpacks at a time. A part that is
# started by one which holds the lock does not wait for it.
lock_cache() {
  [ -z "${CARRYOVER_CACHE_LOCKED:-}" ] || return 0
  mkdir -p "$CACHE/downloads" 2>/dev/null && [ -w "$CACHE" ] ||
    fail "can't write to the cache '$CACHE'; set CARRYOVER_CACHE to a folder that you own"
  exec 9>"$CACHE/.lock"
  if ! flock -n 9; then
    say "Another ./lab is fetching into $CACHE; waiting for it ..."
    flock 9
  fi
  export CARRYOVER_CACHE_LOCKED=$$
}
unlock_cache() {
  [ "${CARRYOVER_CACHE_LOCKED:-}" = $$ ] || return 0
  unset CARRYOVER_CACHE_LOCKED
  exec 9>&-
}

nvcc_dir() { # prints the root of a CUDA 13 toolkit that is already here
  local nvcc
  for nvcc in "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc "$CACHE/nvcc-13.0/bin/nvcc"; do
    if [ -n "$nvcc" ] && [ -x "$nvcc" ] && "$nvcc" --version | grep -q 'release 13\.'; then
      dirname "$(dirname "$(readlink -f "$nvcc")")"
      return 0
    fi
  done
  return 1
}
gpu_driver_here() { [ -e /proc/driver/nvidia/version ] || { have nvidia-smi && nvidia-smi -L >/dev/null 2>&1; }; }
