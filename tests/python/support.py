# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of python/ share. Each test is started as: NAME_test.py BUILD. Exit code 77: skipped."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv.pop(1)).resolve()
CLI = BUILD / "bin" / "carryover-cli"
WINDOW = BUILD / "bin" / "carryover"
DEMO = ROOT / "resources" / "demo"
STORY = DEMO / "text.txt"
# fp32 by one thread, so that results repeat.
SETTINGS = ("--dtype", "fp32", "--threads", "1")

try:
    import numpy as np
except ImportError:
    print(f"skipped: {sys.executable} has no NumPy (python3-numpy)", file=sys.stderr)
    sys.exit(1 if os.environ.get("CI") == "true" else 77)

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))
import carryover  # noqa: E402


def cli(*words, text=""):
    """What carryover-cli prints; an exception with what it complains about."""
    done = subprocess.run([str(CLI), *map(str, words)], input=text, capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout


def window(script, folder):
    """Runs a script in the window, in `folder`; an exception with what it complains about."""
    home = {f"XDG_{name}_HOME": str(Path(folder) / f"xdg-{name}") for name in ("DATA", "CONFIG", "CACHE")}
    done = subprocess.run(
        [str(WINDOW), "--script", "-"],
        input=script,
        cwd=folder,
        env={**os.environ, **home, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr)


def run_demo(folder, *more):
    cli("run", DEMO, STORY, "--out", folder, "--quiet", *SETTINGS, *more)
    return carryover.open_run(folder)


def exported(folder, kind):
    """The data of a run as the command line exports them."""
    path = Path(folder).with_name(f"{Path(folder).name}-{kind}.npy")
    cli("export", folder, "--data", kind, "-o", path, "--quiet")
    return np.load(path, allow_pickle=False)


def same(a, b):
    """Equal to the bit, but that any NaN equals any other; structured arrays column by column."""
    if a.dtype.names:
        return a.dtype.names == b.dtype.names and all(same(a[name], b[name]) for name in a.dtype.names)
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
