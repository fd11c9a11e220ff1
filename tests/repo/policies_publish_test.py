# SPDX-License-Identifier: GPL-3.0-or-later
"""./lab bench publish --policies: docs/policies.md is what its record gives, with a full row for each policy of the
program's table; what would leave a cell empty is refused by its name, and so is a figure above its bound."""

import json
import os
import re
import shutil
import sys
import tempfile
import unittest
import unittest.mock

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "scripts", "bench"))
sys.dont_write_bytecode = True

import publish_policies  # noqa: E402

ROWS = publish_policies.policies(ROOT)


def rows_of(page, columns):
    """Cells of the page's rows that have so many, by their first, a policy."""
    rows = [line[2:-2].split(" | ") for line in page.splitlines() if line.startswith("| `")]
    return {cells[0].strip("`"): cells for cells in rows if len(cells) == columns}


def made_facts():
    """Each wanted fact twice; the second, of the larger value, by another test."""
    return [
        {"policy": policy, "fact": fact, "value": bound * share, "test": f"test_{count}"}
        for policy, row in ROWS.items()
        for fact, bound in publish_policies.BOUNDS.items()
        if fact != "gradient" or row["trained"]
        for count, share in ((1, 0.25), (2, -0.5 if "memory" in fact else 0.5))
    ]


def made_comparisons():
    return [
        {"policy": policy, "rule": rule, "model": "m", "reference": "other 1.0", "difference": off, "bound": 1e-4}
        for policy in ROWS
        for rule, off in (("first", 2e-5), ("second", 3e-5), ("third", 0.0))
    ]


