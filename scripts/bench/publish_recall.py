# SPDX-License-Identifier: GPL-3.0-or-later
"""./lab bench publish RESULTS.jsonl, of examples/recall's `needles`: copies its lines to
docs/evaluations/recall-PLAN.jsonl, with the date and the commit, and makes the section of docs/results.md between the
marks below from all such files. tests/repo/recall_publish_test.py compares page and files.
"""

import datetime
import glob
import json
import math
import os

import runs
import tables

MARK = "recall from docs/evaluations, written by ./lab bench publish"
PAGE = os.path.join("docs", "results.md")
KINDS = ("number", "word", "fact", "pair", "rival")
MODEL_CONTEXT = 8192  # of SmolLM2, tokens
HEADER = ("plan", "about", "model", "weights", "dtype", "texts", "of_each_kind", "rivals")


def is_recall(path):
    return path.endswith(".jsonl")


def read_lines(path):
    """The last line of a killed run may be half one."""
    with open(path, encoding="utf-8") as source:
        texts = source.read().splitlines()
    lines = []
    for number, text in enumerate(texts):
        try:
            lines.append(json.loads(text))
        except ValueError as error:
            if number + 1 < len(texts):
                raise SystemExit(f"refused: {path}\n  line {number + 1} is not JSON: {error}") from error
    return lines


def record_of(path):
    """What `needles` wrote: a line for the plan, one for each method, and one for each document under a method."""
    lines = read_lines(path)
    methods = [line for line in lines[1:] if "config" in line]
    results = [line for line in lines[1:] if "cases" in line]
    problem = problem_of(lines, methods, results)
    if problem:
        raise SystemExit(f"refused: {path}\n  {problem}")
    return {**lines[0], "methods": methods, "results": results, "counts": counted(methods, results)}


def problem_of(lines, methods, results):
    if not results:
        return "it has no results"
    if any(key not in lines[0] for key in HEADER):
        return "its first line is not that of a plan: `needles` of this version writes it"
    if len(methods) + len(results) + 1 != len(lines):
        return "a line is neither a method nor a result"
    names = [method["name"] for method in methods]
    if len(set(names)) != len(names) or any(line["method"] not in names for line in results):
        return "its results and its methods do not belong together"
    keys = [tuple(line[key] for key in ("segments", "seed", "document", "method")) for line in results]
    if len(set(keys)) != len(keys):
        return "it has a result twice"
    return ""


def counted(methods, results):
    counts = {}
    for line in results:
        for case in line["cases"]:
            key = (line["segments"], line["seed"], line["method"], case["kind"])
            count = counts.setdefault(key, {"asked": 0, "answered": 0, "found": 0})
            count["asked"] += 1
            count["answered"] += case["answered"]
            count["found"] += case["found"]
    order = [method["name"] for method in methods]
    return [
        {"segments": segments, "seed": seed, "method": method, "kind": kind, **count}
        for (segments, seed, method, kind), count in sorted(
            counts.items(), key=lambda item: (item[0][0], order.index(item[0][2]), item[0][3], item[0][1])
        )
    ]


def wilson(right, asked):
    """The 95 % interval of a share, in percent."""
    low, high = tables.wilson(right / asked, asked)
    return 100 * low, 100 * high


def total(record, key, segments, method, kind):
    """Over the seeds."""
    return sum(
        row[key]
        for row in record["counts"]
        if (row["segments"], row["method"], row["kind"]) == (segments, method, kind)
    )


def cell(record, key, segments, method, kind):
    asked, right = (total(record, each, segments, method, kind) for each in ("asked", key))
    if asked == 0:
        return ""
    if key == "found":
        return f"{100 * right / asked:.0f}" if retrieves(record, method) else "–"
    if asked < tables.FEWEST_FOR_INTERVAL:
        return f"{100 * right / asked:.1f} (n = {asked})"
    low, high = wilson(right, asked)
    return f"{100 * right / asked:.1f} ({low:.0f} to {high:.0f})"


def retrieves(record, name):
    """Whether a method retrieves at all: of the others, no value can be found."""
    method = next(method for method in record["methods"] if method["name"] == name)
    return method["policy"] == "segmented" and method["config"]["retrieval_length"] > 0


def asked_text(record, segments, method, kinds):
    asked = [total(record, "asked", segments, method, kind) for kind in kinds]
    if len(kinds) > 1 and len(set(asked)) == 1:
        return f"{asked[0]} of each kind"
    return " + ".join(map(str, asked))


def segment_length(record):
    return record["methods"][0]["config"]["segment_length"]


