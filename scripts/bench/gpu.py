# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu.py BENCH_JSON: puts what `carryover bench --gpu` found beside the other runs, as runs/bench/gpu. See gpu.sh."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # which python3 -I leaves out
import runs

with open(sys.argv[1], encoding="utf-8") as source:
    report = json.load(source)
limits = {"before": runs.limits_of(report, "limits"), "after": runs.limits_of(report, "limits_after")}
for problem in runs.judge(runs.save("gpu", "./lab bench --gpu", limits, {report["dtype"]: report})):
    print(f"spoiled: {problem}", file=sys.stderr)
