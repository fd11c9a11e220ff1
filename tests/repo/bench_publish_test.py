# SPDX-License-Identifier: GPL-3.0-or-later
"""./lab bench publish: the pages are what docs/bench gives, a run of a busy machine is refused, and what stands over a
table is true of it. Runs are made up here; nothing is measured."""

import copy
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "scripts", "bench"))
sys.dont_write_bytecode = True

import cpu  # noqa: E402
import publish  # noqa: E402
import runs  # noqa: E402
import sections  # noqa: E402
import tables  # noqa: E402
from made_bench_runs import LIMITS, llama_run, prefill_run, report, row, run_of, subject  # noqa: E402


class Publishing(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.root = self.scratch.name
        os.makedirs(os.path.join(self.root, "docs"))
        for page in publish.PAGES:
            shutil.copy(os.path.join(ROOT, page), os.path.join(self.root, page))
        publish.publish([], self.root)  # the pages of an empty docs/bench

    def tearDown(self):
        self.scratch.cleanup()

    def publish(self, run, name="run"):
        folder = os.path.join(self.root, "runs", "bench", name)
        runs.write(os.path.join(folder, "bench.json"), run)
        return publish.publish([folder], self.root)

    def page(self, name=os.path.join("docs", "benchmarks.md")):
        with open(os.path.join(self.root, name), encoding="utf-8") as source:
            return source.read()

    def start_run(self):
        return runs.save(
            "cpu-start",
            "./lab bench cpu start",
            copy.deepcopy(LIMITS),
            values={"whole_s": [1], "segment_s": [1]},
            root=self.root,
        )

    def published(self):
        folder = os.path.join(self.root, "docs", "bench")
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def refused(self, run, reason):
        self.assertTrue(any(reason in problem for problem in runs.judge(run)), runs.judge(run))
        before = self.page()
        self.assertFalse(self.publish(run))
        self.assertEqual(self.published(), [])
        self.assertEqual(self.page(), before)

    def test_the_pages_are_what_docs_bench_gives(self):
        for name, page in publish.regenerated(ROOT).items():
            with open(os.path.join(ROOT, name), encoding="utf-8") as source:
                self.assertEqual(source.read(), page, f"{name}: run ./lab bench publish")

    def test_published_runs_name_no_folder_of_a_machine(self):
        folder = os.path.join(ROOT, "docs", "bench")
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as source:
                self.assertIsNone(re.search(r'"/|/home/|/root/|/tmp/', source.read()), name)
        self.assertEqual(
            runs.portable({"command_line": ["/opt/x/carryover", "bench", "--what"], "n": 1}),
            {"command_line": ["carryover", "bench", "--what"], "n": 1},
        )

    def test_a_quiet_run_is_copied_and_shown_and_twice_is_once(self):
        run = prefill_run()
        self.assertTrue(self.publish(run))
        self.assertEqual(self.published(), ["cpu-prefill.amd-avx512-bf16.json"])
        page = self.page()
        self.assertIn("## Prefill on the CPU", page)
        self.assertIn("| bf16 | 512 | 1500 | 0.80 | 1000 | 1.50× |", page)
        self.assertIn("Same weights (aaaa), token ids (bbbb), dtype on both sides.", re.sub(r"\s+", " ", page))
        self.assertIn(
            "| prefill of 512 tokens, full attention, bf16 | transformers | 1500 : 1000 | 1.50× | yes |",
            self.page("README.md"),
        )
        self.assertRegex(
            page, r"\| Prefill on the CPU \| `./lab bench cpu prefill` \| published \| pending \| pending \|"
        )
        self.assertTrue(self.publish(run))
        self.assertEqual(self.page(), page)
        os.remove(os.path.join(self.root, "docs", "bench", self.published()[0]))
        publish.publish([], self.root)
        self.assertNotIn("1.50×", self.page())

    def test_kinds_of_machine_stand_beside_each_other(self):
        for kind in ("intel-amx", "amd-avx512-bf16"):
            self.assertTrue(self.publish(prefill_run(kind), kind))
        page = self.page()
        self.assertEqual(page.count("## Prefill on the CPU"), 1)
        self.assertLess(page.index("### AMD with AVX512-BF16"), page.index("### Intel with AMX"))

    def test_shares_of_a_busy_machine_are_refused(self):
        for share in (1.39, 1.74, 1.03, 0, float("nan"), None):
            run = prefill_run()
            run["reports"]["bf16"]["measurements"][0]["gemm_share"] = share
            self.refused(run, "share")
        run = prefill_run()
        run["reports"]["bf16"]["measurements"][0]["gemm_share"] = 1.02
        self.assertEqual(runs.judge(run), [])

    def test_limits_that_moved_are_refused(self):
        for key in ("flops_per_second", "bytes_per_second"):
            for factor in (0.89, 1.12):
                run = self.start_run()
                run["limits"]["after"][key] = factor * run["limits"]["before"][key]
                self.refused(run, "moved by")
        run = prefill_run()  # within a single measurement, though not over the whole run
        run["reports"]["fp32"]["limits_after"]["best_flops_per_second"] = 2.5e11
        self.refused(run, "fp32: the machine's matmul rate moved by 25 %")
        for broken in (None, {}, {"flops_per_second": 0, "bytes_per_second": 0}):
            run = self.start_run()
            run["limits"]["after"] = broken
            self.refused(run, "limits" if not broken else "are not known")
        run = self.start_run()
        run["limits"]["after"] = {key: 1.099 * value for key, value in run["limits"]["before"].items()}
        self.assertEqual(runs.judge(run), [])
        run = prefill_run()  # its reports were each measured between limits that held
        run["limits"]["after"]["bytes_per_second"] = 2 * run["limits"]["before"]["bytes_per_second"]
        self.assertEqual(runs.judge(run), [])

    def test_a_good_report_is_kept_for_the_rest_of_its_run(self):
        command = ["/somewhere/carryover", "bench", "/tmp/one/BF16.gguf"]
        with unittest.mock.patch.object(runs, "modified", return_value=False):
            self.assertIsNone(runs.kept(command, self.root))
            runs.keep(command, {"n": 1}, self.root)
            self.assertEqual(runs.kept(["carryover", "bench", "/tmp/two/BF16.gguf"], self.root), {"n": 1})
            self.assertIsNone(runs.kept(["carryover", "bench", "/tmp/one/F32.gguf"], self.root))
            with unittest.mock.patch.object(runs, "commit", return_value="another"):
                self.assertIsNone(runs.kept(command, self.root))
            with unittest.mock.patch.object(runs, "machine", return_value={"kind": "another"}):
                self.assertIsNone(runs.kept(command, self.root))
        with unittest.mock.patch.object(runs, "modified", return_value=True):
            self.assertIsNone(runs.kept(command, self.root))

    def test_unfinished_and_unknown_runs_are_refused(self):
        run = prefill_run()
        run["reports"]["bf16"]["interrupted"] = True
        self.refused(run, "interrupted")
        run = prefill_run()
        run["reports"]["bf16"]["subjects"].pop()
        self.refused(run, "were not recorded")
        run = prefill_run()
        run["reports"]["bf16"]["measurements"] = []
        self.refused(run, "nothing was measured")
        self.assertFalse(publish.publish([os.path.join(self.root, "nowhere")], self.root))
        self.refused({"bench": "cpu-prefill"}, "lacks")
        run = run_of("cpu-start", values={"whole_s": [1]})
        self.assertFalse(self.publish(run))
        self.assertEqual(self.published(), [])

    def test_a_spoiled_run_ends_the_command_and_leaves_the_good_one(self):
        bad = prefill_run()
        bad["reports"]["bf16"]["measurements"][0]["gemm_share"] = 1.39
        folders = []
        for name, run in (("bad", bad), ("good", llama_run())):
            folders.append(os.path.join(self.root, "runs", "bench", name))
            runs.write(os.path.join(folders[-1], "bench.json"), run)
        self.assertFalse(publish.publish(folders, self.root))
        self.assertEqual(self.published(), ["cpu-llama.amd-avx512-bf16.json"])
        done = subprocess.run(
            [os.path.join(ROOT, "lab"), "bench", "publish", folders[0]], capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("a share of 1.39", done.stderr)

    def test_the_faster_way_of_a_peer_counts_and_is_named(self):
        self.publish(llama_run())
        page = self.page()
        self.assertIn("| BF16 | bf16 | 900 | 450 | with | 2.00× |", page)
        self.assertIn("| 32768 | 60.0 | BF16: 50.0 | without | 1.20× | 1200 | 24.00× |", page)

    def test_unequal_work_stands_beside_equal_work_and_says_so(self):
        self.publish(llama_run())
        page, readme = self.page(), self.page("README.md")
        self.assertIn("bounded context (S = 1024, M = 128, R = 128)", re.sub(r"\s+", " ", page))
        self.assertIn("| equal work: ours / peer | our bounded context, tokens/s | less work: ours / peer |", page)
        equal = readme.index("| prefill of 32,768 tokens, full attention, bf16 |")
        unequal = readme.index("| prefill of 32,768 tokens, bounded context, bf16 |")
        self.assertTrue(0 < unequal - equal < 200)
        self.assertIn("| 24.00× | no: bounded context against full attention |", readme)

    def test_what_is_not_the_same_is_not_called_the_same(self):
        self.publish(llama_run())
        self.assertIn(
            "Same weights (aaaa), dtype on both sides. But the peer draws as many token ids of its own.",
            re.sub(r"\s+", " ", self.page()),
        )
        ours, theirs = subject("full", "fp32"), subject("transformers", "bf16", weights="cccc", ids="dddd")
        text = tables.alike([(ours, theirs)])
        self.assertNotIn("Same", text)
        self.assertIn("the weights are not the same; the token ids are not the same", text)
        self.assertIn("fp32 beside bf16", text)
        ours, theirs = subject("segmented", "bf16", training="bf16 with fp32 masters"), subject(
            "transformers", "bf16", training="fp32 with bf16 autocast"
        )
        self.assertIn(
            "bf16 with fp32 masters beside fp32 with bf16 autocast", tables.alike([(ours, theirs)], "training_dtype")
        )
        unknown = subject("transformers", "fp32", weights=None)
        self.assertIn("weights are not the same", tables.alike([(subject("full", "fp32"), unknown)]))

    def test_every_bench_has_a_section_that_can_be_written(self):
        decode = {
            dtype: report(
                dtype,
                [
                    row(who, "decode", 512, rate)
                    for who, rate in (
                        ("segmented", 90),
                        ("full", 95),
                        ("transformers", 20),
                        ("transformers compiled", 60),
                    )
                ],
                [subject(who, dtype) for who in ("segmented", "full", "transformers", "transformers compiled")],
            )
            for dtype in ("fp32", "bf16")
        }
        train = {
            dtype: report(
                dtype,
                [
                    row(who, "train", 2048, rate, checkpointing=on)
                    for on in (False, True)
                    for who, rate in (("segmented", 180), ("transformers", 120))
                ],
                [subject(who, dtype) for who in ("segmented", "transformers")],
            )
            for dtype in ("fp32", "bf16")
        }
        full = {
            "bf16": report(
                "bf16",
                [row(who, "prefill", 16384, rate) for who, rate in (("segmented", 700), ("full", 200))],
                [subject(who, "bf16") for who in ("segmented", "full")],
            )
        }
        growth = {
            "bf16": report(
                "bf16",
                [row("segmented", "prefill", tokens, 1300) for tokens in (8192, 131072)],
                [subject("segmented", "bf16")],
            )
        }
        llama_decode = {
            "decode BF16": report(
                "bf16",
                [
                    row(who, "decode", 512, rate)
                    for who, rate in (("full", 94), ("llama-bench", 80), ("llama-bench -fa", 89))
                ],
                [subject(who, "bf16") for who in ("full", "llama-bench", "llama-bench -fa")],
            )
        }
        keys = {"bytes_per_token": 100, "anchors_found": 1, "hits_found": 0.99, "nll_mean": 3.5, "retrieval_s": 0.01}
        late = {"beats": 9, "p50_ms": 0.1, "p99_ms": 4.0, "max_ms": 9.0}
        speed = {
            "headless": [{"tokens": 8192, "tokens_per_s": 600}],
            "window": [{"tokens_per_s": 590, "gui_cpu_share": 0.02}],
        }
        steps = {"steps": 3, "p50_ms": 1.0, "p95_ms": 2.0, "max_ms": 3.0, "p95_cpu_ms": 1.0}
        scale = {
            "scrubbing": {"kinds": {"click": steps}, "all": steps},
            "open_ms": 500,
            "window": {"rss_mib": 50},
            "opened": {"rss_mib": 99},
            "after": {
                "tokens": 10,
                "segments": 2,
                "segments_loaded": 2,
                "rss_mib": 99,
                "rss_peak_mib": 120,
                "outline_mib": 1,
                "cached_segments_mib": 1,
            },
        }
        gpu = report("bf16", [row("segmented", "prefill", 16384, 9000)], [subject("segmented", "bf16")])
        gpu["machine"]["gpu"] = "A GPU"
        gpu["claims"] = [
            {"what": "time", "value": 0.5, "bound": 0.9, "verdict": "reached"},
            {"what": "memory", "value": None, "bound": None, "verdict": "not measured"},
        ]
        cases = {
            case: {
                "nices": nices,
                "fair_loops": [1000 if case == "nothing" else 700, 900, 1000],
                "ours, 2": [{"prefill": rate, "decode": 40}] * 3,
                "ours, 1": [{"prefill": 300, "decode": 39}] * 3,
                "llama.cpp, 2": [{"prefill": rate / 2, "decode": 20}] * 3,
                "llama.cpp, 1": [{"prefill": 150, "decode": 20}] * 3,
            }
            for case, nices, rate in (("nothing", [], 500), ("one equal", [0], 350))
        }
        company = {"cases": cases, "two_engines": [{"prefill": 480, "decode": 36}] * 3}
        made = {
            "cpu-company": run_of("cpu-company", values={"company": {"fp32": company}}),
            "cpu-prefill": prefill_run(),
            "cpu-llama": llama_run(),
            "cpu-decode": run_of("cpu-decode", decode),
            "cpu-train": run_of("cpu-train", train, {"peaks": {"fp32": [100 << 20, 104 << 20]}}),
            "cpu-full": run_of("cpu-full", full),
            "cpu-growth": run_of("cpu-growth", growth),
            "cpu-llama-decode": run_of("cpu-llama-decode", llama_decode),
            "cpu-pool": run_of("cpu-pool", values={"tokens": 9, "keys": {"model": keys, "bf16": keys, "int8": keys}}),
            "cpu-search": run_of(
                "cpu-search",
                values={
                    "searches": [
                        {
                            "preset": "recall",
                            "dtype": "bf16",
                            "entries": 131072,
                            "search_ms": [5, 4, 9],
                            "segment_ms": [200, 250, 300],
                        }
                    ]
                },
            ),
            "cpu-start": run_of("cpu-start", values={"whole_s": [1.5, 1.4, 1.6], "segment_s": [1, 0.9, 1.1]}),
            "gui": run_of(
                "gui",
                values={
                    "late": {"idle": late, "running": late, "seconds": 60, "segments": 30},
                    "speed": {"default": speed, "demo": speed},
                    "story_ms": [900, 1600, 1400],
                },
            ),
            "scale": run_of("scale", values=scale),
            "gpu": run_of("gpu", {"tiny": gpu}, {"compared": [{"passed": True}, {"passed": False}]}),
        }
        self.assertEqual(set(made), set(sections.SECTIONS))
        for name, run in made.items():
            self.assertTrue(self.publish(run, name), name)
        page = self.page()
        self.assertIn("first story painted: 1.40 s, the median of 3 starts", page)
        self.assertIn("1 of 2 comparisons of the GPU with the CPU passed.", page)
        self.assertIn("| time | 0.50 | 0.90 | reached |", page)
        self.assertIn("| fp32 | prefill | one equal | 350 | 300 | 0.70 | 0.90 | 0.78 | 0.70 |", page)
        self.assertIn("fp32, prefill: 0.96; fp32, decode: 0.90.", page)
        self.assertIn("| recall | bf16 | 131072 | 5.00 | 250 | 2.0 % |", page)
        for title, command, _ in sections.SECTIONS.values():
            self.assertIn(f"## {title}\n\n`{command}`, 2026-01-02, A processor, 2 cores, avx2, commit abc1234", page)
        self.assertIn("| bf16 | full | 95.0 | 0.80 | 60.0 | static cache, compiled | 1.58× |", page)
        self.assertIn("of 3 after one that fills the page cache", page)
        self.assertNotIn("Figures of a GPU are pending", page)
        figures = page[page.index(publish.MARK) :]
        self.assertEqual([line for line in figures.splitlines() if len(line) > 120 and not line.startswith("|")], [])
        self.assertIn(
            "| a training step of 2,048 tokens, fp32 | transformers, full attention | 180 : 120 | 1.50× | no",
            self.page("README.md"),
        )

    def test_a_pass_that_broke_off_is_continued(self):
        def measured(**changes):
            runs.write(os.path.join(runs.folder_of("cpu-start", self.root), "bench.json"), dict(run, **changes))
            return runs.measured_already("cpu-start", self.root)

        self.assertFalse(runs.measured_already("cpu-start", self.root))
        run = runs.save(
            "cpu-start", "./lab bench cpu start", LIMITS, values={"whole_s": [1], "segment_s": [1]}, root=self.root
        )
        with unittest.mock.patch.object(runs, "modified", return_value=False):
            self.assertTrue(measured(modified=False))
            self.assertFalse(measured(modified=True))
            self.assertFalse(measured(modified=False, commit="another"))
            self.assertFalse(measured(modified=False, machine=dict(run["machine"], cores=64)))
            self.assertFalse(measured(modified=False, limits={"before": LIMITS["before"], "after": None}))
        with unittest.mock.patch.object(runs, "measured_already", side_effect=lambda name: name != "cpu-train"):
            self.assertEqual([name for name in cpu.wanted([]) if not name.startswith("llama")], ["train"])
            self.assertIn("prefill", cpu.wanted(["--again"]))
            self.assertEqual(cpu.wanted(["prefill"]), ["prefill"])

    def test_a_bench_writes_beside_docs_and_not_into_it(self):
        run = runs.save(
            "cpu-start", "./lab bench cpu start", LIMITS, values={"whole_s": [1], "segment_s": [1]}, root=self.root
        )
        self.assertEqual(os.listdir(os.path.join(self.root, "runs", "bench")), ["cpu-start"])
        self.assertEqual(self.published(), [])
        self.assertEqual(runs.judge(run), [])
        self.assertEqual(runs.kind_of("AuthenticAMD", ["avx2", "avx512f", "avx512_bf16"]), "amd-avx512-bf16")
        self.assertEqual(runs.kind_of("GenuineIntel", ["avx2", "avx512f", "avx512_bf16", "amx_bf16"]), "intel-amx")
        self.assertEqual(runs.kind_of("AuthenticAMD", ["avx2"]), "amd-avx2")


if __name__ == "__main__":
    unittest.main(buffer=True)
