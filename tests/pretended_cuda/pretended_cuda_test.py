#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: pretended_cuda_test.py BUILD
The CUDA path without a GPU (README.md): no command makes a call that a GPU would refuse, and steps stay within their
budgets of launches and waits. Exit code 77: LibTorch's CUDA half is not here."""

import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

import counts
from machine import Machine, torch_cuda

BUILD = Path(sys.argv.pop(1)).resolve()
if torch_cuda(BUILD) is None:
    print("skipped: LibTorch's CUDA half is not here", file=sys.stderr)
    sys.exit(77)

CLI = BUILD / "bin/carryover-cli"
DEMO = Path(__file__).resolve().parents[2] / "resources/demo"
POLICIES = ("segmented", "full", "sliding", "streaming", "duo", "minference", "snapkv", "infllm", "cca", "nsa")
SEGMENT = {"segment_length": 64, "carry_length": 16, "retrieval_length": 16}
SHORT = {"attention_window": 64, "kv_budget": 80, "query_length": 16, "memory_blocks": 2, "memory_block_length": 16,
         "memory_representatives": 2}
TINY = ("random:tiny", "--input-ids", "ids.json")
TRAINING = ("--data", "ids.json", "--max-steps", 2, "--save-steps", 1, "--gradient-accumulation-steps", 2,
            "--validation-fraction", 0.1, "--segment-length", 64, "--carry-length", 16, "--retrieval-length", 16)


def settings(**changed):
    return "--config", json.dumps({**SEGMENT, **changed})


