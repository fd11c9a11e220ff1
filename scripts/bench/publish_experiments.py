# SPDX-License-Identifier: GPL-3.0-or-later
"""./lab bench publish runs/experiments/NAME: copies a finished experiment's results.json to
docs/evaluations/experiment-NAME.json, with the date and the commit, and makes the sections of docs/results.md from all
files there. `carryover experiment --render FILE --format section` makes a section, so that a page and a table of a user
come from the same code; tests/repo/experiment_results_test.cpp compares. Times and memory of every policy side by side
go to docs/benchmarks.md too (policy_section.py). A section says how many cells are not finished;
`carryover experiment --from docs/evaluations/experiment-NAME.json` continues with them, on any machine.
"""

import datetime
import glob
import json
import os
import subprocess

import policy_section
import runs
import tables

MARK = "experiments from docs/evaluations, written by ./lab bench publish"
PAGE = os.path.join("docs", "results.md")
POLICIES = os.path.join("docs", "evaluations", "experiment-policies.json")


def is_experiment(folder):
    return os.path.exists(os.path.join(folder, "results.json"))


def program(root):
    """Any build of the command line."""
    named = os.environ.get("PROGRAM")
    built = sorted(glob.glob(os.path.join(glob.escape(root), "build", "*", "bin", "carryover-cli")))
    preferred = [path for path in built if os.sep + "release" + os.sep in path]
    for path in [named] + preferred + built:
        if path and os.path.exists(path):
            return path
    raise SystemExit("no build of carryover-cli renders the page: `./lab build release`, or PROGRAM=…/carryover-cli")


def problems_of(results, unfinished):
    if results.get("unfinished_cells") != 0 and not unfinished:
        return f"{results.get('unfinished_cells')} of its cells are not finished; --unfinished publishes the others"
    if not results.get("runs"):
        return "it has no runs"
    return ""


def copy(folder, root, unfinished):
    with open(os.path.join(folder, "results.json"), encoding="utf-8") as source:
        results = json.load(source)
    problem = problems_of(results, unfinished)
    if problem:
        raise SystemExit(f"refused: {folder}\n  {problem}")
    # COMMIT: of the program that ran the cells, where that is not the one checked out.
    results.update(date=datetime.date.today().isoformat(), commit=os.environ.get("COMMIT") or runs.commit())
    name = os.path.join("docs", "evaluations", f"experiment-{results['experiment']}.json")
    runs.write(os.path.join(root, name), results)
    print(f"published: {name}")


def sections(root):
    files = sorted(glob.glob(os.path.join(glob.escape(root), "docs", "evaluations", "experiment-*.json")))
    made = []
    for path in files:
        command = [program(root), "experiment", "--render", path, "--format", "section"]
        made.append(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return "\n".join(made)


# What the program says of weights that it was measured with (engine/checkpoints/measured_memory.h).
MEASURED = os.path.join("resources", "measured_memory.json")
MEASURED_TOKENS = 8192  # of each book
# Experiment, recipe and seed, evaluations: without memory, every head local, and (or None) the default grouping.
MEASURED_RUNS = (
    ("untrained_sinks", "base", None, "none", "sinks_local", "sinks_default"),
    ("campaign_final", "sinks_512", 1, "none", "long", None),  # the adapter in resources/adapters
)


def loss_by_text(run):
    """Of the first MEASURED_TOKENS, by file."""
    found = {}
    for text in run["texts"]:
        length = next(each for each in text["lengths"] if each["tokens"] == MEASURED_TOKENS)
        found[text["file"]] = length["nll_sum"] / length["targets"]
    return found


def measured_memory(results, recipe, seed, none, local, grouped):
    """One entry of MEASURED: forms of memory against M = R = 0 with the same weights, as docs/results.md has them."""

    def run_of(evaluation):
        wanted = {"evaluation": evaluation, "recipe": recipe, "seed": seed}
        return next(run for run in results["runs"] if wanted.items() <= run.items())

    def difference(run):
        losses = loss_by_text(run)
        deltas = [losses[text] - without[text] for text in without]
        return {"nats": round(sum(deltas) / len(deltas), 4), "lower_on": sum(delta < 0 for delta in deltas)}

    without, run = loss_by_text(run_of(none)), run_of(local)
    return {
        "weights_hash": run["texts"][0]["weights_hash"],
        "books": len(without),
        "tokens": MEASURED_TOKENS,
        **{key: run["config"][key] for key in ("segment_length", "carry_length", "sink_length")},
        "all_local": difference(run),
        **({"default_grouping": difference(run_of(grouped))} if grouped else {}),
    }


def all_measured(root):
    found = []
    for name, *runs_of_it in MEASURED_RUNS:
        path = os.path.join(root, "docs", "evaluations", f"experiment-{name}.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as source:
                found.append(measured_memory(json.load(source), *runs_of_it))
    return found


def publish(folders, root=runs.ROOT, unfinished=False):
    for folder in folders:
        copy(folder, root, unfinished)
    if measured := all_measured(root):
        runs.write(os.path.join(root, MEASURED), measured)
    tables.write_between_marks(os.path.join(root, PAGE), MARK, sections(root))
    policies = os.path.join(root, POLICIES)
    if os.path.exists(policies):
        with open(policies, encoding="utf-8") as source:
            text = policy_section.section(json.load(source))
        tables.write_between_marks(os.path.join(root, "docs", "benchmarks.md"), policy_section.MARK, text)
