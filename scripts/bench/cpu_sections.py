# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of ./lab bench cpu as text and tables for docs/benchmarks.md. Pure: the same run gives the same text."""

import statistics

import company as company_bench
from tables import (
    alike,
    by_dtype,
    faster,
    find,
    HOW,
    LLAMA,
    MIB,
    pairs_of,
    peer_name,
    ratio,
    run_length,
    speed,
    table,
    threads,
    TRANSFORMERS,
)


def prefill(run):
    lines, reports = [], [report for _, report in by_dtype(run)]
    for dtype, report in by_dtype(run):
        for tokens in (512, 2048):
            ours, theirs = (find(report, who, "prefill", tokens) for who in ("full", "transformers"))
            lines.append(
                [dtype, str(tokens), speed(ours), f"{ours['gemm_share']:.2f}", speed(theirs), ratio(ours, theirs)]
            )
    return (
        f"Logits of the last token, full attention on both sides, {threads(run)}; medians of alternating rounds. "
        f"{alike(pairs_of(reports, ['full'], ['transformers']))} Share: throughput relative to the fastest "
        f"matmul of the same run. Peer: {peer_name(reports, 'transformers')}.\n\n"
        + table(["dtype", "tokens", "ours, tokens/s", "share", "transformers, tokens/s", "ours / peer"], lines)
    )


def decode(run):
    lines, reports = [], [report for _, report in by_dtype(run)]
    for dtype, report in by_dtype(run):
        theirs = faster(report, TRANSFORMERS, "decode", 512)
        for policy in ("segmented", "full"):
            ours = find(report, policy, "decode", 512)
            lines.append(
                [
                    dtype,
                    policy,
                    speed(ours),
                    f"{ours['bandwidth_share']:.2f}",
                    speed(theirs),
                    HOW[theirs["who"]] if theirs else "–",
                    ratio(ours, theirs),
                ]
            )
    return (
        f"32 tokens after a prompt of 512, {threads(run)}; medians of alternating rounds. "
        f"{alike(pairs_of(reports, ['segmented', 'full'], TRANSFORMERS))} Share: throughput of reading the weights "
        "and the visible keys and values, relative to the memory bandwidth that the same run measured. Peer: "
        f"{peer_name(reports, 'transformers')}, with its dynamic cache, and with a static cache and torch.compile; "
        "the faster one counts.\n\n"
        + table(
            ["dtype", "our policy", "ours, tokens/s", "share", "transformers, tokens/s", "its cache", "ours / peer"],
            lines,
        )
    )


def llama_rows(run, what):
    lines = []
    for name in ("F32", "BF16", "Q8_0"):
        report = run["reports"].get(f"{what} {name}")
        if not report:
            continue
        ours, theirs = find(report, "full", what, 512), faster(report, LLAMA, what, 512)
        lines.append(
            [
                name,
                report["dtype"],
                speed(ours),
                speed(theirs),
                HOW[theirs["who"]] if theirs else "–",
                ratio(ours, theirs),
            ]
        )
    return table(["its weights", "ours", "ours, tokens/s", "llama.cpp, tokens/s", "-fa", "ours / peer"], lines)


def short_reports(run, what):
    return [report for name, report in sorted(run["reports"].items()) if name.startswith(what + " ")]


def llama(run):
    reports = short_reports(run, "prefill")
    text = (
        f"Peer: {peer_name(reports, 'llama-bench')}, {threads(run)}, without and with `-fa`; the faster one counts. "
        f"Prefill of 512 tokens, full attention on both sides; medians of alternating rounds. "
        f"{alike(pairs_of(reports, ['full'], LLAMA))}\n\n{llama_rows(run, 'prefill')}"
    )
    lines, used = [], []
    for name, report in sorted(run["reports"].items(), key=lambda each: run_length(each[1])):
        if not name.startswith("long "):
            continue
        tokens, stored = run_length(report), name.split()[1]
        bounded, full = (find(report, who, "prefill", tokens) for who in ("segmented", "full"))
        theirs = faster(report, LLAMA, "prefill", tokens)
        used.append(report)
        lines.append(
            [
                str(tokens),
                speed(full),
                f"{stored}: {speed(theirs)}",
                HOW[theirs["who"]] if theirs else "–",
                ratio(full, theirs),
                speed(bounded),
                ratio(bounded, theirs),
            ]
        )
    if not lines:
        return text
    config = used[0]["config"]
    return (
        text + "\n\nLonger texts, compared with the faster one of its formats F32 and BF16. The first ratio "
        "compares equal work, full attention on both sides. The second one does not: our segmented run has "
        f"a bounded context (S = {config['segment_length']}, M = {config['carry_length']}, R = "
        f"{config['retrieval_length']}), so its work grows linearly with the length of the text, and its "
        f"logits are not those of full attention. {alike(pairs_of(used, ['full', 'segmented'], LLAMA))}\n\n"
        + table(
            [
                "tokens",
                "our full attention, tokens/s",
                "llama.cpp's, tokens/s",
                "-fa",
                "equal work: ours / peer",
                "our bounded context, tokens/s",
                "less work: ours / peer",
            ],
            lines,
        )
    )


