# SPDX-License-Identifier: GPL-3.0-or-later
"""The CPU bench: `carryover bench`, ours and the peers in turns, as sections of docs/benchmarks.md. See ./lab bench."""
import json
import os
import subprocess
import sys
import tempfile

from report import table, write_section

MODEL, TEXT, PROGRAM, PEER = (os.environ[name] for name in ("MODEL", "TEXT", "PROGRAM", "PEER_PYTHON"))
MB = 1 << 20
ROUNDS = {"prefill": 5, "train": 2}
POOL_TOKENS = 32768


def bench(dtype, contexts, what, policies, *more):
    """The measurements by (who, tokens, checkpointing), the programs, and what could not be measured."""
    command = [PROGRAM, "bench", MODEL, "--json", "--dtype", dtype, "--threads", "2", "--contexts", contexts,
               "--what", what, "--policies", policies, *more]
    report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    rows = {(row["who"], row["tokens"], row.get("checkpointing", False)): row for row in report["measurements"]}
    gaps = [f"{gap['who']}: not measured, {gap['why']}." for gap in report["not_measured"]]
    return rows, report["programs"], gaps


def speed(row):
    return f"{row['tokens_per_s']:.0f}" if row else "–"


def ratio(ours, peer):
    return f"{ours['tokens_per_s'] / peer['tokens_per_s']:.2f}×" if peer else "–"


def prefill_section():
    lines, said = [], []
    for dtype in ("fp32", "bf16"):
        rows, programs, gaps = bench(dtype, "512,2048", "prefill", "full", "--peer", PEER, "--repeats",
                                     str(ROUNDS["prefill"]))
        said = programs[1:] + gaps
        for tokens in (512, 2048):
            ours, theirs, llama = (rows.get((who, tokens, False)) for who in ("full", "transformers", "llama-bench"))
            lines.append([dtype, str(tokens), speed(ours), f"{ours['gemm_share']:.2f}", speed(theirs), ratio(ours, theirs),
                          speed(llama), ratio(ours, llama)])
    body = (f"Logits of the last token, full attention, 2 threads; medians of {ROUNDS['prefill']} rounds that take turns. "
            "Share: of the best products that the same run measured. " + " ".join(said) + "\n\n")
    body += table(["dtype", "tokens", "ours, tokens/s", "share", "transformers, tokens/s", "ours / peer",
                   "llama.cpp, tokens/s", "ours / peer"], lines)
    write_section("cpu-prefill", "Prefill on the CPU", "./lab bench cpu prefill", body)


def decode_section():
    lines, said = [], []
    for dtype in ("fp32", "bf16"):
        rows, programs, gaps = bench(dtype, "512", "decode", "segmented,full", "--peer", PEER, "--repeats",
                                     str(ROUNDS["prefill"]))
        said = programs[1:] + gaps
        theirs, llama = rows.get(("transformers", 512, False)), rows.get(("llama-bench", 512, False))
        for policy in ("segmented", "full"):
            ours = rows[policy, 512, False]
            lines.append([dtype, policy, speed(ours), f"{ours['bandwidth_share']:.2f}", speed(theirs), ratio(ours, theirs),
                          speed(llama), ratio(ours, llama)])
    body = ("32 tokens behind a prompt of 512, 2 threads; medians of rounds that take turns. Share: of reading the weights "
            "and what is seen at the rate that the same run measured. " + " ".join(said) + "\n\n")
    body += table(["dtype", "policy", "ours, tokens/s", "share", "transformers, tokens/s", "ours / peer",
                   "llama.cpp, tokens/s", "ours / peer"], lines)
    write_section("cpu-decode", "Decoding on the CPU", "./lab bench cpu decode", body)


def full_section():
    lines = []
    for dtype in ("fp32", "bf16"):
        rows, _, _ = bench(dtype, "16384", "prefill", "segmented,full", "--repeats", "2")
        segmented, full = rows["segmented", 16384, False], rows["full", 16384, False]
        lines.append([dtype, "16384", speed(segmented), speed(full), ratio(segmented, full)])
    body = "S = 1024, M = R = 128, 2 threads, the same program; medians of 2 rounds.\n\n"
    body += table(["dtype", "tokens", "segmented, tokens/s", "full, tokens/s", "ratio"], lines)
    write_section("cpu-full", "Segmented against full attention on the CPU", "./lab bench cpu full", body)


def growth_section():
    lines = []
    for dtype in ("fp32", "bf16"):
        rows, _, _ = bench(dtype, "4096,65536", "prefill", "segmented", "--repeats", "1")
        short, long = rows["segmented", 4096, False], rows["segmented", 65536, False]
        lines.append([dtype, speed(short), speed(long), f"{long['tokens_per_s'] / short['tokens_per_s']:.3f}",
                      f"{short['peak_bytes'] / MB:.0f}", f"{long['peak_bytes'] / MB:.0f}",
                      f"{(long['peak_bytes'] - short['peak_bytes']) / MB:.0f}", f"{long['memory']['pool'] / MB:.0f}",
                      f"{100 * long['deviation']:+.0f} %"])
    body = ("Segmented, 2 threads; memory in MiB: the peak of weights and what a run adds to the process. Last: the peak "
            "at 64K against its prediction.\n\n")
    body += table(["dtype", "4K, tokens/s", "64K, tokens/s", "ratio", "peak at 4K", "peak at 64K", "more", "of it pool",
                   "predicted"], lines)
    write_section("cpu-growth", "From 4K to 64K tokens on the CPU", "./lab bench cpu growth", body)


