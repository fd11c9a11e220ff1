#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab pictures: the window, each view and the fine-tune dialog on the default model and book, with a short training of
# the demo, light and dark at 1280×800 and 1920×1080, into docs/pictures. Needs Xvfb.
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$ROOT/scripts/build_presets.sh"
. "$ROOT/scripts/program.sh"

plan_pictures() { plan_build release 300 build_program; }
set_up plan_pictures
build_program
find_assets
pictures=$ROOT/docs/pictures scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 700 "$scratch"
mkdir -p "$pictures"
demo=$ROOT/resources/demo
"$(preset_folder release)/bin/carryover-cli" train "$demo" --preset tiny-demo --data "$ROOT/LICENSE" \
  --truncation-depth 2 --train-segments 4 --output "$scratch/demo-run" --quiet >/dev/null
for theme in light dark; do
  for size in 1280x800 1920x1080; do
    XDG_RUNTIME_DIR=$scratch xvfb-run -a -s "-screen 0 1920x1080x24" \
      "$(preset_folder release)/bin/carryover" --no-fetch --theme "$theme" --size "$size" \
      --training "$scratch/demo-run" --screenshots "$scratch/now" ${adapter:+--adapter "$adapter"} "$model" "$text"
    for picture in "$scratch"/now/*.png; do
      mv "$picture" "$pictures/$(basename "${picture%.png}")-$theme-$size.png"
    done
  done
done
say "Pictures in $pictures"
