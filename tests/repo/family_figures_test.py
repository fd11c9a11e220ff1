# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/families.md has the figures of docs/evaluations: families.json, real_weights.json and vocabularies.json.
CARRYOVER_WRITE_DOCS=1 writes them."""

import json
import os
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGE = os.path.join(ROOT, "docs", "families.md")


def recorded(name):
    with open(os.path.join(ROOT, "docs", "evaluations", name), encoding="utf-8") as source:
        return json.load(source)


def table(head, rows):
    rule = "|---" * len(head) + "|"
    return "\n".join([f"| {' | '.join(head)} |", rule, *(f"| {' | '.join(map(str, row))} |" for row in rows)]) + "\n"


def random_models():
    columns = ("largest_difference", "mean_difference", "gradient", "gguf")
    return table(("random model", "largest difference", "mean", "gradient", "from GGUF"), [
        [row["model"], *("–" if row[key] is None else f"{row[key]:.1e}" for key in columns)]
        for row in recorded("families.json")["rows"]])


def real_weights():
    return table(("real weights", "tokens", "largest difference", "mean", "loss", "loss of transformers"), [
        [row["model"], row["tokens"], f"{row['largest_difference']:.1e}", f"{row['mean_difference']:.1e}",
         f"{row['loss']:.5f}", f"{row['loss_of_transformers']:.5f}"] for row in recorded("real_weights.json")["rows"]])


def recorded_ids():
    return table(("vocabulary of llama.cpp", "texts", "equal"), [
        [row["vocabulary"], row["texts"], f"refused: {row['refused']}" if row["refused"] else row["equal"]]
        for row in recorded("vocabularies.json")["recorded"]])


def counts(equal):
    return ", ".join(f"{name} {count:,}" for name, count in equal.items())


def ids_of_books():
    figures = recorded("vocabularies.json")
    books, drawn = figures["texts"], {row["model"]: row for row in figures["random"]}
    rows = []
    for model in dict.fromkeys(book["model"] for book in books):
        own = [book for book in books if book["model"] == model]
        equal = {name: sum(book["equal"][name] for book in own) for name in own[0]["equal"]}
        rows.append([model, len(own), f"{sum(book['ids'] for book in own):,}",
                     counts(equal), f"{drawn[model]['texts']:,}", counts(drawn[model]["equal"])])
    return table(("vocabulary of", "books", "ids", "books whose ids are all equal", "random texts", "equal"), rows)


class FamilyFigures(unittest.TestCase):
    def test_the_tables_are_of_the_recorded_runs(self):
        with open(PAGE, encoding="utf-8") as source:
            page = source.read()
        for made in (random_models(), real_weights(), recorded_ids(), ids_of_books()):
            if os.environ.get("CARRYOVER_WRITE_DOCS") == "1":
                begin = page.index("\n|" + made.split("|")[1] + "|") + 1
                page = page[:begin] + made + page[page.index("\n\n", begin) + 1 :]
                with open(PAGE, "w", encoding="utf-8") as out:
                    out.write(page)
            self.assertIn("\n" + made + "\n", page)


if __name__ == "__main__":
    unittest.main()
