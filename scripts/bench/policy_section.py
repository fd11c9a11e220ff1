# SPDX-License-Identifier: GPL-3.0-or-later
"""Every policy on one book: docs/evaluations/experiment-policies.json as a section of docs/benchmarks.md. Pure: the
same results give the same text."""

import math

import tables

MARK = "every policy from docs/evaluations, written by ./lab bench publish"
TITLE = "## Every policy on one book"
COMMAND = "carryover experiment examples/experiments/policies.json --model smollm2=MODEL"
BOOK = "dracula.txt"
LENGTHS = (8192, 32768)
MOST_APART = 0.10  # times of one policy for books of one length: more, and something else was using the machine
HEADER = (
    "policy",
    "perplexity",
    "tokens/s",
    "time per token relative to segmented",
    "speed relative to full attention",
    "peak memory, MiB",
    "attention-visible KV, MiB",
)
ABOUT = (
    "The same text under every policy, with a separate run for each length; [results.md](results.md) explains the "
    "rows and has other texts. tokens/s is for everything that a run computes, including the loss of every token, but "
    "without the time for measuring attention sinks and writing files. Peak memory: the weights and everything that the "
    "run allocated. Attention-visible KV: keys and values that the last token sees. Ratios of times do not compare equal work, "
    "because policies differ in their work. nsa runs with neutral, untrained gates."
)


def entries(results):
    """{(evaluation, length): {file: its run}}, of the runs that are of one length alone."""
    found = {}
    for run in results["runs"]:
        for text in run["texts"]:
            if len(text["lengths"]) == 1 and "computing_seconds" in text and "made_by" not in text:
                found.setdefault((run["evaluation"], text["lengths"][0]["tokens"]), {})[text["file"]] = text
    return found


def apart(texts):
    """How far the times of these runs are apart, as a share."""
    seconds = [text["computing_seconds"] for text in texts.values()]
    return max(seconds) / min(seconds) - 1


def problem_of(results, found):
    """Why there is no table; empty where there is one."""
    wanted = [(row["name"], length) for row in results["evaluations"] for length in LENGTHS]
    missing = [key for key in wanted if BOOK not in found.get(key, {})]
    if missing:
        return f"{len(missing)} of {len(wanted)} runs by policy and length are missing or not timed"
    (name, length), most = max(((key, apart(found[key])) for key in wanted), key=lambda each: each[1])
    if most > MOST_APART:
        return (
            f"the times of {name} for {length} tokens of several books are {100 * most:.0f} % apart, more than "
            f"{100 * MOST_APART:.0f} %: something else was using the machine"
        )
    return ""


def time_of(found, name, length):
    return found[name, length][BOOK]["computing_seconds"] / length


def row_of(results, found, name, length):
    text = found[name, length][BOOK]
    sums = text["lengths"][0]
    time = time_of(found, name, length)
    title = next(row["title"] for row in results["evaluations"] if row["name"] == name)
    return [
        title,
        f"{math.exp(sums['nll_sum'] / sums['targets']):.2f}",
        f"{1 / time:.0f}",
        f"{time / time_of(found, 'segmented', length):.2f}×",
        f"{time_of(found, 'full', length) / time:.2f}×",
        f"{text['peak_memory_bytes'] / tables.MIB:.0f}",
        f"{sums['attention_kv_bytes'] / tables.MIB:.1f}",
    ]


def ratios(found):
    def times(name, other, length):
        return f"{time_of(found, name, length) / time_of(found, other, length):.2f}"

    said = [
        f"at {length} tokens, streaming needs {times('streaming', 'segmented', length)} times the time of segmented per "
        f"token, and minference runs at {times('full', 'minference', length)} times the speed of full attention"
        for length in LENGTHS
    ]
    text = "; ".join(said)
    return text[0].upper() + text[1:] + "."


def section(results):
    found = entries(results)
    problem = problem_of(results, found)
    if problem:
        pending = f"Pending until `{COMMAND}` has run on an otherwise idle machine: {problem}."
        return tables.wrapped(f"{TITLE}\n\n{pending}") + "\n"
    book = next(text for text in results["texts"] if text["file"] == BOOK)
    environment = results["environment"]
    parts = [
        TITLE,
        f"`{COMMAND}`, {results['date']}, {environment['processor']}, {environment['threads']} threads, commit "
        f"{results['commit']}",
        f"{results['models'][0]['file']} in {results['dtype']}, {book['title']} by {book['author']}. {ABOUT}",
    ]
    for length in LENGTHS:
        rows = [row_of(results, found, row["name"], length) for row in results["evaluations"]]
        parts += [f"{length} tokens:", tables.table([*HEADER], rows)]
    most = max(apart(found[row["name"], length]) for row in results["evaluations"] for length in LENGTHS)
    books = max(len(texts) for texts in found.values())
    parts.append(
        f"{ratios(found)} Times of one policy for {books} books of one length are at most {100 * most:.0f} % apart."
    )
    return tables.wrapped("\n\n".join(parts)) + "\n"
