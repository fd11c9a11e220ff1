#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab bench gui [SECONDS]: how late the event loop is with the engine running, against idle. Under Xvfb without a display.
here=$(dirname "${BASH_SOURCE[0]}") bench=$(dirname "$PROGRAM")/gui_bench
shown=()
[ -n "${DISPLAY:-}" ] || shown=(xvfb-run -a -s "-screen 0 1280x800x24")
"${shown[@]}" "$bench" "$MODEL" "$TEXT" "${1:-60}" | python3 "$here/gui.py"
