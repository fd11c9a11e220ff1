#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab lint [--all | --changed BASE | FILE...]: clang-tidy by .clang-tidy; scripts/lint.py says what is read and what
# is remembered. Nothing is built: the preset `lint` is only configured, without precompiled headers, since clang can't
# read those of g++.
. "$(command -p dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$ROOT/scripts/build_presets.sh"
PACKAGE_LISTS+=("$LISTS/packages-lint.txt")

case ${1:-} in
  "" | --all) [ $# -le 1 ] || fail "lint $1 takes no files" 2 ;;
  --changed) [ $# -eq 2 ] || fail "lint --changed takes a commit" 2 ;;
  -*) fail "lint takes --all, --changed BASE, files or nothing, not '$1'" 2 ;;
esac

configure_lint() {
  local folder
  folder=$(preset_folder lint)
  mkdir -p "$folder"
  exec 8>"$folder/.lock"
  flock 8
  configure lint
  # A configuration lists the sources that there were: with a new one, or without a gone one, it is made again.
  ninja -C "$folder" --quiet build.ninja 8>&- 9>&- >&2
  exec 8>&-
}

set_up true
configure_lint
cd "$CALLED_FROM" # files are named from there
exec python3 -I "$ROOT/scripts/lint.py" "$(preset_folder lint)/compile_commands.json" "$@"
