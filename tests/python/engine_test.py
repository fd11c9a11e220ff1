#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""carryover.Engine on the demo model: runs, what-ifs and inspections equal those of the command line and of the window,
and whatever happens to an engine gives one clear exception."""

import dataclasses
import json
import os
import shutil
import signal
import sys
import tempfile
import unittest
from pathlib import Path

from support import CLI, DEMO, STORY, WINDOW, carryover, cli, np, run_demo, same, window

EDIT_FIELDS = {field.name for field in dataclasses.fields(carryover.Edit)}  # a window's edit may have more
TEXT = STORY.read_text("utf-8")
SCRIPT = """
set dtype fp32
open demo
run
wait
select segment most-anchors head first token top-hit
wait
what-if drop top-hit name "best hit"
what-if no-carry name "no carry"
what-if prefix random name "random"
what-if top_k 2 name "top-k 2"
export what-ifs what-ifs.json
export data nll nll.npy
export data hits hits.npy
save window-run
quit
"""


def slots_of(table):
    return {(int(slot["layer"]), int(slot["head"]), int(slot["position"])) for slot in table}


class EngineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        cls.stored = run_demo(cls.folder / "run", "--tokens", "700")
        cls.engine = carryover.Engine(CLI)
        cls.model = cls.engine.open(DEMO, dtype="fp32", threads=1)
        cls.run_ = cls.model.run(STORY, tokens=700)

    @classmethod
    def tearDownClass(cls):
        cls.engine.close()
        cls.scratch.cleanup()

    def test_a_run_equals_the_command_line_s(self):
        self.assertGreater(len(self.run_.nll), 600)
        self.assertTrue(same(self.run_.tokens, np.array(self.stored.tokens)))
        self.assertTrue(same(self.run_.nll, self.stored.nll))
        self.assertTrue(same(self.run_.slots, self.stored.slots))
        self.assertTrue(same(self.run_.sinks, np.array(self.stored.sinks)))
        for name in ("index", "first_token", "length", "targets", "nll_sum", "pool_entries", "memory_pool"):
            self.assertTrue(same(self.run_.segments[name], self.stored.segments[name]), name)
        self.assertEqual(self.run_.config, self.stored.config)
        self.assertEqual(self.run_.ppl, self.stored.ppl)

    def test_settings_and_policies_are_the_command_line_s(self):
        for words, settings in (
            (("--segment-length", "32", "--carry-length", "0"), {"segment_length": 32, "carry_length": 0}),
            (("--policy", "full"), {"policy": "full"}),
        ):
            folder = self.folder / words[1]
            stored = run_demo(folder, "--tokens", "300", *words)
            self.assertTrue(same(self.model.run(TEXT, tokens=300, **settings).nll, stored.nll), words)

    def test_a_run_of_ids_equals_that_of_their_text(self):
        again = self.model.run(self.stored.tokens)
        self.assertTrue(same(again.nll, self.run_.nll))

    def test_ids_are_taken_as_numpy_and_python_have_them(self):
        ids = self.stored.tokens[:200]
        expected = self.model.run(ids).nll
        forms = [ids.tolist(), tuple(ids.tolist()), ids[None], ids.astype(float), [np.int64(one) for one in ids]]
        forms += [ids.astype(kind) for kind in ("<i2", ">i2", "<u2", "<u4", ">i8", "<u8")]
        for form in forms:
            self.assertTrue(same(self.model.run(form).nll, expected))
        self.assertEqual(self.model.run(range(10, 40)).tokens.tolist(), list(range(10, 40)))
        self.assertEqual(self.model.token_texts(ids[None]), self.model.token_texts(ids))

    def test_ids_that_are_no_text_are_refused(self):
        for ids, said in (
            (np.zeros((2, 48), int), r"\(2, 48\)"),
            (np.zeros((48, 1), int), r"\(48, 1\)"),
            (5, r"shape \(\)"),
            ([[1, 2], [3]], "different lengths"),
            ([1, 2.5], "token id 1 is 2.5"),
            ([1, float("nan")], "token id 1 is nan"),
            ([2**31], "token id 0 is 2147483648"),
            (np.array([3, 2**40]), "token id 1 is 1099511627776"),
            (np.array([2**63], np.uint64), "token id 0 is 9223372036854775808"),
            ([2**70], "token id 0 is"),
            ([True, False], "bool"),
            ([None, 1], "object"),
        ):
            with self.subTest(ids=ids), self.assertRaisesRegex(carryover.WireError, said):
                self.model.run(ids)
        with self.assertRaisesRegex(carryover.EngineError, "512"):
            self.model.run([512])
        with self.assertRaisesRegex(carryover.EngineError, "-1"):
            self.model.run([-1])

    def test_settings_are_taken_as_numpy_has_them(self):
        plain = self.model.run(TEXT, tokens=300, segment_length=32, search_heads=[[1, 2]], bos=False)
        numpy = self.model.run(
            TEXT, tokens=np.int64(300), segment_length=np.int64(32), search_heads=np.array([[1, 2]]), bos=np.bool_(False)
        )
        self.assertEqual(numpy.config, plain.config)
        self.assertTrue(same(numpy.nll, plain.nll))
        grouped = self.model.run(TEXT, tokens=100, long_range_heads=range(2), long_range_layers=(0, np.int8(1)))
        self.assertEqual(grouped.config["long_range_heads"], [0, 1])

    def test_a_setting_that_is_wrong_is_named(self):
        for settings, said in (
            ({"segment_length": {1}}, "config: segment_length: .*set is not JSON serializable"),
            ({"carry_length": float("nan")}, "config: carry_length: "),
            ({"segment_length": "x"}, 'segment_length is not a whole number in range: "x"'),
            ({"segment_length": np.float32(32)}, "segment_length is not a whole number in range: 32.0"),
            ({"long_range_heads": range(0, 1000, 999)}, "head"),
        ):
            with self.subTest(settings=settings), self.assertRaisesRegex(carryover.CarryoverError, said):
                self.model.run(TEXT, tokens=100, **settings)

    def test_nothing_is_counted_from_the_end(self):
        layers, heads, segments = self.run_.layers, self.run_.heads, len(self.run_.segments)
        self.assertEqual((layers, heads), (4, 8))
        for act in (
            lambda run: run.hits(layer=-1),
            lambda run: run.hits(layer=layers),
            lambda run: run.hits(head=-1),
            lambda run: run.hits(head=heads),
            lambda run: run.hits(segment=-1),
            lambda run: run.hits(segment=segments),
            lambda run: run.distances(layer=-2),
            lambda run: run.segment_nll(-1),
            lambda run: self.model.what_if(run, -1),
            lambda run: self.model.inspect(run, 1, attention=(-1, 0)),
            lambda run: self.model.inspect(run, 1, search=(0, heads)),
            lambda run: self.model.what_if(run, 1, banned=[(-3, 5)]),
            lambda run: self.model.run(TEXT, tokens=-1),
        ):
            for run in (self.run_, self.stored):
                with self.assertRaises(IndexError):
                    act(run)
        for wrong in (1.5, "1", None):
            with self.assertRaises(TypeError):
                self.run_.segment_nll(wrong)
        for edit in ({"dropped": [(1, 2)]}, {"added": [(1, 2, 3, 4)]}):
            with self.assertRaises(TypeError):
                self.model.what_if(self.run_, 1, **edit)
        with self.assertRaises(ValueError):
            self.model.inspect(self.run_, 1, attention=(0, 0, 0))
        with self.assertRaisesRegex(carryover.WireError, "no_carry: 'false' is neither True nor False"):
            self.model.what_if(self.run_, 1, no_carry="false")
        self.assertTrue(same(self.run_.hits(layer=np.int64(1)), self.run_.hits(layer=1)))

    def test_tokens(self):
        text = "Who is May? Grüße, 東京 🙂"
        ids = self.model.encode(text)
        self.assertEqual(ids.tolist(), json.loads(cli("tokenize", DEMO, "-", text=text)))
        story = self.model.token_texts(self.stored.tokens)
        self.assertEqual(len(story), 700)
        self.assertTrue(TEXT.startswith("".join(story)))

    def test_a_what_if_that_changes_nothing_changes_nothing(self):
        for run in (self.run_, self.stored):
            same_again = self.model.what_if(run, 5)
            self.assertTrue(same(same_again.before, run.segment_nll(5)))
            self.assertTrue(same(same_again.after, same_again.before))
            self.assertTrue(same(same_again.hits_before, run.hits(segment=5)))
            self.assertEqual(len(same_again.lost) + len(same_again.gained), 0)
            self.assertEqual(same_again.mean_change, 0)

    def test_no_path_is_a_word_of_a_command(self):
        """ssh hands its words to a shell on the other machine: a model's path must not be one of them."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            ssh = folder / "ssh"
            ssh.write_text('#!/bin/sh\necho "$*" >>"$0.log"\nshift\nexec sh -c "$*"\n')
            ssh.chmod(0o755)
            names = ("m$(touch ${PWD}/PWNED)", "m`touch PWNED`;touch PWNED", "m' \" &&touch PWNED")
            for number, name in enumerate(names):
                model = folder / name.replace("/", "\u2215")
                shutil.copytree(DEMO, model)
                with carryover.Engine(command=[str(ssh), "host", str(CLI), "engine"]) as engine:
                    opened = engine.open(model)
                    ids = opened.encode("Who is May?")
                    self.assertEqual("".join(opened.token_texts(ids)), "Who is May?")
                    self.assertEqual(opened.config, self.model.config)
                self.assertEqual([path for path in folder.rglob("PWNED")], [], name)
                self.assertFalse(Path("PWNED").exists())
                said = (folder / "ssh.log").read_text().splitlines()
                self.assertEqual(said, [f"host {CLI} engine --describe", f"host {CLI} engine"] * (number + 1))

    def test_what_ifs_of_one_segment(self):
        hit = self.run_.hits(segment=5)[0]
        slot = (hit["layer"], hit["head"], hit["position"])
        edits = [carryover.Edit(dropped=[slot]), carryover.Edit(banned=[(0, 64)]), carryover.Edit(prefix="off")]
        dropped, banned, off = self.model.what_ifs(self.run_, 5, edits)
        self.assertEqual(slots_of(dropped.lost), {slot})
        self.assertTrue(len(banned.hits_after) and banned.hits_after["position"].min() >= 64)
        self.assertEqual(len(off.hits_after), 0)
        self.assertNotEqual(off.mean_change, 0)
        alone = self.model.what_if(self.run_, 5, prefix="off")
        self.assertTrue(same(alone.after, off.after))
        # A run of the same text without retrieval differs from the first segment that reads a prefix on.
        first = self.model.what_if(self.run_, 1, prefix="off")
        without = self.model.run(STORY, tokens=700, retrieval_length=0).segment_nll(1)
        np.testing.assert_allclose(first.after, without, atol=1e-4)

    def test_a_window_s_what_ifs_and_run(self):
        if not WINDOW.exists():
            self.skipTest("built without Qt")
        window(SCRIPT, self.folder)
        run = carryover.open_run(self.folder / "window-run")
        self.assertTrue(same(run.losses, np.load(self.folder / "nll.npy")))
        self.assertTrue(same(run.slots, np.load(self.folder / "hits.npy")))
        self.assertTrue(same(self.model.run(run.tokens, **run.config).nll, run.nll))
        what_ifs = json.loads((self.folder / "what-ifs.json").read_bytes())
        self.assertEqual([one["name"] for one in what_ifs], ["best hit", "no carry", "random", "top-k 2"])
        for theirs in what_ifs:
            edit = {name: value for name, value in theirs["edit"].items() if name in EDIT_FIELDS}
            for name in ("dropped", "added"):
                edit[name] = [(slot["layer"], slot["head"], slot["position"]) for slot in edit[name]]
            ours = self.model.what_if(run, theirs["segment"], **edit)
            self.assertEqual(ours.first_token, theirs["first_token"])
            self.assertTrue(same(ours.before, np.array(theirs["before"], np.float32)))
            self.assertTrue(same(ours.after, np.array(theirs["after"], np.float32)))
            self.assertAlmostEqual(ours.mean_change, theirs["change"]["mean"], delta=1e-12)
            self.assertNotEqual(ours.mean_change, 0)
            for name, table in (("lost", ours.lost), ("gained", ours.gained)):
                changed = [hit for hit in theirs["changed_hits"] if hit["change"] == name]
                self.assertEqual(slots_of(table), {(hit["layer"], hit["head"], hit["position"]) for hit in changed})

    def test_an_inspection_adds_up(self):
        hit = self.run_.hits(segment=5)[0]
        head, layers = (int(hit["layer"]), int(hit["head"])), self.model.info["config"]["layers"]
        seen = self.model.inspect(
            self.run_, 5, attention=head, map_rows=64, map_columns=4096, masses=True, search=head, recall=True,
            attribution=9, sources=9, pairs=[(9, 9), (9, 3)],
        )  # fmt: skip
        self.assertTrue(same(seen.hits, self.run_.hits(segment=5)))
        attention = seen.attention
        self.assertEqual((attention.head, attention.query_step, attention.key_step), (head, 1, 1))
        np.testing.assert_allclose(attention.mean.sum(axis=1), 1, atol=1e-5)
        prefix = attention.mean[:, : attention.prefix_columns].sum(axis=1).mean()
        self.assertAlmostEqual(prefix, seen.prefix_mass[head], delta=1e-5)
        of_head = next(one for one in seen.slot_masses if one.head == head)
        self.assertEqual(len(of_head.mass), len(self.run_.hits(*head, 5)))
        np.testing.assert_allclose(of_head.mass.sum(), prefix, atol=1e-5)
        self.assertEqual(seen.search.scores.shape[0], len(seen.search.summaries))
        self.assertEqual({one.head[0] for one in seen.recall}, set(self.run_.hits(segment=5)["layer"].tolist()))
        logit = seen.attribution
        parts = [logit.feed_forward, logit.sinks, logit.retrieved, logit.carry, logit.segment]
        self.assertAlmostEqual(logit.embedding + sum(float(part.sum()) for part in parts), logit.logit, delta=1e-3)
        self.assertEqual(logit.prediction.target, int(self.run_.tokens[5 * 64 + 10]))
        self.assertAlmostEqual(logit.prediction.logit, logit.logit, delta=1e-4)
        foil = int(self.run_.tokens[0])
        against = self.model.inspect(self.run_, 5, attribution=9, foil=foil).attribution
        self.assertEqual(against.prediction.foil, foil)
        self.assertAlmostEqual(
            against.logit, against.prediction.logit - against.prediction.foil_logit, delta=1e-4
        )
        self.assertEqual(seen.sources.attention.shape[0], seen.prefix_mass.size)
        np.testing.assert_allclose(seen.sources.attention.sum(axis=1), 1, atol=1e-5)
        self.assertEqual((seen.pair_mass.shape[0], len(logit.feed_forward)), (layers, layers))
        nothing = self.model.inspect(self.run_, 5)
        self.assertIsNone(nothing.attention or nothing.search or nothing.attribution or nothing.sources)
        self.assertIsNone(nothing.lens or nothing.ablations)

    def test_why_a_token_was_predicted(self):
        seen = self.model.inspect(self.run_, 5, attribution=9, neurons=20, lens=9, ablations=9, top=5)
        layers, before = self.model.info["config"]["layers"], seen.ablations.as_it_was
        self.assertEqual(seen.attribution.prediction, before)
        shares = [abs(one.logit) for one in seen.attribution.neurons]
        self.assertEqual((len(shares), shares), (20, sorted(shares, reverse=True)))
        self.assertGreaterEqual(len(before.top), 5)
        self.assertEqual([p for _, p in before.top[:5]], sorted((p for _, p in before.top[:5]), reverse=True))
        self.assertAlmostEqual(dict(before.top)[before.target], np.log(before.probability), delta=1e-5)
        last = seen.lens.residual[-1]
        self.assertEqual((len(seen.lens.residual), int(last["id"])), (layers + 1, before.top[0][0]))
        self.assertAlmostEqual(float(last["target_logprob"]), np.log(before.probability), delta=1e-5)
        self.assertEqual(len(seen.lens.carry), layers - seen.lens.first_carry_layer)
        self.assertEqual(set(seen.ablations.without), {"carry", "retrieved"})
        run = self.model.run(STORY, tokens=700, sink_length=4)
        without = self.model.inspect(run, 5, ablations=9).ablations.without
        edits = {"carry": {"no_carry": True}, "retrieved": {"prefix": "off"}, "sinks": {"no_sinks": True}}
        self.assertEqual(set(without), set(edits))
        for part, edit in edits.items():
            self.assertAlmostEqual(-np.log(without[part].probability), self.model.what_if(run, 5, **edit).after[9], 5)
        zeroed = self.model.what_if(run, 5, zeroed_heads=[(0, 1), (3, 2)])
        self.assertNotEqual(zeroed.mean_change, 0)
        self.assertTrue(same(zeroed.hits_before, zeroed.hits_after))

    def test_a_sweep_is_a_what_if_per_cell(self):
        run = self.model.run(STORY, tokens=700)
        layers, heads = self.model.inspect(run, 5, masses=True).prefix_mass.shape
        done = []
        swept = self.model.sweep(run, 5, 9, losses=True, progress=done.append)
        self.assertEqual(done[-1], layers * heads)
        self.assertEqual(swept.change.shape, (layers, heads))
        self.assertEqual(swept.columns.tolist(), list(range(heads)))
        zeroed = self.model.what_if(run, 5, zeroed_heads=[(3, 2)])
        self.assertAlmostEqual(float(swept.nll_sum[3, 2]), float(np.sum(zeroed.after, dtype=np.float64)), delta=1e-3)
        self.assertAlmostEqual(swept.as_it_was["logprob"], -float(zeroed.before[9]), delta=1e-5)
        unread = self.model.sweep(run, 5, 9, site="carry")
        one = self.model.what_if(run, 5, unread=[(2, 0, "carry")])
        self.assertAlmostEqual(float(unread.logprob[2, 0]), -float(one.after[9]), delta=1e-4)
        other = self.model.run(STORY.read_text(encoding="utf-8")[64:], tokens=700)
        columns = self.model.sweep(run, 5, 9, site="residual", patch=other, tokens=(7, 10), foil=5)
        self.assertEqual(columns.columns.tolist(), [run.config["segment_length"] * 5 + token for token in (7, 8, 9)])
        self.assertEqual((columns.source, columns.foil_logit.shape, columns.nll_sum), ("run", (layers, 3), None))
        with self.assertRaises(carryover.EngineError):
            self.model.sweep(run, 5, 9, source="run")

    def test_activations_come_out_and_go_in_again(self):
        run = self.model.run(STORY, tokens=700)
        length, dimension = run.config["segment_length"], self.model.info["config"]["head_dim"]
        names = ["1.resid_pre", "1.attn_out", "1.resid_mid", "1.mlp_out", "1.resid_post", "2.resid_pre", "2.z"]
        seen = self.model.activations(run, 5, names)
        self.assertEqual(list(seen), names)
        self.assertTrue(np.allclose(seen["1.resid_pre"] + seen["1.attn_out"], seen["1.resid_mid"], atol=1e-4))
        self.assertTrue(np.allclose(seen["1.resid_mid"] + seen["1.mlp_out"], seen["1.resid_post"], atol=1e-4))
        self.assertTrue(np.array_equal(seen["1.resid_post"], seen["2.resid_pre"]))
        self.assertEqual(seen["2.z"].shape, (length, self.model.info["config"]["heads"], dimension))
        same_again = self.model.what_if(run, 5, patch={"2.z": seen["2.z"]})
        self.assertLess(float(np.abs(same_again.change).max()), 1e-4)
        zeros = np.zeros_like(seen["2.z"][-3:])
        late = self.model.what_if(run, 5, patch={"2.z": (length - 3, zeros)})
        self.assertEqual(float(np.abs(late.change[: length - 3]).max()), 0.0)
        self.assertGreater(float(np.abs(late.change).max()), 0.0)
        with self.assertRaises(ValueError):
            self.model.activations(run, 5, ["resid_pre"])
        with self.assertRaises(carryover.EngineError):
            self.model.what_if(run, 5, patch={"2.z": zeros[:, :1]})

    def test_what_the_engine_refuses_is_an_error_and_the_engine_stays(self):
        refusals = (
            (lambda: self.engine.open("/nonexistent/model"), "input/output", "nonexistent"),
            (lambda: self.model.run("A text.", segment_lenght=5), "bad input", "segment_lenght"),
            (lambda: self.model.run("A text.", segment_length=-5), "bad input", "segment_length"),
            (lambda: self.model.run("A text.", policy="none"), "usage", "none"),
            (lambda: self.model.encode(""), "bad input", "empty"),
            (lambda: self.model.what_if(self.run_, 5, prefix="sideways"), None, "sideways"),
            (lambda: self.model.inspect(self.run_, 5, attribution=64_000), None, "has no target"),
        )
        for act, fault, said in refusals:
            with self.subTest(said=said), self.assertRaises(carryover.CarryoverError) as caught:
                act()
            self.assertIn(said, str(caught.exception))
            if fault and isinstance(caught.exception, carryover.EngineError):
                self.assertEqual(caught.exception.fault, fault)
        with self.assertRaises(IndexError):
            self.model.what_if(self.run_, 999)
        self.assertTrue(same(self.model.run(STORY, tokens=700).nll, self.run_.nll))

    def test_a_run_of_other_weights_or_another_record_is_refused(self):
        other = carryover.open_run(self.stored.folder)
        other.model = {**other.model, "weights_hash": "0123456789abcdef"}
        with self.assertRaisesRegex(carryover.EngineError, "0123456789abcdef"):
            self.model.what_if(other, 5)
        other = carryover.open_run(self.stored.folder)
        other.nll = np.array(other.nll) + 1
        with self.assertRaisesRegex(carryover.EngineError, "does not repeat its record"):
            self.model.what_if(other, 5)

    def test_what_a_listener_raises_stops_the_run(self):
        def stop(share, what):
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            self.model.run(STORY, progress=stop)
        self.assertTrue(same(self.model.run(STORY, tokens=700).nll, self.run_.nll))

    def test_ctrl_c_stops_the_run_and_not_the_engine(self):
        with self.assertRaises(KeyboardInterrupt):
            self.model.run(STORY, progress=lambda share, what: signal.raise_signal(signal.SIGINT))
        self.assertTrue(same(self.model.run(STORY, tokens=700).nll, self.run_.nll))

    def test_a_long_request_passes_the_pipe(self):
        with self.assertRaisesRegex(carryover.EngineError, "session"):
            self.model._connection.ask("Run", 99, {"ids": np.zeros(5_000_000, np.int32)})

    def test_an_engine_that_is_killed(self):
        with carryover.Engine(CLI) as engine:
            model = engine.open(DEMO, dtype="fp32")
            with self.assertRaisesRegex(carryover.EngineLost, "the engine is lost: it ended.*signal 9"):
                model.run(STORY, progress=lambda share, what: os.kill(engine.process, signal.SIGKILL))
            with self.assertRaises(carryover.EngineLost):
                model.run("A text.")
            self.assert_gone(engine.process)

    def test_an_engine_that_is_silent(self):
        with carryover.Engine(CLI, timeout=0.5) as engine:
            os.kill(engine.process, signal.SIGSTOP)
            with self.assertRaisesRegex(carryover.EngineLost, "silent for 0.5 s"):
                engine.open(DEMO)
            self.assert_gone(engine.process)

    def test_close_ends_the_engine(self):
        engine = carryover.Engine(CLI)
        engine.open(DEMO)
        engine.close()
        self.assert_gone(engine.process)
        with self.assertRaisesRegex(carryover.EngineLost, "closed"):
            engine.open(DEMO)
        engine.close()

    def assert_gone(self, process):
        with self.assertRaises(ProcessLookupError):  # a zombie would still be there
            os.kill(process, 0)


