# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the window over a long run, leaves runs/bench/scale, and fails where a bound is missed. See scale.sh."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # which python3 -I leaves out
import runs
import sections
import window_sections

MODEL, PROGRAM = (os.environ[name] for name in ("MODEL", "PROGRAM"))


def main():
    before = runs.probe(PROGRAM, MODEL)
    values = json.loads(subprocess.run(sys.argv[1:], check=True, stdout=subprocess.PIPE, text=True).stdout)
    limits = {
        "before": runs.limits_of(before, "limits"),
        "after": runs.limits_of(runs.probe(PROGRAM, MODEL), "limits_after"),
    }
    run = runs.save("scale", "./lab bench scale", limits, values=values)
    print(sections.section([run]))
    problems = runs.judge(run)
    sys.exit(
        "\n".join(f"spoiled: {problem}" for problem in problems)
        if problems
        else 0 if window_sections.scale_kept(run) else 1
    )


main()
