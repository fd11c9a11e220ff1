# SPDX-License-Identifier: GPL-3.0-or-later
"""The program carryover-cli that a wheel of `./lab package --wheel` brings, and LibTorch, which it takes from torch."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import NoReturn, Optional

HERE = Path(__file__).resolve().parent
PROGRAM = HERE / "native/bin/carryover-cli"


def brought() -> Optional[str]:
    """The path of the program; none if the package was installed from its sources."""
    return str(PROGRAM) if PROGRAM.is_file() else None


def find_torch() -> None:
    """Tells the processes that this one starts where LibTorch is, if torch lies elsewhere than beside this package,
    where the program's own search path leads."""
    if (HERE.parent / "torch/lib").is_dir():
        return
    torch = importlib.util.find_spec("torch")
    if torch is None or torch.origin is None:
        return  # the loader says what is missing
    folder = str(Path(torch.origin).resolve().parent / "lib")
    earlier = os.environ.get("LD_LIBRARY_PATH")
    os.environ["LD_LIBRARY_PATH"] = f"{folder}:{earlier}" if earlier else folder


def main() -> NoReturn:
    """Becomes the program: the wheel's entry point."""
    program = brought()
    if program is None:
        sys.exit("carryover-cli: this package was installed without the program; install a wheel of "
                 "`./lab package --wheel`, or put a built carryover-cli on PATH.")
    find_torch()
    os.execv(program, ["carryover-cli", *sys.argv[1:]])
