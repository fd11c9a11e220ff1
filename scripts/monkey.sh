#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab monkey [SESSIONS] [EVENTS] [SEED]: random clicks, wheel, keys and drops on the window under AddressSanitizer and
# UBSan (tests/widgets/monkey_test.cpp), on a display of its own. `./lab test` has one short session without them.
. "$(command -p dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$ROOT/scripts/build_presets.sh"
. "$ROOT/scripts/program.sh"
PACKAGE_LISTS+=("$LISTS/packages-fuzz.txt")

for number in "$@"; do
  case $number in '' | *[!0-9]*) fail "monkey takes numbers: sessions, events in each, and the first seed" 2 ;; esac
done
plan_monkey() { plan_build asan-lab 900 "build_preset asan-lab" 2000; }
set_up plan_monkey
build_preset asan-lab widgets_tests carryover_engine
provide_runtime_dir
# LibTorch is not instrumented: it grows vectors without telling AddressSanitizer, and keeps what it makes at its start.
export ASAN_OPTIONS=detect_container_overflow=0:detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
export QT_QPA_PLATFORM=xcb LC_ALL=C.UTF-8 OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
exec xvfb-run -a -s "-screen 0 1600x1000x24" "$(preset_folder asan-lab)/tests/widgets_tests" monkey \
  --sessions "${1:-100}" --events "${2:-800}" --seed "${3:-1}" random_hands_break_and_lose_nothing
