#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab bench scale [live]: the window over a run of a million tokens of the demo: opened, scrubbed in 300 steps, and what
# it holds. The run is made once and kept in the cache. `live` runs the text in the window instead.
# Under Xvfb without a display.
set -euo pipefail
here=$ROOT/scripts/bench bench=$(dirname "$PROGRAM")/scale_bench
demo=$ROOT/resources/demo kept=${CARRYOVER_CACHE:-$HOME/.cache/carryover}/bench-scale
mkdir -p "$kept"
text=$kept/text.txt run=$kept/run
[ -e "$text" ] || python3 -I "$here/long_text.py" "$demo/text.txt" 120 >"$text"
if [ ! -e "$run/summary.json" ]; then
  echo "Running 1M tokens of the demo into $run" >&2
  "$PROGRAM" run "$demo" "$text" --tokens 1000000 --out "$run" --overwrite --carry-maps --quiet >/dev/null
fi
shown=()
[ -n "${DISPLAY:-}" ] || shown=(xvfb-run -a -s "-screen 0 1280x800x24")
if [ "${1:-}" = live ]; then
  exec "${shown[@]}" "$bench" --live "$demo" "$text"
fi
exec python3 -I "$here/scale.py" ${shown[@]+"${shown[@]}"} "$bench" "$run" "${1:-300}"
