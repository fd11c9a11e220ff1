#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab pictures: the window, each view, the fine-tune dialog and the bench on the default model and book, with a short
# training of the demo, light and dark, at 1280×800 into docs/pictures, and the window at 1920×1080. The same at 200%
# scale, to be looked at and not kept, into build/pictures-200. And figures of published experiments.
# Needs Xvfb.
. "$(command -p dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$ROOT/scripts/build_presets.sh"
. "$ROOT/scripts/program.sh"

plan_pictures() { plan_build release 300 build_program; }
set_up plan_pictures
build_program
find_assets
pictures=$ROOT/docs/pictures large=$ROOT/build/pictures-200
scratch=${TMPDIR:-/tmp}/carryover-pictures # of a fixed name: the fine-tune dialog shows paths
trap 'rm -rf "$scratch"' EXIT
rm -rf "$scratch"
mkdir -m 700 "$scratch"
ln -s "$model" "$text" "$scratch"
model=$scratch/$(basename "$model") text=$scratch/$(basename "$text")
cd "$scratch"
export XDG_RUNTIME_DIR=$scratch
mkdir -p "$pictures" "$large"
program=$(preset_folder release)/bin/carryover
python3 -I "$ROOT/examples/needle/hide_number.py" "$text" needle.txt
"$program-cli" train "$ROOT/resources/demo" --preset tiny-demo --data "$ROOT/LICENSE" \
  --truncation-depth 2 --train-segments 4 --output "$scratch/demo-run" --quiet >/dev/null
python3 -I "$ROOT/examples/recall/make_texts.py" prompts prompts.jsonl --texts 4 --seed 4
"$program-cli" run "$ROOT/resources/demo" --prompts prompts.jsonl --against off --out prompts --quiet >/dev/null
"$program-cli" bench "$model" --contexts 512,1024,2048,4096 --what prefill,decode --repeats 1 --output "$scratch/bench" \
  --quiet >/dev/null

show() { # THEME SIZE ARGUMENT...
  xvfb-run -a -s "-screen 0 2600x1700x24" "$program" --no-fetch --theme "$1" --size "$2" "${@:3}"
}
# What needs more than one run, or a button, to show something.
steps() { # FOLDER
  cat <<TEXT
open demo
run
wait
show why
select token 386
wait
screenshot why $1/why.png
show sweep
press sweep Run
wait
screenshot sweep $1/sweep.png
show tensors
choose tensors "Order of the columns" "Largest at the selected token first"
wait
screenshot tensors $1/tensors.png
pin run
set retrieval_length 16
run
wait
select segment most-anchors head first token top-hit
show compare
choose compare Comparison "Hits, A − B"
screenshot compare $1/compare.png
screenshot distances $1/distances.png
show runs
screenshot runs $1/runs.png
open prompts $scratch/prompts
screenshot prompts $1/prompts.png
open model $model
wait
open bench $scratch/bench
screenshot bench $1/bench.png
open text $scratch/needle.txt
wait
show text
choose config Preset recall
run
wait
show ask
ask "The special magic number for Oslo is"
ask without 1
ask alone 1
screenshot ask $1/ask.png
screenshot $1/recall.png
TEXT
}
take() { # THEME SIZE FOLDER
  show "$1" "$2" --training "$scratch/demo-run" --screenshots "$3" "$model" "$text"
  steps "$3" | show "$1" "$2" --script -
}

# Of published experiments. Their names alone stand in the pictures, not where they lie.
experiment() { # NAME FIGURE PICTURE ARGUMENT...
  ln -sf "$ROOT/docs/evaluations/experiment-$1.json" "$scratch"
  "$program" export "experiment-$1.json" --figure "$2" --size 216x136mm --style screen --dpi 150 \
    -o "$pictures/$3.png" --quiet "${@:4}"
}
experiment policies loss-by-position policies --choose Text=Dracula
experiment campaign_final frontier frontier --choose Length=8192
experiment smollm2_grouping lost-sinks lost-sinks
same="trained by the same recipe"
experiment campaign_final comparisons gain-by-length --view=-0.15,2.15,-0.17,0.01 \
  --choose "Comparison=paper, S = 512: against M = R = 0, $same" \
  --choose "Comparison=4 sinks and M = 508, S = 512: against M = R = 0, $same" \
  --choose "Comparison=full attention: against M = R = 0, S = 512, $same" \
  --choose "Comparison=4 sinks and M = 1020, S = 1024: against M = R = 0, $same" \
  --choose "Comparison=full attention: against M = R = 0, S = 1024, $same"

for theme in light dark; do
  take "$theme" 1280x800 "$scratch/now"
  for picture in "$scratch"/now/*.png; do
    mv "$picture" "$pictures/$(basename "${picture%.png}")-$theme-1280x800.png"
  done
  take "$theme" 1920x1080 "$scratch/now"
  mv "$scratch/now/window.png" "$pictures/window-$theme-1920x1080.png"
  QT_SCALE_FACTOR=2 take "$theme" 1280x800 "$large/$theme"
done
say "Pictures in $pictures; at 200% in $large"
