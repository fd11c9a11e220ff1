# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced before anything is looked up, some of it as root: the current folder may be anybody's, so no program, module or
# file is taken from it. PATH keeps its absolute folders alone, and the folder is left. Paths that a user wrote start in
# CALLED_FROM: `absolute_path` completes them, and a program that gets the user's arguments is started from there.
# Until it has been sourced, a script calls programs as `command -p`, which looks in the system's folders alone.
if declare -F absolute_path >/dev/null; then return 0; fi
CALLED_FROM=$PWD
PATH=:$PATH:
while [[ $PATH =~ :([^/:][^:]*)?: ]]; do PATH=${PATH//"${BASH_REMATCH[0]}"/:}; done
PATH=${PATH#:} PATH=${PATH%:}
unset CDPATH
cd /

absolute_path() { # PATH
  case $1 in
    /*) printf '%s' "$1" ;;
    *) printf '%s/%s' "$CALLED_FROM" "$1" ;;
  esac
}
