# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu.py RESULTS: puts what gpu_measure.sh found in the folder RESULTS beside the other runs, as runs/bench/gpu. RESULTS
may come from another machine: the run names the machine of its reports."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # which python3 -I leaves out
import runs


def read(*names):
    """None where there is no such file: a run may have been stopped."""
    path = os.path.join(sys.argv[1], *names)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as source:
        return json.load(source)


def machine_of(report):
    told = report.get("machine", {})
    gpu = told.get("gpu", "a GPU")
    kind = re.sub("[^a-z0-9]+", "-", gpu.lower()).strip("-")
    return {"kind": kind, "processor": told.get("processor", ""), "cores": told.get("cores", 0), "flags": [gpu]}


first = read("bench.json")
found = {first["model"]["name"]: first}
second = read("llama3.1-8b", "bench.json")
if second:
    found[second["model"]["name"]] = second
limits = {"before": runs.limits_of(first, "limits"), "after": runs.limits_of(first, "limits_after")}
compared = (read("compare_devices.json") or {}).get("checks", [])
saved = runs.save("gpu", "./lab bench --gpu", limits, found, {"compared": compared}, machine_of(first))
for problem in runs.judge(saved):
    print(f"spoiled: {problem}", file=sys.stderr)