def plan_of(root, record):
    """Without documents where the plan is unknown."""
    path = os.path.join(root, "examples", "recall", record["plan"] + ".json")
    if not os.path.exists(path):
        return {"documents": 0, "seeds": [], "segments": [], "methods": []}
    with open(path, encoding="utf-8") as source:
        return json.load(source)


def documents_planned(root, record):
    """The results of a plan that has run to its end."""
    plan = plan_of(root, record)
    read = sum(
        segments * segment_length(record) <= method.get("most_tokens", math.inf)
        for segments in plan["segments"]
        for method in plan["methods"]
    )
    return plan["documents"] * len(plan["seeds"]) * read


def progress_text(root, record):
    done, planned = len(record["results"]), documents_planned(root, record)
    return (
        f" **Not finished: {done} of {planned} readings, each of a document by one method.**" if done < planned else ""
    )


ASKED = {
    "number": "a five-digit number",
    "word": "a password",
    "fact": "a year of birth",
    "pair": "a value by its key",
    "rival": "the telephone number of one of several people",
}


def explanation(record, kinds):
    """What the words of a table mean, where it has them."""
    asks = "; ".join(f"*{kind}*: {ASKED[kind]}" for kind in kinds)
    text = (
        f" The questions ask for: {asks}. *answered* is the percentage of questions whose greedy answer begins with "
        "exactly the value's tokens, with its 95 % interval (Wilson's). *found* is the percentage of questions for "
        "which one list of retrieved positions, the list of a shared search or that of any head that searches for "
        "itself, contains the whole value."
    )
    names = [method["name"] for method in record["methods"]]
    if any("heads' grouping" in name for name in names):
        text += " *heads' grouping* is the one that `carryover heads` proposes."
    lengths = {row["segments"] * segment_length(record) for row in record["counts"]}
    if MODEL_CONTEXT in lengths and any(method["policy"] == "full" for method in record["methods"]):
        text += (
            f" A document of {MODEL_CONTEXT} tokens fills the model's context, so that under full attention the "
            "question lies beyond it."
        )
    return text


def adapter_arguments(root, record):
    """Those that the plan's command needs."""
    names = dict.fromkeys(method["adapter"] for method in plan_of(root, record)["methods"] if "adapter" in method)
    return "".join(f" --adapter {name}=FOLDER" for name in names)


def section(root, record):
    counts = record["counts"]
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in counts)]
    seeds = sorted({row["seed"] for row in counts})
    text = (
        f"## Recall: {record['plan']}\n\n{record['about']}\n\n"
        f"`needles MODEL examples/recall/{record['plan']}.json RESULTS.jsonl{adapter_arguments(root, record)}`, published "
        f"{record['date']} at commit {record['commit']}; {record['model']} (weights {record['weights']}), "
        f"{record['dtype']}, {len(seeds)} {'seed' if len(seeds) == 1 else 'seeds'}."
        f"{explanation(record, kinds)}{progress_text(root, record)}\n"
    )
    for segments in sorted({row["segments"] for row in counts}):
        rows = []
        for method in [each["name"] for each in record["methods"]]:
            here = [row for row in counts if row["segments"] == segments and row["method"] == method]
            if not here:
                continue
            answered = [cell(record, "answered", segments, method, kind) for kind in kinds]
            found = [cell(record, "found", segments, method, kind) for kind in kinds]
            rows.append([method, asked_text(record, segments, method, kinds), *answered, *found])
        header = ["", "questions", *(f"{kind}: answered" for kind in kinds), *(f"{kind}: found" for kind in kinds)]
        text += f"\n{segments} segments of {segment_length(record)} tokens:\n\n{tables.table(header, rows)}\n"
    return tables.wrapped(text.rstrip("\n")) + "\n"


def sections(root):
    files = sorted(glob.glob(os.path.join(glob.escape(root), "docs", "evaluations", "recall-*.jsonl")))
    return "\n".join(section(root, record_of(path)) for path in files)


def publish(paths, root=runs.ROOT):
    for path in paths:
        record = record_of(path)
        header = {**{key: record[key] for key in HEADER}, "date": datetime.date.today().isoformat(), "commit": runs.commit()}
        name = os.path.join("docs", "evaluations", f"recall-{record['plan']}.jsonl")
        lines = [header, *record["methods"], *record["results"]]
        text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
        runs.write_text(os.path.join(root, name), text)
        print(f"published: {name}")
    tables.write_between_marks(os.path.join(root, PAGE), MARK, sections(root))
