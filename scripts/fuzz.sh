#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab fuzz [TARGET] [SECONDS]: feeds a target, or each, damaged files for a while (60 s). Exit 1 where one found
# something; its line then says what repeats it.
. "$(command -p dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$ROOT/scripts/build_presets.sh"
. "$ROOT/scripts/fuzzers.sh"

mapfile -t targets < <(fuzz_targets)
seconds=60
for argument in "$@"; do
  case $argument in
    *[!0-9]*)
      fuzz_targets | grep -qxF -- "$argument" ||
        fail "there is no fuzz target '$argument'; there are $(fuzz_targets | paste -sd ' ')" 2
      targets=("$argument")
      ;;
    *) seconds=$argument ;;
  esac
done

plan_fuzzers() { plan_build asan-ubsan 300 build_fuzzers 400; }
set_up_without_engine plan_fuzzers
build_fuzzers "${targets[@]}"
run_fuzzers "$seconds" "${targets[@]}"
[ "$fuzz_failed" -eq 0 ]
