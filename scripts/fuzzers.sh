# shellcheck shell=bash disable=SC2034 # what is set here is used by the parts that source this file
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced: builds the fuzz targets, with the sanitizer tests' own objects, and runs them. Seeds lie in fuzz/corpus/TARGET;
# what a run finds and learns goes to build/fuzz/TARGET, never into the repository.
PACKAGE_LISTS+=("$LISTS/packages-fuzz.txt")

# A small input that takes much memory or time is a finding as a crash is.
FUZZER_LIMITS=(-max_len=65536 -malloc_limit_mb=256 -rss_limit_mb=2048 -timeout=25)

fuzz_targets() { (cd "$ROOT/fuzz" && printf '%s\n' *_fuzz.cpp) | sed 's/_fuzz\.cpp$//'; }

build_fuzzers() { # [TARGET...]
  have clang++ || fail "the fuzz targets need clang++, which is missing: install the packages of scripts/packages-fuzz.txt" 3
  build_preset asan-ubsan "${@/%/_fuzz}"
}

# Runs one target and says in a line what came of it. Fails where it found something.
run_fuzzer() { # TARGET SECONDS
  local target=$1 seconds=$2 folder log program code=0 runs=0 took=0 edges found
  folder=$ROOT/build/fuzz/$target
  log=$folder/log
  program=$(preset_folder asan-ubsan)/bin/${target}_fuzz
  mkdir -p "$folder/corpus" "$folder/findings"
  [ -d "$ROOT/fuzz/corpus/$target" ] || fail "fuzz $target: there are no seeds in fuzz/corpus/$target"
  "$program" "${FUZZER_LIMITS[@]}" -max_total_time="$seconds" -artifact_prefix="$folder/findings/" \
    "$folder/corpus" "$ROOT/fuzz/corpus/$target" >"$log" 2>&1 8>&- 9>&- || code=$?
  edges=$(sed -n 's/^#[0-9]*\t.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  read -r runs took < <(sed -n 's/^Done \([0-9]*\) runs in \([0-9]*\) second.*/\1 \2/p' "$log") || true
  if [ "$code" = 0 ] && [ "${runs:-0}" -gt 0 ]; then
    printf 'fuzz %s: %s executions in %s s (%s/s), %s edges, no finding\n' "$target" "$runs" "$took" \
      $((runs / (took > 0 ? took : 1))) "${edges:-0}"
    return 0
  fi
  found=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
  grep -aE -m4 '^(==[0-9]+== ?ERROR|SUMMARY|fuzz: )|runtime error|terminate called|what\(\)' "$log" >&2 || tail -n 5 "$log" >&2
  printf 'fuzz %s: FAILED, %s edges, finding %s, log %s\n' "$target" "${edges:-0}" "${found:-none}" "$log"
  if [ -n "$found" ]; then printf '  repeat it: %s %s %s\n' "$program" "${FUZZER_LIMITS[*]}" "$found"; fi
  return 1
}

# Two at once, since each takes one core. Sets fuzz_passed and fuzz_failed.
run_fuzzers() { # SECONDS TARGET...
  local seconds=$1 target passed
  shift
  passed=$(mktemp -d)
  for target in "$@"; do
    while [ "$(jobs -pr | wc -l)" -ge 2 ]; do wait -n || true; done
    { if run_fuzzer "$target" "$seconds"; then : >"$passed/$target"; fi; } &
  done
  wait
  fuzz_passed=$(find "$passed" -type f | wc -l)
  fuzz_failed=$(($# - fuzz_passed))
  rm -r "$passed"
}
