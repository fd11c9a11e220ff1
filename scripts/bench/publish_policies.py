# SPDX-License-Identifier: GPL-3.0-or-later
"""./lab bench publish --policies [FACTS COMPAT]: docs/policies.md, what tests measured of each policy. FACTS has what
tests/support/policy_facts.h wrote, COMPAT what tests/compat/policies.py did. The largest of them go to
docs/evaluations/policies.json, with the date and the commit; without files the page is written again from there. Its
rows are those of the program's table of policies. To measure all but some of them is refused, and so is a figure above
its bound.
"""

import datetime
import glob
import json
import math
import os
import re

import runs
import tables

PAGE = os.path.join("docs", "policies.md")
RECORD = os.path.join("docs", "evaluations", "policies.json")
FOLDER = os.path.join("engine", "policies")
LIST = os.path.join(FOLDER, "policy_rows.cpp")
MARK = "<!-- written by ./lab bench publish --policies, from docs/evaluations/policies.json -->"

# Facts as policy_facts.h names them.
BOUNDS = {"reference": 1e-10, "chunks": 1e-10, "memory, read": 0.05, "memory, decoded": 0.05, "gradient": 1e-6}
OTHERS = "other implementations"  # the fact that COMPAT has
COMPARED = {"policy", "rule", "model", "reference", "difference", "bound"}

FROM_DEFINITION = "the figure is the difference from the definition in the same chunks."
NOTES = {  # by policy and column, in the order of the table
    ("segmented", "chunks"): "Segments are part of the definition: they run whole, in random chunks and "
    "by single tokens.",
    ("segmented", OTHERS): "From the paper's text: the code that its authors published makes "
    "[errors that this program must not have](paper_map.md).",
    ("minference", "chunks"): "The index comes from the last 64 queries of a chunk, so that other chunks give another result "
    "by definition: " + FROM_DEFINITION,
    ("snapkv", "chunks"): "For the tokens after a prompt, " + FROM_DEFINITION,
    ("snapkv", OTHERS): "The logit of the other implementation's most likely token minus that of the token that greedy "
    "decoding took; 0 if all tokens are the same.",
    ("infllm", "chunks"): "Each chunk looks up blocks for itself, so that other chunks give another result by "
    "definition: " + FROM_DEFINITION,
    ("cca", OTHERS): "From the paper's definition: the official repository has no code.",
    ("nsa", OTHERS): "From its `naive.py`.",
}
SIGNS = "¹²³⁴⁵⁶⁷⁸⁹"

ABOUT = (
    "The table shows, for each policy, the largest difference over all cases of a test. The reference test compares a "
    "run with attention that was written from the policy's definition alone. *whole = chunked* compares the whole text "
    "at once with segments, random chunks and single tokens. Both use fp64 on small random models. The logits of other "
    "implementations are compared in fp32. Memory is measured peak / planned peak − 1 of a run, without weights and the "
    "matmul library's own buffers. The gradient is that of the trainer, compared with finite differences. The heading of "
    "a column has its bound; a figure above its bound is not published."
)
COMMANDS = (
    "rm -f facts.jsonl",
    'CARRYOVER_POLICY_FACTS="$PWD/facts.jsonl" ctest --test-dir build/release -R engine/',
    "tests/compat/run.sh build/release compat.json",
    "./lab bench publish --policies facts.jsonl compat.json",
)
LISTED = re.compile(r"\b(\w+_row)\b")
ROW = re.compile(r'PolicyRow (\w+_row)\{ \.name = "(\w+)", \.help = TEXT\("([^"]*)"\), ([^}]*)\}')


def refuse(path, problems):
    raise SystemExit(f"refused: {path}\n  " + "\n  ".join(problems))


def source_text(path):
    with open(path, encoding="utf-8") as source:
        return " ".join(source.read().split())


