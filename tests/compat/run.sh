#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: tests/compat/run.sh BUILD_FOLDER [POLICIES.json]
# Trains the demo with every parameter and with an adapter, and lets transformers, peft and TensorBoard read what that
# left: their logits must be ours. Compares ids of 150 texts in tokenizer folders of every kind, and of exported ones,
# with transformers; a random model of each family too; and losses of checkpoints and adapters with unusual config files
# with transformers and peft. Then compares each policy's logits with transformers, kvpress and other code, writes those
# differences to the second argument, and shows that each comparison of policies notices a wrong window. Makes its own
# virtual environment in the cache (several GB, most of it torch's).
set -euo pipefail
root=$(CDPATH='' cd "$(command -p dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/scripts/search_path.sh"
build=$(absolute_path "$1")
cache=$(absolute_path "${CARRYOVER_CACHE:-$HOME/.cache/carryover}")
venv=$cache/compat-venv
wanted() { cat "$root/tests/compat/requirements.txt" "$root/tests/compat/requirements-kvpress.txt"; }
if ! cmp -s <(wanted) "$venv/requirements.txt"; then
  rm -rf "$venv"
  python3 -I -m venv "$venv"
  "$venv/bin/python" -I -m pip install --quiet -r "$root/tests/compat/requirements.txt"
  # It asks for an older transformers than the rest is compared with.
  "$venv/bin/python" -I -m pip install --quiet --no-deps -r "$root/tests/compat/requirements-kvpress.txt"
  wanted >"$venv/requirements.txt"
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
exec_cli() { "$build/bin/carryover-cli" "$@"; }
demo=$root/resources/demo
common=(--data "$demo/text.txt" --dtype fp32 --segment-length 64 --carry-length 16 --retrieval-length 16 --max-steps 4
  --gradient-accumulation-steps 2 --warmup-steps 1 --learning-rate 1e-3 --quiet)
exec_cli train "$demo" "${common[@]}" --output "$scratch/full" >/dev/null
exec_cli train "$demo" "${common[@]}" --lora-rank 4 --output "$scratch/lora" >/dev/null
exec_cli tokenize "$demo" "$demo/text.txt" >"$scratch/ids.json"
python3 -I - "$scratch/ids.json" <<'PY'
import json, sys
ids = json.load(open(sys.argv[1]))[:200]
json.dump(ids, open(sys.argv[1], "w"))
PY
"$build/bin/logits" "$scratch/full/final" "$scratch/ids.json" "$scratch/full.npy" --policy full
"$build/bin/logits" "$demo" "$scratch/ids.json" "$scratch/lora.npy" --policy full --adapter "$scratch/lora/final"
"$venv/bin/python" -I "$root/tests/compat/check.py" "$demo" "$scratch"
"$venv/bin/python" -I "$root/tests/compat/checkpoints.py" "$build/bin" "$demo"
families=("$venv/bin/python" -I "$root/tests/compat/families.py" "$build/bin")
"${families[@]}"
if "${families[@]}" --broken >/dev/null; then echo "families.py notices nothing" >&2 && exit 1; fi
activations=("$venv/bin/python" -I "$root/tests/compat/activations.py" "$build/bin")
"${activations[@]}"
if "${activations[@]}" --broken >/dev/null; then echo "activations.py notices nothing" >&2 && exit 1; fi
tokenizers=("$venv/bin/python" -I "$root/tests/compat/tokenizer_ids.py" "$build/bin" "$demo/text.txt")
"${tokenizers[@]}"
if "${tokenizers[@]}" --no-export --broken >/dev/null; then echo "tokenizer_ids.py notices nothing" >&2 && exit 1; fi
policies=("$venv/bin/python" -I "$root/tests/compat/policies.py" "$build/bin" "$demo")
"${policies[@]}" ${2:+--out "$(absolute_path "$2")"}
"${policies[@]}" --broken
