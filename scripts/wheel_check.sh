#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# wheel_check.sh WHEEL TORCH_DIR: installs the wheel in an environment of its own, beside the CPU half of the torch wheel
# as ./lab unpacks it, and uses the program and the package there.
. "$(command -p dirname "${BASH_SOURCE[0]}")/common.sh"
wheel=$1 torch=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
/usr/bin/python3 -I -m venv --system-site-packages "$scratch/venv"
python=$scratch/venv/bin/python
packages=$("$python" -I -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
ln -s "$torch/torch" "$torch/nvidia" "$packages/" # in the places where pip puts those of torch
"$python" -I -m pip install --quiet --no-index --no-deps "$wheel"

cd "$scratch"
unset LD_LIBRARY_PATH
program=$scratch/venv/bin/carryover-cli
say "The program of the wheel: $("$program" --version)"
demo=$packages/carryover/native/share/carryover/demo
"$program" run "$demo" "$demo/text.txt" --out run --quiet >/dev/null
libraries=$(ldd "$packages"/carryover/native/bin/carryover-cli "$packages"/carryover/native/lib/carryover/*.so)
! grep "not found" <<<"$libraries" || fail "the wheel lacks these libraries"
PATH=/usr/bin:/bin "$python" -I - "$demo" <<'CODE'
import sys
import carryover
import numpy

demo = sys.argv[1]
from_folder = carryover.open_run("run")
with carryover.Engine() as engine:  # the wheel's own program: there is none on PATH
    run = engine.open(demo).run(from_folder.tokens)
assert numpy.array_equal(run.nll, from_folder.nll), "the package computes other losses than the program"
print(f"{len(run.nll)} losses of the package are the program's, mean {run.nll.mean():.4f}")
CODE
say "The wheel works: $(basename "$wheel")"
