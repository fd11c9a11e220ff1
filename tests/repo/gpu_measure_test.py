#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""scripts/bench/gpu_measure.sh with programs that only pretend to measure: whatever fails or is stopped, all steps have
their turn, what was measured is in the results folder, and no program is left running."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts" / "bench"
PACKED = ("gpu_measure.sh", "find_torch.sh", "compare_devices.py")
PROGRAM = """#!{python}
import json, os, signal, sys, time
words, folder, mode = sys.argv[1:], {folder!r}, os.environ.get("MODE", "")
kind = words[0] if os.path.basename(sys.argv[0]) == "carryover-cli" else "parity"
with open(os.path.join(folder, "started"), "a") as log:
    print(os.getpid(), *[kind, *words], file=log)
if kind == "parity":
    print("pool_topk 0 of 30 cases agree   FAIL")
    sys.exit(77 if mode == "no gpu" else 1)
if kind != "bench":
    if mode == "compare" and "generate" in words:
        time.sleep(60)
    sys.exit(9)
output = words[words.index("--output") + 1]
os.makedirs(output, exist_ok=True)
def write(interrupted):
    with open(os.path.join(output, "bench.json"), "w") as file:
        json.dump({{"dtype": "bf16", "interrupted": interrupted, "measurements": [], "subjects": [],
                   "model": {{"name": "tiny"}}, "machine": {{"gpu": "NVIDIA H200", "cores": 16}}}}, file)
def stopped(*_):
    write(True)
    print("the last word", flush=True)
    sys.exit(130)
signal.signal(signal.SIGTERM, stopped)
write(False)
print("16384 tokens are measured", flush=True)
if mode == "bench":
    time.sleep(60)
"""


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_until(what, seconds=30):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            raise AssertionError("nothing happened")
        time.sleep(0.02)


