#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The demo's recipe, from random weights to resources/demo: see README.md beside this file.
#   examples/recall/train.sh PROGRAMS FOLDER
# PROGRAMS holds carryover-cli and score (build/release/bin); everything is written into FOLDER, the model into
# FOLDER/demo. One thread of one core, about ten minutes.
set -euo pipefail
here=$(cd "$(command -p dirname "${BASH_SOURCE[0]}")" && pwd)
programs=$(cd "$1" && pwd) folder=$2
mkdir -p "$folder"
cd "$folder"

texts() { python3 -I "$here/make_texts.py" "$@"; }
train() {  # MODEL TEXTS OUTPUT STEPS SETTINGS…
  "$programs/carryover-cli" train "$1" --data "$2" --output "$3" --max-steps "$4" "${@:5}" \
    --dtype fp32 --device cpu --threads 1 --no-gradient-checkpointing --set adam_beta2=0.99 --set spike_factor=0 \
    --validation-fraction 0.01 --save-steps 0
}
one_segment=(--carry-length 0 --retrieval-length 0 --truncation-depth 0 --train-segments 1
  --gradient-accumulation-steps 16)

python3 -I "$here/make_model.py" random
texts pairs few.jsonl --texts 8000 --tokens 64 --people 4 --names 10 --seed 1
texts pairs all.jsonl --texts 6000 --tokens 128 --people 10 --seed 2
texts pairs more.jsonl --texts 16000 --tokens 128 --people 8 --seed 3
texts stories short.jsonl --texts 8000 --segments 2 --seed 5
texts stories long.jsonl --texts 6000 --segments 8 --seed 5
texts cases cases.jsonl --texts 50 --seed 4

# A circuit that copies what followed a word the last time.
train random few.jsonl copy-1 500 "${one_segment[@]}" --segment-length 64 --learning-rate 0.003 --warmup-steps 50
train copy-1/final few.jsonl copy-2 500 "${one_segment[@]}" --segment-length 64 --learning-rate 0.003 \
  --warmup-steps 50 --seed 7
# The same for all names.
train copy-2/final all.jsonl names-1 700 "${one_segment[@]}" --segment-length 128 --learning-rate 0.002 \
  --warmup-steps 50
train names-1/final more.jsonl names-2 900 "${one_segment[@]}" --segment-length 128 --learning-rate 0.002 \
  --warmup-steps 50
# Stories inside one segment, then across segments.
train names-2/final short.jsonl stories 700 "${one_segment[@]}" --segment-length 128 --learning-rate 0.002 \
  --warmup-steps 100
train stories/final long.jsonl recall 300 --config "$here/segmented.json" --learning-rate 0.001 --warmup-steps 30

rm -rf demo
cp -r recall/final demo
texts show demo/text.txt --segments 144 --seed 5
"$programs/score" demo cases.jsonl