def llama_decode(run):
    reports = short_reports(run, "decode")
    return (
        f"Peer: {peer_name(reports, 'llama-bench')}, without and with `-fa`; the faster one counts. 32 tokens after a "
        f"prompt of 512, full attention on both sides, {threads(run)}; medians of alternating rounds. "
        f"{alike(pairs_of(reports, ['full'], LLAMA))}\n\n{llama_rows(run, 'decode')}"
    )


def full(run):
    lines = []
    for dtype, report in by_dtype(run):
        tokens = run_length(report)
        segmented, whole = (find(report, who, "prefill", tokens) for who in ("segmented", "full"))
        lines.append([dtype, str(tokens), speed(segmented), speed(whole), ratio(segmented, whole)])
    return (
        f"Two policies of this program on the same text, {threads(run)}. The ratio does not compare equal work: a "
        "segmented run has a bounded context, and full attention sees the whole text.\n\n"
        + table(["dtype", "tokens", "bounded context, tokens/s", "full attention, tokens/s", "ratio"], lines)
    )


def growth(run):
    lines = []
    for dtype, report in by_dtype(run):
        short, long = (find(report, "segmented", "prefill", tokens) for tokens in (8192, 131072))
        lines.append(
            [
                dtype,
                speed(short),
                speed(long),
                f"{long['tokens_per_s'] / short['tokens_per_s']:.3f}",
                f"{short['peak_bytes'] / MIB:.0f}",
                f"{long['peak_bytes'] / MIB:.0f}",
                f"{(long['peak_bytes'] - short['peak_bytes']) / MIB:.0f}",
                f"{long['memory']['pool'] / MIB:.0f}",
                f"{100 * long['deviation']:+.0f} %",
            ]
        )
    return (
        f"Segmented execution, {threads(run)}. Memory is in MiB: the peak of the weights and of what a run adds to the "
        "process. The last column is the deviation of the peak at 128K from its prediction.\n\n"
        + table(
            [
                "dtype",
                "8K, tokens/s",
                "128K, tokens/s",
                "ratio",
                "peak at 8K",
                "peak at 128K",
                "increase",
                "of which pool",
                "deviation",
            ],
            lines,
        )
    )


def train(run):
    lines, across, growth_lines, pairs = [], [], [], []
    for dtype, report in by_dtype(run):
        tokens = run_length(report)
        pairs += pairs_of([report], ["segmented"], ["transformers"])
        for checkpointing in (False, True):
            ours, theirs = (find(report, who, "train", tokens, checkpointing) for who in ("segmented", "transformers"))
            peaks = [row["peak_bytes"] / MIB if row and row["peak_bytes"] else None for row in (ours, theirs)]
            lines.append(
                [
                    dtype,
                    "on" if checkpointing else "off",
                    speed(ours),
                    speed(theirs),
                    ratio(ours, theirs),
                    *(f"{peak:.0f}" if peak else "–" for peak in peaks),
                    f"{peaks[0] / peaks[1]:.2f}×" if all(peaks) else "–",
                ]
            )
        ours, theirs = (find(report, who, "train", tokens, who == "segmented") for who in ("segmented", "transformers"))
        if theirs and theirs["peak_bytes"] and ours["peak_bytes"]:
            across.append(
                f"{dtype} {ratio(ours, theirs)} the speed in {ours['peak_bytes'] / theirs['peak_bytes']:.2f}× "
                "the memory"
            )
    for dtype, (short, long) in sorted(run["values"].get("peaks", {}).items(), reverse=True):
        growth_lines.append([dtype, f"{short / MIB:.0f}", f"{long / MIB:.0f}", f"{long / short:.3f}"])
    reports = [report for _, report in by_dtype(run)]
    text = (
        f"Training of every parameter, steps of one sample of {tokens} tokens, {threads(run)}. Times are medians of "
        "the second of two steps; peaks, in MiB, are of the weights and of what both steps add. "
        f"{alike(pairs, 'training_dtype')} Peer: {peer_name(reports, 'transformers')}, full attention, sdpa, fused "
        f"AdamW; ours is segmented, K = {reports[0]['config']['truncation_depth']}.\n\n"
        + table(
            [
                "dtype",
                "checkpointing",
                "ours, tokens/s",
                "peer, tokens/s",
                "ours / peer",
                "ours, MiB",
                "peer, MiB",
                "ours / peer",
            ],
            lines,
        )
    )
    if across:
        text += f"\n\nOurs with checkpointing, compared with the peer without: {', '.join(across)}."
    if growth_lines:
        text += (
            "\n\nPeak memory of a step, by the length of its sample: a longer sample has more segments, but memory "
            "holds no more graphs.\n\n" + table(["dtype", "peak at 2·1024", "peak at 8·1024", "ratio"], growth_lines)
        )
    return text


