#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: tests/compat/ruler.sh BUILD_FOLDER MODEL CHECKOUT
# Lets NVIDIA's own scripts and Carryover make 100 samples of each of RULER's tasks that need no data, at 4096 and 16384
# tokens of MODEL's tokenizer, and compares the files by SHA-256. CHECKOUT is a work tree of NVIDIA/RULER at c3f5e3b.
# Makes its own virtual environment in the cache.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$1" && pwd)
model=$2 checkout=$3
cache=${CARRYOVER_CACHE:-$HOME/.cache/carryover}
venv=$cache/ruler-venv
wanted=$root/tests/compat/requirements-ruler.txt
if ! cmp -s "$wanted" "$venv/requirements.txt"; then
  rm -rf "$venv"
  python3 -I -m venv "$venv"
  "$venv/bin/python" -I -m pip install --quiet -r "$wanted"
  cp "$wanted" "$venv/requirements.txt"
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tasks=(niah_single_1 niah_multikey_2 niah_multikey_3 vt cwe fwe)
lengths=(4096 16384)
"$build/bin/carryover-cli" export "$model" --output "$scratch/model" --dtype bf16 --quiet  # for its tokenizer
# The words come from the package, so that both sides read the same files.
words=$("$venv/bin/python" -c 'import wonderwords; print(wonderwords.__path__[0] + "/assets")')
compare=("$venv/bin/python" "$root/tests/compat/ruler.py")
"${compare[@]}" theirs "$checkout" "$scratch/theirs" --tokenizer "$scratch/model" --lengths "${lengths[@]}" \
  --tasks "${tasks[@]}" --samples 100 --seed 42
names=$(printf 'ruler/%s,' "${tasks[@]}")
"$build/bin/carryover-cli" eval "$model" --tasks "${names%,}" --lengths "$(IFS=, && echo "${lengths[*]}")" \
  --samples 100 --seed 42 --data "ruler=$words" --write-samples "$scratch/ours"
"${compare[@]}" compare "$scratch/theirs" "$scratch/ours" --lengths "${lengths[@]}" --tasks "${tasks[@]}"
