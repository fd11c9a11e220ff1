# SPDX-License-Identifier: GPL-3.0-or-later
"""./lab bench publish of an experiment: its results are copied with their origin, the page has a section for each that is
published, and one that is not finished is refused. fetch_books.py cuts a book out of an e-book."""

import json
import os
import stat
import sys
import tempfile
import unittest
import unittest.mock

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "scripts", "bench"))
sys.path.insert(0, os.path.join(ROOT, "examples", "experiments"))
sys.dont_write_bytecode = True

import fetch_books  # noqa: E402
import policy_section  # noqa: E402
import publish_experiments  # noqa: E402
import publish_policies  # noqa: E402

PAGE = "# Results\n\n<!-- {0}: begin -->\nold\n<!-- {0}: end -->\n\nafter\n".format(publish_experiments.MARK)
RENDER = '#!/bin/sh\n[ "$1 $2 $4 $5" = "experiment --render --format section" ] && echo "## $(basename "$3")"\n'


class Publishing(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = scratch.name
        self.write("docs/results.md", PAGE)
        self.write("program", RENDER)
        os.chmod(os.path.join(self.root, "program"), stat.S_IRWXU)
        with_program = unittest.mock.patch.dict(os.environ, PROGRAM=os.path.join(self.root, "program"))
        with_program.start()
        self.addCleanup(with_program.stop)

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def read(self, name):
        with open(os.path.join(self.root, name), encoding="utf-8") as source:
            return source.read()

    def test_every_policy_side_by_side_goes_to_the_benchmarks_too(self):
        page = "# Benchmarks\n<!-- {0}: begin -->\nold\n<!-- {0}: end -->\n".format(policy_section.MARK)
        self.write("docs/benchmarks.md", page)
        folder = os.path.dirname(self.write("runs/experiments/policies/results.json", json.dumps(timed_results())))
        with unittest.mock.patch.dict(os.environ, COMMIT="abcdef0"):
            publish_experiments.publish([folder], self.root)
        self.assertIn("commit abcdef0", self.read("docs/benchmarks.md"))
        self.assertIn("| the full |", self.read("docs/benchmarks.md"))
        self.assertNotIn("old", self.read("docs/benchmarks.md"))

    def experiment(self, name, unfinished=0):
        results = {"experiment": name, "unfinished_cells": unfinished, "runs": [{}]}
        return os.path.dirname(self.write(f"runs/experiments/{name}/results.json", json.dumps(results)))

    def test_the_commit_of_the_program_that_ran_it_may_be_named(self):
        with unittest.mock.patch.dict(os.environ, COMMIT="1234567"):
            publish_experiments.publish([self.experiment("older")], self.root)
        self.assertEqual(json.loads(self.read("docs/evaluations/experiment-older.json"))["commit"], "1234567")

    def test_each_has_a_section_and_its_origin(self):
        folders = [self.experiment("second"), self.experiment("first")]
        publish_experiments.publish(folders, self.root)
        page = self.read("docs/results.md")
        self.assertIn("begin -->\n## experiment-first.json\n\n## experiment-second.json\n<!--", page)
        self.assertTrue(page.startswith("# Results\n") and page.endswith("end -->\n\nafter\n") and "old" not in page)
        published = json.loads(self.read("docs/evaluations/experiment-first.json"))
        self.assertTrue(published["commit"] and published["date"])
        publish_experiments.publish([], self.root)
        self.assertEqual(self.read("docs/results.md"), page)

    def test_what_is_not_finished_is_refused(self):
        with self.assertRaises(SystemExit) as refused:
            publish_experiments.publish([self.experiment("half", unfinished=3)], self.root)
        self.assertIn("3 of its cells are not finished", str(refused.exception))
        self.assertEqual(self.read("docs/results.md"), PAGE)
        self.assertFalse(os.path.exists(os.path.join(self.root, "docs", "evaluations")))

    def test_what_is_not_finished_is_published_where_that_is_asked_for(self):
        publish_experiments.publish([self.experiment("half", unfinished=3)], self.root, unfinished=True)
        self.assertEqual(json.loads(self.read("docs/evaluations/experiment-half.json"))["unfinished_cells"], 3)
        with self.assertRaises(SystemExit):
            empty = self.write("runs/experiments/empty/results.json", '{"experiment": "empty", "runs": []}')
            publish_experiments.publish([os.path.dirname(empty)], self.root, unfinished=True)

    def test_what_the_program_says_of_weights_is_what_was_published(self):
        with open(os.path.join(ROOT, publish_experiments.MEASURED), encoding="utf-8") as source:
            measured = json.load(source)
        self.assertEqual(measured, publish_experiments.all_measured(ROOT))
        self.assertEqual(len(measured), len(publish_experiments.MEASURED_RUNS))

    def test_an_experiment_is_told_from_a_bench(self):
        self.assertTrue(publish_experiments.is_experiment(self.experiment("one")))
        self.assertFalse(publish_experiments.is_experiment(self.root))


def timed_run(policy, seconds):
    """Three books of both lengths; `seconds` for 8192 tokens."""
    texts = [
        {
            "file": file,
            "lengths": [{"tokens": length, "targets": 100, "nll_sum": 300, "attention_kv_bytes": 3 << 20}],
            "computing_seconds": seconds * length / 8192 * slower,
            "peak_memory_bytes": 5 * length << 10,
        }
        for file, slower in (("dracula.txt", 1), ("moonstone.txt", 1.05), ("beagle.txt", 1))
        for length in policy_section.LENGTHS
    ]
    return {"evaluation": policy, "policy": policy, "texts": texts}


def timed_results():
    seconds = {"segmented": 4, "streaming": 5, "minference": 16, "full": 20}
    return {
        "experiment": "policies",
        "unfinished_cells": 0,
        "date": "2026-01-02",
        "commit": "1234567",
        "dtype": "bf16",
        "environment": {"processor": "A processor", "threads": 2},
        "models": [{"file": "m.gguf"}],
        "texts": [{"file": "dracula.txt", "title": "Dracula", "author": "Bram Stoker"}],
        "evaluations": [{"name": name, "title": f"the {name}"} for name in seconds],
        "runs": [timed_run(name, each) for name, each in seconds.items()],
    }


class Policies(unittest.TestCase):
    def test_every_policy_has_a_row_with_its_ratios(self):
        section = policy_section.section(timed_results())
        for row in (
            "| the streaming | 20.09 | 1638 | 1.25× | 4.00× | 40 | 3.0 |",
            "| the streaming | 20.09 | 1638 | 1.25× | 4.00× | 160 | 3.0 |",
            "| the full | 20.09 | 410 | 5.00× | 1.00× | 40 | 3.0 |",
        ):
            self.assertIn(row, section)
        said = " ".join(section.split())
        for part in (
            "at 32768 tokens, streaming needs 1.25 times the time of segmented per token, and minference runs at 1.25 times",
            "Times of one policy for 3 books of one length are at most 5 % apart.",
            "2026-01-02, A processor, 2 threads, commit 1234567",
            "nsa runs with neutral, untrained gates",
        ):
            self.assertIn(part, said)

    def test_what_was_not_measured_so_is_pending(self):
        busy, untimed, elsewhere, beginnings, missing = (timed_results() for _ in range(5))
        busy["runs"][1]["texts"][2]["computing_seconds"] *= 1.2
        del untimed["runs"][0]["texts"][0]["computing_seconds"]
        elsewhere["runs"][0]["texts"][0]["made_by"] = {"processor": "another"}
        beginnings["runs"][0]["texts"][1]["lengths"] *= 2
        del missing["runs"][3]
        for results, reason in (
            (busy, "streaming for 8192 tokens of several books are 26 % apart"),
            (untimed, "1 of 8 runs"),
            (elsewhere, "1 of 8 runs"),
            (beginnings, "1 of 8 runs"),
            (missing, "2 of 8 runs"),
        ):
            said = " ".join(policy_section.section(results).split())
            self.assertIn("Pending until", said)
            self.assertIn(reason, said)
            self.assertNotIn("|---|", said)

    def test_the_page_is_what_the_record_says(self):
        with open(os.path.join(ROOT, "docs", "benchmarks.md"), encoding="utf-8") as source:
            page = source.read()
        with open(os.path.join(ROOT, publish_experiments.POLICIES), encoding="utf-8") as source:
            section = policy_section.section(json.load(source))
        begin, end = (f"<!-- {policy_section.MARK}: {each} -->" for each in ("begin", "end"))
        self.assertEqual(page[page.index(begin) + len(begin) + 1 : page.index(end)], section)

    def test_the_plan_has_every_policy_that_was_measured(self):
        with open(os.path.join(ROOT, "examples", "experiments", "policies.json"), encoding="utf-8") as source:
            plan = json.load(source)
        planned = {evaluation.get("policy", "segmented") for evaluation in plan["evaluations"].values()}
        with open(os.path.join(ROOT, publish_policies.RECORD), encoding="utf-8") as source:
            self.assertEqual(planned, set(json.load(source)["measures"]))
        self.assertEqual(plan["lengths"], list(policy_section.LENGTHS))
        self.assertTrue(plan["each_length"])
        self.assertLessEqual({"segmented", "streaming", "minference", "full"}, plan["evaluations"].keys())
        self.assertIn(policy_section.BOOK, {os.path.basename(text["path"]) for text in plan["texts"]})


class Books(unittest.TestCase):
    BOOK = {"begins": ["CHAPTER I", "It was", "a night."], "ends": ["They slept.", "THE END"]}
    TEXT = "CHAPTER I\n\nIt was\na night.\n\nThey woke.\n\nThey slept.\n\nTHE END\n"

    def test_header_contents_and_licence_are_cut_off(self):
        book = "Title\r\n\r\nContents\r\nCHAPTER I\r\nCHAPTER II\r\n*** START ***\r\n" + self.TEXT.replace("\n", "  \r\n")
        self.assertEqual(fetch_books.cut(book + "*** END ***\r\nTHE END of the licence\r\n", self.BOOK), self.TEXT)

    def test_another_book_is_told(self):
        self.assertIsNone(fetch_books.cut("CHAPTER I\n\nAnother.\n\nTHE END\n", self.BOOK))

    def test_the_list_is_of_the_plans_texts(self):
        with open(os.path.join(ROOT, "examples", "experiments", "books", "books.json"), encoding="utf-8") as source:
            books = json.load(source)
        with open(os.path.join(ROOT, "examples", "experiments", "held_out.json"), encoding="utf-8") as source:
            plan = json.load(source)
        listed = {(book["file"], book["sha256"]) for book in books if book["set"] == "test"}
        self.assertEqual({(os.path.basename(text["path"]), text["sha256"]) for text in plan["texts"]}, listed)
        authors = [{book["author"] for book in books if book["set"] == kind} for kind in ("train", "test")]
        self.assertEqual((len(books), len(listed), authors[0] & authors[1]), (32, 12, set()))


if __name__ == "__main__":
    unittest.main()
