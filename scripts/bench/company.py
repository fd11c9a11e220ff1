# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine beside other processes on the same cores. See ./lab bench cpu company.

All processes are started from this one, so that Linux's autogroups do not change their weights."""

import json
import os
import statistics
import subprocess
import sys
import time

import runs

# By case: the niceness of each neighbour, a process that computes all the time.
CASES = {"nothing": [], "two at nice 10": [10, 10], "two at nice 5": [5, 5], "one equal": [0], "two equal": [0, 0]}
ROUNDS = 3
TOKENS, DECODED = 2048, 48
THREADS = (2, 1)
FAIR_SECONDS = 4
NEIGHBOUR = """
import os, sys, time
os.nice(int(sys.argv[1]))
end, loops = time.monotonic() + float(sys.argv[2]), 0
while time.monotonic() < end:
    for _ in range(20000): loops += 1
print(loops)
"""


def neighbour(nice, seconds):
    command = [sys.executable, "-I", "-c", NEIGHBOUR, str(nice), str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


class Company:
    """Neighbours for the time of a with statement."""

    def __init__(self, nices):
        self.nices, self.processes = nices, []

    def __enter__(self):
        self.processes = [neighbour(nice, 3600) for nice in self.nices]
        time.sleep(0.3)

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.communicate()


def loops_of_two():
    """What two processes that never wait for each other do in a while."""
    pair = [neighbour(0, FAIR_SECONDS) for _ in range(2)]
    return sum(int(process.communicate()[0]) for process in pair)


def start_bench(program, model, dtype, threads):
    command = (
        [program, "bench", model, "--json", "--quiet", "--dtype", dtype, "--threads", str(threads)]
        + ["--contexts", str(TOKENS), "--what", "prefill,decode", "--policies", "segmented"]
        + ["--repeats", "1", "--new-tokens", str(DECODED)]
    )
    here = dict(os.environ, PATH=runs.path_without("llama-bench"))  # which has its own turn
    return subprocess.Popen(command, stdout=subprocess.PIPE, env=here)


def speeds_of(process):
    report = process.communicate()[0]
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    return {row["what"]: row["tokens_per_s"] for row in json.loads(report)["measurements"]}


def ours(program, model, dtype, threads):
    return speeds_of(start_bench(program, model, dtype, threads))


def llamas(model, threads):
    """llama.cpp with the flags that do best beside others: flash attention, and no polling."""
    command = ["llama-bench", "-m", model, "-t", str(threads), "-fa", "1", "--poll", "0", "-r", "1", "-o", "json"]
    command += ["-p", str(TOKENS), "-n", str(DECODED)]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return {"prefill" if row["n_prompt"] else "decode": row["avg_ts"] for row in rows}


def two_engines(program, model, dtype):
    """The speeds of two engines that run at once, added up."""
    both = [start_bench(program, model, dtype, THREADS[0]) for _ in range(2)]
    first, second = (speeds_of(process) for process in both)
    return {what: first[what] + second[what] for what in first}


def measure(program, model, dtype, llama_model):
    """Returns, by case, the rounds of each subject. In a round every case has its turn, so that a machine that slows
    down slows all of them down."""
    subjects = [("ours", lambda threads: ours(program, model, dtype, threads))]
    if llama_model:
        subjects.append(("llama.cpp", lambda threads: llamas(llama_model, threads)))
    found = {case: {"nices": nices, "fair_loops": []} for case, nices in CASES.items()}
    together = []
    for _ in range(ROUNDS):
        for case, nices in CASES.items():
            with Company(nices):
                found[case]["fair_loops"].append(loops_of_two())
                for subject, speeds in subjects:
                    for threads in THREADS:
                        kept = found[case].setdefault(f"{subject}, {threads}", [])
                        kept.append(speeds(threads))
        together.append(two_engines(program, model, dtype))
    return {"cases": found, "two_engines": together}


def median(rounds, what=None):
    return statistics.median(each[what] if what else each for each in rounds)


def shares(values, case, what, subject="ours"):
    """A case's speed on two threads and on one, of its own alone, and the fair share, of medians over the rounds."""
    cases = values["cases"]
    key = [f"{subject}, {threads}" for threads in THREADS]
    if key[0] not in cases[case]:
        return None
    two, one = (median(cases[case][name], what) for name in key)
    alone = median(cases["nothing"][key[0]], what)
    fair = median(cases[case]["fair_loops"]) / median(cases["nothing"]["fair_loops"])
    return {"two": two, "one": one, "of_alone": two / alone, "fair": fair, "of_fair": two / alone / fair}


def together(values, what):
    """The speed of two engines at once as a share of one alone."""
    return median(values["two_engines"], what) / median(values["cases"]["nothing"]["ours, 2"], what)