class Publishing(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = scratch.name
        shutil.copytree(
            os.path.join(ROOT, publish_policies.FOLDER), os.path.join(self.root, publish_policies.FOLDER)
        )
        made = unittest.mock.patch.object(
            publish_policies, "origin", lambda: {"date": "2026-01-02", "commit": "1234567"}
        )
        made.start()
        self.addCleanup(made.stop)

    def write(self, name, text):
        path = os.path.join(self.root, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def read(self, name):
        with open(os.path.join(self.root, name), encoding="utf-8") as source:
            return source.read()

    def publish(self, facts, comparisons, tail=""):
        lines = "".join(json.dumps(fact) + "\n" for fact in facts)
        files = [self.write("facts.jsonl", lines + tail), self.write("compat.json", json.dumps(comparisons))]
        publish_policies.publish(files, self.root)

    def refused(self, facts, comparisons, tail=""):
        with self.assertRaises(SystemExit) as refused:
            self.publish(facts, comparisons, tail)
        self.assertFalse(os.path.exists(os.path.join(self.root, publish_policies.RECORD)))
        self.assertFalse(os.path.exists(os.path.join(self.root, publish_policies.PAGE)))
        return str(refused.exception)

    def test_the_largest_is_published_and_its_origin(self):
        self.publish(made_facts(), made_comparisons())
        page, record = self.read(publish_policies.PAGE), json.loads(self.read(publish_policies.RECORD))
        self.assertEqual(record["measures"]["full"]["memory, read"], {"value": -0.025, "test": "test_2", "measures": 2})
        self.assertEqual(record["comparisons"]["duo"][0]["rules"], ["first", "second", "third"])
        self.assertIn("2026-01-02, commit 1234567", page)
        rows = rows_of(page, 7)
        self.assertEqual(list(rows), list(ROWS))
        cells = ["5.0e-11", "5.0e-11", "other 1.0: 3.0e-05", "−2.5 % read, −2.5 % decoded", "5.0e-07"]
        self.assertEqual(rows["full"], ["`full`", ROWS["full"]["help"], *cells])
        self.assertEqual(rows["duo"][6], "not trained")
        signs = [cell[-1] for cells in rows.values() for cell in cells if cell[-1] in publish_policies.SIGNS]
        self.assertEqual("".join(signs), publish_policies.SIGNS[: len(publish_policies.NOTES)])

    def test_publishing_twice_changes_nothing(self):
        self.publish(made_facts(), made_comparisons())
        before = [self.read(name) for name in (publish_policies.PAGE, publish_policies.RECORD)]
        self.publish(made_facts(), made_comparisons())
        publish_policies.publish([], self.root)
        self.assertEqual(before, [self.read(name) for name in (publish_policies.PAGE, publish_policies.RECORD)])

    def test_each_missing_fact_is_refused_by_its_name(self):
        for policy, row in ROWS.items():
            for fact in publish_policies.BOUNDS:
                if fact == "gradient" and not row["trained"]:
                    continue
                told = self.refused(
                    [each for each in made_facts() if (each["policy"], each["fact"]) != (policy, fact)],
                    made_comparisons(),
                )
                self.assertTrue(told.endswith(f"\n  no measure of {policy}: {fact}"), told)
            others = [each for each in made_comparisons() if each["policy"] != policy]
            self.assertIn(f"no measure of {policy}: other implementations", self.refused(made_facts(), others))

    def test_a_damaged_or_foreign_line_is_refused_by_its_number(self):
        fact = {"policy": "full", "fact": "chunks", "value": 0, "test": "t"}
        number = len(made_facts()) + 1
        for change, words in (
            ({"value": None}, "has no number"),
            ({"value": float("nan")}, "has no number"),
            ({"value": 2e-10}, "is above its bound"),
            ({"policy": "none"}, "unknown"),
            ({"fact": "none"}, "unknown"),
        ):
            told = self.refused([*made_facts(), {**fact, **change}], made_comparisons())
            self.assertIn(f"line {number} ", told)
            self.assertIn(words, told)
        for tail in ('{"policy": "fu', "[]\n", "{}\n"):
            self.assertIn(f"line {number} ", self.refused(made_facts(), made_comparisons(), tail))

    def test_a_comparison_above_its_bound_is_refused(self):
        for change in ({"difference": None}, {"difference": 2e-4}, {"difference": float("nan")}, {"policy": "none"}):
            comparisons = made_comparisons()
            comparisons[0].update(change)
            self.assertIn("first; m; other 1.0", self.refused(made_facts(), comparisons))
        self.assertIn("is not what", self.refused(made_facts(), [*made_comparisons(), {"policy": "full"}]))

    def test_a_row_that_is_nowhere_is_refused(self):
        path = os.path.join(self.root, publish_policies.FOLDER, "duo", "duo_cost.cpp")
        os.remove(path)
        with self.assertRaises(SystemExit) as refused:
            publish_policies.policies(self.root)
        self.assertIn("duo_row", str(refused.exception))


class Page(unittest.TestCase):
    def test_facts_and_notes_are_those_of_the_program(self):
        with open(os.path.join(ROOT, "tests", "support", "policy_facts.h"), encoding="utf-8") as source:
            named = re.findall(r'Fact = "([^"]+)"', source.read())
        self.assertEqual(named, list(publish_policies.BOUNDS))
        self.assertLessEqual({policy for policy, _ in publish_policies.NOTES}, set(ROWS))
        self.assertLessEqual(len(publish_policies.NOTES), len(publish_policies.SIGNS))

    def test_the_page_is_what_its_record_gives(self):
        with open(os.path.join(ROOT, publish_policies.RECORD), encoding="utf-8") as source:
            record = json.load(source)
        with open(os.path.join(ROOT, publish_policies.PAGE), encoding="utf-8") as source:
            page = source.read()
        self.assertEqual(page, publish_policies.page(record, ROWS))
        measured = [policy for policy in ROWS if policy in record["measures"]]  # a new one is not yet
        self.assertGreater(len(measured), 9)
        for columns in (6, 7):
            rows = rows_of(page, columns)
            self.assertEqual(list(rows), measured)
            self.assertTrue(all(cell.strip() for cells in rows.values() for cell in cells))

    def test_the_rows_are_those_of_the_list(self):
        with open(os.path.join(ROOT, publish_policies.LIST), encoding="utf-8") as source:
            listed = re.search(r"PolicyRow all\[\] = \{(.*?)\};", source.read(), re.DOTALL).group(1)
        self.assertEqual([row.strip() for row in listed.split(",")], [f"{name}_row" for name in ROWS])
        self.assertEqual([name for name, row in ROWS.items() if row["trained"]], ["segmented", "full", "cca", "nsa"])
        self.assertIn("StreamingLLM", ROWS["streaming"]["help"])


if __name__ == "__main__":
    unittest.main()
