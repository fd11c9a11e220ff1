#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab bench gui [SECONDS [ROUNDS]]: how late the event loop is with the engine running, against idle; and the engine's
# speed with the window open against without, in ROUNDS alternating pairs on the demo. Under Xvfb without a display.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}") bench=$(dirname "$PROGRAM")/gui_bench
seconds=${1:-60} rounds=${2:-5} tokens=200000
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
shown=()
[ -n "${DISPLAY:-}" ] || shown=(xvfb-run -a -s "-screen 0 1280x800x24")
"${shown[@]}" "$bench" "$MODEL" "$TEXT" "$seconds" >"$scratch/late.json"
demo=$ROOT/resources/demo
python3 "$here/long_text.py" "$demo/text.txt" 40 >"$scratch/text.txt"
for round in $(seq "$rounds"); do
  "$bench" --headless "$demo" "$scratch/text.txt" "$tokens" >"$scratch/headless-$round.json"
  "${shown[@]}" "$bench" --speed "$demo" "$scratch/text.txt" "$tokens" >"$scratch/window-$round.json"
done
python3 "$here/gui.py" "$scratch"
