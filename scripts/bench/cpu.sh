#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab bench cpu [NAME...]: prefill, decoding and training against transformers, segmented against full attention,
# speed and memory as texts grow, the pool's keys in fewer bits (prefill decode train full growth pool).
exec python3 "$(dirname "${BASH_SOURCE[0]}")/cpu.py" "$@"
