#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab bench gui [SECONDS [ROUNDS]]: how late the event loop is with the engine running, against idle; and the engine's
# speed with the window open against without, in ROUNDS alternating pairs, on the default model and on the demo. Under
# Xvfb without a display.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}") bench=$(dirname "$PROGRAM")/gui_bench
seconds=${1:-60} rounds=${2:-3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
shown=()
[ -n "${DISPLAY:-}" ] || shown=(xvfb-run -a -s "-screen 0 1280x800x24")
"${shown[@]}" "$bench" "$MODEL" "$TEXT" "$seconds" >"$scratch/late.json"
demo=$ROOT/resources/demo
python3 "$here/long_text.py" "$demo/text.txt" 40 >"$scratch/text.txt"
pair() { # NAME MODEL TEXT TOKENS
  "$bench" --headless "${@:2}" >"$scratch/$1-headless-$round.json"
  "${shown[@]}" "$bench" --speed "${@:2}" >"$scratch/$1-window-$round.json"
}
for round in $(seq "$rounds"); do
  pair default "$MODEL" "$TEXT" 8192
  pair demo "$demo" "$scratch/text.txt" 200000
done
python3 "$here/gui.py" "$scratch"
