# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of Carryover as NumPy arrays, and its engine from Python. It draws nothing.

open_run(folder)   a run folder's losses, hits and segments as arrays
Engine()           opens models, runs texts, what-ifs and inspections, as the window does
"""

from .engine import Edit, Engine, EngineRun, Inspection, Model, Sweep, WhatIf
from .errors import CarryoverError, EngineError, EngineLost, RunFolderError, WireError
from .run import HIT, KINDS, LOSS, SLOT, HeadHits, Run
from .run_folder import FolderRun, open_run

__all__ = [
    "HIT",
    "KINDS",
    "LOSS",
    "SLOT",
    "CarryoverError",
    "Edit",
    "Engine",
    "EngineError",
    "EngineLost",
    "EngineRun",
    "FolderRun",
    "HeadHits",
    "Inspection",
    "Model",
    "Run",
    "RunFolderError",
    "Sweep",
    "WhatIf",
    "WireError",
    "open_run",
]
