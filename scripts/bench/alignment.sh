#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab bench alignment [--control ADAPTER]: held-out perplexity before and after alignment, and with
# controls in retrieval's place, into docs/results.md. Runs that were made before are read from the cache.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/alignment.py" "$@"
