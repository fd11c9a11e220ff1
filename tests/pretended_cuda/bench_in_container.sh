#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bench_in_container.sh BUILD: the whole of `./lab bench --gpu` on machines that have nothing: in minimal Debians 12
# without a network, whose GPU is the pretended one of BUILD, which has pretended_cuda_programs. One has a compiler, nvcc
# and a clone of HEAD with carried headers: there the bench is built, packed and run. The other has Python and LibTorch:
# there the pack is run, and killed and terminated in the middle of its times. No kernel computes, so every comparison
# has to fail, and everything has to be in the results folder all the same. As root; the first time it fetches Debian
# (350 MB). It takes 20 minutes, and 8 where the compiler's cache has been filled by an earlier run. What the benches
# printed and found is left in BUILD/bench_in_container.
set -euo pipefail
build=$(cd "${1:?the build that has pretended_cuda_programs}" && pwd)
if [ -z "${IN_NAMESPACE:-}" ]; then
  exec env IN_NAMESPACE=1 unshare --mount --pid --fork --kill-child bash "${BASH_SOURCE[0]}" "$build"
fi
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"
. "$ROOT/scripts/debian_root.sh"
kept=$build/bench_in_container
rm -rf "$kept"
mkdir -p "$kept"
nvcc=$(nvcc_dir) || fail "there is no nvcc here"

# Into the container, without a network.
enter=(env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 CARRYOVER_TORCH_DIR=/srv/site-packages
  CARRYOVER_BENCH_OUT=/srv/results CCACHE_DIR=/srv/ccache)
in_container() { unshare --net chroot "$DEBIAN" "${enter[@]}" "$@"; }
# What a machine with a GPU and PyTorch has, and PACKAGES.
open_machine() { # PACKAGE...
  open_debian ''
  chroot "$DEBIAN" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >"$kept/apt.txt" 2>&1
  python3 -I "$ROOT/tests/pretended_cuda/machine.py" "$build" "$DEBIAN/srv/site-packages"
  mv "$DEBIAN/srv/site-packages/driver/libcuda.so.1" "$DEBIAN/usr/lib/x86_64-linux-gnu/"
  printf '#!/bin/sh\necho "GPU 0: NVIDIA H100 (pretended)"\n' >"$DEBIAN/usr/bin/nvidia-smi"
  chmod 755 "$DEBIAN/usr/bin/nvidia-smi"
  touch "$DEBIAN/dev/nvidiactl"
}

