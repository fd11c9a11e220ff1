# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/adr/0024-highway.md has the figures of docs/evaluations/highway.json. CARRYOVER_WRITE_DOCS=1 writes them."""

import json
import os
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGE = os.path.join(ROOT, "docs", "adr", "0024-highway.md")
HEAD = "| loop | port | vectors | own, ns | Highway, ns | Highway / own | before |\n|---|---|---|---|---|---|---|\n"


def figure(ns):
    return f"{ns:,.0f}" if ns >= 100 else f"{ns:.1f}"


def table(run):
    """A row for each loop, port and width. `before` has the loops that have changed since."""
    before = {(row["idiom"], row["port"], row["bytes"]): f"{row['ratio']:.2f}" for row in run["before"]["rows"]}
    return HEAD + "".join(
        f"| {row['idiom']} | {row['port']} | {row['bytes']} bytes | {figure(row['own_best_ns'])} | "
        f"{figure(row['highway_best_ns'])} | {row['ratio']:.2f} | "
        f"{before.get((row['idiom'], row['port'], row['bytes']), '')} |\n"
        for row in run["after"]["rows"]
    )


class HighwayFigures(unittest.TestCase):
    def test_the_table_is_of_the_recorded_run(self):
        with open(os.path.join(ROOT, "docs", "evaluations", "highway.json"), encoding="utf-8") as source:
            made = table(json.load(source))
        with open(PAGE, encoding="utf-8") as source:
            page = source.read()
        if os.environ.get("CARRYOVER_WRITE_DOCS") == "1":
            begin = page.index("| loop |")
            page = page[:begin] + made + page[page.index("\n\n", begin) + 1 :]
            with open(PAGE, "w", encoding="utf-8") as out:
                out.write(page)
        self.assertIn("\n" + made + "\n", page)


if __name__ == "__main__":
    unittest.main()