class OtherProgramsTest(unittest.TestCase):
    """Programs that describe themselves as the engine does, and then say something else."""

    HEAD = """import json, struct, sys, time
described = json.loads(DESCRIPTION)
if "--describe" in sys.argv:
    print(DESCRIPTION)
    sys.exit()
greeting = described["greeting"].encode()
kind = [message["name"] for message in described["messages"]].index("Place")
out = sys.stdout.buffer
"""

    def started(self, program):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        script = Path(scratch.name) / "engine.py"
        description = cli("engine", "--describe")
        script.write_text(f"DESCRIPTION = {description!r}\n{self.HEAD}{program}\nout.flush()\ntime.sleep(60)\n")
        return carryover.Engine(command=[sys.executable, str(script), "engine"], timeout=20)

    def test_each_is_refused_at_once(self):
        place = "out.write(greeting + struct.pack('<IIQ', described['mark'], kind, %s))"
        for program, said in (
            ("out.write(b'GET / HTTP' * 20000)", "is not Carryover"),
            ("out.write(greeting[:-4] + b'0000' * 10)", "another version"),
            ("out.write(greeting + b'x' * 16)", "not a message"),
            (place % "1 << 21", "2 MB was announced"),
            (place % "8" + "\nout.write(b'x' * 8)", "damaged"),
            (place % "1 << 19" + "\nout.flush()\nsys.exit(3)", "middle of a message with exit code 3"),
            ("out.write(greeting + b'CO')\nout.flush()\nsys.exit(0)", "middle of a message"),
            ("sys.stderr.write('x' * 500_000 + ' no licence')\nsys.exit(4)", "exit code 4. It said: x+ no licence"),
        ):
            with self.subTest(program=program), self.assertRaisesRegex(carryover.EngineLost, said):
                self.started(program)

    def test_what_is_no_engine(self):
        for words, said in (
            (["/nonexistent/carryover-cli", "engine"], "No such file"),
            ([sys.executable, "-c", "raise SystemExit('what?')"], "exit code 1. It said: what"),
            ([sys.executable, "-c", "print('{}')"], "exit code 0"),
        ):
            with self.assertRaisesRegex(carryover.EngineLost, said):
                carryover.Engine(command=words)

    def test_the_current_folder_is_no_place_for_programs(self):
        before = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", before)
        os.environ["PATH"] = os.pathsep.join(["", ".", "/nonexistent"])
        with self.assertRaisesRegex(carryover.EngineLost, "PATH has none"):
            carryover.Engine()


if __name__ == "__main__":
    unittest.main()
