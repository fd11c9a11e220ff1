#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every source is as .clang-format says, of the version that Debian 12 has (others differ in details). Without it this
# test is skipped, but not in CI on Debian 12. `pre-commit` runs the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

formatter=$(command -v clang-format-14 || command -v clang-format || true)
if [ -z "$formatter" ] || ! "$formatter" --version | grep -q 'version 14\.'; then
  if [ "${CI:-}" = true ] && grep -qs '^VERSION_ID="12"$' /etc/os-release; then
    echo "clang-format 14 is missing" >&2
    exit 1
  fi
  echo "skipped: there is no clang-format 14"
  exit 77
fi
sources() { find app engine kernels widgets tests fuzz \( -name '*.cpp' -o -name '*.h' -o -name '*.cu' \) -print0; }
if ! sources | xargs -0 "$formatter" --dry-run --Werror; then
  echo "run: clang-format -i FILE" >&2
  exit 1
fi

damaged=$(mktemp --suffix=.cpp) # the check finds what is wrong
trap 'rm -f "$damaged"' EXIT
printf 'int  main( ){return 0 ;}\n' >"$damaged"
if "$formatter" --style=file:.clang-format --dry-run --Werror "$damaged" 2>/dev/null; then
  echo "a file in another format was accepted" >&2
  exit 1
fi
