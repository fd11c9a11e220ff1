# SPDX-License-Identifier: GPL-3.0-or-later
"""Held-out perplexity of SmolLM2 with and without its memory, beside controls. See `./lab bench alignment --help`.

Each condition reads the first tokens of each book. The losses go to runs/alignment/alignment.json, from which
alignment_report.py makes the section of docs/results.md. A run that exists is not made again.
"""
import argparse
import datetime
import hashlib
import json
import os
import subprocess
import sys

import runs

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ADAPTER = os.path.join(ROOT, "resources", "adapters", "smollm2-135m")
AUSTEN = [("persuasion.txt", "Persuasion", "Jane Austen"), ("northanger_abbey.txt", "Northanger Abbey", "Jane Austen")]
SEGMENT, CARRY, RETRIEVED = 1024, 128, 128
# The sink length is named, since pretrained weights open with sinks where nothing says otherwise.
SEGMENTED = ["--config", os.path.join(ADAPTER, "segment_config.json"), "--sink-length", "0"]
# Every head of every layer reads the prefix that the control names, and nothing is carried.
ALL_HEADS = SEGMENTED + ["--carry-length", "0", "--long-range-layers", ",".join(map(str, range(30))),
                         "--long-range-heads", ",".join(map(str, range(9)))]
ALL_LOCAL = SEGMENTED + ["--retrieval-length", "0", "--long-range-layers", "none", "--long-range-heads", "none"]
WITH_SINKS = ["--sink-length", "4", "--carry-length", "124"]

# What is run: (title, arguments of `carryover run`). The aligned weights run under all of them.
CONDITIONS = {
    "full": ("full attention", ["--policy", "full"]),
    "none": ("no memory (M = R = 0)", SEGMENTED + ["--carry-length", "0", "--retrieval-length", "0"]),
    "segmented": ("segmented: carry and retrieval", SEGMENTED),
    "off": ("segmented, retrieval off", SEGMENTED + ["--prefix", "off"]),
    "random-1": ("segmented, random prefixes (seed 1)", SEGMENTED + ["--prefix", "random", "--seed", "1"]),
    "random-2": ("segmented, random prefixes (seed 2)", SEGMENTED + ["--prefix", "random", "--seed", "2"]),
    "recent": ("segmented, most recent prefixes", SEGMENTED + ["--prefix", "recent"]),
    "constant": ("segmented, constant prefix (tokens 0 to 127)", SEGMENTED + ["--prefix", "constant"]),
    "window": ("all heads read the 128 most recent tokens", ALL_HEADS + ["--prefix", "recent"]),
    "sinks": ("all heads read 4 sinks and the 124 most recent tokens", ALL_HEADS + ["--prefix", "sinks"]),
    "sink-4": ("segmented with 4 sinks: carry of 124, retrieval", SEGMENTED + WITH_SINKS),
    "sink-4-local": ("4 sinks and a carry of 124 in all heads", ALL_LOCAL + WITH_SINKS),
}
OF_BASE = [name for name in CONDITIONS if name not in ("random-1", "random-2", "recent")]


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def known_books():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "books.txt")) as file:
        rows = [line.strip().split(" | ") for line in file if line.strip() and not line.startswith("#")]
    return {row[0]: dict(zip(("title", "author", "gutenberg", "sha256"), row[1:])) for row in rows}


def find_books(folder, texts):
    """The books that are here: those of the list whose contents are the list's, and the two held-out novels."""
    found = []
    for name, title, author in AUSTEN:
        path = os.path.join(texts, name)
        found.append({"file": name, "path": path, "title": title, "author": author, "trained_author": True,
                      "sha256": sha256(path)})
    for name, book in known_books().items() if folder else ():
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            print(f"  {name} ({book['title']}, Project Gutenberg {book['gutenberg']}) is not in {folder}",
                  file=sys.stderr)
        elif sha256(path) != book["sha256"]:
            sys.exit(f"{path}: another text than the one that was measured (SHA-256)")
        else:
            found.append({"file": name, "path": path, "trained_author": False, **book})
    return found


def losses(program, model, book, weights, condition, tokens, cache):
    """Loss of each target of a book's first tokens, nats, and the run's identity."""
    folder = os.path.join(cache, f"{os.path.splitext(book['file'])[0]}-{weights}-{condition}-{tokens}")
    if not os.path.exists(os.path.join(folder, "summary.json")):
        print(f"  {book['title']}: {weights}, {condition}", file=sys.stderr)
        command = [program, "run", model, book["path"], "--tokens", str(tokens), "--dtype", "bf16", "--out", folder,
                   "--overwrite", "--no-capture", "hits", "--quiet"] + CONDITIONS[condition][1]
        if weights == "adapter":
            command += ["--adapter", ADAPTER]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "nll.json")) as file:
        nll = json.load(file)
    with open(os.path.join(folder, "config.json")) as file:
        config = json.load(file)
    return (nll["nll"] if isinstance(nll, dict) else nll), config


def by_segment(nll):
    """[targets, sum of losses] of each segment; the target of position p is predicted in the segment of p − 1."""
    return [[len(part), round(sum(part), 4)] for part in (nll[i:i + SEGMENT] for i in range(0, len(nll), SEGMENT))]


def main():
    parser = argparse.ArgumentParser(prog="./lab bench alignment")
    parser.add_argument("--books", help="folder with the books of scripts/bench/books.txt")
    parser.add_argument("--tokens", type=int, default=8192, help="of each book (8192)")
    parser.add_argument("--out", default=os.path.join(ROOT, "runs", "alignment"))
    arguments = parser.parse_args()
    model, text, program = (os.environ[name] for name in ("MODEL", "TEXT", "PROGRAM"))
    books = find_books(arguments.books, os.path.dirname(text))
    os.makedirs(arguments.out, exist_ok=True)

    results, identities = {}, {}
    for weights in ("base", "adapter"):
        for condition in OF_BASE if weights == "base" else CONDITIONS:
            of_books = {}
            for book in books:
                nll, config = losses(program, model, book, weights, condition, arguments.tokens, arguments.out)
                of_books[book["file"]] = by_segment(nll)
                identities[weights] = config["model"].get("weights_hash") if "model" in config else None
            results[f"{weights}/{condition}"] = {"title": CONDITIONS[condition][0], "losses": of_books}
    record = {
        "bench": "alignment", "date": datetime.date.today().isoformat(), "machine": runs.machine(),
        "commit": runs.commit(), "model": os.path.basename(model), "dtype": "bf16", "weights": identities,
        "tokens": arguments.tokens, "segment_length": SEGMENT, "carry_length": CARRY, "retrieval_length": RETRIEVED,
        "books": [{key: value for key, value in book.items() if key != "path"} for book in books],
        "results": results,
    }
    path = os.path.join(arguments.out, "alignment.json")
    with open(path + ".part", "w") as file:
        json.dump(record, file, indent=1)
        file.write("\n")
    os.replace(path + ".part", path)
    print(path)


if __name__ == "__main__":
    main()