def training_peak(ids, dtype, segments):
    command = [PROGRAM, "train", MODEL, "--data", ids, "--dry-run", "--json", "--quiet", "--dtype", dtype, "--threads", "2",
               "--segment-length", "1024", "--carry-length", "128", "--retrieval-length", "128", "--truncation-depth", "1",
               "--train-segments", str(segments), "--gradient-accumulation-steps", "4", "--validation-fraction", "0",
               "--no-gradient-checkpointing"]
    report = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(report)["measured"]["device_peak"]


def train_section():
    lines, growth_lines, programs = [], [], []
    for dtype in ("fp32", "bf16"):
        rows, programs, _ = bench(dtype, "512", "train", "segmented", "--peer", PEER, "--repeats", str(ROUNDS["train"]),
                                  "--segment-length", "1024", "--carry-length", "128", "--retrieval-length", "128")
        for checkpointing in (False, True):
            ours, theirs = rows["segmented", 2048, checkpointing], rows.get(("transformers", 2048, checkpointing))
            peaks = [row["peak_bytes"] / MB if row else float("nan") for row in (ours, theirs)]
            lines.append([dtype, "on" if checkpointing else "off", speed(ours), speed(theirs), ratio(ours, theirs),
                          f"{peaks[0]:.0f}", f"{peaks[1]:.0f}", f"{peaks[0] / peaks[1]:.2f}×"])
    with tempfile.TemporaryDirectory() as scratch:
        ids = f"{scratch}/ids.json"
        with open(ids, "w") as out:
            subprocess.run([PROGRAM, "tokenize", MODEL, TEXT], check=True, stdout=out)
        for dtype in ("fp32", "bf16"):
            short, long = (training_peak(ids, dtype, segments) for segments in (2, 8))
            growth_lines.append([dtype, f"{short / MB:.0f}", f"{long / MB:.0f}", f"{long / short:.3f}"])
    body = (f"SmolLM2, every parameter, a step of one sample of 2·1024 tokens, 2 threads, K = 1; medians of {ROUNDS['train']} "
            "rounds that take turns; peaks of weights and what a step adds, in MiB. Peer: " + ", ".join(programs[1:2]) +
            ", full attention, sdpa, fused AdamW; its bf16 is autocast over fp32 weights, ours bf16 weights with fp32 "
            "masters.\n\n")
    body += table(["dtype", "checkpointing", "ours, tokens/s", "peer, tokens/s", "ours / peer", "ours, MiB", "peer, MiB",
                   "ours / peer"], lines)
    body += "\n\nPeaks of the process in a step of 4 samples, by their length: more segments, not more graphs.\n\n"
    body += table(["dtype", "peak at 2·1024", "peak at 8·1024", "ratio"], growth_lines)
    write_section("cpu-train", "Training on the CPU", "./lab bench cpu train", body)


def lines_of(path):
    with open(path) as source:
        return [json.loads(line) for line in source]


def hits_of(folder):
    """What each head read in each segment: its anchors, and all positions that are evidence (padding is not)."""
    hits = {}
    for head in lines_of(f"{folder}/hits.jsonl"):
        pairs = list(zip(head["positions"], head["kind"]))
        hits[head["segment"], head["layer"], head["head"]] = (
            {position for position, kind in pairs if kind == "anchor"},
            {position for position, kind in pairs if kind != "padding"})
    return hits


def found_again(exact, other, which):
    """The share of the exact run's positions, over all heads and segments, that the other run has in the same place."""
    held = sum(len(positions[which]) for positions in exact.values())
    return sum(len(positions[which] & other[place][which]) for place, positions in exact.items()) / held


def run_with_keys(keys, folder):
    subprocess.run([PROGRAM, "run", MODEL, TEXT, "--tokens", str(POOL_TOKENS), "--dtype", "fp32", "--threads", "2",
                    "--pool-keys", keys, "--out", folder, "--no-capture", "nll", "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    with open(f"{folder}/summary.json") as source:
        return json.load(source), lines_of(f"{folder}/segments.jsonl")


def pool_section():
    formats, lines = ("model", "bf16", "int8"), []
    with tempfile.TemporaryDirectory() as scratch:
        runs = {keys: run_with_keys(keys, f"{scratch}/{keys}") for keys in formats}
        hits = {keys: hits_of(f"{scratch}/{keys}") for keys in formats}
    for keys in formats:
        summary, segments = runs[keys]
        anchors, evidence = (found_again(hits["model"], hits[keys], which) for which in (0, 1))
        retrieval = sum(segment["time"]["retrieval"] for segment in segments) / len(segments)
        bytes_a_token = segments[-1]["memory"]["pool"] / segments[-1]["pool_entries"]
        lines.append([keys, f"{bytes_a_token:.0f}", f"{100 * anchors:.2f} %", f"{100 * evidence:.2f} %",
                      f"{summary['nll_mean']:.5f}", f"{1000 * retrieval:.1f}"])
    tokens = runs["model"][0]["tokens"]
    body = (f"SmolLM2 in fp32 with its default settings over {tokens} tokens of a novel, 2 threads, one run each. Found "
            "again: the share of the exact run's positions, by segment, layer and head, that the run with these keys "
            "retrieved too; anchors alone, then all but padding. The runs go their own ways: a prefix that differs changes "
            "all queries after it. Retrieval: all that passes on from segment to segment, mean.\n\n")
    body += table(["keys", "pool, bytes a token", "anchors found again", "hits found again", "loss, nats a token",
                   "retrieval, ms a segment"], lines)
    write_section("cpu-pool", "Keys of the pool in fewer bits", "./lab bench cpu pool", body)


SECTIONS = {"prefill": prefill_section, "decode": decode_section, "full": full_section, "growth": growth_section,
            "train": train_section, "pool": pool_section}


def main():
    for name in sys.argv[1:] or SECTIONS:
        SECTIONS[name]()


main()
