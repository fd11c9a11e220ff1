# SPDX-License-Identifier: GPL-3.0-or-later
"""The CPU benches: `carryover bench`, ours and the peers in turns. Each leaves runs/bench/cpu-NAME. See ./lab bench."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # which python3 -I leaves out
import company as company_bench
import runs
import sections
import tables

MODEL, TEXT, PROGRAM, PEER = (os.environ.get(name, "") for name in ("MODEL", "TEXT", "PROGRAM", "PEER_PYTHON"))
ROUNDS = {"prefill": 5, "train": 3}  # a round of training takes minutes
ATTEMPTS = 3  # at a comparison on a machine that others use too
AGAIN = "--again" in sys.argv  # measure what this commit has a good report of, too
POOL_TOKENS = 32768
LONG = {8192: 3, 16384: 1}  # lengths at which llama.cpp takes minutes a round, and how many rounds
STORED = {"F32": "fp32", "BF16": "bf16", "Q8_0": "q8"}  # llama.cpp's name of a file's dtype, and ours


def bench(dtype, contexts, what, policies, *more, model=None):
    """What `carryover bench` found. llama-bench takes part where it is given a model in its own format."""
    here = dict(os.environ, PATH=os.environ["PATH"] if model else runs.path_without("llama-bench"))
    command = [
        PROGRAM,
        "bench",
        model or MODEL,
        "--json",
        "--dtype",
        dtype,
        "--threads",
        "2",
        "--contexts",
        contexts,
        "--what",
        what,
        "--policies",
        policies,
        *more,
    ]
    if not AGAIN and (report := runs.kept(command)):
        return report
    for attempt in range(1, ATTEMPTS + 1):
        report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=here).stdout)
        problems = runs.judge_report(f"{what} {dtype} {contexts}", report)
        if not problems:
            runs.keep(command, report)
        if not problems or attempt == ATTEMPTS:
            return report
        print(f"measured again, as it was spoiled: {problems[0]}", file=sys.stderr)


def both(*arguments):
    return {dtype: bench(dtype, *arguments) for dtype in tables.DTYPES}, {}


def prefill():
    return both("512,2048", "prefill", "full", "--peer", PEER, "--repeats", str(ROUNDS["prefill"]))


def decode():
    return both("512", "decode", "segmented,full", "--peer", PEER, "--repeats", str(ROUNDS["prefill"]))


def full():
    return both("16384", "prefill", "segmented,full", "--repeats", "2")


def growth():
    return {"bf16": bench("bf16", "8192,131072", "prefill", "segmented", "--repeats", "1")}, {}


def training_peak(ids, dtype, segments):
    command = [
        PROGRAM,
        "train",
        MODEL,
        "--data",
        ids,
        "--dry-run",
        "--json",
        "--quiet",
        "--dtype",
        dtype,
        "--threads",
        "2",
        "--segment-length",
        "1024",
        "--carry-length",
        "128",
        "--retrieval-length",
        "128",
        "--truncation-depth",
        "1",
        "--train-segments",
        str(segments),
        "--gradient-accumulation-steps",
        "1",
        "--validation-fraction",
        "0",
        "--no-gradient-checkpointing",
    ]
    report = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(report)["measured"]["device_peak"]


def train():
    reports, _ = both(
        "512",
        "train",
        "segmented",
        "--peer",
        PEER,
        "--repeats",
        str(ROUNDS["train"]),
        "--segment-length",
        "1024",
        "--carry-length",
        "128",
        "--retrieval-length",
        "128",
    )
    with tempfile.TemporaryDirectory() as scratch:
        ids = f"{scratch}/ids.json"
        with open(ids, "w") as out:
            subprocess.run([PROGRAM, "tokenize", MODEL, TEXT], check=True, stdout=out)
        peaks = {dtype: [training_peak(ids, dtype, segments) for segments in (2, 8)] for dtype in tables.DTYPES}
    return reports, {"peaks": peaks}


def llama_files(folder, names=tuple(STORED)):
    """The model in three dtypes: llama-bench reads its weights in the file's own."""
    if not (shutil.which("llama-bench") and shutil.which("llama-quantize")):
        sys.exit("llama-bench and llama-quantize have to be on PATH: build llama.cpp, and put its bin folder there.")
    files = {name: f"{folder}/{name}.gguf" for name in names}
    for name, file in files.items():
        subprocess.run(["llama-quantize", "--allow-requantize", MODEL, file, name], check=True, capture_output=True)
    return files


