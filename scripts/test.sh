#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab test: builds everything, runs all tests, then the parsers' and the core's under AddressSanitizer and UBSan, those
# of threads under ThreadSanitizer, and each fuzz target for FUZZ_SECONDS (60, in CI 20; 0 leaves them out). The last
# line counts the test programs and fuzz targets: 'N passed, N failed'.
. "$(command -p dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$ROOT/scripts/build_presets.sh"
. "$ROOT/scripts/fuzzers.sh"
PACKAGE_LISTS+=("$LISTS/packages-test.txt")
if in_ci; then : "${FUZZ_SECONDS:=20}"; fi
: "${FUZZ_SECONDS:=60}"

preset=release
if in_ci || nvcc_dir >/dev/null; then preset=ci; fi
plan_tests() {
  if [ "$preset" = ci ]; then plan_tested_cuda; fi
  plan_build "$preset" 700 "build_preset $preset" 600
  plan_build asan-ubsan 240 "build_preset asan-ubsan" 300
  plan_build tsan 100 "build_preset tsan thread_tests" 110
}

passed=0 failed=0
run_tests() { # PRESET [CTEST ARGUMENT...]
  local folder report total bad
  folder=$(preset_folder "$1")
  report=$folder/ctest.xml
  rm -f "$report"
  say "Tests: $1"
  ctest --test-dir "$folder" --output-on-failure -j 2 --output-junit "$report" "${@:2}" 8>&- 9>&- || true
  [ -s "$report" ] || fail "ctest wrote no report for $1"
  total=$(grep -o -m1 '\btests="[0-9]*"' "$report" | tr -dc 0-9)
  bad=$(grep -o -m1 '\bfailures="[0-9]*"' "$report" | tr -dc 0-9)
  passed=$((passed + total - bad)) failed=$((failed + bad))
  if [ "$total" -eq 0 ]; then fail "no test ran in $1"; fi
}

set_up plan_tests
build_preset "$preset"
build_preset asan-ubsan # with the fuzz targets
build_preset tsan thread_tests

XDG_RUNTIME_DIR=$(mktemp -d)
chmod 700 "$XDG_RUNTIME_DIR"
trap 'rm -rf "$XDG_RUNTIME_DIR"' EXIT
export XDG_RUNTIME_DIR QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive # two tests share two cores: no thread spins
export ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:suppressions=$ROOT/tests/support/tsan_suppressions.txt
run_tests "$preset" "$@"
run_tests asan-ubsan "$@"
run_tests tsan -L threads "$@"
if [ "$FUZZ_SECONDS" -gt 0 ]; then
  say "Fuzz targets, $FUZZ_SECONDS s each"
  mapfile -t targets < <(fuzz_targets)
  run_fuzzers "$FUZZ_SECONDS" "${targets[@]}"
  passed=$((passed + fuzz_passed)) failed=$((failed + fuzz_failed))
fi

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
