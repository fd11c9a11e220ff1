# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong. Every message says where, what is wrong, and what to do."""

from __future__ import annotations

import re

# As engine/base/terminal_text.h: what would control a terminal, or turn the direction of what follows. Surrogates
# stand for bytes of a path that are no UTF-8.
CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


class CarryoverError(Exception):
    """The base of all errors of this package. A text of a file or of an engine may be in the message, so that controls
    are spelled there as \\u001b; the attributes of an error have them as they came."""

    def __str__(self) -> str:
        return CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", super().__str__())


class EngineError(CarryoverError):
    """What the engine refused, or could not do. The engine is still there and takes the next request.

    fault: "usage", "bad input", "unsupported", "out of memory", "input/output", "cancelled", "shape" or "internal".
    """

    def __init__(self, fault: str, where: str, problem: str, advice: str = "") -> None:
        super().__init__(f"{where}: {problem}" + (f"\n{advice}" if advice else ""))
        self.fault, self.where, self.problem, self.advice = fault, where, problem, advice


class EngineLost(CarryoverError):
    """There is no engine, or no longer one; the message ends with what the program said."""


class WireError(CarryoverError):
    """A value that the protocol has no place for, or bytes that are none of its messages."""


class RunFolderError(CarryoverError):
    """A folder that holds no run, or a damaged file of one."""

    def __init__(self, path: object, problem: str) -> None:
        super().__init__(f"{path}: {problem}\nUse a folder that `carryover run --out` or the window wrote.")
        self.path, self.problem = str(path), problem