class GpuMeasure(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.scripts, self.results = self.folder / "scripts" / "bench", self.folder / "results"
        for folder in (self.scripts, self.folder / "bin", self.folder / "site/torch/lib"):
            folder.mkdir(parents=True)
        for name in PACKED:
            shutil.copy(SCRIPTS / name, self.scripts)
        for name in ("carryover-cli", "kernel_parity"):
            program = self.folder / "bin" / name
            program.write_text(PROGRAM.format(python=sys.executable, folder=str(self.folder)))
            program.chmod(0o755)
        (self.folder / "site/torch/lib/libtorch_cuda.so").touch()

    def start(self, *arguments, mode="", **environment):
        environment = {**os.environ, "MODE": mode, "CARRYOVER_TORCH_DIR": str(self.folder / "site"),
                       "CARRYOVER_BENCH_OUT": str(self.results), **environment}
        return subprocess.Popen(["bash", self.scripts / "gpu_measure.sh", self.folder / "bin", *arguments],
                                env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                start_new_session=True)

    def finish(self, process):
        output, _ = process.communicate(timeout=60)
        return process.returncode, output

    def started(self):
        log = self.folder / "started"
        return [line.split() for line in log.read_text().splitlines()] if log.exists() else []

    def none_is_left(self):
        wait_until(lambda: not any(is_running(words[0]) for words in self.started()))

    def bench(self):
        return json.loads((self.results / "bench.json").read_text())

    def at_the_bench(self):
        wait_until((self.results / "bench.json").exists)

    def test_a_step_that_fails_does_not_keep_the_next_from_running(self):
        code, output = self.finish(self.start("--contexts", "512"))
        self.assertEqual(code, 1, output)
        for failed in ("the CPU and the GPU compared (exit 1)", "kernels and their references (exit 1)"):
            self.assertIn(f"failed: {failed}", output)
        self.assertNotIn("a 7B model (exit", output)
        benches = [words[2:] for words in self.started() if words[1] == "bench"]
        self.assertEqual([words[-2:] for words in benches], [["--contexts", "512"]])
        checks = json.loads((self.results / "compare_devices.json").read_text())["checks"]
        self.assertFalse(any(check["passed"] for check in checks))
        self.assertEqual(len(checks), 6)
        self.assertIn("0 of 30", (self.results / "kernel_parity.txt").read_text())
        self.assertIn("16384", (self.results / "bench.txt").read_text())

    def test_without_arguments_a_second_shape_follows(self):
        code, output = self.finish(self.start())
        self.assertEqual(code, 1, output)
        self.assertTrue((self.results / "llama3.1-8b/bench.json").exists())

    def test_what_an_earlier_run_left_is_not_taken_for_this_one(self):
        self.finish(self.start("--contexts", "512"))
        before, started = self.bench(), len(self.started())
        process = self.start("--contexts", "512", mode="compare")
        wait_until(lambda: len(self.started()) > started)
        process.terminate()
        code, output = self.finish(process)
        self.assertEqual(code, 143, output)
        self.assertFalse((self.results / "bench.json").exists())
        self.assertEqual(json.loads((self.results / "earlier/bench.json").read_text()), before)

    def test_a_terminated_script_ends_its_step_and_keeps_its_last_word(self):
        process = self.start(mode="bench")
        self.at_the_bench()
        process.terminate()
        code, output = self.finish(process)
        self.assertEqual(code, 143, output)
        self.none_is_left()
        self.assertTrue(self.bench()["interrupted"])
        self.assertIn("the last word", (self.results / "bench.txt").read_text())
        self.assertEqual(len([words for words in self.started() if words[1] == "bench"]), 1, "no second shape")

    def test_so_does_a_group_that_is_terminated(self):
        process = self.start(mode="bench")
        self.at_the_bench()
        os.killpg(process.pid, signal.SIGTERM)  # as `timeout` does
        code, output = self.finish(process)
        self.assertEqual(code, 143, output)
        self.none_is_left()
        self.assertTrue(self.bench()["interrupted"])
        self.assertIn("the last word", (self.results / "bench.txt").read_text())

    def test_a_group_that_is_killed_leaves_what_it_had(self):
        process = self.start(mode="bench")
        self.at_the_bench()
        wait_until(lambda: "16384" in (self.results / "bench.txt").read_text())
        os.killpg(process.pid, signal.SIGKILL)
        self.assertEqual(self.finish(process)[0], -signal.SIGKILL)
        self.none_is_left()
        self.assertFalse(self.bench()["interrupted"])
        self.assertEqual(len(json.loads((self.results / "compare_devices.json").read_text())["checks"]), 6)
        self.assertIn("0 of 30", (self.results / "kernel_parity.txt").read_text())

    def test_a_comparison_that_is_stopped_leaves_what_was_compared(self):
        process = self.start(mode="compare")
        wait_until(lambda: any("generate" in words for words in self.started()))
        process.terminate()
        code, output = self.finish(process)
        self.assertEqual(code, 143, output)
        self.none_is_left()
        found = json.loads((self.results / "compare_devices.json").read_text())["checks"]
        self.assertEqual([check["name"] for check in found], ["smollm2-135m, runs"])
        self.assertFalse(any(words[1] == "bench" for words in self.started()))

    def test_without_a_gpu_nothing_is_measured(self):
        code, output = self.finish(self.start(mode="no gpu"))
        self.assertEqual((code, len(self.started())), (77, 1), output)
        self.assertIn("no GPU", output)

    def test_without_libtorch_nothing_is_measured(self):
        code, output = self.finish(self.start(CARRYOVER_TORCH_DIR=str(self.folder)))
        self.assertEqual((code, self.started()), (3, []), output)
        self.assertIn("CARRYOVER_TORCH_DIR", output)

    def test_a_checkout_without_git_keeps_the_run_too(self):
        for name in ("gpu.py", "runs.py"):
            shutil.copy(SCRIPTS / name, self.scripts)
        tools = self.folder / "tools"
        tools.mkdir()
        for tool in ("bash", "python3", "cat", "dirname", "mkdir", "mv", "rm", "tee"):
            (tools / tool).symlink_to(shutil.which(tool))
        code, output = self.finish(self.start("--contexts", "512", PATH=str(tools)))
        self.assertEqual(code, 1, output)
        kept = json.loads((self.folder / "runs/bench/gpu/bench.json").read_text())
        self.assertEqual((kept["commit"], list(kept["reports"])), ("no commit", ["tiny"]))
        self.assertEqual((kept["machine"]["kind"], kept["machine"]["cores"]), ("nvidia-h200", 16))


if __name__ == "__main__":
    unittest.main()
