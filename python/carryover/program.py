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


def command() -> Optional[list[str]]:
    """The words that start the program; none if the package was installed from its sources. They say where LibTorch is
    if torch lies elsewhere than beside this package, where the program's own search path leads."""
    if not PROGRAM.is_file():
        return None
    torch = None if (HERE.parent / "torch/lib").is_dir() else importlib.util.find_spec("torch")
    if torch is None or torch.origin is None:
        return [str(PROGRAM)]  # the loader says what is missing
    folders = [str(Path(torch.origin).resolve().parent / "lib"), os.environ.get("LD_LIBRARY_PATH")]
    return ["/usr/bin/env", "LD_LIBRARY_PATH=" + ":".join(filter(None, folders)), str(PROGRAM)]


def main() -> NoReturn:
    """Becomes the program: the wheel's entry point."""
    words = command()
    if words is None:
        sys.exit(
            "carryover-cli: this package was installed without the program; install a wheel of "
            "`./lab package --wheel`, or put a built carryover-cli on PATH."
        )
    os.execv(words[0], [*words, *sys.argv[1:]])
