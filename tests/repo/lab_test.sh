#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The front door, as far as it goes without a network: each script parses, help and errors have their exit codes, and
# --offline with an empty cache names what is missing instead of fetching it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
checks=0

expect() { # EXIT-CODE  TEXT-IN-OUTPUT  COMMAND...
  local wanted=$1 text=$2 code=0
  shift 2
  "$@" >"$scratch/out" 2>&1 || code=$?
  if [ "$code" != "$wanted" ] || { [ -n "$text" ] && ! grep -qF -- "$text" "$scratch/out"; }; then
    printf 'expected exit %s and "%s" of: %s\ngot exit %s and:\n' "$wanted" "$text" "$*" "$code"
    cat "$scratch/out"
    exit 1
  fi
  checks=$((checks + 1))
}
empty_cache() { env CARRYOVER_CACHE="$scratch/cache" "$@"; }

for script in lab .ci/run scripts/*.sh scripts/bench/*.sh tests/repo/*.sh; do expect 0 "" bash -n "$script"; done
expect 0 "usage: ./lab" ./lab help
expect 0 "usage: ./lab" ./lab
expect 2 "there is no job 'fly'" ./lab fly
expect 2 "there is no preset 'fast'" ./lab build fast
expect 2 "there is no fuzz target 'fly'" ./lab fuzz fly
expect 2 "monkey takes numbers" ./lab monkey fly
expect 2 "lint takes --all" ./lab lint --everything
expect 2 "lint --changed takes a commit" ./lab lint --changed
expect 2 "clean takes --cache or nothing" ./lab clean everything
expect 2 "package takes --portable, --wheel, --check and --fresh" ./lab package --quick
expect 2 "wants an archive" ./lab run --portable
expect 2 "/gone.tar.xz' is no file" ./lab run --portable gone.tar.xz
expect 1 "refused: $scratch" ./lab bench publish "$scratch"
expect 1 "MISSING" empty_cache ./lab doctor
expect 3 "--offline was given" empty_cache ./lab --offline assets
expect 2 "the models are: gemma3-270m qwen2.5-0.5b" ./lab assets fly
expect 2 "./lab assets gemma3-270m --yes" empty_cache ./lab assets gemma3-270m </dev/null
expect 3 "LibTorch 2.11.0" empty_cache env CARRYOVER_SKIP_PACKAGES=1 ./lab build --offline
expect 1 "nothing was removed" env CARRYOVER_CACHE="$scratch" ./lab clean --cache
expect 1 "can't write to the cache" env CARRYOVER_CACHE=/proc/nowhere ./lab build

# An archive is unpacked once; one that is none leaves nothing.
mkdir -p "$scratch/made/carryover-9/bin"
printf '#!/bin/sh\necho "started with $*"\n' >"$scratch/made/carryover-9/bin/carryover"
chmod +x "$scratch/made/carryover-9/bin/carryover"
tar -C "$scratch/made" -cJf "$scratch/made/c.tar.xz" carryover-9
for _ in 1 2; do expect 0 "started with info MODEL" empty_cache ./lab run --portable "$scratch/made/c.tar.xz" info MODEL; done
tar -C "$scratch" -cJf "$scratch/made/c.tar.xz" made/carryover-9/bin
for bad in c.tar.xz carryover-9/bin/carryover; do
  expect 1 "or no archive of" empty_cache ./lab run --portable "$scratch/made/$bad"
done
[ "$(ls "$scratch/cache/portable" | wc -l)" = 1 ] || { ls "$scratch/cache/portable"; exit 1; }
rm -rf "$scratch/cache"

# Whatever lies in the current folder, no job takes a program, a module or a script from there. In a checkout of scripts
# alone: a job that needs nothing fetched ends at CMake.
mkdir "$scratch/checkout"
cp -r lab .ci scripts examples CMakePresets.json "$scratch/checkout"
mkdir "$scratch/checkout/fuzz" && : >"$scratch/checkout/fuzz/journal_fuzz.cpp"
mapfile -t poison < <(python3 -I tests/support/poisoned_folder.py "$scratch/current" "$scratch/marks")
mapfile -t jobs < <(sed -nE 's/^  (run \|.*)\)$/\1/p; s/^  (assets)\) .*/\1/p' lab | tr -d ' ' | tr '|' '\n')
[ ${#jobs[@]} -gt 10 ] || { echo "lab has other lines than this test reads"; exit 1; }
for job in "${jobs[@]}" "bench publish" "bench gpu" "bench cpu" "lint --changed"; do
  read -ra words <<<"$job"
  (cd "$scratch/current" && export "${poison[@]}" CARRYOVER_CACHE="$scratch/empty" CARRYOVER_SKIP_PACKAGES=1 &&
    "$scratch/checkout/lab" --offline "${words[@]}" >"$scratch/out" 2>&1) || true
  if [ -n "$(ls "$scratch/marks")" ]; then
    echo "./lab $job ran these of the current folder: $(ls "$scratch/marks")"
    cat "$scratch/out"
    exit 1
  fi
  checks=$((checks + 1))
done
# Python is started without the current folder and the user's variables wherever scripts start it.
started='python3 +[-"$]|python" +[-"$]|"\$1" -m'
if grep -nE "^[^#]*($started)" lab .ci/run scripts/*.sh scripts/bench/*.sh examples/*/*.sh tests/*/*.sh |
  grep -vE '(python3|python"|"\$1") -I |python3 --version|upgrade_pip "'; then
  echo "the lines above start Python without -I"
  exit 1
fi
if grep -nE '"-m", "' scripts/*.py scripts/bench/*.py tests/compat/*.py | grep -v '"-I", "-m"'; then exit 1; fi
# Scripts that take programs from PATH leave the current folder first.
if grep -LE 'search_path\.sh|common\.sh' tests/compat/*.sh | grep .; then exit 1; fi

# A part started by one that holds the cache's lock does not wait for it, and the lock is let go by its taker only.
expect 0 "both" env ROOT="$PWD" CARRYOVER_CACHE="$scratch/cache" timeout 20 bash -c '. "$ROOT/scripts/common.sh"; lock_cache
  bash -c ". \$ROOT/scripts/common.sh; lock_cache; unlock_cache"; ! flock -n "$CACHE/.lock" true || exit 9
  unlock_cache; flock -n "$CACHE/.lock" echo both'

# From another folder and through a link, the checkout is found all the same.
ln -s "$PWD/lab" "$scratch/lab"
(cd / && expect 0 "usage: ./lab" "$scratch/lab" help)
echo "$checks checks passed"
