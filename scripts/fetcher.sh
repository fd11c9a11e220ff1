# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced after common.sh: `fetcher` is wheels.py, run by a Python whose pip is current.
# pip knows where packages live; a current one, in the cache, is used for nothing but asking it.
upgrade_pip() { # PYTHON
  "$1" -I -m pip install --quiet --upgrade --no-deps --only-binary=:all: --require-hashes -r "$LISTS/pip.txt" >&2
}
fetcher() {
  local python=$CACHE/pip-venv/bin/python
  if ! "$python" -I -c 'import pip' 2>/dev/null; then
    rm -rf "$CACHE/pip-venv"
    python3 -I -m venv "$CACHE/pip-venv" >&2
    upgrade_pip "$python" || fail "pip could not be brought up to date; is the network up?"
  fi
  "$python" -I "$ROOT/scripts/wheels.py" "$@"
}

megabytes_missing() { # LIST...: asked without pip, so that a start with nothing to do makes no venv
  if have python3; then
    echo $((($(python3 -I "$ROOT/scripts/wheels.py" missing "$@") + 999999) / 1000000))
  else
    cat "$@" | sed -n 's/.*# bytes=//p' | awk '{ total += $1 } END { print int(total / 1e6) + 1 }'
  fi
}
seconds_to_fetch() { echo $((10 + $1 / 8)); } # at 8 MB/s
