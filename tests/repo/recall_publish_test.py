# SPDX-License-Identifier: GPL-3.0-or-later
"""./lab bench publish of recall: lines of `needles` are counted, the page has what the records say, and results that do
not belong together are refused."""

import json
import os
import sys
import tempfile
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "scripts", "bench"))
sys.dont_write_bytecode = True

import publish_recall  # noqa: E402

PAGE = "# Results\n\n<!-- {0}: begin -->\nold\n<!-- {0}: end -->\n\nafter\n".format(publish_recall.MARK)


HEADER = {"plan": "made", "about": "Made up.", "model": "m.gguf", "weights": "00ff", "dtype": "bf16", "texts": "00ff",
          "of_each_kind": 1, "rivals": 0}


def method(name, retrieved=0):
    config = {"segment_length": 512, "retrieval_length": retrieved}
    return {"name": name, "policy": "segmented", "prefix": "search", "config": config}


def line(method, document, cases, seed=1):
    told = [{"kind": kind, "answered": answered, "found": found} for kind, answered, found in cases]
    return {"segments": 16, "seed": seed, "document": document, "method": method, "cases": told}


class Publishing(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = scratch.name
        os.makedirs(os.path.join(self.root, "docs"))
        with open(os.path.join(self.root, "docs", "results.md"), "w", encoding="utf-8") as out:
            out.write(PAGE)

    def results(self, lines, tail=""):
        path = os.path.join(self.root, "results.jsonl")
        with open(path, "w", encoding="utf-8") as out:
            out.write("".join(json.dumps(each) + "\n" for each in lines) + tail)
        return path

    def page(self):
        with open(os.path.join(self.root, "docs", "results.md"), encoding="utf-8") as source:
            return source.read()

    def test_cases_are_counted_by_kind_and_seed(self):
        lines = [
            HEADER,
            method("search", 128),
            method("carry"),
            line("search", 0, [("number", True, True), ("word", False, True)]),
            line("search", 0, [("number", True, True), ("word", True, True)], seed=2),
            line("search", 1, [("number", False, False), ("word", False, True)]),
            line("carry", 0, [("number", False, False), ("word", False, False)]),
        ]
        publish_recall.publish([self.results(lines, '{"half": ')], self.root)
        written = os.path.join(self.root, "docs", "evaluations", "recall-made.jsonl")
        record = publish_recall.record_of(written)
        counts = {(row["method"], row["kind"], row["seed"]): row for row in record["counts"]}
        self.assertEqual(
            (2, 1, 1), tuple(counts["search", "number", 1][key] for key in ("asked", "answered", "found"))
        )
        self.assertEqual(1, counts["search", "word", 2]["answered"])
        self.assertTrue(record["commit"] and record["date"])
        page = self.page()
        self.assertTrue(page.startswith("# Results\n") and page.endswith("end -->\n\nafter\n") and "old" not in page)
        row = next(text for text in page.splitlines() if text.startswith("| search |"))
        expected = ["search", "3 of each kind", "66.7 (n = 3)", "33.3 (n = 3)", "67", "100"]
        self.assertEqual(expected, row[2:-2].split(" | "))
        self.assertIn("2 seeds", " ".join(page.split()))
        row = next(text for text in page.splitlines() if text.startswith("| carry |"))
        self.assertEqual(["–", "–"], row[2:-2].split(" | ")[-2:])

    def test_a_plan_that_has_not_run_to_its_end_is_named_so(self):
        os.makedirs(os.path.join(self.root, "examples", "recall"))
        with open(os.path.join(self.root, "examples", "recall", "made.json"), "w", encoding="utf-8") as out:
            methods = [{"name": "search"}, {"name": "full", "most_tokens": 8192}]
            json.dump({"documents": 1, "seeds": [1], "segments": [16, 32], "methods": methods}, out)
        lines = [HEADER, method("search", 128), method("full")]
        for segments, name in ((16, "search"), (16, "full"), (32, "search")):
            lines.append({**line(name, 0, [("number", True, True)]), "segments": segments})
            publish_recall.publish([self.results(lines)], self.root)
            left = f"Not finished: {len(lines) - 3} of 3"
            (self.assertIn if len(lines) < 6 else self.assertNotIn)(left, " ".join(self.page().split()))

    def test_what_does_not_belong_together_is_refused(self):
        good = [HEADER, method("search"), line("search", 0, [("number", True, True)])]
        wrong = [
            good[:2],
            good[1:],
            [*good, {"neither": 1}],
            [*good, method("search", 128)],
            [*good, line("carry", 0, [])],
            [*good, line("search", 0, [])],
            [],
        ]
        for lines in wrong:
            with self.assertRaises(SystemExit):
                publish_recall.publish([self.results(lines)], self.root)
        with self.assertRaises(SystemExit):
            path = self.results(good)
            with open(path, "a", encoding="utf-8") as out:
                out.write("no JSON\n" + json.dumps(good[2]) + "\n")
            publish_recall.publish([path], self.root)
        self.assertIn("old", self.page())
        publish_recall.publish([self.results(good)], self.root)

    def test_intervals_are_wilsons(self):
        low, high = publish_recall.wilson(9, 10)
        self.assertAlmostEqual(low, 59.58, 1)
        self.assertAlmostEqual(high, 98.21, 1)
        self.assertEqual(0, publish_recall.wilson(0, 20)[0])

    def test_the_plan_of_found_heads_has_the_heads_that_were_found(self):
        with open(os.path.join(ROOT, "docs", "evaluations", "heads-smollm2.json"), encoding="utf-8") as source:
            found = json.load(source)["heads"]
        with open(os.path.join(ROOT, "examples", "recall", "smollm2_heads.json"), encoding="utf-8") as source:
            plan = json.load(source)
        self.assertTrue(found["complete"])
        searchers = sorted(step["head"] for step in found["searchers"])
        readers = found["readers"][-1]["readers"]
        settings = [method["config"] for method in plan["methods"]]
        self.assertTrue(all(each["search_heads"] == searchers for each in settings))
        self.assertEqual(readers, {key: settings[0][key] for key in readers})

    def test_the_page_is_what_its_records_say(self):
        with open(os.path.join(ROOT, "docs", "results.md"), encoding="utf-8") as source:
            page = source.read()
        begin, end = f"<!-- {publish_recall.MARK}: begin -->\n", f"<!-- {publish_recall.MARK}: end -->"
        self.assertEqual(page[page.index(begin) + len(begin) : page.index(end)], publish_recall.sections(ROOT))


if __name__ == "__main__":
    unittest.main()
