#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# gpu_measure.sh BIN [args]: what `./lab bench --gpu` measures, with the programs in BIN. Needs no network and nothing
# beside bash, python3 and LibTorch 2.11.0 with CUDA: the one in CARRYOVER_TORCH_DIR (a folder with torch/ and nvidia/,
# such as a Python's site-packages), else python3's. Numbers come first: the CPU and the GPU compared, then each kernel
# with its reference, also under compute-sanitizer where PATH has it; then times. Arguments go to `carryover bench --gpu`.
# Everything is written to CARRYOVER_BENCH_OUT (bench/ beside BIN) as it comes, so that a run that is killed leaves what
# it had measured; what an earlier run left is moved to earlier/ in there. A signal is passed on to the step that runs,
# and no other step follows.
set -euo pipefail
here=$(cd "$(command -p dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$(cd "$1" && pwd)
shift
results=${CARRYOVER_BENCH_OUT:-$(dirname "$bin")/bench}
mkdir -p "$results"
results=$(cd "$results" && pwd)
say() { printf '%s\n' "$*" >&2; }

. "$here/find_torch.sh"
torch=${CARRYOVER_TORCH_DIR:-$(python_torch || true)}
if [ ! -e "$torch/torch/lib/libtorch_cuda.so" ]; then
  say "There is no LibTorch 2.11.0 with CUDA in '${torch:-python3}'. Set CARRYOVER_TORCH_DIR to a folder with torch/ and nvidia/."
  exit 3
fi
export CARRYOVER_TORCH_DIR=$torch
libraries=$torch/torch/lib
for folder in "$torch"/nvidia/*/lib; do libraries=$libraries:$folder; done
export LD_LIBRARY_PATH=$(dirname "$bin")/lib:$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

failed=() stopped=0 running=''
stop() { # SIGNAL
  stopped=$((128 + $1))
  [ -z "$running" ] || kill -TERM "$running" 2>/dev/null || true
}
trap 'stop 1' HUP
trap 'stop 2' INT
trap 'stop 15' TERM

code=0
"$bin/kernel_parity" --cases 1 --no-times >/dev/null 2>&1 || code=$?
if [ "$code" = 77 ]; then
  say "There is no GPU here that CUDA can use"
  exit 77
fi

for name in device.txt compare_devices.{txt,json} compared sanitizer_{memcheck,racecheck}.txt kernel_parity.txt \
  bench.{txt,json,csv} bench-llama3.1-8b.txt llama3.1-8b; do
  rm -rf "$results/earlier/$name"
  if [ -e "$results/$name" ]; then mkdir -p "$results/earlier" && mv "$results/$name" "$results/earlier/"; fi
done

step() { # NAME FILE COMMAND...: a step that fails doesn't keep the next ones from running
  local name=$1 file=$2 code pipe tee
  shift 2
  [ "$stopped" = 0 ] || return 0
  say "--- $name"
  exec {pipe}> >(trap '' HUP INT TERM && exec tee "$results/$file") # until the step has said its last word
  tee=$!
  "$@" >&"$pipe" 2>&1 {pipe}>&- &
  running=$!
  exec {pipe}>&-
  while true; do # a signal ends the waiting, not the step
    code=0
    wait "$running" || code=$?
    kill -0 "$running" 2>/dev/null || break
  done
  running=''
  wait "$tee" || true
  if [ "$code" != 0 ]; then failed+=("$name (exit $code)"); fi
}

start=$SECONDS
{ nvidia-smi -L 2>/dev/null || true; } | tee "$results/device.txt"
step "the CPU and the GPU compared" compare_devices.txt python3 -I -u "$here/compare_devices.py" "$bin/carryover-cli" \
  "$results/compared" --json "$results/compare_devices.json"
for tool in memcheck racecheck; do
  if command -v compute-sanitizer >/dev/null; then
    step "kernels under compute-sanitizer, $tool" "sanitizer_$tool.txt" compute-sanitizer --tool "$tool" \
      --error-exitcode 1 "$bin/kernel_parity" --cases 30 --no-times
  fi
done
command -v compute-sanitizer >/dev/null || say "compute-sanitizer is not in PATH: the kernels were not run under it"
step "kernels and their references" kernel_parity.txt "$bin/kernel_parity"
step "a 7B model" bench.txt "$bin/carryover-cli" bench --gpu --output "$results" --overwrite "$@"
if [ $# -eq 0 ]; then # on 80 GB full attention at 131072 tokens fits with shared KV heads alone
  step "LLaMA-3.1 8B's shape" bench-llama3.1-8b.txt "$bin/carryover-cli" bench --gpu --shape llama3.1-8b \
    --output "$results/llama3.1-8b" --overwrite
fi
if [ -e "$here/gpu.py" ] && [ -e "$results/bench.json" ]; then # in a checkout
  if python3 -I "$here/gpu.py" "$results"; then say "Also in runs/bench/gpu, for ./lab bench publish"; fi
fi
say "Measured in $((SECONDS - start)) s; results are in $results"
if [ "$stopped" != 0 ]; then
  say "It was stopped: what is listed above is all there is"
  exit "$stopped"
fi
if [ ${#failed[@]} -gt 0 ]; then
  printf 'failed: %s\n' "${failed[@]}" >&2
  say "Where kernels or devices disagree, the times mean nothing"
  exit 1
fi
