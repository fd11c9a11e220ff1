# SPDX-License-Identifier: GPL-3.0-or-later
"""compare_devices.py CLI OUT [--device cuda] [--reference cpu] [--shapes NAME,...] [--tokens N] [--json FILE]

Whether a device computes what the CPU does, before anything on it is timed: the same command on both, and what it wrote
side by side. Needs Python alone. For each shape of random weights:

  losses     fp32: each target's within 1e-3 nats; what was retrieved is equal but for near-ties of the ranking
  bf16       losses no further from the CPU's fp32 than twice what the CPU's own bf16 is (root mean square)
  decoding   greedy tokens across a segment boundary are equal; a first difference is a near-tie of two logits
  gradient   of a tiny model's training objective, each parameter's within 1e-3 of its norm
  audit      `carryover audit` on the device passes

Prints a line for each, and returns 1 where one fails.
"""
import argparse
import array
import json
import math
import os
import random
import struct
import subprocess
import sys

SEGMENT = 512
LOSS_BOUND, GRADIENT_BOUND, BF16_FACTOR, TIE_BOUND = 1e-3, 1e-3, 2.0, 1e-3
VOCABULARY = {"tiny": 256}  # the smallest of a shape's; ids stay below it


class Comparison:
    def __init__(self, arguments):
        self.cli, self.out = os.path.abspath(arguments.cli), arguments.out
        self.devices = (arguments.reference, arguments.device)
        self.tokens = arguments.tokens
        self.checks = []
        os.makedirs(self.out, exist_ok=True)

    def call(self, *words):
        done = subprocess.run([self.cli, *map(str, words)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip() or done.returncode}")
        return done.stdout

    def check(self, name, measure, bound, note=""):
        passed = measure <= bound  # NaN is not
        self.checks.append({"name": name, "measure": measure, "bound": bound, "passed": passed, "note": note})
        print(f"{'passed' if passed else 'FAILED'}  {name}: {measure:.3g} (bound {bound:.3g}){note and '; ' + note}",
              flush=True)

    def attempt(self, name, work):
        try:
            work()
        except (RuntimeError, OSError, ValueError, KeyError) as error:
            self.checks.append({"name": name, "measure": None, "bound": None, "passed": False, "note": str(error)})
            print(f"FAILED  {name}: {error}", flush=True)

    def ids(self, shape, count):
        path = os.path.join(self.out, f"ids-{shape}-{count}.json")
        draw = random.Random(11)
        with open(path, "w", encoding="utf-8") as file:
            json.dump([draw.randrange(VOCABULARY.get(shape, 32000)) for _ in range(count)], file)
        return path

    def run_folder(self, shape, device, dtype, hits=None):
        folder = os.path.join(self.out, f"{shape}-{dtype}-{device}")
        self.call("run", f"random:{shape}", "--input-ids", self.ids(shape, self.tokens), "--device", device, "--dtype",
                  dtype, "--segment-length", segment_of(shape), "--out", folder, "--overwrite", "--quiet",
                  *(["--force-hits", hits] if hits else []))
        return folder

    def runs(self, shape):
        reference, device = (self.run_folder(shape, each, "fp32") for each in self.devices)
        self.check(f"{shape}, fp32, losses", largest_difference(losses(reference), losses(device)), LOSS_BOUND, "nats")
        differing, slots = differing_hits(reference, device)
        ties = near_ties(reference) + near_ties(device)
        self.check(f"{shape}, fp32, retrieved positions", differing, ties, f"of {slots}; near-ties counted as bound")
        hits = os.path.join(reference, "hits.jsonl")
        own, other = (self.run_folder(shape, each, "bf16", hits) for each in self.devices)
        exact = losses(reference)
        self.check(f"{shape}, bf16, losses", rms_difference(exact, losses(other)),
                   BF16_FACTOR * rms_difference(exact, losses(own)), "nats, rms")

    def decoding(self, shape):
        told = []
        for device in self.devices:
            prompt = self.ids(shape, segment_of(shape) - 10)
            told.append(json.loads(self.call("generate", f"random:{shape}", "--input-ids", prompt, "--device", device,
                                             "--dtype", "fp32", "--segment-length", segment_of(shape),
                                             "--max-new-tokens", 24, "--ignore-eos", "--logprobs", "--json",
                                             "--quiet")))
        first, second = told
        same = next((i for i, (a, b) in enumerate(zip(first["ids"], second["ids"], strict=True)) if a != b), None)
        until = len(first["ids"]) if same is None else same + 1
        off = largest_difference(first["logprobs"][:until], second["logprobs"][:until])
        self.check(f"{shape}, decoding across a boundary", off, TIE_BOUND,
                   "all tokens are equal" if same is None else f"a near-tie at token {same}")

    def gradient(self):
        files = []
        for device in self.devices:
            files.append(os.path.join(self.out, f"gradient-{device}.safetensors"))
            self.call("audit", "random:tiny", "--input-ids", self.ids("tiny", 320), "--device", device, "--dtype",
                      "fp32", "--segment-length", 64, "--carry-length", 16, "--retrieval-length", 16, "--gradients",
                      files[-1], "--no-checks", "--quiet")
        first, second = (tensors(file) for file in files)
        if first.keys() != second.keys():
            raise ValueError("the gradients are of other parameters")
        worst = max(relative_difference(first[name], second[name]) for name in first)
        self.check("tiny, fp32, gradient", worst, GRADIENT_BOUND, f"of {len(first)} parameters, relative")

    def audit(self):
        report = json.loads(self.call("audit", "random:tiny", "--device", self.devices[1], "--dtype", "fp32", "--json",
                                      "--quiet"))
        failed = [check["name"] for check in report["checks"] if check["difference"] > check["bound"]]
        self.check("tiny, audit on the device, failed checks", len(failed), 0, ", ".join(failed))


def segment_of(shape):
    return 64 if shape == "tiny" else SEGMENT


def losses(folder):
    with open(os.path.join(folder, "nll.json"), encoding="utf-8") as file:
        return json.load(file)


def largest_difference(a, b):
    return max((abs(x - y) for x, y in zip(a, b, strict=True)), default=math.nan)


def rms_difference(a, b):
    return math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) / len(a))


