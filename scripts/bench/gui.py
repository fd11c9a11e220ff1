# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the window beside the engine, leaves runs/bench/gui, and fails where a bound is missed. See gui.sh."""

import json
import os
import subprocess
import sys
import tempfile

import runs
import sections
import window_sections

MODEL, TEXT, PROGRAM = (os.environ[name] for name in ("MODEL", "TEXT", "PROGRAM"))
BENCH = os.path.join(os.path.dirname(PROGRAM), "gui_bench")
DEMO = os.path.join(runs.ROOT, "resources", "demo")


def measured(*arguments, shown=True):
    screen = [] if os.environ.get("DISPLAY") or not shown else ["xvfb-run", "-a", "-s", "-screen 0 1280x800x24"]
    return json.loads(
        subprocess.run([*screen, BENCH, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout
    )


def main():
    seconds, rounds = (*sys.argv[1:3], *("60", "3")[len(sys.argv[1:3]) :])
    before = runs.probe(PROGRAM, MODEL)
    late = measured(MODEL, TEXT, seconds)
    speed = {name: {"headless": [], "window": []} for name in ("default", "demo")}
    with tempfile.TemporaryDirectory() as scratch:
        text = os.path.join(scratch, "text.txt")
        with open(text, "w", encoding="utf-8") as out:
            subprocess.run(
                [sys.executable, os.path.join(os.path.dirname(__file__), "long_text.py"), f"{DEMO}/text.txt", "40"],
                check=True,
                stdout=out,
            )
        for _ in range(int(rounds)):
            for name, run in (("default", (MODEL, TEXT, "8192")), ("demo", (DEMO, text, "200000"))):
                speed[name]["headless"].append(measured("--headless", *run, shown=False))
                speed[name]["window"].append(measured("--speed", *run))
    limits = {
        "before": runs.limits_of(before, "limits"),
        "after": runs.limits_of(runs.probe(PROGRAM, MODEL), "limits_after"),
    }
    run = runs.save("gui", "./lab bench gui", limits, values={"late": late, "speed": speed})
    print(sections.section([run]))
    problems = runs.judge(run)
    sys.exit(
        "\n".join(f"spoiled: {problem}" for problem in problems)
        if problems
        else 0 if window_sections.gui_kept(run) else 1
    )


main()