def against_llama(files, what):
    """Full attention at 512 tokens, by the file's dtype, which is ours too."""
    return {f"{what} {name}": bench(STORED[name], "512", what, "full", model=file) for name, file in files.items()}


def llama_decode():
    with tempfile.TemporaryDirectory() as folder:
        return against_llama(llama_files(folder), "decode"), {}


def llama():
    """Longer texts beside its faster format of those that we have too: then both sides compute in the same one."""
    with tempfile.TemporaryDirectory() as folder:
        files = llama_files(folder)
        reports = against_llama(files, "prefill")
        theirs = {
            name: tables.faster(reports[f"prefill {name}"], tables.LLAMA, "prefill", 512) for name in ("F32", "BF16")
        }
        best = max((name for name in theirs if theirs[name]), key=lambda name: theirs[name]["tokens_per_s"])
        for tokens, rounds in LONG.items():
            reports[f"long {best} {tokens}"] = bench(
                STORED[best], str(tokens), "prefill", "segmented,full", "--repeats", str(rounds), model=files[best]
            )
    return reports, {}


def start():
    """From the start of a process to its first segment, with files in the page cache."""
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        text = f"{folder}/text.txt"
        with open(TEXT, encoding="utf-8") as source, open(text, "w", encoding="utf-8") as out:
            out.write(source.read(8000))
        command = [
            PROGRAM,
            "run",
            MODEL,
            text,
            "--tokens",
            "1024",
            "--segment-length",
            "1024",
            "--threads",
            "2",
            "--json",
            "--quiet",
        ]
        for _ in range(6):
            begin = time.monotonic()
            ran = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
            seconds.append((time.monotonic() - begin, ran["seconds"]))
    whole, segment = zip(*seconds[1:])
    return {}, {"whole_s": list(whole), "segment_s": list(segment)}


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
            {position for position, kind in pairs if kind != "padding"},
        )
    return hits


def found_again(exact, other, which):
    """The share of the exact run's positions, over all heads and segments, that the other run has in the same place."""
    held = sum(len(positions[which]) for positions in exact.values())
    return sum(len(positions[which] & other[place][which]) for place, positions in exact.items()) / held


