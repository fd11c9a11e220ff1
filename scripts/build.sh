#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab build [PRESET]: sets up and builds the programs (preset release), or everything of another preset.
. "$(command -p dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$ROOT/scripts/build_presets.sh"

preset=${1:-release}
case $preset in
  release) set_up plan_build release 300 build_program && build_program ;;
  dev | ci | asan-ubsan) set_up plan_build "$preset" 600 "build_preset $preset" && build_preset "$preset" ;;
  tsan) set_up plan_build tsan 80 "build_preset tsan thread_tests" && build_preset tsan thread_tests ;;
  *) fail "there is no preset '$preset'; there are release, dev, ci, asan-ubsan and tsan" 2 ;;
esac
say "Built in $(preset_folder "$preset")/bin"
