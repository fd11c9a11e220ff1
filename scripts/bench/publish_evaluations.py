# SPDX-License-Identifier: GPL-3.0-or-later
"""./lab bench publish FOLDER of `carryover eval`: copies what its results files say of tasks and policies to
docs/evaluations/evaluation-NAME.json, NAME being the folder's, with the date and the commit, and makes the section of
docs/results.md from all such files. A policy whose results are not there yet is left out, and the section says so.
tests/repo/evaluation_publish_test.py compares page and files. UNTIMED=1 leaves seconds out: of an evaluation that shared
its machine, or was paused.
"""

import datetime
import glob
import json
import os

import runs
import tables

MARK = "evaluations from docs/evaluations, written by ./lab bench publish"
PAGE = os.path.join("docs", "results.md")
PLAN = "evaluation.json"
KEPT = ("task", "length", "n", "available", "failures", "metric", "scores", "slices", "convention", "visible_kv_bytes",
        "resident_kv_bytes", "prefill_seconds", "decode_seconds")  # of a task under a policy
SETTINGS = {"segment_length": "S", "carry_length": "M", "retrieval_length": "R", "attention_window": "W",
            "sink_length": "n"}
PAPER = {"long_reads": "sinks+retrieved", "search": "per-head", "search_scores": "summaries", "retrieve": "anchors",
         "question_pass": False}  # beyond numbers: a record has what differs from it


def is_evaluation(folder):
    return os.path.exists(os.path.join(folder, PLAN))


def read(path):
    with open(path, encoding="utf-8") as source:
        return json.load(source)


def kept():
    return [key for key in KEPT if not (os.environ.get("UNTIMED") and key.endswith("_seconds"))]


