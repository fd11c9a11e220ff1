# SPDX-License-Identifier: GPL-3.0-or-later
"""The CPU bench: `carryover bench`, ours and the peers in turns, as sections of docs/benchmarks.md. See ./lab bench."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from report import table, write_section

MODEL, TEXT, PROGRAM, PEER = (os.environ[name] for name in ("MODEL", "TEXT", "PROGRAM", "PEER_PYTHON"))
MB = 1 << 20
ROUNDS = {"prefill": 5, "train": 3}  # a round of training takes minutes
POOL_TOKENS = 32768


def path_without(program):
    found = shutil.which(program)
    folders = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if not found or folder != os.path.dirname(found))


def bench(dtype, contexts, what, policies, *more, model=None):
    """The measurements by (who, tokens, checkpointing), and the programs. llama-bench takes part where it is given a
    model in its own format."""
    here = dict(os.environ, PATH=os.environ["PATH"] if model else path_without("llama-bench"))
    model = model or MODEL
    command = [PROGRAM, "bench", model, "--json", "--dtype", dtype, "--threads", "2", "--contexts", contexts,
               "--what", what, "--policies", policies, *more]
    report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=here).stdout)
    rows = {(row["who"], row["tokens"], row.get("checkpointing", False)): row for row in report["measurements"]}
    return rows, report["programs"]


def speed(row):
    return f"{row['tokens_per_s']:.0f}" if row else "–"


def ratio(ours, peer):
    return f"{ours['tokens_per_s'] / peer['tokens_per_s']:.2f}×" if peer else "–"


def prefill_section():
    lines, said = [], []
    for dtype in ("fp32", "bf16"):
        rows, programs = bench(dtype, "512,2048", "prefill", "full", "--peer", PEER, "--repeats",
                               str(ROUNDS["prefill"]))
        said = programs[1:2]
        for tokens in (512, 2048):
            ours, theirs = (rows.get((who, tokens, False)) for who in ("full", "transformers"))
            lines.append([dtype, str(tokens), speed(ours), f"{ours['gemm_share']:.2f}", speed(theirs), ratio(ours, theirs)])
    body = (f"Logits of the last token, full attention, 2 threads; medians of {ROUNDS['prefill']} rounds that take turns. "
            "Share: of the best products that the same run measured. Peer: " + ", ".join(said) + ".\n\n")
    body += table(["dtype", "tokens", "ours, tokens/s", "share", "transformers, tokens/s", "ours / peer"], lines)
    write_section("cpu-prefill", "Prefill on the CPU", "./lab bench cpu prefill", body)


def decode_section():
    lines, said = [], []
    for dtype in ("fp32", "bf16"):
        rows, programs = bench(dtype, "512", "decode", "segmented,full", "--peer", PEER, "--repeats",
                               str(ROUNDS["prefill"]))
        said, theirs = programs[1:2], rows.get(("transformers", 512, False))
        for policy in ("segmented", "full"):
            ours = rows[policy, 512, False]
            lines.append([dtype, policy, speed(ours), f"{ours['bandwidth_share']:.2f}", speed(theirs), ratio(ours, theirs)])
    body = ("32 tokens behind a prompt of 512, 2 threads; medians of rounds that take turns. Share: of reading the weights "
            "and what is seen at the rate that the same run measured. Peer: " + ", ".join(said) + ".\n\n")
    body += table(["dtype", "policy", "ours, tokens/s", "share", "transformers, tokens/s", "ours / peer"], lines)
    write_section("cpu-decode", "Decoding on the CPU", "./lab bench cpu decode", body)


def llama_files(folder):
    """The model in three number formats: llama-bench reads its weights in the file's own."""
    if not (shutil.which("llama-bench") and shutil.which("llama-quantize")):
        sys.exit("llama-bench and llama-quantize have to be on PATH: build llama.cpp, and put its bin folder there.")
    files = {name: f"{folder}/{name}.gguf" for name in ("F32", "BF16", "Q8_0")}
    for name, file in files.items():
        subprocess.run(["llama-quantize", "--allow-requantize", MODEL, file, name], check=True, capture_output=True)
    return files


