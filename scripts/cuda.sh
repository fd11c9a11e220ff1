#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab cuda: fetches CUDA's compiler (where no toolkit is installed) and run-time libraries, and builds the plug-in.
. "$(command -p dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$ROOT/scripts/build_presets.sh"

export CARRYOVER_WITH_CUDA=1
set_up plan_build release 400 build_program
build_program
if gpu_driver_here; then
  say "The CUDA plug-in is built; with --device auto it is taken by itself."
else
  say "The CUDA plug-in is built. This machine has no NVIDIA driver, so nothing can run on it here."
fi
