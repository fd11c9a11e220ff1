#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab bench cpu: prefill and decoding against transformers, segmented against full attention, speed and
# memory as texts grow.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/cpu.py" "$@"
