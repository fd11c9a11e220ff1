#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""scripts/bench/compare_devices.py: a device that computes what the CPU does passes, and one that is wrong in any of the
things that are compared does not. The device is a program that calls ours on the CPU, changed."""

import importlib.util
import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CLI = Path(sys.argv[1]).resolve() / "bin" / "carryover-cli"
SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "bench" / "compare_devices.py"
DEVICE = """#!{python}
import json, os, subprocess, sys
words = sys.argv[1:]
a_loss_is_none = a_token_is_another = False
if "cuda" in words:
    words[words.index("cuda")] = "cpu"
    {change}
done = subprocess.run([{cli!r}, *words], stdout=subprocess.PIPE, text=True)
if a_token_is_another:
    told = json.loads(done.stdout)
    told["ids"][3] = (told["ids"][3] + 1) % 256
    done.stdout = json.dumps(told)
sys.stdout.write(done.stdout)
if a_loss_is_none:
    path = os.path.join(words[words.index("--out") + 1], "nll.json")
    losses = open(path).read().split(",")
    losses[len(losses) // 2] = "null"
    open(path, "w").write(",".join(losses))
sys.exit(done.returncode)
"""
OTHER_WEIGHTS = "words = [word + ':7' if word.startswith('random:') else word for word in words]"
OTHER_TOKEN = "a_token_is_another = words[0] == 'generate'"
NO_NUMBER = "a_loss_is_none = words[0] == 'run'"


def module():
    spec = importlib.util.spec_from_file_location("compare_devices", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


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

    def test_a_loss_that_is_no_number_fails_and_the_rest_is_compared(self):
        checks = self.compared(NO_NUMBER)
        self.assertEqual(len(checks), 6, checks)
        self.assertEqual([name for name, passed in checks.items() if not passed],
                         ["tiny, fp32, losses", "tiny, bf16, losses"])

    def test_a_token_that_the_cpu_would_not_have_chosen_is_no_near_tie(self):
        checks = self.compared(OTHER_TOKEN)
        self.assertEqual([name for name, passed in checks.items() if not passed], ["tiny, decoding across a boundary"])

    def test_the_shapes_have_room_for_these_segments(self):
        script = module()
        for shape in (*script.SHAPES, "tiny"):
            done = subprocess.run([CLI, "info", f"random:{shape}", *map(str, script.segments(shape))],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_no_number_is_the_largest(self):
        script = module()
        for values in ([1.0, math.nan], [math.nan, 1.0], [0.0, math.nan, 0.0], []):
            self.assertTrue(math.isnan(script.largest(values)), values)
        self.assertEqual(script.largest([1.0, 3.0, 2.0]), 3.0)

    def test_a_device_that_fails_is_told(self):
        checks = self.compared("sys.exit(3)")
        self.assertFalse(any(checks.values()), checks)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
