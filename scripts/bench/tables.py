# SPDX-License-Identifier: GPL-3.0-or-later
"""What sections of docs/benchmarks.md are made of: rows of a run's reports (runs.py), ratios, and what both sides
share. Pure."""

import math
import textwrap

MIB = 1 << 20
DTYPES = ("fp32", "bf16")
TRANSFORMERS = ("transformers", "transformers compiled")
LLAMA = ("llama-bench", "llama-bench -fa")
HOW = {
    "transformers": "dynamic cache",
    "transformers compiled": "static cache, compiled",
    "llama-bench": "without",
    "llama-bench -fa": "with",
}


FEWEST_FOR_INTERVAL = 5  # samples; with fewer, tables have their number instead


def wilson(share, samples):
    """The 95 % interval of a share from 0 to 1."""
    z = 1.959963984540054
    centre = (share + z * z / (2 * samples)) / (1 + z * z / samples)
    half = z * math.sqrt(share * (1 - share) / samples + z * z / (4 * samples * samples)) / (1 + z * z / samples)
    return max(0, centre - half), min(1, centre + half)


def wrapped(text):
    """Paragraphs in lines of at most 120 columns; tables, headings and marks as they are."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(
        (
            each
            if each.lstrip().startswith(("|", "#", "<"))
            else textwrap.fill(each, 120, break_long_words=False, break_on_hyphens=False)
        )
        for each in paragraphs
    )


def between_marks(page, mark, text, where):
    """The page with what stands between its marks replaced; `where`: what it is called where it lacks them."""
    begin, end = f"<!-- {mark}: begin -->\n", f"<!-- {mark}: end -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise SystemExit(f"{where} lacks its marks '{begin.strip()}' and '{end}'")
    return page[: page.index(begin) + len(begin)] + text + page[page.index(end) :]


def write_between_marks(path, mark, text):
    with open(path, encoding="utf-8") as source:
        page = between_marks(source.read(), mark, text, path)
    with open(path, "w", encoding="utf-8") as out:
        out.write(page)


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def rows_of(report):
    return {
        (row["who"], row["what"], row["tokens"], row.get("checkpointing", False)): row for row in report["measurements"]
    }


def find(report, who, what, tokens, checkpointing=False):
    return rows_of(report).get((who, what, tokens, checkpointing))


def faster(report, whos, what, tokens):
    """The faster of several ways to run a peer; None where none was measured."""
    found = [row for row in (find(report, who, what, tokens) for who in whos) if row]
    return max(found, key=lambda row: row["tokens_per_s"], default=None)


def run_length(report):
    return max((row["tokens"] for row in report["measurements"]), default=0)


def speed(row):
    if not row:
        return "–"
    rate = row["tokens_per_s"]
    return f"{rate:.0f}" if rate >= 100 else f"{rate:.1f}"


def ratio(ours, peer):
    return f"{ours['tokens_per_s'] / peer['tokens_per_s']:.2f}×" if ours and peer else "–"


def subject(report, who):
    return next((each for each in report["subjects"] if each["who"] == who), None)


def peer_name(reports, who):
    names = {
        each["program"].split(", llama ")[0] for report in reports for each in report["subjects"] if each["who"] == who
    }
    return ", ".join(sorted(names)) or "none"


def pairs_of(reports, ours, theirs):
    return [(subject(report, our), subject(report, their)) for report in reports for our in ours for their in theirs]


def alike(pairs, key="dtype"):
    """What both sides of a table share, from what each side recorded. `pairs`: (our subject, their subject) of each
    row; `key`: "dtype", or "training_dtype"."""
    pairs = [(ours, theirs) for ours, theirs in pairs if ours and theirs]
    if not pairs:
        return "No peer was measured."

    def both(field):
        return all(ours[field] and ours[field] == theirs[field] for ours, theirs in pairs)

    def hashes(field):
        return ", ".join(sorted({ours[field] for ours, _ in pairs}))

    same, differ = [], []
    if both("weights_hash"):
        same.append(f"weights ({hashes('weights_hash')})")
    else:
        differ.append("the weights are not the same")
    if both("ids_hash"):
        same.append(f"token ids ({hashes('ids_hash')})")
    else:
        drawn = all(theirs["ids_hash"] is None for _, theirs in pairs)
        differ.append("the peer draws as many token ids of its own" if drawn else "the token ids are not the same")
    if both(key):
        same.append("dtype")
    else:
        types = sorted({f"{ours[key]} beside {theirs[key]}" for ours, theirs in pairs if ours[key] != theirs[key]})
        differ.append("the dtypes differ: " + "; ".join(types))
    said = ["Same " + ", ".join(same) + " on both sides."] if same else []
    if differ:
        said.append(("But " if same else "Not alike: ") + "; ".join(differ) + ".")
    return " ".join(said)


def by_dtype(run):
    return [(dtype, run["reports"][dtype]) for dtype in DTYPES if dtype in run["reports"]]


def threads(run):
    counts = sorted({report["machine"]["threads"] for report in run["reports"].values()})
    return ", ".join(map(str, counts)) + " threads"
