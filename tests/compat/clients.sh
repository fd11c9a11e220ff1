#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: tests/compat/clients.sh BUILD_FOLDER [MODEL]
# Asks `carryover serve` with clients that other people wrote, unchanged: OpenAI's Python client (clients.py: every
# field of the guide's table, several answers, streams, stops, log-probabilities, seeds) and lm-evaluation-harness
# (harness.py: its scores must be those of `carryover eval` to the last digit), and shows that the second notices other
# texts. Each starts a server of its own on a free port and stops it. Asks the demo, which has no chat template, and
# MODEL, which should have one (default: the default model, which `./lab assets` fetches). Makes its own virtual
# environment in the cache.
set -euo pipefail
root=$(CDPATH='' cd "$(command -p dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/scripts/search_path.sh"
build=$(absolute_path "$1")
cache=$(absolute_path "${CARRYOVER_CACHE:-$HOME/.cache/carryover}")
model=$(absolute_path "${2:-$cache/models/SmolLM2-135M-Instruct.Q4_1.gguf}")
if ! [ -e "$model" ]; then
  echo "clients.sh: $model does not exist: fetch it with ./lab assets, or name a model" >&2 && exit 2
fi
venv=$cache/clients-venv
requirements=("$root/tests/compat/requirements-clients.txt" "$root/tests/compat/requirements-lm-eval.txt")
if ! cmp -s <(cat "${requirements[@]}") "$venv/requirements.txt"; then
  rm -rf "$venv"
  python3 -I -m venv "$venv"
  "$venv/bin/python" -I -m pip install --quiet "${requirements[@]/#/--requirement=}"
  cat "${requirements[@]}" >"$venv/requirements.txt"
fi
ask() { "$venv/bin/python" -I "$root/tests/compat/$1" "$build/bin" "${@:2}"; }
for each in "$root/resources/demo" "$model"; do
  echo "== $(basename "$each")"
  ask clients.py "$each"
  ask harness.py "$each" --samples 3
done
if ask harness.py "$root/resources/demo" --samples 3 --policies segmented --broken >/dev/null; then
  echo "clients.sh: harness.py notices nothing" >&2 && exit 1
fi
echo "passed"