def pool(run):
    values, lines = run["values"], []
    for keys in ("model", "bf16", "int8"):
        v = values["keys"][keys]
        lines.append(
            [
                keys,
                f"{v['bytes_per_token']:.0f}",
                f"{100 * v['anchors_found']:.2f} %",
                f"{100 * v['hits_found']:.2f} %",
                f"{v['nll_mean']:.5f}",
                f"{1000 * v['retrieval_s']:.1f}",
            ]
        )
    return (
        f"SmolLM2 in fp32 with its default settings over {values['tokens']} tokens of a novel, 2 threads, one run "
        "each. Found again: the share of the exact run's positions, by segment, layer and head, that the run with "
        "these keys also retrieved, for anchors alone and for all hits but padding. The runs diverge, because a "
        "different prefix changes all queries after it. Retrieval: mean time of everything that passes state from "
        "segment to segment.\n\n"
        + table(
            [
                "keys",
                "pool, bytes per token",
                "anchors found again",
                "hits found again",
                "loss, nats per token",
                "retrieval, ms per segment",
            ],
            lines,
        )
    )


def search(run):
    lines = []
    for found in run["values"]["searches"]:
        search_ms, segment_ms = (statistics.median(found[key]) for key in ("search_ms", "segment_ms"))
        lines.append(
            [
                found["preset"],
                found["dtype"],
                str(found["entries"]),
                f"{search_ms:.2f}",
                f"{segment_ms:.0f}",
                f"{100 * search_ms / segment_ms:.1f} %",
            ]
        )
    return (
        "The time of one search of a pool of random keys of SmolLM2-135M's shape, from the queries to the gathered "
        "prefix of the layers that search, and the time of a segment at the start of a text with the same preset; "
        "2 threads, medians. With paper, each of 12 heads in 4 layers searches for itself. With recall, 3 heads "
        "search for all, by centred scores and in windows. A segment has 1024 tokens with paper and 512 with recall.\n\n"
        + table(["preset", "dtype", "entries", "search, ms", "segment, ms", "share"], lines)
    )


def start(run):
    whole, segment = (statistics.median(run["values"][key]) for key in ("whole_s", "segment_s"))
    return (
        f"`carryover run` of one segment of 1024 tokens takes {whole:.2f} s from the start of the process to its "
        f"end, of which {segment:.2f} s in the segment; medians of {len(run['values']['whole_s'])} after one that "
        "fills the page cache."
    )


def company(run):
    lines = []
    for dtype, values in run["values"]["company"].items():
        for what in ("prefill", "decode"):
            for case in values["cases"]:
                ours = company_bench.shares(values, case, what)
                theirs = company_bench.shares(values, case, what, "llama.cpp")
                lines.append(
                    [
                        dtype,
                        what,
                        case,
                        f"{ours['two']:.0f}",
                        f"{ours['one']:.0f}",
                        f"{ours['of_alone']:.2f}",
                        f"{ours['fair']:.2f}",
                        f"{ours['of_fair']:.2f}",
                        f"{theirs['of_alone']:.2f}" if theirs else "–",
                    ]
                )
    together = [
        f"{dtype}, {what}: {company_bench.together(values, what):.2f}"
        for dtype, values in run["values"]["company"].items()
        for what in ("prefill", "decode")
    ]
    return (
        f"Neighbours compute all the time on the same {run['machine']['cores']} cores. Fair: what two processes that "
        "never wait for each other keep of their own speed beside the same neighbours. Segmented, "
        f"{company_bench.TOKENS} tokens and {company_bench.DECODED} decoded ones; medians of {company_bench.ROUNDS} "
        "rounds. llama.cpp: bf16 on two threads, `-fa 1 --poll 0`, as a share of its own speed alone.\n\n"
        + table(
            [
                "dtype",
                "what",
                "beside",
                "tokens/s, two threads",
                "one thread",
                "of alone",
                "fair",
                "of fair",
                "llama.cpp, of alone",
            ],
            lines,
        )
        + "\n\nTwo engines at once, each with two threads, together as a share of one alone: "
        + "; ".join(together)
        + "."
    )
