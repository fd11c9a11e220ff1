# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the window beside the engine, leaves runs/bench/gui, and fails where a bound is missed. See gui.sh."""

import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # which python3 -I leaves out
import runs
import sections
import window_sections

MODEL, TEXT, PROGRAM = (os.environ[name] for name in ("MODEL", "TEXT", "PROGRAM"))
BENCH = os.path.join(os.path.dirname(PROGRAM), "gui_bench")
DEMO = os.path.join(runs.ROOT, "resources", "demo")


STARTS = 7


def measured(*arguments):
    return json.loads(subprocess.run([BENCH, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout)


def story_starts():
    """From the start of the process to its first story painted, ms. The first start fills the page cache."""
    took = []
    with tempfile.TemporaryDirectory() as home:
        for _ in range(1 + STARTS):
            begin = time.monotonic()
            subprocess.run(
                [PROGRAM, "--exit-after-story", "--no-fetch"],
                check=True,
                stdout=subprocess.DEVNULL,
                env=dict(os.environ, HOME=home),
            )
            took.append(1000 * (time.monotonic() - begin))
    return took[1:]


def main():
    seconds, rounds = (*sys.argv[1:3], *("60", "3")[len(sys.argv[1:3]) :])
    before = runs.probe(PROGRAM, MODEL)
    late = measured(MODEL, TEXT, seconds)
    starts = story_starts()
    sources = measured("--sources", MODEL, TEXT, "100000")
    speed = {name: {"headless": [], "window": []} for name in ("default", "demo")}
    with tempfile.TemporaryDirectory() as scratch:
        text = os.path.join(scratch, "text.txt")
        with open(text, "w", encoding="utf-8") as out:
            subprocess.run(
                [
                    sys.executable,
                    "-I",
                    os.path.join(os.path.dirname(__file__), "long_text.py"),
                    f"{DEMO}/text.txt",
                    "40",
                ],
                check=True,
                stdout=out,
            )
        for _ in range(int(rounds)):
            for name, run in (("default", (MODEL, TEXT, "8192")), ("demo", (DEMO, text, "200000"))):
                speed[name]["headless"].append(measured("--headless", *run))
                speed[name]["window"].append(measured("--speed", *run))
    limits = {
        "before": runs.limits_of(before, "limits"),
        "after": runs.limits_of(runs.probe(PROGRAM, MODEL), "limits_after"),
    }
    values = {"late": late, "speed": speed, "story_ms": starts, "sources": sources}
    run = runs.save("gui", "./lab bench gui", limits, values=values)
    print(sections.section([run]))
    problems = runs.judge(run)
    sys.exit(
        "\n".join(f"spoiled: {problem}" for problem in problems)
        if problems
        else 0 if window_sections.gui_kept(run) else 1
    )


main()
