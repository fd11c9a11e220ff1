#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""carryover.open_run(): a run folder's arrays equal what `carryover export` makes of it, a run that broke off opens as
far as it goes, and damaged files give a RunFolderError and nothing else."""

import json
import os
import pickle
import random
import shutil
import tempfile
import unittest
from pathlib import Path

from support import carryover, exported, np, run_demo, same

FILES = ("config.json", "ids.npy", "segments.jsonl", "hits.jsonl", "nll.json", "summary.json", "sinks.npy")


def read_all(folder):
    run = carryover.open_run(folder)
    return run, run.nll, run.slots, run.losses, run.distances(), run.sinks, run.carry_maps


class RunFolderTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name) / "run"
        cls.run_ = run_demo(cls.folder, "--tokens", "700", "--carry-maps")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def copy(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        return Path(shutil.copytree(self.folder, Path(scratch.name) / "run"))

    def test_hits_equal_the_export(self):
        hits = exported(self.folder, "hits")
        self.assertGreater(len(hits), 100)
        self.assertTrue(same(self.run_.slots, hits))
        layer, head = hits["layer"][-1], hits["head"][-1]
        of_head = hits[(hits["layer"] == layer) & (hits["head"] == head)]
        self.assertTrue(0 < len(of_head) < len(hits))
        self.assertTrue(same(self.run_.hits(layer, head), of_head))
        self.assertTrue(same(self.run_.hits(layer, head, 3), of_head[of_head["segment"] == 3]))

    def test_losses_equal_the_export(self):
        nll = exported(self.folder, "nll")
        self.assertTrue(same(self.run_.losses, nll))
        for segment in range(len(self.run_.segments)):
            self.assertTrue(same(self.run_.segment_nll(segment), nll["nll"][nll["segment"] == segment]))
        self.assertAlmostEqual(self.run_.nll_mean, self.run_.summary["nll_mean"], delta=1e-12)
        self.assertAlmostEqual(self.run_.ppl, self.run_.summary["ppl"], delta=1e-9)

    def test_segments_equal_the_export(self):
        segments = exported(self.folder, "segments")
        self.assertIn("memory_pool", segments.dtype.names)
        self.assertIn("sink_text_mass", segments.dtype.names)
        for name in segments.dtype.names:
            self.assertTrue(same(self.run_.segments[name], segments[name]), name)

    def test_maps_equal_the_export_and_are_not_read_before_they_are_used(self):
        for kind in ("sinks", "carry_maps"):
            self.assertTrue(same(np.array(getattr(self.run_, kind)), exported(self.folder, kind)), kind)
            self.assertIsInstance(getattr(self.run_, kind), np.memmap)
        self.assertIsInstance(self.run_.tokens, np.memmap)

    def test_distances_are_those_of_hits_that_are_no_padding(self):
        expected = []
        with open(self.folder / "hits.jsonl") as lines:
            for line in map(json.loads, lines):
                start = line["segment"] * self.run_.config["segment_length"]
                pairs = zip(line["positions"], line["kind"])
                expected += [start - position for position, kind in pairs if kind != "padding"]
        self.assertEqual(self.run_.distances().tolist(), expected)
        self.assertTrue(min(expected) > 0)

    def test_a_run_that_broke_off_opens_as_far_as_it_goes(self):
        folder = self.copy()
        (folder / "summary.json").unlink()
        lines = (folder / "segments.jsonl").read_bytes().splitlines(keepends=True)
        (folder / "segments.jsonl").write_bytes(b"".join(lines[:5]) + lines[5][:20])
        run = carryover.open_run(folder)
        self.assertIsNone(run.summary)
        self.assertEqual(len(run.segments), 5)
        targets = int(run.segments["targets"].sum())
        self.assertTrue(same(run.nll, self.run_.nll[:targets]))
        self.assertTrue(same(run.slots, self.run_.slots[self.run_.slots["segment"] < 5]))
        self.assertEqual(len(run.sinks), 5)

    def test_what_is_no_run_is_said_so(self):
        with self.assertRaisesRegex(carryover.RunFolderError, "config.json: can't be read"):
            carryover.open_run(self.scratch.name)
        folder = self.copy()
        objects = b"\x93NUMPY\x01\x00v\x00{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"
        for name, contents, problem in (
            ("ids.npy", pickle.dumps([1, 2]), "is not a .npy file"),
            ("sinks.npy", objects, "is not a .npy file"),
            ("nll.json", b'{"a": 1}', "is not an array of numbers"),
            ("nll.json", b"[1, 2]", "2 losses"),
            ("segments.jsonl", b'{"index": 1}\n', "lacks one of"),
            ("hits.jsonl", b'{"segment":1,"layer":99,"head":0,"positions":[1]}\n', "which the model has not"),
            ("hits.jsonl", b'{"segment":1,"layer":3,"head":2,"positions":[5,4]}\n', "ascend"),
            ("hits.jsonl", b'{"segment":1,"layer":3,"head":2,"positions":[70]}\n', "before the segment"),
            ("hits.jsonl", b"[" * 100_000 + b"\n", "is not JSON"),
            ("config.json", b"[]", "is not a JSON object"),
            ("config.json", b"{}", "lacks what"),
        ):
            whole = (folder / name).read_bytes()
            (folder / name).write_bytes(contents)
            with self.subTest(file=name, contents=contents[:40]), self.assertRaisesRegex(
                carryover.RunFolderError, problem
            ):
                read_all(folder)
            (folder / name).write_bytes(whole)
        read_all(folder)

    def test_errors_spell_what_would_control_a_terminal(self):
        for error in (
            carryover.RunFolderError("run\x1b]0;x\x07", "has \x9b2J and \u202e\rno\ud800\nend"),
            carryover.EngineError("bad input", "run\x1b]0;x\x07", "has \x9b2J and \u202e\rno\ud800\nend"),
            carryover.EngineLost("run\x1b]0;x\x07: has \x9b2J and \u202e\rno\ud800\nend"),
        ):
            told = "run\\u001b]0;x\\u0007: has \\u009b2J and \\u202e\\u000dno\\ud800\nend"
            self.assertEqual(str(error)[: len(told)], told)
        self.assertEqual(error.args[0][3], "\x1b")

    def test_what_is_no_file_is_not_waited_for(self):
        for name in FILES:
            folder = self.copy()
            (folder / name).unlink()
            os.mkfifo(folder / name)
            with self.subTest(fifo=name), self.assertRaisesRegex(carryover.RunFolderError, "is not a regular file"):
                read_all(folder)
            (folder / name).unlink()
            (folder / name).mkdir()
            with self.subTest(folder=name), self.assertRaises(carryover.RunFolderError):
                read_all(folder)

    def test_numbers_that_are_none_are_refused(self):
        folder = self.copy()
        config = json.loads((folder / "config.json").read_bytes())
        whole = {name: (folder / name).read_bytes() for name in FILES}

        def refused(name, contents):
            (folder / name).write_bytes(contents)
            with self.subTest(file=name, contents=contents[:60]), self.assertRaises(carryover.RunFolderError):
                read_all(folder)
            (folder / name).write_bytes(whole[name])

        for value in ("1e999", "-1e999", "NaN", "Infinity", "1.5", "-1", "0", "1e3", '"4"', "null", "[4]", "true",
                      "1" * 30, "1" * 5000):
            for field in ("layers", "heads"):
                text = json.dumps({**config, "model": {**config["model"], field: "HERE"}}).replace('"HERE"', value)
                refused("config.json", text.encode())
        for field in ("name", "path", "weights_hash"):
            refused("config.json", json.dumps({**config, "model": {**config["model"], field: 1}}).encode())
        for field in ("policy", "dtype", "model", "config"):
            refused("config.json", json.dumps({**config, field: 1}).encode())
        first, rest = whole["segments.jsonl"].split(b"\n", 1)
        for field in ("index", "first_token", "length", "targets", "nll_sum", "pool_entries"):
            for value in ("1e999", "NaN", "-Infinity", '"1"', "1" * 30, "true", "[]"):
                if field == "pool_entries" and value == "true":
                    continue  # a number to NumPy
                line = json.dumps({**json.loads(first), field: "HERE"}).replace('"HERE"', value).encode()
                refused("segments.jsonl", line + b"\n" + rest)
        hits = b'{"segment":1,"layer":3,"head":2,"positions":[5],"anchor":[%s],"summary":[%s],"score":[%s]}\n'
        for values in ((b"1e999", b"0", b"0"), (b"1.5", b"0", b"0"), (b"0", b"9999999999", b"0"), (b"0", b"0", b"NaN"),
                       (b"0", b"0", b'"x"'), (b"1" * 30, b"0", b"0")):
            refused("hits.jsonl", hits % values)
        refused("hits.jsonl", b'{"segment":1,"layer":3,"head":2,"positions":[5.5]}\n')
        refused("hits.jsonl", b'{"segment":1,"layer":3,"head":2,"positions":[9223372036854775808]}\n')
        refused("hits.jsonl", b'{"segment":1,"layer":3,"head":2,"positions":{"a":1}}\n')
        for value in (b"1e999", b"NaN", b"1e300", b"[1]", b'"x"'):
            refused("nll.json", whole["nll.json"].replace(b"[", b"[" + value + b",", 1))
        read_all(folder)

    def test_any_damage_gives_a_run_folder_error_or_a_run(self):
        chance, refused = random.Random(7), 0
        for name in FILES:
            folder = self.copy()
            whole = (folder / name).read_bytes()
            for change in range(40):
                damaged = bytearray(whole)
                if change % 2:
                    del damaged[chance.randrange(len(damaged)) :]
                else:
                    damaged[chance.randrange(min(len(damaged), 400))] = chance.randrange(256)
                (folder / name).write_bytes(damaged)
                try:
                    read_all(folder)
                except carryover.RunFolderError as error:
                    refused += 1
                    self.assertIn(str(folder), str(error))
        self.assertGreater(refused, 80)


if __name__ == "__main__":
    unittest.main()
