# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns gui_bench's JSON on standard input into its section of docs/benchmarks.md; fails where a bound is missed."""
import json
import sys

from report import table, write_section

result = json.load(sys.stdin)
rows = [[state, str(r["beats"]), f"{r['p50_ms']:.2f}", f"{r['p99_ms']:.2f}", f"{r['max_ms']:.1f}"]
        for state, r in (("engine idle", result["idle"]), ("engine running", result["running"]))]
running, idle = result["running"], result["idle"]
kept = running["p99_ms"] <= 16 and running["max_ms"] <= idle["max_ms"] + 50
body = table(["window with the", "beats", "p50, ms late", "p99", "max"], rows)
body += (f"\n\nA 5 ms heartbeat of the event loop over {result['seconds']} s each; {result['segments']} segments ran beside it."
         f" Bounds (p99 ≤ 16 ms, max ≤ idle's + 50 ms): {'kept' if kept else 'MISSED'}.")
write_section("gui", "The window's event loop", "./lab bench gui", body)
sys.exit(0 if kept else 1)