def record_of(folder):
    plan = read(os.path.join(folder, PLAN))
    found = [read(path)["carryover"] for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*", "results_*.json")))]
    if not found:
        raise SystemExit(f"refused: {folder}\n  no policy of it has been evaluated to its end")
    by_policy = {each["policy"]: each for each in found}
    missing = [policy for policy in plan["policies"] if policy not in by_policy]
    return {
        "name": os.path.basename(os.path.normpath(folder)),
        "date": datetime.date.today().isoformat(),
        "commit": os.environ.get("COMMIT") or runs.commit(),
        "model": found[0]["model"],
        "tokenizer": found[0]["tokenizer"],
        "seed": found[0]["seed"],
        "question": found[0]["question"],
        "chat": found[0]["chat"],
        "config": {field: plan["config"][field] for field in SETTINGS}
        | {field: plan["config"][field] for field, value in PAPER.items() if plan["config"].get(field, value) != value},
        "unfinished": missing,
        "order": [policy for policy in plan["policies"] if policy in by_policy],
        "policies": {
            policy: [{key: task[key] for key in kept() if key in task} for task in by_policy[policy]["tasks"]]
            for policy in by_policy
            if policy in plan["policies"]
        },
    }


SHARES = (  # as engine/tasks/scores/metric_table.cpp has them; records of earlier versions do not say it themselves
    "acc",
    "acc_norm",
    "accuracy",
    "contains",
    "exact_match",
    "string_match",
    "classification_score",
    "retrieval_score",
    "retrieval_zh_score",
    "count_score",
)


def bounds_of(score, metric, samples):
    """Of a share Wilson's, of anything else what the record has; nothing for few samples."""
    if samples < tables.FEWEST_FOR_INTERVAL:
        return None
    if score.get("share", metric in SHARES):
        return tables.wilson(score["score"], samples)
    return None if score.get("low") is None else (score["low"], score["high"])


def score_text(task):
    score = task["scores"][task["metric"]]
    bounds = bounds_of(score, task["metric"], task["n"])
    if bounds:
        return f"{score['score']:.3f} [{bounds[0]:.3f}, {bounds[1]:.3f}]"
    return f"{score['score']:.3f}" + (f" (n = {task['n']})" if task["n"] < tables.FEWEST_FOR_INTERVAL else "")


def rows_of(record):
    """A row for each task and length, a cell for each policy; bytes and seconds of a sample below."""
    policies = record["order"]
    cells = {(policy, task["task"], task["length"]): task for policy in policies for task in record["policies"][policy]}
    rows = []
    for task, length in dict.fromkeys((name, tokens) for _, name, tokens in cells):
        own = [cells.get((policy, task, length)) for policy in policies]
        first = next(each for each in own if each)
        rows.append([task, str(length), str(first["n"]), *(score_text(each) if each else "" for each in own)])
    return policies, rows


def cost_rows(record):
    """Of each policy and length: KV bytes that the last token sees and that are held, and seconds of a sample."""
    rows = []
    for policy in record["order"]:
        tasks = record["policies"][policy]
        for length in dict.fromkeys(task["length"] for task in tasks):
            own = [task for task in tasks if task["length"] == length]
            samples = sum(task["n"] for task in own)
            rows.append([
                policy,
                str(length),
                f"{max(task['visible_kv_bytes'] for task in own) / 1e6:.1f}",
                f"{max(task['resident_kv_bytes'] for task in own) / 1e6:.1f}",
                *(
                    f"{sum(task[key] for task in own) / samples:.1f}" if all(key in task for task in own) else "not timed"
                    for key in ("prefill_seconds", "decode_seconds")
                ),
            ])
    return rows


def slice_tables(record):
    """Of each task and length whose samples have slices: a row for each, ordered by the number in its name."""
    policies = record["order"]
    parts = []
    for task in record["policies"][policies[0]]:
        names = [each["slice"] for each in task.get("slices", []) if each["slice"]]
        if len(names) < 2:
            continue
        names.sort(key=lambda name: int("".join(filter(str.isdigit, name)) or 0))
        rows = []
        for name in names:
            row = [name]
            for policy in policies:
                own = next(t for t in record["policies"][policy] if (t["task"], t["length"]) == (task["task"], task["length"]))
                found = next((each for each in own["slices"] if each["slice"] == name), None)
                row.append(score_text({**found, "metric": own["metric"]}) if found and found["scores"] else "")
            rows.append([row[0], str(next(each["n"] for each in task["slices"] if each["slice"] == name)), *row[1:]])
        parts.append(f"{task['task']} at {task['length']} tokens:")
        parts.append(tables.table(["", "samples", *policies], rows))
    return parts


def section(record):
    policies, rows = rows_of(record)
    settings = ", ".join(f"{sign} {record['config'][field]}" for field, sign in SETTINGS.items())
    settings += "".join(
        f", {field} {'on' if value is True else value}" for field, value in record["config"].items() if field in PAPER)
    own = ", except for what a policy has in brackets" if any("[" in policy for policy in policies) else ""
    model = record["model"]
    question = "part of the prompt" if record["question"] == "inside" else "read after the prompt"
    about = (
        f"`carryover eval`, {record['date']}, commit {record['commit']}: {model['file']} ({model['weights_hash']}), "
        f"{model['dtype']}, seed {record['seed']}, greedy, {'with' if record['chat'] else 'without'} a chat template; "
        f"{settings}{own}. The question is {question}. A cell is the mean of the samples' "
        "scores with its 95 % interval: Wilson's for shares, else by bootstrap."
    )
    parts = [f"### {record['name']}", about, tables.table(["task", "tokens", "samples", *policies], rows)]
    parts += slice_tables(record)
    parts += [
        "Attention-visible and resident KV, and the seconds per sample, on the same machine for all policies:",
        tables.table(
            ["policy", "tokens", "attention-visible KV, MB", "resident KV, MB", "prefill, s", "decoding, s"],
            cost_rows(record),
        ),
    ]
    if record["unfinished"]:
        parts.append(f"Not evaluated to the end yet: {', '.join(record['unfinished'])}.")
    return tables.wrapped("\n\n".join(parts)) + "\n"


def sections(root):
    files = sorted(glob.glob(os.path.join(glob.escape(root), "docs", "evaluations", "evaluation-*.json")))
    return "\n".join(section(read(path)) for path in files)


def publish(folders, root=runs.ROOT):
    for folder in folders:
        record = record_of(folder)
        name = os.path.join("docs", "evaluations", f"evaluation-{record['name']}.json")
        runs.write(os.path.join(root, name), record)
        print(f"published: {name}")
    tables.write_between_marks(os.path.join(root, PAGE), MARK, sections(root))
