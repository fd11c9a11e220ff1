# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of ./lab bench gui, scale and --gpu as text and tables for docs/benchmarks.md, and whether
they kept their bounds."""

import statistics

from tables import table


def gui_medians(speeds):
    headless, window = speeds["headless"], speeds["window"]
    return (
        statistics.median(r["tokens_per_s"] for r in headless),
        statistics.median(r["tokens_per_s"] for r in window),
        statistics.median(r["gui_cpu_share"] for r in window),
    )


def lateness_kept(run):
    late = run["values"]["late"]
    return late["running"]["p99_ms"] <= 16 and late["running"]["max_ms"] <= late["idle"]["max_ms"] + 50


def story_kept(run):
    return statistics.median(run["values"]["story_ms"]) <= 1500


def sources_kept(run):
    clicks = run["values"].get("sources")  # not in runs of before 2026-11-26
    return not clicks or max(clicks["kept_ms"]) <= 150


def gui_kept(run):
    medians = [gui_medians(speeds) for speeds in run["values"]["speed"].values()]
    fast = all(beside >= 0.95 * alone for alone, beside, _ in medians)
    return lateness_kept(run) and story_kept(run) and sources_kept(run) and fast


def story(run):
    starts = run["values"].get("story_ms")  # not in runs of before 2026-11-25
    if not starts:
        return ""
    return (
        f"\n\nFrom the start of the process to the first story painted: {statistics.median(starts) / 1000:.2f} s, the"
        f" median of {len(starts)} starts with files in the page cache, {max(starts) / 1000:.2f} s at most. Bound (median"
        f" ≤ 1.5 s): {'kept' if story_kept(run) else 'MISSED'}."
    )


def sources(run):
    clicks = run["values"].get("sources")
    if not clicks:
        return ""
    replayed, kept = clicks["replayed_ms"], clicks["kept_ms"]
    return (
        f"\n\nFrom a click on a token until its sources are painted, in a text of {clicks['tokens']} tokens with the"
        f" default model: {statistics.median(kept):.0f} ms if the answer is kept, {max(kept):.0f} ms at most; bound (≤ 150 ms):"
        f" {'kept' if sources_kept(run) else 'MISSED'}. If the segment runs again, {statistics.median(replayed):.0f}"
        f" ms; a segment of the run took {clicks['segment_ms']:.0f} ms."
    )


def gui(run):
    late, speeds, lines = run["values"]["late"], run["values"]["speed"], []
    states = (("engine idle", late["idle"]), ("engine running", late["running"]))
    rows = [
        [state, str(r["beats"]), f"{r['p50_ms']:.2f}", f"{r['p99_ms']:.2f}", f"{r['max_ms']:.1f}"]
        for state, r in states
    ]
    text = (
        table(["window with the", "ticks", "p50, ms late", "p99", "max"], rows)
        + f"\n\nLateness of a 5 ms timer of the event loop, over {late['seconds']} s each; {late['segments']} segments "
        f"ran meanwhile. Bounds (p99 ≤ 16 ms, max ≤ idle's + 50 ms): {'kept' if lateness_kept(run) else 'MISSED'}.\n\n"
    )
    for name, title in (("default", "the default model"), ("demo", "the demo")):
        alone, beside, share = gui_medians(speeds[name])
        lines.append(
            [
                title,
                str(speeds[name]["headless"][0]["tokens"]),
                f"{alone:.0f}",
                f"{beside:.0f}",
                f"{beside / alone:.3f}",
                f"{100 * share:.1f} %",
                "kept" if beside >= 0.95 * alone else "MISSED",
            ]
        )
    return (
        text
        + table(
            [
                "",
                "tokens",
                "tokens/s headless",
                "tokens/s with the window",
                "ratio",
                "the window's thread, share of a core",
                "ratio ≥ 0.95",
            ],
            lines,
        )
        + f"\n\nA window in its default layout; medians of {len(speeds['default']['headless'])} alternating pairs."
        + story(run)
        + sources(run)
    )


def scale_kept(run):
    values = run["values"]
    return values["scrubbing"]["all"]["p95_ms"] <= 33 and values["after"]["rss_peak_mib"] * 1.048576 < 500


def scale(run):
    result = run["values"]
    steps, held = result["scrubbing"], result["after"]
    rows = [
        [
            kind,
            str(r["steps"]),
            f"{r['p50_ms']:.1f}",
            f"{r['p95_ms']:.1f}",
            f"{r['max_ms']:.1f}",
            f"{r['p95_cpu_ms']:.1f}",
        ]
        for kind, r in [*sorted(steps["kinds"].items()), ("all", steps["all"])]
    ]
    return (
        table(["step", "steps", "p50, ms to painted", "p95", "max", "p95 of its processor time, ms"], rows)
        + f"\n\nA run of {held['tokens']} tokens in {held['segments']} segments, in a window of 1280 × 800 in its "
        "default"
        f" layout. It took {result['open_ms'] / 1000:.2f} s to open and paint the run; the window read"
        f" {held['segments_loaded']} segments from disk in all."
        f"\n\nResident memory of the process: {result['window']['rss_mib']:.0f} MiB without a run,"
        f" {result['opened']['rss_mib']:.0f} MiB with it open, {held['rss_mib']:.0f} MiB after the steps,"
        f" {held['rss_peak_mib']:.0f} MiB at most. Of this, {held['outline_mib']:.1f} MiB are the run's outline and"
        f" {held['cached_segments_mib']:.1f} MiB whole segments."
        f"\n\nBounds (p95 ≤ 33 ms, memory < 500 MB): {'kept' if scale_kept(run) else 'MISSED'}."
    )


def gpu_rows(report):
    """Prefills, then decoded tokens: time, speed, peak."""
    return [
        [
            f"{row['what']}, {row['who']}",
            f"{row['tokens']:,}",
            f"{1000 * row['median_s']:.2f}" if row["what"] == "decode" else f"{1000 * row['median_s']:.0f}",
            f"{row['tokens_per_s']:,.0f}",
            f"{row['peak_bytes'] / (1 << 30):.1f}" if row.get("peak_bytes") else "–",
        ]
        for row in report["measurements"]
    ]


def gpu(run):
    parts = []
    compared = run["values"].get("compared", [])
    if compared:
        passed = sum(check["passed"] for check in compared)
        parts.append(f"{passed} of {len(compared)} comparisons of the GPU with the CPU passed.")
    for name, report in run["reports"].items():
        claims = [
            [
                claim["what"],
                *("–" if claim[key] is None else f"{claim[key]:.2f}" for key in ("value", "bound")),
                claim["verdict"],
            ]
            for claim in report["claims"]
        ]
        parts += [
            f"**{name}**, {report['dtype']}, {report['machine']['gpu']}. A token's time for `decode`.",
            table(["what", "tokens", "ms", "tokens/s", "peak, GiB"], gpu_rows(report)),
            table(["ratio", "value", "bound", "verdict"], claims),
        ]
    return "\n\n".join(parts)
