# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/sweeps.md has the figures of docs/evaluations/sweep-readers-smollm2.json. CARRYOVER_WRITE_DOCS=1 writes them."""

import json
import os
import random
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGE = os.path.join(ROOT, "docs", "sweeps.md")
SWEEPS = {"unread": "no longer reads what was retrieved", "patched": "has its output in the other text"}
SHOWN, DRAWS = 8, 2000


def recorded(name):
    with open(os.path.join(ROOT, "docs", "evaluations", name), encoding="utf-8") as source:
        return json.load(source)


def readers():
    """The smallest set of heads that `heads --recall` found to be enough, as layer and head."""
    by_layer = recorded("heads-smollm2.json")["heads"]["readers"][-1]["readers"]["long_range_heads"]
    return {(layer, head) for layer, heads in enumerate(by_layer) for head in heads}


def falls(rows, sweep):
    """By how much each head's cell lowers the difference of the two logits, as a mean over the questions."""
    layers, heads = len(rows[0][sweep]), len(rows[0][sweep][0])
    return {(layer, head): -sum(row[sweep][layer][head] for row in rows) / len(rows)
            for layer in range(layers) for head in range(heads)}


def share(rows, sweep, chosen):
    """The share of all falls that the chosen heads have."""
    by_head = {place: max(0.0, fall) for place, fall in falls(rows, sweep).items()}
    return sum(by_head[place] for place in chosen) / sum(by_head.values())


def interval(rows, sweep, chosen):
    draw = random.Random(1)
    shares = sorted(share(draw.choices(rows, k=len(rows)), sweep, chosen) for _ in range(DRAWS))
    return shares[round(0.025 * DRAWS)], shares[round(0.975 * DRAWS) - 1]


def text():
    rows, chosen = recorded("sweep-readers-smollm2.json")["rows"], readers()
    total = len(falls(rows, "unread"))
    lines = [f"{len(rows)} questions; in {sum(row['difference'] > 0 for row in rows)} of them the right digit has the "
             f"larger logit. The readers are {len(chosen)} of {total} heads, {100 * len(chosen) / total:.0f} %.", "",
             "| each head in turn | the heads that matter most, with the mean fall; readers are bold | share of all falls "
             "that is the readers' (95 % interval) |", "|---|---|---|"]
    for sweep, words in SWEEPS.items():
        largest = sorted(falls(rows, sweep).items(), key=lambda item: -item[1])[:SHOWN]
        names = [f"{layer}.{head} {fall:.2f}" for (layer, head), fall in largest]
        names = [f"**{name}**" if place in chosen else name for name, (place, _) in zip(names, largest)]
        low, high = interval(rows, sweep, chosen)
        lines.append(f"| {words} | {', '.join(names)} | {100 * share(rows, sweep, chosen):.0f} % ({100 * low:.0f} to "
                     f"{100 * high:.0f}) |")
    return "\n".join(lines) + "\n"


class SweepFigures(unittest.TestCase):
    def test_the_table_is_of_the_recorded_sweeps(self):
        with open(PAGE, encoding="utf-8") as source:
            page = source.read()
        begin, end = "<!-- sweep-readers-smollm2.json: begin -->\n", "<!-- sweep-readers-smollm2.json: end -->"
        before, rest = page.split(begin)
        expected = before + begin + text() + end + rest.split(end)[1]
        if os.environ.get("CARRYOVER_WRITE_DOCS") == "1":
            with open(PAGE, "w", encoding="utf-8") as out:
                out.write(expected)
        else:
            self.assertEqual(page, expected)


if __name__ == "__main__":
    unittest.main()