def against_llama(files, what):
    """Full attention behind 512 tokens: lines by format, its fastest format, and which program it is."""
    lines, speeds, said = [], {}, ""
    for name, file in files.items():
        dtype = {"F32": "fp32", "BF16": "bf16", "Q8_0": "q8"}[name]
        rows, programs = bench(dtype, "512", what, "full", model=file)
        ours, theirs = (rows[who, 512, False] for who in ("full", "llama-bench"))
        lines.append([name, dtype, speed(ours), speed(theirs), ratio(ours, theirs)])
        speeds[name], said = theirs["tokens_per_s"], programs[1].rsplit(",", 1)[0]
    return table(["its weights", "ours", "ours, tokens/s", "llama.cpp, tokens/s", "ours / peer"], lines), max(
        speeds, key=speeds.get), said


def llama_decode_section():
    with tempfile.TemporaryDirectory() as folder:
        lines, _, said = against_llama(llama_files(folder), "decode")
    body = f"Peer: {said}. 32 tokens behind a prompt of 512, 2 threads; medians of 5 rounds that take turns.\n\n{lines}"
    write_section("cpu-llama-decode", "Decoding against llama.cpp", "./lab bench cpu llama-decode", body)


def llama_section():
    long = []
    with tempfile.TemporaryDirectory() as folder:
        files = llama_files(folder)
        lines, best, said = against_llama(files, "prefill")
        for tokens in (8192, 32768):
            rows, _ = bench("bf16", str(tokens), "prefill", "segmented,full" if tokens < 10000 else "segmented",
                            model=files[best])
            segmented, theirs = rows["segmented", tokens, False], rows["llama-bench", tokens, False]
            full = rows.get(("full", tokens, False))
            long.append([str(tokens), speed(segmented), speed(full), f"{best}: {speed(theirs)}", ratio(segmented, theirs)])
    body = (f"Peer: {said}, 2 threads. Prefill of 512 tokens, full attention; medians of 5 rounds that take turns.\n\n{lines}"
            "\n\nSegmented in bf16, S = 1024, M = R = 128, against its full attention in its fastest format, by its defaults "
            "(no `-fa`); medians of 3 rounds at 8K, one at 32K:\n\n")
    body += table(["tokens", "segmented, tokens/s", "our full attention", "llama.cpp, tokens/s", "ours / peer"], long)
    write_section("cpu-llama", "Against llama.cpp", "./lab bench cpu llama", body)


def start_section():
    """From the start of a process to its first segment, with files in the page cache."""
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        text = f"{folder}/text.txt"
        with open(TEXT, encoding="utf-8") as source, open(text, "w", encoding="utf-8") as out:
            out.write(source.read(8000))
        command = [PROGRAM, "run", MODEL, text, "--tokens", "1024", "--segment-length", "1024", "--threads", "2", "--json",
                   "--quiet"]
        for _ in range(6):
            begin = time.monotonic()
            ran = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
            seconds.append((time.monotonic() - begin, ran["seconds"]))
    whole, segment = (statistics.median(column) for column in zip(*seconds[1:]))
    body = (f"`carryover run` of one segment of 1024 tokens, from the process's start to its end: {whole:.2f} s, of them "
            f"{segment:.2f} s in the segment; medians of 5 after one that fills the page cache.")
    write_section("cpu-start", "Start on the CPU", "./lab bench cpu start", body)


def full_section():
    lines = []
    for dtype in ("fp32", "bf16"):
        rows, _ = bench(dtype, "16384", "prefill", "segmented,full", "--repeats", "2")
        segmented, full = rows["segmented", 16384, False], rows["full", 16384, False]
        lines.append([dtype, "16384", speed(segmented), speed(full), ratio(segmented, full)])
    body = "S = 1024, M = R = 128, 2 threads, the same program; medians of 2 rounds.\n\n"
    body += table(["dtype", "tokens", "segmented, tokens/s", "full, tokens/s", "ratio"], lines)
    write_section("cpu-full", "Segmented against full attention on the CPU", "./lab bench cpu full", body)


