#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab bench gpu: the CUDA kernels against their references, then segmented and full attention in bf16 on the GPU.
set -euo pipefail
bin=$(dirname "$PROGRAM")
[ -x "$bin/kernel_parity" ] || { echo "The CUDA parts are not built: ./lab cuda fetches and builds them." >&2; exit 77; }
"$bin/kernel_parity"
"$PROGRAM" bench "$MODEL" --device cuda --dtype bf16 --contexts 4096,16384,65536 --what prefill,decode --repeats 3 --json
