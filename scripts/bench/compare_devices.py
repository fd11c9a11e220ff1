# SPDX-License-Identifier: GPL-3.0-or-later
"""compare_devices.py CLI OUT [--device cuda] [--reference cpu] [--shapes NAME,...] [--tokens N] [--json FILE]

Whether a device computes what the CPU does, before anything on it is timed: the same command on both, and what it wrote
side by side. Needs Python alone. For each shape of random weights:

  losses     fp32: each target's within 1e-3 nats; what was retrieved is equal but for near-ties of the ranking
  bf16       losses no further from the CPU's fp32 than twice what the CPU's own bf16 is (root mean square)
  decoding   greedy tokens across a segment boundary are equal; where they first differ, both are as likely to the CPU
  gradient   of a tiny model's training objective, each parameter's within 1e-3 of its norm
  audit      `carryover audit` on the device passes

Prints a line for each, writes FILE again after each, and returns 1 where one fails. A number that is none fails what it
is compared in.
"""
import argparse
import array
import json
import math
import os
import random
import signal
import struct
import subprocess
import sys

SEGMENT, CARRY, RETRIEVAL = 512, 256, 128  # short, so that there are boundaries; the carry leaves room for sinks
LOSS_BOUND, GRADIENT_BOUND, BF16_FACTOR, TIE_BOUND = 1e-3, 1e-3, 2.0, 1e-3
SHAPES = ("smollm2-135m", "llama3.1-small")
VOCABULARY = {"tiny": 256}  # the smallest of a shape's; ids stay below it