def policies(root):
    """{name: {"help", "trained"}} of the program's policies, in the order of their list."""
    text = source_text(os.path.join(root, LIST))
    begin = text.index("PolicyRow all[] = {")
    listed = LISTED.findall(text[begin : text.index("};", begin)])
    rows = {}
    for path in glob.glob(os.path.join(root, FOLDER, "*", "*_cost.cpp")):
        for row, name, told, facts in ROW.findall(source_text(path)):
            rows[row] = (name, {"help": told, "trained": ".trained = true" in facts})
    if not listed or not set(listed) <= rows.keys():
        refuse(LIST, [f"{row} is in no *_cost.cpp with .name and .help first" for row in sorted(set(listed) - rows.keys())])
    return dict(rows[row] for row in listed)


def problem_of_fact(line, known):
    if not isinstance(line, dict) or not {"policy", "fact", "value", "test"} <= line.keys():
        return "is no fact"
    if line["policy"] not in known or line["fact"] not in BOUNDS:
        return f"has a policy or a fact that is unknown: {line['policy']}, {line['fact']}"
    if type(line["value"]) not in (int, float) or not math.isfinite(line["value"]):
        return f"has no number: {line['policy']}, {line['fact']}"
    if abs(line["value"]) > BOUNDS[line["fact"]]:
        return f"is above its bound, {BOUNDS[line['fact']]}: {line['policy']}, {line['fact']} of {line['value']}"
    return ""


def read_facts(path, known):
    facts, problems = [], []
    with open(path, encoding="utf-8") as source:
        for number, text in enumerate(source, 1):
            try:
                line = json.loads(text)
                problem = problem_of_fact(line, known)
            except ValueError as error:
                problem = f"is not JSON: {error}"
            if problem:
                problems.append(f"line {number} {problem}")
            else:
                facts.append(line)
    if problems:
        refuse(path, problems)
    return facts


def largest_measures(facts):
    """{policy: {fact: {"value", "test", "measures"}}}: of all tests, the value furthest from 0, and its test."""
    measures = {}
    for line in facts:
        of_policy = measures.setdefault(line["policy"], {})
        of_fact = of_policy.setdefault(line["fact"], {"value": line["value"], "test": line["test"], "measures": 0})
        of_fact["measures"] += 1
        if abs(line["value"]) > abs(of_fact["value"]):
            of_fact.update(value=line["value"], test=line["test"])
    return measures


def read_comparisons(path, known):
    with open(path, encoding="utf-8") as source:
        comparisons = json.load(source)
    problems = []
    for each in comparisons:
        if not isinstance(each, dict) or not COMPARED <= each.keys():
            refuse(path, ["it is not what tests/compat/policies.py writes"])
        name = f"{each['policy']}, {each['rule']}; {each['model']}; {each['reference']}"
        if each["policy"] not in known:
            problems.append(f"{name}: the policy is unknown")
        elif each["difference"] is None or not each["difference"] <= each["bound"]:
            problems.append(f"{name}: {each['difference']} is above its bound, {each['bound']}")
    if problems:
        refuse(path, problems)
    return comparisons


def largest_comparisons(comparisons):
    """{policy: [{"reference", "difference", "bound", "rules", "models"}]}: over the rules and models of a reference."""
    largest = {}
    for each in comparisons:
        of_policy = largest.setdefault(each["policy"], {})
        found = of_policy.setdefault(
            each["reference"],
            {"reference": each["reference"], "difference": 0, "bound": each["bound"], "rules": [], "models": []},
        )
        found["difference"] = max(found["difference"], each["difference"])
        found["bound"] = max(found["bound"], each["bound"])
        for key, value in (("rules", each["rule"]), ("models", each["model"])):
            if value not in found[key]:
                found[key].append(value)
    return {policy: list(of_policy.values()) for policy, of_policy in largest.items()}


def origin():
    # COMMIT: of the programs that were measured, where that is not the one checked out.
    return {"date": datetime.date.today().isoformat(), "commit": os.environ.get("COMMIT") or runs.commit()}


def record_of(facts_path, compat_path, known):
    return {
        **origin(),
        "bounds": BOUNDS,
        "measures": largest_measures(read_facts(facts_path, known)),
        "comparisons": largest_comparisons(read_comparisons(compat_path, known)),
    }


