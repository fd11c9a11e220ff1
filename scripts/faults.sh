#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab faults [USE...]: fault injection at every call, where `./lab test` takes some of the allocations. USE names
# rows of tests/app/faults_test.cpp, such as 'train, malloc'. With CARRYOVER_FAULTS=N only each N-th call fails; with I/N
# each N-th from the I-th on, so that a long use can be done in N parts.
. "$(command -p dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$ROOT/scripts/build_presets.sh"

preset=release
if in_ci || nvcc_dir >/dev/null; then preset=ci; fi
plan_faults() { plan_build "$preset" 700 "build_preset $preset" 600; }
set_up plan_faults
build_preset "$preset" app_tests

rows=()
for use in "$@"; do rows+=("each_fault_ends_well:$use"); done
export CARRYOVER_FAULTS=${CARRYOVER_FAULTS:-1} QTEST_FUNCTION_TIMEOUT=100000000 LC_ALL=C.UTF-8
exec "$(preset_folder "$preset")/tests/app_tests" faults ${rows[@]+"${rows[@]}"}
