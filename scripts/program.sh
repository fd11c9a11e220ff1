# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced: what a job that starts the program needs besides the build: the default model and text, a runtime folder.

display_here() { [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; }

assets_here() { bash "$ROOT/scripts/fetch_assets.sh" --here >/dev/null; }
plan_assets() {
  if ! assets_here; then plan "Model SmolLM2-135M-Instruct and the novel Persuasion" 100 200 30 fetch_assets; fi
}
fetch_assets() { bash "$ROOT/scripts/fetch_assets.sh" >&2; }
find_assets() { # sets model, text
  local assets
  assets=$(bash "$ROOT/scripts/fetch_assets.sh")
  # shellcheck disable=SC2034 # for who calls
  model=$(sed -n 's/^model //p' <<<"$assets") text=$(sed -n 's/^text //p' <<<"$assets")
}

provide_runtime_dir() { # Qt wants one, and says so on every start
  if [ -n "${XDG_RUNTIME_DIR:-}" ]; then return 0; fi
  XDG_RUNTIME_DIR=$(preset_folder release)/.runtime
  mkdir -p "$XDG_RUNTIME_DIR"
  chmod 700 "$XDG_RUNTIME_DIR"
  export XDG_RUNTIME_DIR
}
