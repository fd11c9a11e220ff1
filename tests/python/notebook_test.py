#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""examples/notebook/retrieval.ipynb: its cells run one after the other, as a kernel runs them, and what they show
equals what the command line and the window compute. The file keeps no outputs."""

import contextlib
import io
import json
import math
import os
import tempfile
import unittest
from pathlib import Path

from support import BUILD, ROOT, WINDOW, carryover, cli, exported, np, same, window

NOTEBOOK = ROOT / "examples" / "notebook" / "retrieval.ipynb"


class NotebookTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cells = json.loads(NOTEBOOK.read_bytes())["cells"]
        cls.code = ["".join(cell["source"]) for cell in cls.cells if cell["cell_type"] == "code"]
        cls.shown = {"__name__": "__main__"}
        os.environ["PATH"] = f"{BUILD / 'bin'}{os.pathsep}{os.environ['PATH']}"
        os.chdir(NOTEBOOK.parent)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            for number, source in enumerate(cls.code):
                exec(compile(source, f"{NOTEBOOK.name}, code cell {number}", "exec"), cls.shown)
        cls.said = said.getvalue()

    def test_it_is_a_notebook_without_outputs(self):
        book = json.loads(NOTEBOOK.read_bytes())
        self.assertEqual(book["nbformat"], 4)
        self.assertGreater(len(self.code), 5)
        for cell in self.cells:
            self.assertIn(cell["cell_type"], ("code", "markdown"))
            if cell["cell_type"] == "code":
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))

    def test_its_run_is_the_command_line_s(self):
        run, folder = self.shown["run"], Path(self.shown["folder"])
        self.assertTrue(same(run.losses, exported(folder, "nll")))
        self.assertTrue(same(run.slots, exported(folder, "hits")))
        again = folder.with_name("again")
        cli("run", self.shown["DEMO"], self.shown["STORY"], "--config", folder / "config.json", "--out", again)
        self.assertTrue(same(carryover.open_run(again).nll, run.nll))
        self.assertTrue(same(carryover.open_run(again).slots, run.slots))
        self.assertIn(f"perplexity {run.summary['ppl']:.3f}", self.said)

    def test_its_distances_are_counted_from_the_hits(self):
        run, counts = self.shown["run"], self.shown["counts"]
        hits = run.slots[run.slots["kind"] != carryover.KINDS.index("padding")]
        expected = np.zeros(len(counts), int)
        for hit in hits:
            start = int(hit["segment"]) * run.config["segment_length"]
            expected[int(math.log2(start - int(hit["position"])))] += 1
        self.assertEqual(counts.tolist(), expected.tolist())

    def test_what_it_takes_away_is_what_the_answer_came_from(self):
        run, segment, without = self.shown["run"], self.shown["segment"], self.shown["without"]
        texts, token = self.shown["texts"], self.shown["token"]
        self.assertTrue(same(without.before, run.segment_nll(segment)))
        self.assertGreater(float(without.change[token - without.first_token - 1]), 5)
        read = run.hits(segment=segment)
        copies = [hit for hit in read if texts[int(hit["position"])] == texts[token]]
        self.assertTrue(0 < len(copies) < len(read))
        self.assertTrue(same(without.lost, np.array(copies, carryover.SLOT)))
        self.assertEqual(len(without.gained), 0)

    def test_its_run_and_what_if_are_the_window_s(self):
        if not WINDOW.exists():
            self.skipTest("built without Qt")
        run, segment, without = self.shown["run"], self.shown["segment"], self.shown["without"]
        dropped = " ".join(f"drop-tokens {position} {position}" for position in sorted(set(without.lost["position"])))
        with tempfile.TemporaryDirectory() as folder:
            script = f"""set dtype fp32
                open demo
                run
                wait
                export data nll nll.npy
                export data hits hits.npy
                select segment {segment}
                wait
                what-if {dropped}
                export what-ifs what-ifs.json
                quit
                """
            window(script, folder)
            self.assertTrue(same(run.losses, np.load(Path(folder) / "nll.npy")))
            self.assertTrue(same(run.slots, np.load(Path(folder) / "hits.npy")))
            (theirs,) = json.loads((Path(folder) / "what-ifs.json").read_bytes())
        self.assertEqual((theirs["segment"], theirs["first_token"]), (segment, without.first_token))
        self.assertTrue(same(without.before, np.array(theirs["before"], np.float32)))
        self.assertTrue(same(without.after, np.array(theirs["after"], np.float32)))
        self.assertAlmostEqual(without.mean_change, theirs["change"]["mean"], delta=1e-12)
        self.assertEqual(len(theirs["changed_hits"]), len(without.lost))

    def test_its_engine_has_ended(self):
        with self.assertRaises(carryover.EngineLost):
            self.shown["model"].run("A text.")


if __name__ == "__main__":
    unittest.main()