class Comparison:
    def __init__(self, arguments):
        self.cli, self.out = os.path.abspath(arguments.cli), arguments.out
        self.devices = (arguments.reference, arguments.device)
        self.tokens = arguments.tokens
        self.json = arguments.json
        self.checks = []
        os.makedirs(self.out, exist_ok=True)

    def call(self, *words, fine=(0,)):
        done = subprocess.run([self.cli, *map(str, words)], capture_output=True, text=True, check=False)
        if done.returncode not in fine:
            raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip() or done.returncode}")
        return done.stdout

    def check(self, name, measure, bound, note=""):
        passed = measure <= bound  # NaN is not
        self.found(name, passed, f"{measure:.3g} (bound {bound:.3g}){note and '; ' + note}",
                   {"measure": None if math.isnan(measure) else measure, "bound": bound, "note": note})

    def attempt(self, name, work):
        """Whatever goes wrong with one comparison, the next ones are made."""
        try:
            work()
        except Exception as error:  # pylint: disable=broad-exception-caught
            told = str(error) or type(error).__name__
            self.found(name, False, told, {"measure": None, "bound": None, "note": told})

    def found(self, name, passed, told, check):
        self.checks.append({"name": name, "passed": passed, **check})
        print(f"{'passed' if passed else 'FAILED'}  {name}: {told}", flush=True)
        if self.json:  # in one step, so that a run that is killed leaves a whole file
            with open(self.json + ".part", "w", encoding="utf-8") as file:
                json.dump({"devices": self.devices, "checks": self.checks}, file, indent=1)
            os.replace(self.json + ".part", self.json)

    def ids(self, shape, count):
        draw = random.Random(11)
        return [draw.randrange(VOCABULARY.get(shape, 32000)) for _ in range(count)]

    def ids_file(self, shape, ids):
        path = os.path.join(self.out, f"ids-{shape}-{len(ids)}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(ids, file)
        return path

    def run_folder(self, shape, device, dtype, ids, *more, name="run"):
        folder = os.path.join(self.out, f"{name}-{shape}-{dtype}-{device}")
        self.call("run", f"random:{shape}", "--input-ids", self.ids_file(shape, ids), "--device", device, "--dtype",
                  dtype, *segments(shape), "--out", folder, "--overwrite", "--quiet", *more)
        return folder

    def runs(self, shape):
        ids = self.ids(shape, self.tokens)
        reference, device = (self.run_folder(shape, each, "fp32", ids) for each in self.devices)
        exact = losses(reference)
        self.check(f"{shape}, fp32, losses", largest_difference(exact, losses(device)), LOSS_BOUND, "nats")
        differing, slots = differing_hits(reference, device)
        ties = near_ties(reference) + near_ties(device)
        self.check(f"{shape}, fp32, retrieved positions", differing, ties, f"of {slots}; near-ties counted as bound")
        forced = ("--force-hits", os.path.join(reference, "hits.jsonl"))
        own, other = (self.run_folder(shape, each, "bf16", ids, *forced) for each in self.devices)
        self.check(f"{shape}, bf16, losses", rms_difference(exact, losses(other)),
                   BF16_FACTOR * rms_difference(exact, losses(own)), "nats, rms")

    def decoding(self, shape):
        prompt = self.ids(shape, segment_of(shape) - 10)
        told = []
        for device in self.devices:
            told.append(json.loads(self.call("generate", f"random:{shape}", "--input-ids",
                                             self.ids_file(shape, prompt), "--device", device, "--dtype", "fp32",
                                             *segments(shape), "--max-new-tokens", 24, "--ignore-eos", "--logprobs",
                                             "--json", "--quiet")))
        first, second = told
        same = next((i for i, (a, b) in enumerate(zip(first["ids"], second["ids"], strict=True)) if a != b), None)
        off = [difference(x, y) for x, y in zip(first["logprobs"][:same], second["logprobs"][:same], strict=True)]
        if same is not None:
            off.append(self.preference(shape, prompt + first["ids"][:same], first["ids"][same], second["ids"][same]))
        self.check(f"{shape}, decoding across a boundary", largest(map(abs, off)), TIE_BOUND,
                   "all tokens are equal" if same is None else f"a near-tie at token {same}, or a wrong one")

    def preference(self, shape, ids, token, other):
        """How much likelier than `other` the reference takes `token` to be after `ids`, nats."""
        costs = [losses(self.run_folder(shape, self.devices[0], "fp32", [*ids, last], name="tie"))[-1]
                 for last in (token, other)]
        return difference(costs[1], costs[0])

    def gradient(self):
        files = []
        for device in self.devices:
            files.append(os.path.join(self.out, f"gradient-{device}.safetensors"))
            self.call("audit", "random:tiny", "--input-ids", self.ids_file("tiny", self.ids("tiny", 320)), "--device",
                      device, "--dtype", "fp32", *segments("tiny"), "--gradients", files[-1], "--no-checks", "--quiet")
        first, second = (tensors(file) for file in files)
        if first.keys() != second.keys():
            raise ValueError("the gradients are of other parameters")
        worst = largest(relative_difference(first[name], second[name]) for name in first)
        self.check("tiny, fp32, gradient", worst, GRADIENT_BOUND, f"of {len(first)} parameters, relative")

    def audit(self):
        report = json.loads(self.call("audit", "random:tiny", "--device", self.devices[1], "--dtype", "fp32", "--json",
                                      "--quiet", fine=(0, 1)))  # 1: a check failed
        failed = [check["name"] for check in report["checks"] if not check["passed"]]
        self.check("tiny, audit on the device, failed checks", len(failed), 0, ", ".join(failed))


def segment_of(shape):
    return 64 if shape == "tiny" else SEGMENT


def segments(shape):
    carry, retrieval = (16, 16) if shape == "tiny" else (CARRY, RETRIEVAL)
    return ("--segment-length", segment_of(shape), "--carry-length", carry, "--retrieval-length", retrieval)


def losses(folder):
    with open(os.path.join(folder, "nll.json"), encoding="utf-8") as file:
        return json.load(file)


def largest(values):
    """NaN where one is, which max() may pass over, and of nothing."""
    values = list(values)
    return math.nan if not values or any(map(math.isnan, values)) else max(values)


def difference(x, y):
    """NaN where one of them is none: the program writes such numbers as null."""
    return math.nan if x is None or y is None else x - y


def largest_difference(a, b):
    return largest(abs(difference(x, y)) for x, y in zip(a, b, strict=True))


def rms_difference(a, b):
    return math.sqrt(sum(difference(x, y) ** 2 for x, y in zip(a, b, strict=True)) / len(a))


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
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--tokens", type=int, default=4 * SEGMENT + 100)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # and the program that runs is ended
    comparison = Comparison(arguments)
    for shape in arguments.shapes.split(","):
        comparison.attempt(f"{shape}, runs", lambda shape=shape: comparison.runs(shape))
        comparison.attempt(f"{shape}, decoding", lambda shape=shape: comparison.decoding(shape))
    comparison.attempt("gradient", comparison.gradient)
    comparison.attempt("audit", comparison.audit)
    return not all(check["passed"] for check in comparison.checks)


if __name__ == "__main__":
    sys.exit(main())
