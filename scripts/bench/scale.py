# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns scale_bench's JSON on standard input into its section of docs/benchmarks.md; fails where a bound is missed."""
import json
import sys

from report import table, write_section

result = json.load(sys.stdin)
steps, held = result["scrubbing"], result["after"]
rows = [[kind, str(r["steps"]), f"{r['p50_ms']:.1f}", f"{r['p95_ms']:.1f}", f"{r['max_ms']:.1f}",
         f"{r['p95_cpu_ms']:.1f}"]
        for kind, r in [*sorted(steps["kinds"].items()), ("all", steps["all"])]]
body = table(["step", "steps", "p50, ms to painted", "p95", "max", "p95 of its processor time, ms"], rows)
kept = steps["all"]["p95_ms"] <= 33 and held["rss_peak_mib"] * 1.048576 < 500
body += (f"\n\nA run of {held['tokens']} tokens in {held['segments']} segments, in a window of 1280 × 800 in its default"
         f" layout. It opened in {result['open_ms'] / 1000:.2f} s, painted; {held['segments_loaded']} segments were read"
         f" from disk in all."
         f"\n\nResident memory of the process: {result['window']['rss_mib']:.0f} MiB without a run,"
         f" {result['opened']['rss_mib']:.0f} MiB with it open, {held['rss_mib']:.0f} MiB after the steps,"
         f" {held['rss_peak_mib']:.0f} MiB at most. Of it {held['outline_mib']:.1f} MiB are the run's outline and"
         f" {held['cached_segments_mib']:.1f} MiB whole segments."
         f"\n\nBounds (p95 ≤ 33 ms, memory < 500 MB): {'kept' if kept else 'MISSED'}.")
write_section("scale", "A million tokens in the window", "./lab bench scale", body)
sys.exit(0 if kept else 1)
