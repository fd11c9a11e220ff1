# SPDX-License-Identifier: GPL-3.0-or-later
"""./lab bench publish [RUN...]: judges runs of benches (runs/bench/* where none is named), copies those that hold to
docs/bench/BENCH.KIND.json, and writes the figures of docs/benchmarks.md and README.md again from all of docs/bench. A
folder of an experiment goes to publish_experiments.py, with --unfinished also where cells of it are still to be run, one
of an evaluation to publish_evaluations.py.
After --policies stand the files of publish_policies.py.

A run whose machine was busy is refused: shares above 1.02, or limits that moved by more than 10 % within a report.
Exit 1 where one was. The pages are a function of docs/bench: publishing twice changes nothing.
"""

import glob
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # which python3 -I leaves out
import publish_evaluations
import publish_experiments
import publish_policies
import publish_recall
import runs
import sections
import tables

MARK = "figures from docs/bench, written by ./lab bench publish"


def published(root):
    """All runs of docs/bench, in the page's order."""
    folder = os.path.join(root, "docs", "bench")
    found = []
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*.json"))):
        with open(path, encoding="utf-8") as source:
            run = json.load(source)
        problems = runs.judge(run)
        if problems or name_of(run) != os.path.basename(path):
            raise SystemExit(f"{path}: " + "; ".join(problems or ["its name is not the run's"]))
        found.append(run)
    kinds = list(sections.KINDS)
    order = {name: place for place, name in enumerate(sections.SECTIONS)}
    place_of = lambda kind: (kinds.index(kind) if kind in kinds else len(kinds), kind)
    return sorted(found, key=lambda run: (order[run["bench"]], place_of(run["machine"]["kind"])))


def name_of(run):
    return f"{run['bench']}.{run['machine']['kind']}.json"


def by_bench(all_runs):
    grouped = {}
    for run in all_runs:
        grouped.setdefault(run["bench"], []).append(run)
    return grouped


def pending(all_runs):
    """Which figures are missing, by bench and kind of machine: a table, or nothing."""
    here = {(run["bench"], run["machine"]["kind"]) for run in all_runs}
    rows = []
    for bench, (title, command, _) in sections.SECTIONS.items():
        cells = ["published" if (bench, kind) in here else "pending" for kind in sections.KINDS]
        if bench != "gpu" and "pending" in cells:
            rows.append([title, f"`{command}`", *cells])
    parts = []
    if rows:
        parts.append(tables.table(["figures", "command", *sections.KINDS.values()], rows))
    if not any(bench == "gpu" for bench, _ in here):
        parts.append("Figures of a GPU are pending too: `./lab bench --gpu`, on a machine that has one.")
    if not parts:
        return ""
    return (
        tables.wrapped(
            "\n\n".join(
                [
                    "## Pending",
                    "These figures have not been measured yet under the rules above, or not on this kind of machine. "
                    "To measure one, run its command and then `./lab bench publish` on an otherwise idle machine.",
                    *parts,
                ]
            )
        )
        + "\n"
    )


def benchmarks(all_runs):
    parts = [sections.section(group) for group in by_bench(all_runs).values()] + [pending(all_runs)]
    return "\n".join(part for part in parts if part)


def readme_rows(by_name):
    """(what, beside whom, our row, their row, equal work) of the runs that are there."""
    rows = []
    llama, prefill, decode, llama_decode, train = (
        by_name.get(name) for name in ("cpu-llama", "cpu-prefill", "cpu-decode", "cpu-llama-decode", "cpu-train")
    )
    if llama:
        report = llama["reports"].get("prefill BF16")
        if report:
            rows.append(
                (
                    "prefill of 512 tokens, full attention, bf16",
                    "llama.cpp",
                    tables.find(report, "full", "prefill", 512),
                    tables.faster(report, tables.LLAMA, "prefill", 512),
                    "yes",
                )
            )
    if prefill:
        report = prefill["reports"]["bf16"]
        rows.append(
            (
                "prefill of 512 tokens, full attention, bf16",
                "transformers",
                tables.find(report, "full", "prefill", 512),
                tables.find(report, "transformers", "prefill", 512),
                "yes",
            )
        )
    if llama:
        for name, report in sorted(llama["reports"].items(), key=lambda each: tables.run_length(each[1])):
            tokens = tables.run_length(report)
            if not name.startswith("long ") or tokens < 32768:
                continue
            theirs = tables.faster(report, tables.LLAMA, "prefill", tokens)
            for who, what, equal in (
                ("full", "full attention", "yes"),
                ("segmented", "bounded context", "no: bounded context against full attention"),
            ):
                rows.append(
                    (
                        f"prefill of {tokens:,} tokens, {what}, bf16",
                        "llama.cpp, full attention",
                        tables.find(report, who, "prefill", tokens),
                        theirs,
                        equal,
                    )
                )
    if decode:
        report = decode["reports"]["bf16"]
        rows.append(
            (
                "decoding after 512 tokens, full attention, bf16",
                "transformers",
                tables.find(report, "full", "decode", 512),
                tables.faster(report, tables.TRANSFORMERS, "decode", 512),
                "yes",
            )
        )
    if llama_decode and "decode BF16" in llama_decode["reports"]:
        report = llama_decode["reports"]["decode BF16"]
        rows.append(
            (
                "decoding after 512 tokens, full attention, bf16",
                "llama.cpp",
                tables.find(report, "full", "decode", 512),
                tables.faster(report, tables.LLAMA, "decode", 512),
                "yes",
            )
        )
    if train:
        report = train["reports"]["fp32"]
        tokens = tables.run_length(report)
        rows.append(
            (
                f"a training step of {tokens:,} tokens, fp32",
                "transformers, full attention",
                tables.find(report, "segmented", "train", tokens),
                tables.find(report, "transformers", "train", tokens),
                "no: segmented against full attention",
            )
        )
    return [row for row in rows if row[2] and row[3]]


