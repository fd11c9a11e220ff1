#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab bench [cpu|gui|scale|gpu] [args]: sets up and builds, then runs scripts/bench/NAME.sh, which leaves runs/bench. The
# cpu bench has a peer, the transformers library, in a virtual environment in the cache. The gpu bench sets up and builds
# by itself: it needs less. ./lab bench publish [RUN...]: judges runs and writes docs/; needs Python alone.
case ${1:-} in
  publish)
    shift
    . "$ROOT/scripts/search_path.sh"
    cd "$CALLED_FROM" # runs are named from there
    exec python3 -I "$ROOT/scripts/bench/publish.py" "$@"
    ;;
  gpu | --gpu)
    shift
    exec "$BASH" "$ROOT/scripts/bench/gpu.sh" "$@"
    ;;
esac
. "$(command -p dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$ROOT/scripts/build_presets.sh"

name=cpu
if [ $# -gt 0 ]; then
  name=$1
  shift
fi
bench=$ROOT/scripts/bench/$name.sh
[ -e "$bench" ] || fail "there is no bench '$name'; there are: $(cd "$ROOT/scripts/bench" && printf '%s ' *.sh | sed 's/\.sh//g')" 2

if [ "$name" = cpu ]; then PACKAGE_LISTS+=("$LISTS/packages-bench.txt"); fi
PEER_VENV=$CACHE/bench-venv
PEER_STAMP=$PEER_VENV/requirements.txt
install_peer() {
  rm -rf "$PEER_VENV"
  python3 -I -m venv "$PEER_VENV"
  upgrade_pip "$PEER_VENV/bin/python"
  local install=("$PEER_VENV/bin/python" -I -m pip install --quiet --no-cache-dir --no-deps --resume-retries 20)
  # Its own LibTorch with all of CUDA's libraries, since Python's torch does not start without them; hashes are checked.
  "${install[@]}" --require-hashes --find-links "$CACHE/downloads" -r "$LISTS/wheels.txt" -r "$LISTS/wheels-cuda.txt"
  "${install[@]}" --only-binary=:all: --require-hashes -r "$ROOT/scripts/bench/requirements.txt"
  cp "$ROOT/scripts/bench/requirements.txt" "$PEER_STAMP"
}
plan_bench() {
  plan_build release 300 build_program
  if [ "$name" = cpu ] && ! cmp -s "$ROOT/scripts/bench/requirements.txt" "$PEER_STAMP"; then
    plan "The peer: transformers with its torch" 2200 4300 300 install_peer
  fi
}
set_up plan_bench
build_program
build_preset release gui_bench scale_bench search_bench

assets=$(bash "$ROOT/scripts/fetch_assets.sh")
MODEL=$(sed -n 's/^model //p' <<<"$assets") TEXT=$(sed -n 's/^text //p' <<<"$assets")
PROGRAM=$(preset_folder release)/bin/carryover PEER_PYTHON=$PEER_VENV/bin/python
export MODEL TEXT PROGRAM PEER_PYTHON
exec bash "$bench" "$@"
