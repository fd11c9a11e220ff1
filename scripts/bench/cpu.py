# SPDX-License-Identifier: GPL-3.0-or-later
"""The CPU bench: every ratio from one run, ours and the peer's in turn. See ./lab bench."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

from report import table, write_section

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL, TEXT, PROGRAM, PEER = (os.environ[name] for name in ("MODEL", "TEXT", "PROGRAM", "PEER_PYTHON"))
BENCH = os.path.join(os.path.dirname(PROGRAM), "run_bench")
ROUNDS = 2


def ours(ids, **options):
    command = [BENCH, MODEL, ids]
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    print("  ours:", {k: v for k, v in options.items()}, file=sys.stderr)
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["runs"]


def peer(ids, dtype, tokens, repeat):
    command = [PEER, f"{HERE}/peer_transformers.py", MODEL, "--ids", ids, "--dtype", dtype, "--threads", "2",
               "--tokens", tokens, "--repeat", str(repeat)]
    print("  transformers:", dtype, tokens, file=sys.stderr)
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def prefill(ids):
    """Rounds of ours, peer, ours, peer …, so that a machine whose speed drifts drifts for both."""
    rows, name = [], ""
    for dtype in ("fp32", "bf16"):
        mine, theirs = {512: [], 2048: []}, {512: [], 2048: []}
        for _ in range(ROUNDS):
            for run in ours(ids, policy="full", dtype=dtype, tokens="512,2048", repeat=3):
                mine[run["tokens"]].append(run["median_s"])
            report = peer(ids, dtype, "512,2048", 3)
            name = report["peer"]
            for run in report["runs"]:
                theirs[run["tokens"]].append(run["prefill_last_logits_s"])
        for tokens in (512, 2048):
            a, b = statistics.median(mine[tokens]), statistics.median(theirs[tokens])
            rows.append([dtype, str(tokens), f"{tokens / a:.0f}", f"{tokens / b:.0f}", f"{b / a:.2f}×"])
    return name, rows


def against_full(ids, tokens):
    rows = []
    for dtype in ("fp32", "bf16"):
        segmented = ours(ids, policy="segmented", dtype=dtype, tokens=tokens, repeat=1)[0]
        full = ours(ids, policy="full", dtype=dtype, tokens=tokens, repeat=1)[0]
        again = ours(ids, policy="segmented", dtype=dtype, tokens=tokens, repeat=1)[0]
        speed = (segmented["tokens_per_s"] + again["tokens_per_s"]) / 2
        rows.append([dtype, str(tokens), f"{speed:.0f}", f"{full['tokens_per_s']:.0f}", f"{speed / full['tokens_per_s']:.2f}×"])
    return rows


def growth(ids, dtype):
    short = ours(ids, policy="segmented", dtype=dtype, tokens=4096, repeat=1)[0]
    long = ours(ids, policy="segmented", dtype=dtype, tokens=65536, repeat=1)[0]
    again = ours(ids, policy="segmented", dtype=dtype, tokens=4096, repeat=1)[0]
    speed = (short["tokens_per_s"] + again["tokens_per_s"]) / 2
    more = long["peak_memory_bytes"] - short["peak_memory_bytes"]
    pool = long["memory"]["pool"]
    mb = 1 << 20
    return [dtype, f"{speed:.0f}", f"{long['tokens_per_s']:.0f}", f"{long['tokens_per_s'] / speed:.3f}",
            f"{short['peak_memory_bytes'] / mb:.0f}", f"{long['peak_memory_bytes'] / mb:.0f}", f"{more / mb:.0f}", f"{pool / mb:.0f}"]


def llama_bench():
    program = shutil.which("llama-bench")
    if not program:
        return "`llama-bench` was not on PATH."
    done = subprocess.run([program, "-m", MODEL, "-p", "512,2048", "-n", "0", "-t", "2"], capture_output=True, text=True, check=True)
    return "llama-bench:\n\n```\n" + done.stdout.strip() + "\n```"


def prefill_section(ids):
    name, rows = prefill(ids)
    body = f"Logits of the last token, full attention, 2 threads; medians of {ROUNDS} alternating rounds of 3. Peer: {name}, sdpa.\n\n"
    body += table(["dtype", "tokens", "ours, tokens/s", "transformers, tokens/s", "ours / peer"], rows)
    write_section("cpu-prefill", "Prefill on the CPU", "./lab bench cpu prefill", body + "\n\n" + llama_bench())


def full_section(ids):
    body = "S = 1024, M = R = 128, 2 threads, the same program.\n\n"
    body += table(["dtype", "tokens", "segmented, tokens/s", "full, tokens/s", "ratio"], against_full(ids, 16384))
    write_section("cpu-full", "Segmented against full attention on the CPU", "./lab bench cpu full", body)


def growth_section(ids):
    body = "Segmented, 2 threads; memory in MiB, the process's peak.\n\n"
    body += table(["dtype", "4K, tokens/s", "64K, tokens/s", "ratio", "peak at 4K", "peak at 64K", "more", "of it pool"],
                  [growth(ids, "fp32"), growth(ids, "bf16")])
    write_section("cpu-growth", "From 4K to 64K tokens on the CPU", "./lab bench cpu growth", body)


def our_training(ids, dtype, segments, checkpointing):
    command = [PROGRAM, "train", MODEL, "--data", ids, "--dry-run", "--json", "--quiet", "--dtype", dtype, "--threads", "2",
               "--segment-length", "1024", "--carry-length", "128", "--retrieval-length", "128", "--truncation-depth", "1",
               "--train-segments", str(segments), "--gradient-accumulation-steps", "4", "--validation-fraction", "0",
               "--gradient-checkpointing" if checkpointing else "--no-gradient-checkpointing"]
    print("  ours: training", dtype, segments, "segments", "checkpointing" if checkpointing else "", file=sys.stderr)
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report["tokens_per_second"], report["measured"]["device_peak"]


def peer_training(ids, dtype, checkpointing):
    command = [PEER, f"{HERE}/peer_training.py", MODEL, "--ids", ids, "--dtype", dtype, "--threads", "2"]
    print("  transformers: training", dtype, "checkpointing" if checkpointing else "", file=sys.stderr)
    report = json.loads(subprocess.run(command + ["--checkpointing"] * checkpointing, check=True, capture_output=True,
                                       text=True).stdout)
    return report["tokens_per_second"], report["peak_memory_bytes"], report["peer"]


def train_section(ids):
    mb, rows, growth_rows, name = 1 << 20, [], [], ""
    for dtype in ("fp32", "bf16"):
        for checkpointing in (False, True):
            mine, theirs = [], []
            for _ in range(ROUNDS):
                mine.append(our_training(ids, dtype, 2, checkpointing))
                theirs.append(peer_training(ids, dtype, checkpointing))
            name = theirs[0][2]
            speed, memory = (statistics.median(column) for column in zip(*mine))
            peer_speed, peer_memory = (statistics.median(run[i] for run in theirs) for i in (0, 1))
            rows.append([dtype, "on" if checkpointing else "off", f"{speed:.0f}", f"{peer_speed:.0f}", f"{speed / peer_speed:.2f}×",
                         f"{memory / mb:.0f}", f"{peer_memory / mb:.0f}", f"{memory / peer_memory:.2f}×"])
            if not checkpointing:
                long = our_training(ids, dtype, 8, checkpointing)
                growth_rows.append([dtype, f"{memory / mb:.0f}", f"{long[1] / mb:.0f}", f"{long[1] / memory:.3f}"])
    body = (f"SmolLM2, every parameter, a step of 4 samples of 2·1024 tokens, 2 threads, K = 1; medians of {ROUNDS} alternating "
            f"rounds; peaks of the processes in MiB. Peer: {name}, full attention, sdpa, fused AdamW; its bf16 is autocast over "
            "fp32 weights, ours bf16 weights with fp32 masters.\n\n")
    body += table(["dtype", "checkpointing", "ours, tokens/s", "peer, tokens/s", "ours / peer", "ours, MiB", "peer, MiB",
                   "ours / peer"], rows)
    body += "\n\nThe same with samples of 8·1024 tokens: more segments, not more graphs.\n\n"
    body += table(["dtype", "peak at 2·1024", "peak at 8·1024", "ratio"], growth_rows)
    write_section("cpu-train", "Training on the CPU", "./lab bench cpu train", body)


SECTIONS = {"prefill": prefill_section, "full": full_section, "growth": growth_section, "train": train_section}


def main():
    with tempfile.TemporaryDirectory() as scratch:
        ids = f"{scratch}/ids.json"
        with open(ids, "w") as out:
            subprocess.run([PROGRAM, "tokenize", MODEL, TEXT], check=True, stdout=out)
        for name in sys.argv[1:] or SECTIONS:
            SECTIONS[name](ids)


main()