def missing(record, rows):
    """What cells would be empty, a line each."""
    lacks = []
    for policy, row in rows.items():
        wanted = [fact for fact in BOUNDS if fact != "gradient" or row["trained"]]
        lacks += [f"{policy}: {fact}" for fact in wanted if fact not in record["measures"].get(policy, {})]
        if policy not in record["comparisons"]:
            lacks.append(f"{policy}: {OTHERS}")
    return lacks


def figure(value):
    return f"{value:.1e}" if value else "0"


def percent(value):
    return f"{100 * value:+.1f} %".replace("-", "−")


def memory(of_policy):
    return ", ".join(f"{percent(of_policy[f'memory, {what}']['value'])} {what}" for what in ("read", "decoded"))


def compared(record, policy):
    return "; ".join(f"{each['reference']}: {figure(each['difference'])}" for each in record["comparisons"][policy])


def with_note(policy, column, text):
    place = (policy, column)
    return text + SIGNS[list(NOTES).index(place)] if place in NOTES else text


def figures(record, rows):
    bounds = record["bounds"]
    of_others = sorted({each["bound"] for found in record["comparisons"].values() for each in found})
    header = [
        "policy",
        "what attention sees",
        f"reference test (bound {bounds['reference']:.0e})",
        f"whole = chunked ({bounds['chunks']:.0e})",
        f"{OTHERS} ({', '.join(f'{bound:.0e}' for bound in of_others)})",
        f"memory ({100 * bounds['memory, read']:.0f} %)",
        f"gradient ({bounds['gradient']:.0e})",
    ]
    lines = []
    for policy, row in rows.items():
        of_policy = record["measures"][policy]
        cells = {
            "reference": figure(of_policy["reference"]["value"]),
            "chunks": figure(of_policy["chunks"]["value"]),
            OTHERS: compared(record, policy),
            "memory": memory(of_policy),
            "gradient": figure(of_policy["gradient"]["value"]) if row["trained"] else "not trained",
        }
        noted = [with_note(policy, column, text) for column, text in cells.items()]
        lines.append([f"`{policy}`", row["help"], *noted])
    return tables.table(header, lines)


def tests(record, rows):
    """Which test measured each figure, and how many measures it is the largest of."""

    def cell(policy, fact):
        found = record["measures"][policy].get(fact)
        return f"`{found['test']}`, {found['measures']}" if found else "not trained"

    lines = [[f"`{policy}`", *(cell(policy, fact) for fact in BOUNDS)] for policy in rows]
    return tables.table(["policy", *BOUNDS], lines)


def page(record, rows):
    """Of the policies that were measured: a new row of the program's table comes with the next measures."""
    rows = {policy: row for policy, row in rows.items() if policy in record["measures"]}
    notes = "\n\n".join(f"{sign} {text}" for sign, text in zip(SIGNS, NOTES.values()))
    parts = [
        "# Policies",
        MARK,
        tables.wrapped(ABOUT),
        figures(record, rows),
        tables.wrapped(notes),
        f"{record['date']}, commit {record['commit']}. These commands repeat the measurements; tests append to facts.jsonl:",
        "\n".join("    " + command for command in COMMANDS),
        "## Tests",
        tables.wrapped(
            "The table names the test in `tests/engine` of each figure, and the number of measurements of which the "
            "figure is the largest. `docs/evaluations/policies.json` has the rules and models of the other implementations."
        ),
        tests(record, rows),
    ]
    return "\n\n".join(parts) + "\n"


def publish(files, root=runs.ROOT):
    if len(files) not in (0, 2):
        raise SystemExit("usage: ./lab bench publish --policies [FACTS.jsonl COMPAT.json]")
    rows, path = policies(root), os.path.join(root, RECORD)
    if files:
        record = record_of(*files, rows)
        lacks = missing(record, rows)
        if lacks:
            refuse(PAGE, [f"no measure of {each}" for each in lacks])
    else:
        with open(path, encoding="utf-8") as source:
            record = json.load(source)
    text = page(record, rows)
    runs.write(path, record)
    runs.write_text(os.path.join(root, PAGE), text)
    print(f"published: {RECORD}, {PAGE}")
