#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab run [args]: sets up, builds, and becomes the program. Without arguments: the window where there is a display,
# else the same job headless, into a run folder.
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$ROOT/scripts/build_presets.sh"

display_here() { [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; }
plan_run() {
  plan_build release 300 build_program
  if [ $# -eq 0 ] && ! display_here && ! bash "$ROOT/scripts/fetch_assets.sh" --here >/dev/null; then
    plan "Model SmolLM2-135M-Instruct and the novel Persuasion" 100 200 30 fetch_assets
  fi
}
fetch_assets() { bash "$ROOT/scripts/fetch_assets.sh" >&2; }

set_up plan_run "$@"
build_program
export CARRYOVER_ASSETS_SCRIPT=$ROOT/scripts/fetch_assets.sh
program=$(preset_folder release)/bin/carryover
if [ $# -gt 0 ] || display_here; then exec "$program" "$@"; fi

assets=$(bash "$ROOT/scripts/fetch_assets.sh")
model=$(sed -n 's/^model //p' <<<"$assets") text=$(sed -n 's/^text //p' <<<"$assets")
out=$ROOT/runs/$(date +%Y%m%d-%H%M%S)
say "No display here: the same job without a window, into $out"
mkdir -p "$ROOT/runs"
if [ -z "${XDG_RUNTIME_DIR:-}" ]; then # Qt wants one, and says so on every start
  XDG_RUNTIME_DIR=$(preset_folder release)/.runtime
  mkdir -p "$XDG_RUNTIME_DIR"
  chmod 700 "$XDG_RUNTIME_DIR"
  export XDG_RUNTIME_DIR
fi
adapter=$(sed -n 's/^adapter //p' <<<"$assets")
exec "$program" --headless --out "$out" ${adapter:+--adapter "$adapter"} "$model" "$text"