class PretendedCuda(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        cls.machine = Machine(BUILD, cls.folder)
        (cls.folder / "ids.json").write_text(json.dumps([i * 7919 % 256 for i in range(3000)]))

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def clean(self, *words, **environment):
        """Runs a command on the GPU: it ends well, computes there, and nobody complains."""
        command = " ".join(map(str, words))
        done, told = self.machine.start(CLI, *words, "--device", "cuda", "--quiet", **environment)
        self.assertEqual(done.returncode, 0, f"{command}: {done.stderr}")
        self.assertIsNotNone(told, command)
        self.assertEqual(told["complaints"], [], command)
        self.assertGreater(told["marks"][-1]["library_calls"], 0, command)
        self.assertTrue(any("carryover::kernels" in kernel for kernel in told["marks"][-1]["kernels"]), command)
        return done.stdout

    def run_tiny(self, *more, changed=None, **environment):
        self.clean("run", *TINY, "--tokens", 300, *settings(**(changed or {})), *more, **environment)

    def generate(self, *more, **environment):
        told = json.loads(self.clean("generate", *TINY, "--max-new-tokens", 200, "--ignore-eos", "--json",
                                     *settings(**SHORT), *more, **environment))
        self.assertEqual(len(told["ids"]), 200)

    def test_a_step_stays_within_its_budget(self):
        told = counts.measure(self.machine)
        self.assertEqual(told["complaints"], [])
        found = counts.steps(told["marks"])
        print(f"\n{counts.table(found)}", file=sys.stderr)
        for name, budget in counts.BUDGETS.items():
            self.assertGreaterEqual(len(found[name]), 2, name)
            for step in found[name]:
                self.assertGreater(step["library_calls"], 100, name)
                for what, most in budget.items():
                    self.assertLessEqual(step[what], most, f"{name}: {what}")

    def test_runs_are_clean(self):
        for policy in POLICIES:
            self.run_tiny("--policy", policy, changed=SHORT)
        for dtype in ("fp32", "bf16"):
            self.run_tiny("--dtype", dtype, "--out", f"run-{dtype}", "--carry-maps")
        self.machine.start(CLI, "run", *TINY, *settings(), "--tokens", 300, "--device", "cpu", "--out", "run-cpu")
        self.run_tiny("--force-hits", "run-cpu/hits.jsonl")  # hits of zeros are none
        for changed in ({"pool_on_host": True}, {"sink_length": 0}, {"sink_length": 4}, {"carry_length": 0},
                        {"retrieval_length": 0}):
            self.run_tiny(changed=changed)
        for grouping in ("interleaved", "contiguous", "all", "none"):
            self.run_tiny("--grouping", grouping)
        self.run_tiny("--preset", "recall", "--search-heads", "1.0")

    def test_allocations_of_their_own_are_kept_to(self):
        """Without LibTorch's cache each tensor is an allocation, whose bounds and end are checked."""
        for dtype in ("fp32", "bf16"):
            self.run_tiny("--dtype", dtype, PYTORCH_NO_CUDA_MEMORY_CACHING="1")
            self.generate("--dtype", dtype, PYTORCH_NO_CUDA_MEMORY_CACHING="1")
        self.generate("--policy", "full", PYTORCH_NO_CUDA_MEMORY_CACHING="1")

    def test_generating_is_clean(self):
        for policy in POLICIES:
            self.generate("--policy", policy)
        self.generate("--boundary-at-prompt-end", "--logprobs", "--dtype", "fp32")
        self.generate("--temperature", 0.8, "--top-p", 0.9)

    def test_training_is_clean(self):
        for name, more in {"full": ("--gradient-checkpointing",), "lora": ("--lora-rank", 4, "--lora-dropout", 0.1),
                           "fp32": ("--dtype", "fp32", "--no-gradient-checkpointing")}.items():
            self.clean("train", DEMO, "--output", name, *TRAINING, *more)
            self.clean("train", "--resume", name, "--max-steps", 3)
            steps = (self.folder / name / "metrics.jsonl").read_text()
            self.assertEqual(len(re.findall(r'"step": ?\d+', steps)) >= 3, True, steps)

    def test_finding_heads_is_clean(self):
        self.clean("heads", "random:tiny", "--kinds", "copy", "--tokens", 128, "--needle", 8)
        self.clean("audit", "random:tiny", "--dtype", "fp32", "--gradients", "gradients.safetensors",
                   "--no-checks")

    def mutant(self, fault):
        return self.machine.start(self.machine.tests / "pretended_cuda_mutant", fault)

    def test_what_is_wrong_is_found(self):
        complaints = {"wrong_device": "there is no device 1",
                      "host_pointer_in_a_kernel": "swiglu_packs, input: .* not device memory",
                      "beyond_an_allocation": "swiglu_packs, output: .* not device memory",
                      "freed_memory": "what is filled: .* not device memory",
                      "freed_twice": "cudaFree of .* where no allocation begins",
                      "wrong_direction": "a copy's destination is host memory",
                      "too_many_threads": "anything: grid 1, 1, 1 of blocks of 2048",
                      "unchecked_kernel": "a_new_one is a kernel of ours whose arguments nobody checks"}
        for fault, complaint in complaints.items():
            done, told = self.mutant(fault)
            self.assertEqual(done.returncode, 0, fault)
            self.assertRegex("\n".join(told["complaints"]), complaint)
        done, told = self.mutant("nothing_wrong")
        self.assertEqual((done.returncode, done.stdout, told["complaints"]), (0, "", []))

    def test_the_host_is_stopped_at_device_memory(self):
        done, told = self.mutant("host_dereference")
        self.assertLess(done.returncode, 0)
        self.assertIn("the host reads or writes device memory", done.stderr)

    def run_with(self, fault):
        """A run by an engine that has a fault: engine_mutant.cpp."""
        library = self.machine.tests / f"engine_mutant_{fault}.so"
        loaded = f"{self.machine.environment()['LD_PRELOAD']}:{library}"
        done, told = self.machine.start(CLI, "run", *TINY, "--tokens", 300, *settings(), "--device", "cuda", "--quiet",
                                        LD_PRELOAD=loaded)
        print(f"\n{fault}: exit {done.returncode}: {done.stderr[:300]}", file=sys.stderr)
        return done, told

    def test_an_engine_that_reads_device_memory_is_stopped(self):
        done, _ = self.run_with("host_dereference")
        self.assertLess(done.returncode, 0)
        self.assertIn("the host reads or writes device memory", done.stderr)

    def test_an_engine_with_indices_on_the_wrong_device_is_found(self):
        _, told = self.run_with("index_on_the_host")
        self.assertRegex("\n".join(told["complaints"]), "rotate_packs, row: .* not device memory")
        done, told = self.run_with("index_on_another_device")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex("\n".join(told["complaints"]), "there is no device 1")


if __name__ == "__main__":
    unittest.main()