def hits_of(folder):
    with open(os.path.join(folder, "hits.jsonl"), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return {(line["segment"], line["layer"], line["head"]): line["positions"] for line in lines}


def differing_hits(first, second):
    """Slots that hold another position, of how many."""
    one, other = hits_of(first), hits_of(second)
    if one.keys() != other.keys():
        raise ValueError("other heads retrieved")
    differing = sum(len(set(one[key]) - set(other[key])) for key in one)
    return differing, sum(map(len, one.values()))


def near_ties(folder):
    with open(os.path.join(folder, "segments.jsonl"), encoding="utf-8") as file:
        return sum(json.loads(line)["near_ties"] for line in file)


def tensors(path):
    """fp32 and fp64 tensors of a safetensors file, by name."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        body = file.read()
    found = {}
    for name, entry in header.items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            values = array.array({"F32": "f", "F64": "d"}[entry["dtype"]])
            values.frombytes(body[first:last])
            found[name] = values
    return found


def relative_difference(a, b):
    norm = math.sqrt(sum(x * x for x in a))
    off = math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)))
    return off if norm == 0 else off / norm


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("out")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--reference", default="cpu")
    parser.add_argument("--shapes", default="smollm2-135m,llama3.1-small")
    parser.add_argument("--tokens", type=int, default=4 * SEGMENT + 100)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    comparison = Comparison(arguments)
    for shape in arguments.shapes.split(","):
        comparison.attempt(f"{shape}, runs", lambda shape=shape: comparison.runs(shape))
        comparison.attempt(f"{shape}, decoding", lambda shape=shape: comparison.decoding(shape))
    comparison.attempt("gradient", comparison.gradient)
    comparison.attempt("audit", comparison.audit)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"devices": comparison.devices, "checks": comparison.checks}, file, indent=1)
    return not all(check["passed"] for check in comparison.checks)


if __name__ == "__main__":
    sys.exit(main())
