#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`pip install ./python` in an environment of its own, without a network: the package is importable there, and is what
the sources are."""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT


class InstallTest(unittest.TestCase):
    def test_pip_installs_it(self):
        for needed in ("setuptools", "wheel", "ensurepip"):
            if importlib.util.find_spec(needed) is None:
                self.skipTest(f"{sys.executable} has no {needed}, and pip may not fetch it here")
        with tempfile.TemporaryDirectory() as scratch:
            sources = shutil.copytree(ROOT / "python", Path(scratch) / "python")  # setuptools writes beside them
            venv, program = Path(scratch) / "venv", Path(scratch) / "venv/bin/python"

            def run(*words):
                done = subprocess.run(
                    list(map(str, words)), cwd=scratch, capture_output=True, encoding="utf-8", check=False
                )
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                return done.stdout

            run(sys.executable, "-m", "venv", "--system-site-packages", venv)
            run(program, "-m", "pip", "install", "--no-index", "--no-build-isolation", sources)
            place = Path(run(program, "-c", "import carryover; print(carryover.__file__)").strip())
            self.assertTrue(place.is_relative_to(venv), place)
            for module in sorted((ROOT / "python/carryover").glob("*.py")):
                self.assertEqual((place.parent / module.name).read_bytes(), module.read_bytes())
            self.assertIn("Version: 0.1.0", run(program, "-m", "pip", "show", "carryover"))


if __name__ == "__main__":
    unittest.main()
