#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab bench alignment [--books DIR]: held-out perplexity with and without memory, beside controls, into
# runs/alignment. `./lab bench publish` makes the section of docs/results.md. Runs that exist are not made again.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/alignment.py" "$@"