def speed_table(all_runs):
    for kind, title in sections.KINDS.items():
        by_name = {run["bench"]: run for run in all_runs if run["machine"]["kind"] == kind}
        rows = readme_rows(by_name)
        if not rows:
            continue
        machine = next(iter(by_name.values()))["machine"]
        lines = [
            [what, beside, f"{tables.speed(ours)} : {tables.speed(theirs)}", tables.ratio(ours, theirs), equal]
            for what, beside, ours, theirs, equal in rows
        ]
        return (
            tables.wrapped(
                f"SmolLM2-135M on {machine['cores']} cores of {machine['processor']} ({title}), from one run each "
                "([docs/benchmarks.md](docs/benchmarks.md) has the others, and the commands that repeat them):\n\n"
                + tables.table(["", "compared with", "tokens/s, ours : theirs", "ratio", "equal work"], lines)
            )
            + "\n"
        )
    return (
        tables.wrapped(
            "Figures are pending: nobody has published any yet with `./lab bench && ./lab bench publish` on a quiet "
            "machine ([docs/benchmarks.md](docs/benchmarks.md) says what is measured, and how)."
        )
        + "\n"
    )


PAGES = {
    os.path.join("docs", "benchmarks.md"): lambda root: benchmarks(published(root)),
    "README.md": lambda root: speed_table(published(root)),
}


def regenerated(root):
    """Each page that has figures, as docs/bench gives it."""
    pages = {}
    for name, figures in PAGES.items():
        with open(os.path.join(root, name), encoding="utf-8") as source:
            pages[name] = tables.between_marks(source.read(), MARK, figures(root), "a page")
    return pages


def publish(folders, root=runs.ROOT):
    """Whether all of them held."""
    held = True
    for folder in folders:
        try:
            run = runs.read(folder)
            problems = runs.judge(run)
            if not problems and run["bench"] not in sections.SECTIONS:
                problems = [f"'{run['bench']}' is no bench that the page knows"]
            elif not problems:
                sections.section([run])
        except (KeyError, TypeError, AttributeError) as error:
            problems = [f"it lacks what its section shows: {error!r}"]
        except (OSError, ValueError) as error:
            problems = [str(error)]
        if problems:
            held = False
            print(f"refused: {folder}\n  " + "\n  ".join(problems), file=sys.stderr)
            continue
        runs.write(os.path.join(root, "docs", "bench", name_of(run)), run)
        print(f"published: docs/bench/{name_of(run)}")
    for name, page in regenerated(root).items():
        path = os.path.join(root, name)
        with open(path, encoding="utf-8") as source:
            before = source.read()
        if page != before:
            with open(path, "w", encoding="utf-8") as out:
                out.write(page)
    return held


def main():
    if sys.argv[1:2] == ["--policies"]:
        publish_policies.publish(sys.argv[2:])
        return
    unfinished = "--unfinished" in sys.argv[1:]
    given = [argument for argument in sys.argv[1:] if argument != "--unfinished"]
    experiments = [folder for folder in given if publish_experiments.is_experiment(folder)]
    evaluations = [folder for folder in given if publish_evaluations.is_evaluation(folder)]
    recalls = [path for path in given if publish_recall.is_recall(path)]
    if experiments:
        publish_experiments.publish(experiments, unfinished=unfinished)
    if evaluations:
        publish_evaluations.publish(evaluations)
    if recalls:
        publish_recall.publish(recalls)
    folders = [folder for folder in given if folder not in experiments + evaluations + recalls]
    if given and not folders:
        return
    folders = folders or sorted(glob.glob(os.path.join(glob.escape(runs.ROOT), "runs", "bench", "*")))
    if not folders:
        print("There is no run in runs/bench: `./lab bench` measures. The pages were written again.", file=sys.stderr)
    if not publish(folders):
        raise SystemExit(
            "Runs that were refused were measured on a busy machine, or not to their end: measure them again."
        )


if __name__ == "__main__":
    main()
