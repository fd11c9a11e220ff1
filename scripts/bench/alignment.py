# SPDX-License-Identifier: GPL-3.0-or-later
"""Held-out perplexity of SmolLM2 under full and segmented attention. See ./lab bench alignment.

A run over N tokens gives the perplexity of every shorter length: the model is causal, so the first L tokens of a text
have the same losses whatever follows.
"""
import argparse
import hashlib
import json
import math
import os
import random
import subprocess
import sys

import report

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MODEL, TEXT, PROGRAM = (os.environ[name] for name in ("MODEL", "TEXT", "PROGRAM"))
CACHE = os.path.join(os.path.dirname(MODEL), "..", "alignment")
BOOKS = {"Persuasion": TEXT, "Northanger Abbey": os.path.join(os.path.dirname(TEXT), "northanger_abbey.txt")}
ADAPTER = os.path.join(ROOT, "resources", "adapters", "smollm2-135m")
LENGTHS = [1 << n for n in range(10, 17)]
BLOCK = 4096  # tokens that are drawn together: losses of neighbours are not independent


def contents_of(adapter):
    with open(os.path.join(adapter, "adapter_model.safetensors"), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def losses(book, tokens, policy, adapter, prefix):
    """Loss of each target of a book's first tokens, nats."""
    key = f"{book}-{tokens}-{policy}-{contents_of(adapter) if adapter else 'plain'}-{prefix}".replace(" ", "_").lower()
    folder = os.path.join(CACHE, key)
    if not os.path.exists(f"{folder}/summary.json"):
        print(" ", key, file=sys.stderr)
        command = [PROGRAM, "run", MODEL, BOOKS[book], "--tokens", str(tokens), "--policy", policy, "--dtype", "bf16",
                   "--prefix", prefix, "--out", folder, "--overwrite", "--no-capture", "hits", "--quiet"]
        if policy == "segmented":
            command += ["--config", os.path.join(ADAPTER, "segment_config.json")]
        if adapter:
            command += ["--adapter", adapter]
        os.makedirs(CACHE, exist_ok=True)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(f"{folder}/nll.json") as file:
        nll = json.load(file)
    return nll["nll"] if isinstance(nll, dict) else nll


def perplexity(nll, length):
    """None where the run was shorter."""
    return math.exp(sum(nll[: length - 1]) / (length - 1)) if len(nll) >= length - 1 else None


def bootstrap(base, other, draws=2000):
    """95% interval of the mean difference of two runs' losses, by blocks of both books drawn together."""
    differences = []
    for book in base:
        pairs = [b - a for a, b in zip(base[book], other[book])]
        differences += [pairs[i : i + BLOCK] for i in range(0, len(pairs), BLOCK)]
    means = [(sum(block), len(block)) for block in differences]
    generator, drawn = random.Random(1), []
    for _ in range(draws):
        sample = [generator.choice(means) for _ in means]
        drawn.append(sum(s for s, _ in sample) / sum(n for _, n in sample))
    drawn.sort()
    mean = sum(s for s, _ in means) / sum(n for _, n in means)
    return mean, drawn[int(0.025 * draws)], drawn[int(0.975 * draws) - 1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--control", help="adapter of full attention, trained on the same tokens")
    arguments = parser.parse_args()

    # How far each kind reads the two books: what full attention costs grows with the square.
    kinds = [("full attention", "full", None, "search", [32768, 16384])]
    if arguments.control:
        kinds.append(("full attention, tuned on the same tokens (control)", "full", arguments.control, "search",
                      [16384, 16384]))
    kinds += [(title, "segmented", adapter, prefix, reach) for title, adapter, prefix, reach in (
        ("segmented, before", None, "search", [65536, 16384]), ("segmented, aligned", ADAPTER, "search", [65536, 16384]),
        ("aligned, retrieval off", ADAPTER, "off", [32768, 16384]),
        ("aligned, random prefixes", ADAPTER, "random", [32768, 16384]),
        ("aligned, most recent prefixes", ADAPTER, "recent", [32768, 16384]))]
    runs = {title: {book: losses(book, tokens, policy, adapter, prefix) for book, tokens in zip(BOOKS, reach)}
            for title, policy, adapter, prefix, reach in kinds}

    body = "SmolLM2-135M-Instruct (Q4_1), bf16; perplexity of the first tokens of a book that training never saw.\n"
    for book in BOOKS:
        rows = []
        for title, by_book in runs.items():
            values = [perplexity(by_book[book], length) for length in LENGTHS]
            rows.append([title] + [f"{value:.2f}" if value else "–" for value in values])
        header = ["policy"] + [f"{length // 1024}K" for length in LENGTHS]
        body += f"\n**{book}**\n\n" + report.table(header, rows) + "\n"
    rows = []
    for title in ("aligned, retrieval off", "aligned, random prefixes", "aligned, most recent prefixes"):
        mean, low, high = bootstrap(runs["segmented, aligned"], runs[title])
        rows.append([title, f"{mean:+.5f}", f"{low:+.5f} … {high:+.5f}"])
    body += ("\nWhat retrieval is worth: mean difference of loss from the aligned model's, nats a token, over both books "
             f"as far as both runs read them, with 95% intervals by paired bootstrap over blocks of {BLOCK} tokens. "
             "Positive: retrieval helps.\n\n")
    body += report.table(["in retrieval's place", "Δ loss", "95%"], rows)
    report.write_section("alignment", "Held-out perplexity", "./lab bench alignment", body, "results.md")


main()
