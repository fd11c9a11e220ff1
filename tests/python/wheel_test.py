#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""scripts/python_wheel.py: a wheel names the torch that the engine was built with, and pip installs its program."""

import importlib.util
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from support import ROOT

spec = importlib.util.spec_from_file_location("python_wheel", ROOT / "scripts/python_wheel.py")
python_wheel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(python_wheel)


class PythonWheelTest(unittest.TestCase):
    def setUp(self):
        for needed in ("setuptools", "wheel", "ensurepip", "numpy"):
            if importlib.util.find_spec(needed) is None:
                self.skipTest(f"{sys.executable} has no {needed}, and pip may not fetch it here")
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        tree = self.folder / "tree"
        for name, text in (
            ("bin/carryover-cli", '#!/bin/sh\necho "$@" from "$0" with "$LD_LIBRARY_PATH"\n'),
            ("lib/carryover/libcarryover_engine.so", ""),
            ("share/carryover/demo/config.json", "{}"),
            ("share/doc/carryover/copyright", "GPL"),
            ("share/doc/carryover/bundled.txt", "a-package 1"),
            ("share/doc/carryover/licences/a-package/copyright", "its own"),
            ("share/doc/carryover/guide.md", "not in a wheel"),
        ):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text)
        (tree / "bin/carryover-cli").chmod(0o755)
        self.wheel = python_wheel.make(tree, ROOT / "python", self.folder / "made")

    def run_it(self, *words, **more):
        done = subprocess.run([*map(str, words)], capture_output=True, encoding="utf-8", check=False, **more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.strip()

    def test_what_is_inside(self):
        self.assertIn(python_wheel.TAG, self.wheel.name)
        with zipfile.ZipFile(self.wheel) as wheel:
            names = set(wheel.namelist())
            metadata = wheel.read("carryover-0.1.0.dist-info/METADATA").decode()
        self.assertLess({"carryover/program.py", "carryover/native/share/carryover/demo/config.json"}, names)
        self.assertFalse([name for name in names if "guide" in name])
        head = metadata.split("\n\n")[0].splitlines()
        self.assertIn("Requires-Dist: torch==2.11.0", head)
        self.assertTrue([line for line in head if line.startswith("Requires-Dist: numpy")])

    def test_pip_installs_the_program(self):
        venv, python = self.folder / "venv", self.folder / "venv/bin/python"
        self.run_it(sys.executable, "-m", "venv", "--system-site-packages", venv)  # for NumPy
        self.run_it(python, "-m", "pip", "install", "--no-index", "--no-deps", self.wheel)
        site = Path(self.run_it(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"))
        program = site / "carryover/native/bin/carryover-cli"
        here = {"PATH": "/usr/bin:/bin"}
        said = self.run_it(venv / "bin/carryover-cli", "run", "a text", env=here)
        self.assertEqual(said, f"run a text from {program} with", "there is no torch, and no path to it")
        elsewhere = self.folder / "elsewhere/torch"
        (elsewhere / "lib").mkdir(parents=True)
        (elsewhere / "__init__.py").write_text("")
        said = self.run_it(venv / "bin/carryover-cli", "run", env={**here, "PYTHONPATH": str(elsewhere.parent)})
        self.assertEqual(said, f"run from {program} with {elsewhere / 'lib'}")
        (site / "torch/lib").mkdir(parents=True)  # where the program's own search path leads
        said = self.run_it(venv / "bin/carryover-cli", "run", env={**here, "PYTHONPATH": str(elsewhere.parent)})
        self.assertEqual(said, f"run from {program} with")


if __name__ == "__main__":
    unittest.main()
