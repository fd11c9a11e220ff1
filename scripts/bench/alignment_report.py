# SPDX-License-Identifier: GPL-3.0-or-later
"""What alignment.json says, as the section of docs/results.md. Pure: the same record gives the same text."""
import math
import random

import tables

DRAWS = 10000
ROWS = [  # what stands in the first table, in its order
    ("base/full", "base, full attention"), ("base/none", "base, M = R = 0"), ("base/segmented", "base, segmented"),
    ("base/sink-4", "base, segmented with 4 sinks"), ("adapter/full", "adapter, full attention"),
    ("adapter/none", "adapter, M = R = 0"), ("adapter/segmented", "adapter, segmented"),
    ("adapter/sink-4", "adapter, segmented with 4 sinks")]


def totals(segments):
    return sum(count for count, _ in segments), sum(loss for _, loss in segments)


def mean_loss(segments):
    count, loss = totals(segments)
    return loss / count


def difference(books, one, other):
    """Mean over books of the difference of mean loss, one − other, its 95 % interval, and books where it is below 0.

    A book is what is drawn: losses of one book are not independent. Percentile bootstrap with a fixed seed."""
    deltas = [mean_loss(one[book]) - mean_loss(other[book]) for book in books]
    draw = random.Random(1)
    means = sorted(sum(draw.choices(deltas, k=len(deltas))) / len(deltas) for _ in range(DRAWS))
    return (sum(deltas) / len(deltas), means[int(0.025 * DRAWS)], means[int(0.975 * DRAWS) - 1],
            sum(delta < 0 for delta in deltas))


def perplexities(record):
    results = record["results"]
    header = ["first " + str(record["tokens"]) + " tokens of"] + [title for _, title in ROWS]
    rows = []
    for book in record["books"]:
        values = [math.exp(mean_loss(results[key]["losses"][book["file"]])) for key, _ in ROWS]
        name = f"*{book['title']}*, {book['author']}" + (" †" if book["trained_author"] else "")
        rows.append([name] + [f"{value:.2f}" for value in values])
    return tables.table(header, rows)


def differences(record, books):
    rows = []
    for weights, name in (("base", "base"), ("adapter", "adapter")):
        reference = record["results"][f"{weights}/none"]["losses"]
        for key, result in record["results"].items():
            if not key.startswith(weights + "/") or key.endswith("/none"):
                continue
            mean, low, high, below = difference(books, result["losses"], reference)
            rows.append([name, result["title"], f"{mean:+.3f}", f"{low:+.3f} … {high:+.3f}", f"{below} of {len(books)}"])
    return tables.table(["weights", "what is read", "Δ loss, nats", "95 %", "books where it is lower"], rows)


def said(record, books):
    """The table's main points in words; every number is the record's."""
    results = record["results"]

    def against(one, other):
        mean, low, high, below = difference(books, results[one]["losses"], results[other]["losses"])
        return f"{mean:+.3f} nats ({low:+.3f} … {high:+.3f}; lower on {below} of {len(books)} books)"

    lines = [
        "**Memory without sinks.** The paper's segmented execution (M = R = 128) changes the loss by "
        + against("base/segmented", "base/none") + " against M = R = 0 for the base model, and by "
        + against("adapter/segmented", "adapter/none") + " for the adapter.",
        "**What search adds** to the adapter, against prefixes that need no search: "
        + against("adapter/segmented", "adapter/constant") + " against a constant prefix, "
        + against("adapter/segmented", "adapter/random-1") + " against random positions, "
        + against("adapter/segmented", "adapter/recent") + " against the most recent ones. A constant prefix begins with "
        "the text's first token, an attention sink; the others hold it by chance or not at all.",
        "**Memory with sinks, without training.** Segmented execution with 4 sinks changes the base model's loss by "
        + against("base/sink-4", "base/none") + " against M = R = 0; with all heads local by "
        + against("base/sink-4-local", "base/none") + ". As controls that carry nothing through the recurrence, all heads "
        "reading 4 sinks and the 124 most recent tokens: " + against("base/sinks", "base/none")
        + "; the same window without sinks: " + against("base/window", "base/none") + ".",
        "Perplexity that does not rise with length says nothing about memory: the context of every segment is bounded, "
        "and M = R = 0 has the same property.",
    ]
    return "\n\n".join(lines)


def section(record):
    others = [book["file"] for book in record["books"] if not book["trained_author"]]
    machine = record["machine"]
    body = ("## Held-out perplexity\n\n"
            f"`./lab bench alignment --books DIR`, {record['date']}, {machine['processor']}, {machine['cores']} cores, "
            f"commit {record['commit']}\n\n")
    body += (f"`{record['model']}`, {record['dtype']}, S = {record['segment_length']}, M = {record['carry_length']}, "
            f"R = {record['retrieval_length']}; weights {record['weights']['base']}, with the adapter "
            f"{record['weights']['adapter']}. Perplexity of the first {record['tokens']} tokens of each book.\n\n")
    body += perplexities(record) + "\n\n† by the author that the adapter was trained on; left out below.\n\n"
    if others:
        body += (f"Difference of mean loss from the same weights that forget everything at each segment boundary "
                 f"(M = R = 0), mean over {len(others)} books by as many authors, none of them trained on. Negative: "
                 f"better than no memory. 95 % intervals: paired bootstrap over books, {DRAWS} draws.\n\n")
        body += differences(record, others) + "\n\n" + said(record, others) + "\n"
    return tables.wrapped(body) + "\n"
