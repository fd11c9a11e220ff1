#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab clean [--cache]: removes the build folders; with --cache also all that ./lab downloaded and unpacked.
. "$(command -p dirname "${BASH_SOURCE[0]}")/common.sh"

case ${1:-} in
  "") ;;
  --cache)
    [ -d "$CACHE/downloads" ] || fail "'$CACHE' does not look like Carryover's cache; nothing was removed"
    for part in downloads libtorch-2.11.0 libtorch-2.11.0-cuda cuda-13.0 nvcc-13.0 models texts pip-venv bench-venv \
      ccache lint portable package-check.log package-files.txt portable-check.log \
      debian-{12,bookworm,trixie,sid}-{minbase.tar,archives,check}; do
      rm -rf "${CACHE:?}/$part" "$CACHE/$part.part"
    done
    say "Removed what ./lab had put into $CACHE"
    ;;
  *) fail "clean takes --cache or nothing, not '$1'" 2 ;;
esac
rm -rf "$ROOT/build" "$ROOT/compile_commands.json"
say "Removed $ROOT/build"
