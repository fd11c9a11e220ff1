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
import publish_experiments  # noqa: E402

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
