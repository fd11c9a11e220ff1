#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab bench cpu [--again] [NAME...]: prefill, decoding and training against transformers and llama.cpp, segmented
# against full attention, speed and memory as texts grow, the pool's keys in fewer bits, searches of the pool, a start
# (prefill decode full growth train pool search start llama llama-decode). Without names all, but for those that this commit has a good run of.
exec python3 -I "$(command -p dirname "${BASH_SOURCE[0]}")/cpu.py" "$@"
