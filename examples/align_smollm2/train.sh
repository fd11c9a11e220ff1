#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: examples/align_smollm2/train.sh PROGRAM [OUTPUT] [FLAGS OF carryover train]
# Makes resources/adapters/smollm2-135m again: SmolLM2-135M-Instruct aligned to segmented execution on four of Jane
# Austen's novels. PROGRAM is build/release/bin/carryover. For the control of docs/results.md add `--policy full`.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$1 output=${2:-runs/align_smollm2}
assets=$("$here/../../lab" assets)
model=$(sed -n 's/^model //p' <<<"$assets") texts=$(dirname "$(sed -n 's/^text //p' <<<"$assets")")
data=()
for novel in emma mansfield_park pride_and_prejudice sense_and_sensibility; do data+=(--data "$texts/$novel.txt"); done
exec "$program" train "$model" --config "$here/plan.json" "${data[@]}" --output "$output" "${@:3}"
