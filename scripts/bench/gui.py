# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns gui_bench's JSON files in a folder into their sections of docs/benchmarks.md; fails where a bound is missed."""
import glob
import json
import os
import statistics
import sys

from report import table, write_section

FOLDER = sys.argv[1]


def read(pattern):
    results = []
    for path in sorted(glob.glob(os.path.join(FOLDER, pattern))):
        with open(path) as source:
            results.append(json.load(source))
    return results


def lateness():
    result = read("late.json")[0]
    rows = [[state, str(r["beats"]), f"{r['p50_ms']:.2f}", f"{r['p99_ms']:.2f}", f"{r['max_ms']:.1f}"]
            for state, r in (("engine idle", result["idle"]), ("engine running", result["running"]))]
    running, idle = result["running"], result["idle"]
    kept = running["p99_ms"] <= 16 and running["max_ms"] <= idle["max_ms"] + 50
    body = table(["window with the", "beats", "p50, ms late", "p99", "max"], rows)
    body += (f"\n\nA 5 ms heartbeat of the event loop over {result['seconds']} s each; {result['segments']} segments ran"
             f" beside it. Bounds (p99 ≤ 16 ms, max ≤ idle's + 50 ms): {'kept' if kept else 'MISSED'}.")
    write_section("gui", "The window's event loop", "./lab bench gui", body)
    return kept


def speed():
    rows, kept = [], True
    for name, model in (("default", "the default model"), ("demo", "the demo")):
        headless, window = read(f"{name}-headless-*.json"), read(f"{name}-window-*.json")
        alone, beside, share = (statistics.median(r[key] for r in results) for results, key in (
            (headless, "tokens_per_s"), (window, "tokens_per_s"), (window, "gui_cpu_share")))
        rows.append([model, str(headless[0]["tokens"]), f"{alone:.0f}", f"{beside:.0f}", f"{beside / alone:.3f}",
                     f"{100 * share:.1f} %", "kept" if beside >= 0.95 * alone else "MISSED"])
        kept &= beside >= 0.95 * alone
    body = table(["", "tokens", "tokens/s headless", "tokens/s with the window", "ratio",
                  "the window's thread, share of a core", "ratio ≥ 0.95"], rows)
    body += f"\n\nA window in its default layout; medians of {len(headless)} alternating pairs."
    write_section("gui-speed", "The engine's speed beside the window", "./lab bench gui", body)
    return kept


sys.exit(0 if lateness() & speed() else 1)
