# SPDX-License-Identifier: GPL-3.0-or-later
"""./lab bench publish RESULTS.jsonl, of examples/recall's `needles`: counts its lines into
docs/evaluations/recall-PLAN.json, with the date and the commit, and makes the section of docs/results.md between the
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
SAME = ("plan", "about", "model", "weights", "dtype")  # what all lines of one record share


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


def problem_of(lines):
    if not lines:
        return "it has no results"
    for key in (*SAME, "segments", "seed", "document", "method", "config", "cases"):
        if any(key not in line for line in lines):
            return f"a line has no '{key}': `needles` of this version writes it"
    for key in SAME:
        if len({json.dumps(line[key]) for line in lines}) > 1:
            return f"its lines differ in '{key}': one plan and one model make a record"
    for method in {line["method"] for line in lines}:
        if len({json.dumps(line["config"], sort_keys=True) for line in lines if line["method"] == method}) > 1:
            return f"the settings of '{method}' differ between lines"
    return ""


def counted(lines):
    counts = {}
    for line in lines:
        for case in line["cases"]:
            key = (line["segments"], line["seed"], line["method"], case["kind"])
            count = counts.setdefault(key, {"asked": 0, "answered": 0, "found": 0})
            count["asked"] += 1
            count["answered"] += case["answered"]
            count["found"] += case["found"]
    methods = list(dict.fromkeys(line["method"] for line in lines))
    return {
        **{key: lines[0][key] for key in SAME},
        "methods": [
            {"name": name, "config": next(line["config"] for line in lines if line["method"] == name)}
            for name in methods
        ],
        "counts": [
            {"segments": segments, "seed": seed, "method": method, "kind": kind, **count}
            for (segments, seed, method, kind), count in sorted(
                counts.items(), key=lambda item: (item[0][0], methods.index(item[0][2]), item[0][3], item[0][1])
            )
        ],
    }


def wilson(right, asked):
    """The 95 % interval of a share, in percent."""
    share, z = right / asked, 1.96
    centre = (share + z * z / (2 * asked)) / (1 + z * z / asked)
    half = z * math.sqrt(share * (1 - share) / asked + z * z / (4 * asked * asked)) / (1 + z * z / asked)
    return 100 * max(0, centre - half), 100 * min(1, centre + half)


def cell(record, key, segments, method, kind):
    rows = [
        row for row in record["counts"] if (row["segments"], row["method"], row["kind"]) == (segments, method, kind)
    ]
    asked, right = sum(row["asked"] for row in rows), sum(row[key] for row in rows)
    if asked == 0:
        return ""
    if key == "found":
        return f"{100 * right / asked:.0f}"
    low, high = wilson(right, asked)
    return f"{100 * right / asked:.1f} ({low:.0f} to {high:.0f})"


def section(record):
    counts = record["counts"]
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in counts)]
    seeds = sorted({row["seed"] for row in counts})
    length = record["methods"][0]["config"]["segment_length"]
    text = (
        f"## Recall: {record['plan']}\n\n{record['about']}\n\n"
        f"`needles MODEL examples/recall/{record['plan']}.json RESULTS.jsonl`, {record['date']}, commit "
        f"{record['commit']}; {record['model']} (weights {record['weights']}), {record['dtype']}, "
        f"{len(seeds)} {'seed' if len(seeds) == 1 else 'seeds'}. Percent of the questions that are answered with every "
        "token of the value, with the 95 % interval (Wilson's), and of those whose value lies wholly within what was "
        "retrieved.\n"
    )
    for segments in sorted({row["segments"] for row in counts}):
        rows = []
        for method in [each["name"] for each in record["methods"]]:
            here = [row for row in counts if row["segments"] == segments and row["method"] == method]
            if not here:
                continue
            asked = sum(row["asked"] for row in here)
            answered = [cell(record, "answered", segments, method, kind) for kind in kinds]
            found = [cell(record, "found", segments, method, kind) for kind in kinds]
            rows.append([method, str(asked), *answered, *found])
        header = ["", "asked", *(f"{kind}: answered" for kind in kinds), *(f"{kind}: found" for kind in kinds)]
        text += f"\n{segments} segments of {length} tokens:\n\n{tables.table(header, rows)}\n"
    return tables.wrapped(text.rstrip("\n")) + "\n"


def sections(root):
    made = []
    for path in sorted(glob.glob(os.path.join(glob.escape(root), "docs", "evaluations", "recall-*.json"))):
        with open(path, encoding="utf-8") as source:
            made.append(section(json.load(source)))
    return "\n".join(made)


def publish(paths, root=runs.ROOT):
    for path in paths:
        lines = read_lines(path)
        problem = problem_of(lines)
        if problem:
            raise SystemExit(f"refused: {path}\n  {problem}")
        record = {**counted(lines), "date": datetime.date.today().isoformat(), "commit": runs.commit()}
        name = os.path.join("docs", "evaluations", f"recall-{record['plan']}.json")
        runs.write(os.path.join(root, name), record)
        print(f"published: {name}")
    tables.write_between_marks(os.path.join(root, PAGE), MARK, sections(root))