# Of the results folder, in a line: the comparisons, the kernels and the times.
found() {
  python3 -I - "$DEBIAN/srv/results" <<'PY'
import json, pathlib, sys
results = pathlib.Path(sys.argv[1])
checks = json.loads((results / "compare_devices.json").read_text())["checks"]
kernels = (results / "kernel_parity.txt").read_text()
bench = json.loads((results / "bench.json").read_text())
rows = [f"{row['what']} {row['who']} {row['tokens']} x {len(row['seconds'])}" for row in bench["measurements"]]
print(f"{sum(check['passed'] for check in checks)} of {len(checks)} comparisons passed, "
      f"{kernels.count(' pass')} of {kernels.count('cases agree')} kernels; interrupted: {bench['interrupted']}; "
      f"times: {', '.join(rows)}")
PY
}
keep() { # NAME: the results, for who wants to read them
  mkdir -p "$kept/$1"
  cp -r "$DEBIAN"/srv/results/*.{txt,json,csv} "$kept/$1/"
}
expect() { # WHAT  TEXT  CODE  WANTED-CODE
  if [ "$3" != "$4" ] || ! grep -qE -- "$2" <<<"$(found)"; then
    fail "$1: exit $3, expected $4 and '$2', found: $(found)"
  fi
  printf '  ok  %s: exit %s; %s\n' "$1" "$3" "$(found)"
}
nothing_agreed='^0 of 10 comparisons passed, 0 of 10 kernels; interrupted: False'

build_and_run() {
  local code=0
  open_machine g++ cmake ninja-build python3 ccache
  if [ -d "$CCACHE_DIR" ]; then cp -al "$CCACHE_DIR" "$DEBIAN/srv/ccache" 2>/dev/null || true; fi
  cp -al "$nvcc" "$DEBIAN/usr/local/cuda" 2>/dev/null || cp -a "$nvcc/." "$DEBIAN/usr/local/cuda"
  git clone -q --no-hardlinks "$ROOT" "$DEBIAN/srv/carryover"
  in_container bash -c 'cd /srv/carryover && ./lab bench --gpu --pack' >"$kept/no-headers.txt" 2>&1 || code=$?
  [ "$code" = 3 ] && grep -q 'json.hpp> is missing' "$kept/no-headers.txt" || fail "without headers: exit $code"
  echo "  ok  without headers: exit 3; $(head -c 60 "$kept/no-headers.txt")..."
  mkdir -p "$DEBIAN/srv/carryover/.carried/include"
  cp -r /usr/include/{nlohmann,CLI} "$DEBIAN/srv/carryover/.carried/include/"
  in_container bash -c 'cd /srv/carryover && ./lab bench --gpu --pack' >"$kept/pack.txt" 2>&1 ||
    { tail -n 20 "$kept/pack.txt" >&2; fail "the build failed"; }
  echo "  ok  packed: $(tail -n 1 "$kept/pack.txt")"
  cp "$DEBIAN/srv/carryover/build/gpu/carryover-gpu.tar.gz" "$kept/"
  cp -aln "$DEBIAN/srv/ccache/." "$CCACHE_DIR/" 2>/dev/null || true
  code=0
  in_container bash -c 'cd /srv/carryover && ./lab bench --gpu' >"$kept/bench.txt" 2>&1 || code=$?
  keep built
  expect "./lab bench --gpu" "$nothing_agreed; times: .*prefill segmented 131072 x 2, decode segmented" "$code" 1
  [ -e "$DEBIAN/srv/results/llama3.1-8b/bench.json" ] || fail "the second shape is missing"
  [ -e "$DEBIAN/srv/carryover/runs/bench/gpu/bench.json" ] || fail "runs/bench/gpu is missing"
}

# Many rounds, which a signal ends; the programs go with the script.
stop_in_the_middle() { # SIGNAL
  local bench code=0
  rm -rf "$DEBIAN/srv/results"
  setsid unshare --net chroot "$DEBIAN" "${enter[@]}" bash /srv/carryover-gpu/gpu_measure.sh /srv/carryover-gpu/bin \
    --contexts 16384,32768 --repeats 1000 >"$kept/$1.txt" 2>&1 &
  bench=$!
  until [ -e "$DEBIAN/srv/results/bench.json" ]; do
    kill -0 "$bench" 2>/dev/null || fail "it ended before its times"
    sleep 0.2
  done
  sleep 2
  kill -"$1" -- "-$bench"
  wait "$bench" 2>/dev/null || code=$?
  for _ in {1..50}; do # what was started is of the same group, and gone too
    kill -0 -- "-$bench" 2>/dev/null || break
    sleep 0.2
  done
  ! kill -0 -- "-$bench" 2>/dev/null || fail "$1: programs are left"
  keep "$1"
  return "$code"
}
run_packed() {
  local code=0
  open_machine python3
  tar -C "$DEBIAN/srv" -xzf "$kept/carryover-gpu.tar.gz"
  ! in_container bash -c 'command -v g++ || command -v cmake || command -v git' || fail "this is no bare machine"
  in_container bash /srv/carryover-gpu/gpu_measure.sh /srv/carryover-gpu/bin >"$kept/packed.txt" 2>&1 || code=$?
  keep packed
  expect "packed" "$nothing_agreed; times: .*prefill segmented 131072 x 2, decode segmented" "$code" 1
  code=0
  stop_in_the_middle KILL || code=$?
  expect "killed in the middle" "$nothing_agreed; times: prefill segmented 16384 x [0-9]+, prefill full 16384" "$code" 137
  code=0
  stop_in_the_middle TERM || code=$?
  expect "terminated in the middle" "${nothing_agreed/False/True}; times: prefill segmented 16384 x [0-9]+" "$code" 143
}

(build_and_run) # each removes its Debian at its end
DEBIAN=$DEBIAN-bare
(run_packed)
say "All of it is in $kept"
