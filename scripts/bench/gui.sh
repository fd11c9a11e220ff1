#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab bench gui [SECONDS [ROUNDS]]: how late the event loop is with the engine running, against idle; and the engine's
# speed with the window open against without, in ROUNDS alternating pairs, on the default model and on the demo; and how
# long a start takes until the first story is painted, and a click on a token until its sources are. Under Xvfb without a
# display.
shown=()
[ -n "${DISPLAY:-}" ] || shown=(xvfb-run -a -s "-screen 0 1280x800x24")
exec ${shown[@]+"${shown[@]}"} python3 -I "$(command -p dirname "${BASH_SOURCE[0]}")/gui.py" "$@"
