#!/usr/bin/python3 -I
# SPDX-License-Identifier: GPL-3.0-or-later
"""A needle, the anchors that land on it, and the effect of leaving them out on the answer.

    python3 -I needle.py PROGRAM OUT [--model MODEL] [--adapter DIR] [--segments N] [--distance D] [--seed N]

A story of examples/recall introduces somebody ("Here comes Eva Moon."), and D segments of 64 words later asks: "Who is
Eva? Eva Moon." The script cuts the text so that the question ends a segment, because retrieval searches with the last
queries of a segment, and the answer opens the next one. PROGRAM (the window, by a script) runs the text, and then the
answer's segment again: without the slots that hold the needle, with the needle excluded from the search, without any
prefix, and with a random prefix. Without --model it uses the demo and its segments. It writes text, script and data to
OUT and prints a table. It needs only the standard library.
"""
import argparse
import csv
import importlib.util
import json
import math
import random
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RECALL = HERE.parent / "recall"


def load_recall():
    sys.path.insert(0, str(RECALL))
    spec = importlib.util.spec_from_file_location("make_texts", RECALL / "make_texts.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_text(distance, seed):
    """The text up to and including the answer, and the bytes of needle and answer in it."""
    recall = load_recall()
    while True:
        pieces, asked_for = recall.case(random.Random(seed), 64)
        one = next(one for one in asked_for if one["distance"] == distance)
        needle = f" Here comes{one['name']}{one['answer']}."
        question = f" Who is{one['name']}"
        text = "".join(pieces)
        begin = text.index(needle) + len(" Here comes")
        asked = text.index(question, begin) + len(question)
        return {"text": text, "name": one["name"].strip(), "surname": one["answer"].strip(),
                "needle": (begin, begin + len(one["name"] + one["answer"])), "question_end": asked,
                "answer": text.index(one["answer"], asked)}


class Tokens:
    """Counts the tokens of a prefix of the text, which end at spaces, so that a prefix has the text's tokens."""

    def __init__(self, program, model, out):
        self.cli, self.model, self.file = program.with_name("carryover-cli"), model, out / "part.txt"

    def __call__(self, text):
        self.file.write_text(text, encoding="utf-8")
        told = subprocess.run([self.cli, "tokenize", self.model, self.file], check=True, capture_output=True)
        return len(json.loads(told.stdout))


def fit_segments(story, count, segments):
    """Puts small talk before the story until the question ends a segment; returns S."""
    for talk in range(segments * segments):
        more = " It rained all day." * (talk // segments) + " It rained." * (talk % segments)
        end = count(more + story["text"][:story["question_end"]])
        if end % segments == 0:
            story["text"] = more + story["text"]
            for key in ("question_end", "answer"):
                story[key] += len(more)
            story["needle"] = tuple(place + len(more) for place in story["needle"])
            return end // segments
    raise SystemExit("the question can't be brought to a segment's end: try another seed")


SCRIPT = """set dtype fp32
{open}
{settings}open text "{out}/needle.txt"
set segment_length {S}
set tokens {tokens}
run
wait
select segment {segment} head first
export data hits "{out}/hits.csv"
export data nll "{out}/nll.csv"
what-if drop-tokens {first} {last} name "slots on the needle removed"
what-if ban {first} {last} name "needle excluded from the search"
what-if prefix random name "a random prefix"
what-if prefix off name "no prefix"
export what-ifs "{out}/what-ifs.csv"
screenshot "{out}/window.png"
set policy full
run
wait
export data nll "{out}/full.csv"
"""


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--adapter", type=Path)
    parser.add_argument("--segments", type=int, default=8, help="segments before the answer; not for the demo")
    parser.add_argument("--distance", type=int, default=32, choices=[1, 2, 4, 8, 16, 32])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", nargs=2, action="append", default=[], metavar=("FIELD", "VALUE"), help="a setting")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    out, program = given.out.resolve(), given.program.resolve()
    demo = HERE.parent.parent / "resources" / "demo"
    story = make_text(given.distance, given.seed)
    count = Tokens(program, given.model or demo, out)
    length = fit_segments(story, count, given.segments) if given.model else 64
    text = story["text"]
    first, last = (count(text[:place]) for place in story["needle"])
    question_end, answer = count(text[:story["question_end"]]), count(text[:story["answer"]])
    assert question_end % length == 0
    segment = question_end // length
    (out / "needle.txt").write_text(text, encoding="utf-8")
    opening = "open demo"
    if given.model:
        opening = f'open model "{given.model.resolve()}"' + (f' "{given.adapter.resolve()}"' if given.adapter else "")
    settings = "".join(f"set {field} '{value}'\n" for field, value in given.set)
    script = SCRIPT.format(open=opening, settings=settings, out=out, S=length, segment=segment,
                           tokens=(segment + 1) * length, first=first, last=last - 1)
    (out / "script.txt").write_text(script, encoding="utf-8")
    subprocess.run([program, "--script", out / "script.txt"], check=True)

    print(f"“Here comes {story['name']} {story['surname']}.” is tokens {first} to {last - 1}, in segment {first // length}"
          f" of S = {length}; the question ends segment {segment - 1}, “{story['surname']}” is token {answer}.")
    found, heads = {}, set()
    for hit in rows(out / "hits.csv"):
        if int(hit["segment"]) != segment:
            continue
        heads.add((hit["layer"], hit["head"]))
        if first - 1 <= int(hit["position"]) < last + 1 and hit["kind"] == "anchor":
            found.setdefault((hit["layer"], hit["head"]), []).append(hit["position"])
    print(f"Anchors on it, or beside it: {len(found)} of {len(heads)} heads. " +
          "; ".join(f"layer {layer} head {head}: {', '.join(at)}" for (layer, head), at in sorted(found.items())))
    print(f"\n| change of the segment | loss of “{story['surname']}”, nats | probability |\n|---|---|---|")
    what_ifs = [(row["what_if"], row["loss_after"]) for row in rows(out / "what-ifs.csv")
                if int(row["position"]) == answer]
    losses = {name: next(row["nll"] for row in rows(out / f"{name}.csv") if int(row["position"]) == answer)
              for name in ("nll", "full")}
    for name, loss in [("none", losses["nll"]), *what_ifs, ("full attention over the whole text", losses["full"])]:
        print(f"| {name} | {float(loss):.4f} | {100 * math.exp(-float(loss)):.2f} % |")


if __name__ == "__main__":
    main()
