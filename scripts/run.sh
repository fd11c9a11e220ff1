#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab run [args]: sets up, builds, and becomes the program. Without arguments: the window where there is a display,
# else the same job headless, into a run folder.
#   --portable FILE [args]  builds nothing, and becomes the program of an archive of `./lab package --portable`, which
#                           is unpacked into the cache once
. "$(command -p dirname "${BASH_SOURCE[0]}")/common.sh"

run_portable() { # FILE [args]
  local file folder
  file=$(absolute_path "$1")
  shift
  [ -f "$file" ] || fail "--portable wants an archive of \`./lab package --portable\`, and '$file' is no file" 2
  folder=$CACHE/portable/$(basename "$file" .tar.xz)-$(sha256sum "$file" | cut -c1-12)
  if [ ! -d "$folder" ]; then
    have xz || fail "unpacking '$file' takes the program xz: install xz-utils" 3
    say "Unpacking $file into $folder ..."
    rm -rf "$folder.part"
    mkdir -p "$folder.part"
    if ! tar -C "$folder.part" --strip-components=1 -xJf "$file" || [ ! -x "$folder.part/bin/carryover" ]; then
      rm -rf "$folder.part"
      fail "'$file' is damaged, or no archive of \`./lab package --portable\`: fetch or make it again"
    fi
    mv "$folder.part" "$folder"
  fi
  cd "$CALLED_FROM"
  exec "$folder/bin/carryover" "$@"
}
if [ "${1:-}" = --portable ]; then
  [ $# -gt 1 ] || fail "--portable wants an archive of \`./lab package --portable\`" 2
  run_portable "${@:2}"
fi

. "$ROOT/scripts/setup.sh"
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
