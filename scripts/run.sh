#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab run [args]: sets up, builds, and becomes the program. Without arguments: the window where there is a display,
# else the same job headless, into a run folder.
. "$(command -p dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$ROOT/scripts/build_presets.sh"
. "$ROOT/scripts/program.sh"

plan_run() {
  plan_build release 300 build_program
  if [ $# -eq 0 ] && ! display_here; then plan_assets; fi
}

set_up plan_run "$@"
build_program
export CARRYOVER_ASSETS_SCRIPT=$ROOT/scripts/fetch_assets.sh
program=$(preset_folder release)/bin/carryover
if [ $# -gt 0 ] || display_here; then
  cd "$CALLED_FROM"
  exec "$program" "$@"
fi

find_assets
out=$ROOT/runs/$(date +%Y%m%d-%H%M%S)
say "No display here: the same job without a window, into $out"
mkdir -p "$ROOT/runs"
provide_runtime_dir
exec "$program" --headless --out "$out" --adapter "$ROOT/resources/adapters/smollm2-135m" "$model" "$text"
