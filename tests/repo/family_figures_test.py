# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/families.md has the figures of docs/evaluations/families.json. CARRYOVER_WRITE_DOCS=1 writes them."""

import json
import os
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGE = os.path.join(ROOT, "docs", "families.md")
HEAD = "| random model | largest difference | mean | gradient | from GGUF |\n|---|---|---|---|---|\n"


def table(run):
    columns = ("largest_difference", "mean_difference", "gradient", "gguf")
    cells = [[row["model"], *("–" if row[key] is None else f"{row[key]:.1e}" for key in columns)] for row in run["rows"]]
    return HEAD + "".join(f"| {' | '.join(row)} |\n" for row in cells)


class FamilyFigures(unittest.TestCase):
    def test_the_table_is_of_the_recorded_run(self):
        with open(os.path.join(ROOT, "docs", "evaluations", "families.json"), encoding="utf-8") as source:
            made = table(json.load(source))
        with open(PAGE, encoding="utf-8") as source:
            page = source.read()
        if os.environ.get("CARRYOVER_WRITE_DOCS") == "1":
            begin = page.index("| random model |")
            page = page[:begin] + made + page[page.index("\n\n", begin) + 1 :]
            with open(PAGE, "w", encoding="utf-8") as out:
                out.write(page)
        self.assertIn("\n" + made + "\n", page)


if __name__ == "__main__":
    unittest.main()