def growth_section():
    lines = []
    for dtype in ("bf16",):
        rows, _ = bench(dtype, "8192,131072", "prefill", "segmented", "--repeats", "1")
        short, long = rows["segmented", 8192, False], rows["segmented", 131072, False]
        lines.append([dtype, speed(short), speed(long), f"{long['tokens_per_s'] / short['tokens_per_s']:.3f}",
                      f"{short['peak_bytes'] / MB:.0f}", f"{long['peak_bytes'] / MB:.0f}",
                      f"{(long['peak_bytes'] - short['peak_bytes']) / MB:.0f}", f"{long['memory']['pool'] / MB:.0f}",
                      f"{100 * long['deviation']:+.0f} %"])
    body = ("Segmented, 2 threads; memory in MiB: the peak of weights and what a run adds to the process. Last: the peak "
            "at 128K against its prediction.\n\n")
    body += table(["dtype", "8K, tokens/s", "128K, tokens/s", "ratio", "peak at 8K", "peak at 128K", "more", "of it pool",
                   "predicted"], lines)
    write_section("cpu-growth", "From 8K to 128K tokens on the CPU", "./lab bench cpu growth", body)


def training_peak(ids, dtype, segments):
    command = [PROGRAM, "train", MODEL, "--data", ids, "--dry-run", "--json", "--quiet", "--dtype", dtype, "--threads", "2",
               "--segment-length", "1024", "--carry-length", "128", "--retrieval-length", "128", "--truncation-depth", "1",
               "--train-segments", str(segments), "--gradient-accumulation-steps", "1", "--validation-fraction", "0",
               "--no-gradient-checkpointing"]
    report = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(report)["measured"]["device_peak"]


def train_section():
    lines, growth_lines, programs, across = [], [], [], []
    for dtype in ("fp32", "bf16"):
        rows, programs = bench(dtype, "512", "train", "segmented", "--peer", PEER, "--repeats", str(ROUNDS["train"]),
                               "--segment-length", "1024", "--carry-length", "128", "--retrieval-length", "128")
        for checkpointing in (False, True):
            ours, theirs = rows["segmented", 2048, checkpointing], rows.get(("transformers", 2048, checkpointing))
            peaks = [row["peak_bytes"] / MB if row else float("nan") for row in (ours, theirs)]
            lines.append([dtype, "on" if checkpointing else "off", speed(ours), speed(theirs), ratio(ours, theirs),
                          f"{peaks[0]:.0f}", f"{peaks[1]:.0f}", f"{peaks[0] / peaks[1]:.2f}×"])
        ours, theirs = rows["segmented", 2048, True], rows["transformers", 2048, False]
        across.append(f"{dtype} {ratio(ours, theirs)} the speed in {ours['peak_bytes'] / theirs['peak_bytes']:.2f}× the memory")
    with tempfile.TemporaryDirectory() as scratch:
        ids = f"{scratch}/ids.json"
        with open(ids, "w") as out:
            subprocess.run([PROGRAM, "tokenize", MODEL, TEXT], check=True, stdout=out)
        for dtype in ("fp32", "bf16"):
            short, long = (training_peak(ids, dtype, segments) for segments in (2, 8))
            growth_lines.append([dtype, f"{short / MB:.0f}", f"{long / MB:.0f}", f"{long / short:.3f}"])
    body = (f"SmolLM2, every parameter, a step of one sample of 2·1024 tokens, 2 threads, K = 1: the second of two steps, "
            f"medians of {ROUNDS['train']}; peaks of weights and what both steps add, in MiB. Peer: "
            + ", ".join(programs[1:2]) + ", full attention, sdpa, fused AdamW; its bf16 is autocast over fp32 weights, ours bf16 weights with fp32 "
            "masters.\n\n")
    body += table(["dtype", "checkpointing", "ours, tokens/s", "peer, tokens/s", "ours / peer", "ours, MiB", "peer, MiB",
                   "ours / peer"], lines)
    body += f"\n\nOurs with checkpointing beside the peer without: {', '.join(across)}."
    body += "\n\nPeaks of the process in a step of one sample, by its length: more segments, not more graphs.\n\n"
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
            "train": train_section, "pool": pool_section, "start": start_section, "llama": llama_section,
            "llama-decode": llama_decode_section}


def main():
    for name in sys.argv[1:] or [name for name in SECTIONS if not name.startswith("llama") or shutil.which("llama-bench")]:
        SECTIONS[name]()


main()
