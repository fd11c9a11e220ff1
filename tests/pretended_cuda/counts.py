#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""counts.py BUILD: prints what one segment and one decoded token of LLaMA-2 7B's shape ask of a GPU in steady state:
S = 4096, M = R = 512, the paper's grouping, bf16, random weights. BUDGETS has what they may ask for."""

import sys
import tempfile

from machine import Machine, torch_cuda

# The most that a step may ask for. Launches are kernels and matrix products; the host waits for the GPU in waits.
BUDGETS = {
    "segmented": {"launches": 560, "waits": 2, "allocations": 0},
    "decode segmented": {"launches": 300, "waits": 1, "allocations": 0},
    "full": {"launches": 300, "waits": 1, "allocations": 0},
    "decode full": {"launches": 300, "waits": 1, "allocations": 0},
}
STEPS = {
    "segmented": "a segment, `segmented`",
    "decode segmented": "a decoded token, `segmented`",
    "full": "a segment, `full`",
    "decode full": "a decoded token, `full`",
}


def difference(before, after):
    """What was asked for between two marks."""
    kernels = {name: count - before["kernels"].get(name, 0) for name, count in after["kernels"].items()}
    between = {name: after[name] - before[name] for name in after if name not in ("name", "kernels")}
    return {**between, "launches": sum(kernels.values()),
            "kernels": {name: count for name, count in kernels.items() if count}}


def steps(marks):
    """By the name of the marks: what each step behind the first two asked for, when all that is kept has been made. The
    last segment of a text is left out, as its logits are computed."""
    found = {}
    for name in BUDGETS:
        same = [mark for mark in marks if mark["name"] == name]
        if not name.startswith("decode"):
            same = same[:-1]
        found[name] = [difference(*pair) for pair in zip(same[1:], same[2:])]
    return found


def measure(machine):
    """Runs tests/pretended_cuda/counts.cpp."""
    done, told = machine.start(machine.tests / "pretended_cuda_counts", "random:llama2-7b")
    if done.returncode != 0 or told is None:
        raise RuntimeError(f"pretended_cuda_counts: {done.returncode}, {done.stderr}")
    return told


def table(found):
    lines = ["| step | launches | of them matmuls | waits | copies | allocations |", "|---|---|---|---|---|---|"]
    for name, what in STEPS.items():
        one = found[name][-1]
        copies = one["copies_to_device"] + one["copies_to_host"] + one["copies_on_device"]
        lines.append(f"| {what} | {one['launches']} | {one['library_calls']} | {one['waits']} | {copies} | "
                     f"{one['allocations']} |")
    return "\n".join(lines)


def main():
    if torch_cuda(sys.argv[1]) is None:
        sys.exit("counts.py: LibTorch's CUDA half is not here; `./lab test` unpacks it where nvcc is")
    with tempfile.TemporaryDirectory() as scratch:
        told = measure(Machine(sys.argv[1], scratch))
    found = steps(told["marks"])
    print(table(found))
    for name, what in STEPS.items():
        print(f"\n{what}, by kernel")
        for kernel, count in sorted(found[name][-1]["kernels"].items(), key=lambda item: -item[1]):
            print(f"{count:5}  {kernel[:160]}")


if __name__ == "__main__":
    main()