def run_with_keys(keys, folder):
    subprocess.run(
        [
            PROGRAM,
            "run",
            MODEL,
            TEXT,
            "--tokens",
            str(POOL_TOKENS),
            "--dtype",
            "fp32",
            "--threads",
            "2",
            "--pool-keys",
            keys,
            "--out",
            folder,
            "--no-capture",
            "nll,sinks",
            "--quiet",
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    with open(f"{folder}/summary.json") as source:
        return json.load(source), lines_of(f"{folder}/segments.jsonl")


def pool():
    formats, found = ("model", "bf16", "int8"), {}
    with tempfile.TemporaryDirectory() as scratch:
        ran = {keys: run_with_keys(keys, f"{scratch}/{keys}") for keys in formats}
        hits = {keys: hits_of(f"{scratch}/{keys}") for keys in formats}
    for keys in formats:
        summary, segments = ran[keys]
        anchors, evidence = (found_again(hits["model"], hits[keys], which) for which in (0, 1))
        found[keys] = {
            "bytes_per_token": segments[-1]["memory"]["pool"] / segments[-1]["pool_entries"],
            "anchors_found": anchors,
            "hits_found": evidence,
            "nll_mean": summary["nll_mean"],
            "retrieval_s": sum(segment["time"]["retrieval"] for segment in segments) / len(segments),
        }
    return {}, {"tokens": ran["model"][0]["tokens"], "keys": found}


def segment_ms(preset, dtype):
    """Of a segment at the start of a text, with little to search."""
    command = [PROGRAM, "run", MODEL, TEXT, "--tokens", "8192", "--preset", preset, "--dtype", dtype, "--threads", "2"]
    with tempfile.TemporaryDirectory() as folder:
        out = ["--out", f"{folder}/run", "--no-capture", "nll,sinks", "--quiet"]
        subprocess.run([*command, *out], check=True, stdout=subprocess.DEVNULL)
        return [1000 * segment["seconds"] for segment in lines_of(f"{folder}/run/segments.jsonl")[1:]]


def search():
    """What a search takes, of how long a segment takes."""
    found = []
    for dtype in tables.DTYPES:
        segments = {preset: segment_ms(preset, dtype) for preset in ("paper", "recall")}
        for entries in (131072, 1048576):
            command = [os.path.join(os.path.dirname(PROGRAM), "search_bench"), str(entries), dtype, "2"]
            searches = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
            for preset in segments:
                found.append(
                    {
                        "preset": preset,
                        "dtype": dtype,
                        "entries": entries,
                        "search_ms": searches[f"{preset}_ms"],
                        "segment_ms": segments[preset],
                    }
                )
    return {}, {"searches": found}


def company():
    """Beside other processes. llama.cpp takes part, with the same weights in bf16, where it is on PATH."""
    with tempfile.TemporaryDirectory() as folder:
        peer = None
        if shutil.which("llama-bench") and shutil.which("llama-quantize"):
            peer = llama_files(folder, ("BF16",))["BF16"]
        found = {dtype: company_bench.measure(PROGRAM, MODEL, dtype, peer) for dtype in ("fp32", "q8")}
    return {}, {"company": found}


BENCHES = {
    "prefill": prefill,
    "decode": decode,
    "full": full,
    "growth": growth,
    "train": train,
    "pool": pool,
    "search": search,
    "start": start,
    "company": company,
    "llama": llama,
    "llama-decode": llama_decode,
}


def measure(name):
    """False where the run can't be published."""
    before = runs.probe(PROGRAM, MODEL)
    reports, values = BENCHES[name]()
    limits = {
        "before": runs.limits_of(before, "limits"),
        "after": runs.limits_of(runs.probe(PROGRAM, MODEL), "limits_after"),
    }
    run = runs.save(f"cpu-{name}", f"./lab bench cpu {name}", limits, reports, values)
    print(sections.section([run]))
    for problem in runs.judge(run):
        print(f"spoiled: {problem}", file=sys.stderr)
    return not runs.judge(run)


def wanted(names):
    """Those that are named; without names all, but for those that this commit has a good run of already."""
    if [name for name in names if name != "--again"]:
        return [name for name in names if name != "--again"]
    left = []
    for name in BENCHES:
        if name.startswith("llama") and not shutil.which("llama-bench"):
            print(f"left out: {name}, as there is no llama-bench on PATH", file=sys.stderr)
        elif "--again" not in names and runs.measured_already(f"cpu-{name}"):
            print(f"kept: {name}, which was measured at this commit (--again measures all)", file=sys.stderr)
        else:
            left.append(name)
    return left


def main():
    names = wanted(sys.argv[1:])
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        sys.exit(f"there is no bench 'cpu {unknown[0]}'; there are: {' '.join(BENCHES)}")
    spoiled = []
    for name in names:
        try:
            held = measure(name)
        except subprocess.CalledProcessError as error:
            print(f"failed: {name}: {error}", file=sys.stderr)
            held = False
        if not held:
            spoiled.append(name)
    if spoiled:
        sys.exit(f"To be measured again, on a quiet machine: ./lab bench cpu {' '.join(spoiled)}")
    print("Publish with ./lab bench publish", file=sys.stderr)


if __name__ == "__main__":
    main()
