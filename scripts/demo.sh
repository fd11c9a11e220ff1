#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab demo [FOLDER]: the session of examples/session on the default model and the default book's first
# 8192 tokens. Figures, numbers and what the program printed (session.log) go to FOLDER, or to a new one in runs/.
. "$(command -p dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$ROOT/scripts/build_presets.sh"
. "$ROOT/scripts/program.sh"

plan_demo() {
  plan_build release 300 build_program
  plan_assets
}
set_up plan_demo
build_program
find_assets
provide_runtime_dir
out=$(absolute_path "${1:-$ROOT/runs/session-$(date +%Y%m%d-%H%M%S)}")
mkdir -p "$out"
cd "$out"
{
  printf 'open model "%s"\nopen text "%s"\nset tokens 8192\n' "$model" "$text"
  cat "$ROOT/examples/session/session.txt"
} | "$(preset_folder release)/bin/carryover" --size 1600x1000 --script - | tee session.log
say "Figures and numbers in $out"
