#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""scripts/bench/compare_devices.py: a device that computes what the CPU does passes, and one that is wrong in any of the
things that are compared does not. The device is a program that calls ours on the CPU, changed."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CLI = Path(sys.argv[1]).resolve() / "bin" / "carryover-cli"
SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "bench" / "compare_devices.py"
DEVICE = """#!{python}
import subprocess, sys
words = sys.argv[1:]
if "cuda" in words:
    words[words.index("cuda")] = "cpu"
    {change}
sys.exit(subprocess.run([{cli!r}, *words]).returncode)
"""
OTHER_WEIGHTS = "words = [word + ':7' if word.startswith('random:') else word for word in words]"


class CompareDevices(unittest.TestCase):
    def compared(self, change):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            device = folder / "device"
            device.write_text(DEVICE.format(python=sys.executable, cli=str(CLI), change=change))
            device.chmod(0o755)
            done = subprocess.run(
                [sys.executable, SCRIPT, device, folder / "out", "--shapes", "tiny", "--tokens", "300", "--json",
                 folder / "found.json"], capture_output=True, text=True, check=False)
            found = json.loads((folder / "found.json").read_text())
        self.assertEqual(done.returncode, 0 if all(check["passed"] for check in found["checks"]) else 1, done.stderr)
        return {check["name"]: check["passed"] for check in found["checks"]}

    def test_an_equal_device_passes(self):
        checks = self.compared("pass")
        self.assertEqual(len(checks), 6, checks)
        self.assertTrue(all(checks.values()), checks)

    def test_other_numbers_fail(self):
        checks = self.compared(OTHER_WEIGHTS)
        self.assertEqual([name for name, passed in checks.items() if passed], ["tiny, audit on the device, failed checks"])

    def test_a_device_that_fails_is_told(self):
        checks = self.compared("sys.exit(3)")
        self.assertFalse(any(checks.values()), checks)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
