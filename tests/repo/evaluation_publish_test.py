#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""./lab bench publish of an evaluation: the page has what the results say of every task, policy and slice, is a function
of docs/evaluations, and a folder without results is refused."""

import json
import os
import re
import sys
import tempfile
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "scripts", "bench"))
sys.dont_write_bytecode = True

import publish_evaluations  # noqa: E402

PAGE = "# Results\n\n<!-- {0}: begin -->\nold\n<!-- {0}: end -->\n\nafter\n".format(publish_evaluations.MARK)
CONFIG = {"segment_length": 512, "carry_length": 508, "retrieval_length": 128, "attention_window": 1020, "sink_length": 4}


def scores(value):
    return {"string_match": {"score": value, "stderr": 0.1, "low": value - 0.125, "high": value + 0.125}}


def task(name, length, value, slices=()):
    return {"task": name, "length": length, "n": 8, "available": 8, "failures": 0, "metric": "string_match",
            "scores": scores(value), "slices": [{"slice": each, "n": 4, "failures": 0, "scores": scores(score)}
                                                for each, score in slices],
            "convention": "", "visible_kv_bytes": 2_000_000, "resident_kv_bytes": 3_000_000, "prefill_seconds": 16.0,
            "decode_seconds": 4.0, "errors": []}


class Publishing(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = scratch.name
        os.makedirs(os.path.join(self.root, "docs", "evaluations"))
        with open(os.path.join(self.root, "docs", "results.md"), "w", encoding="utf-8") as out:
            out.write(PAGE)

    def folder(self, policies, done):
        folder = os.path.join(self.root, "made")
        os.makedirs(folder)
        self.write(os.path.join(folder, "evaluation.json"), {"policies": policies, "config": CONFIG})
        for number, policy in enumerate(done):
            os.makedirs(os.path.join(folder, f"m__{policy}"))
            self.write(os.path.join(folder, f"m__{policy}", "results_2026.json"), {"carryover": {
                "policy": policy, "model": {"file": "m.gguf", "weights_hash": "00ff", "dtype": "bf16"}, "tokenizer": {},
                "seed": 42, "question": "inside", "chat": False,
                "tasks": [task("ruler/vt", 4096, 0.5 - number / 4),
                          task("recall/names", 512, 0.25, [("distance 1", 0.875), ("distance 2", 0.125 + number / 2)])],
            }})
        return folder

    def write(self, path, value):
        with open(path, "w", encoding="utf-8") as out:
            json.dump(value, out)

    def page(self):
        with open(os.path.join(self.root, "docs", "results.md"), encoding="utf-8") as source:
            return source.read()

    def test_every_score_is_in_the_page(self):
        publish_evaluations.publish([self.folder(["segmented", "full"], ["segmented", "full"])], self.root)
        page = self.page()
        for row in (
            "| task | tokens | samples | segmented | full |",
            "| ruler/vt | 4096 | 8 | 0.500 [0.215, 0.785] | 0.250 [0.071, 0.591] |",
            "| distance 2 | 4 | 0.125 (n = 4) | 0.625 (n = 4) |",
            "| full | 4096 | 2.0 | 3.0 | 2.0 | 0.5 |",
        ):
            self.assertIn(row, page)
        self.assertNotIn("old", page)
        self.assertNotIn("Not evaluated", page)
        publish_evaluations.publish([], self.root)
        self.assertEqual(self.page(), page)

    def test_the_shares_are_those_of_the_program(self):
        with open(os.path.join(ROOT, "engine", "tasks", "scores", "metric_table.cpp"), encoding="utf-8") as source:
            rows = re.findall(r'{"(\w+)", (true|false)}', source.read())
        self.assertEqual({name for name, share in rows if share == "true"}, set(publish_evaluations.SHARES))

    def test_a_control_is_a_column_that_says_its_settings(self):
        names = ["segmented", "segmented[retrieval_length=0]"]
        publish_evaluations.publish([self.folder(names, names)], self.root)
        self.assertIn("| task | tokens | samples | segmented | segmented[retrieval_length=0] |", self.page())
        self.assertIn("| segmented[retrieval_length=0] | 4096 | 2.0 | 3.0 |", self.page())
        self.assertIn("n 4, except for what a policy has in brackets.", " ".join(self.page().split()))

    def test_what_is_not_there_is_said(self):
        publish_evaluations.publish([self.folder(["segmented", "full"], ["full"])], self.root)
        self.assertIn("Not evaluated to the end yet: segmented.", self.page())
        self.assertIn("| task | tokens | samples | full |", self.page())

    def test_nothing_is_refused(self):
        with self.assertRaises(SystemExit) as refused:
            publish_evaluations.publish([self.folder(["segmented"], [])], self.root)
        self.assertIn("no policy of it", str(refused.exception))
        self.assertIn("old", self.page())

    def test_the_page_is_what_the_records_say(self):
        with open(os.path.join(ROOT, "docs", "results.md"), encoding="utf-8") as source:
            page = source.read()
        begin, end = (f"<!-- {publish_evaluations.MARK}: {each} -->" for each in ("begin", "end"))
        self.assertEqual(page[page.index(begin) + len(begin) + 1 : page.index(end)], publish_evaluations.sections(ROOT))


if __name__ == "__main__":
    unittest.main()
