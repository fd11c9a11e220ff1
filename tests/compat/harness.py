#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: harness.py PROGRAMS MODEL [--policies segmented,full] [--samples 40] [--out FILE]

lm-evaluation-harness and `carryover eval` on the same local tasks: a multiple choice by log-likelihoods and a generation.
The harness asks `carryover serve` by its model `local-completions`, with the server's own tokenizer; both read the same
JSONL file. Every score has to be the same to the last digit, and so has what each sample got. Run it with the Python of a
virtual environment that has `lm_eval[api]` (tests/compat/requirements-lm-eval.txt). Prints a line for each score, and
returns 1 where one differs. --broken lets `carryover eval` read texts whose every fifth answer is another one, which has
to be noticed.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

COLOURS = ["red", "blue", "green", "yellow", "white", "black", "brown", "grey"]
PLACES = ["harbour", "garden", "market", "library", "station", "bakery", "museum", "theatre", "castle", "bridge"]
NAMES = ["Anna", "Ben", "Clara", "David", "Emma", "Frank", "Grace", "Henry", "Iris", "Jack", "Kate", "Leo", "Mary", "Ned"]
CHOICE = """task: carryover_choice
dataset_path: json
dataset_kwargs: {{data_files: {{test: {file}}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{prompt}}}}"
doc_to_choice: "{{{{choices}}}}"
doc_to_target: "{{{{answer}}}}"
metric_list:
  - metric: acc
  - metric: acc_norm
"""
GENERATION = """task: carryover_generation
dataset_path: json
dataset_kwargs: {{data_files: {{test: {file}}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{prompt}}}}"
doc_to_target: "{{{{answers[0]}}}}"
target_delimiter: ""
generation_kwargs: {{until: ["."], max_gen_toks: 8, do_sample: false, temperature: 0.0}}
metric_list:
  - metric: exact_match
"""


def sentences(draw, count):
    """Where people were, in pairs that a question can ask for: (sentence, name, place)."""
    lines = []
    for name in draw.sample(NAMES, count):
        place = draw.choice(PLACES)
        lines.append((f"{name} carried the {draw.choice(COLOURS)} box to the {place}.", name, place))
    return lines


def filler(draw, count):
    return [f"The {draw.choice(COLOURS)} door of the {draw.choice(PLACES)} was open on day {draw.randint(1, 999)}."
            for _ in range(count)]


def document(draw):
    """A text of several segments of 512 tokens, and what it says of one person."""
    known = sentences(draw, 4)
    text = filler(draw, draw.randint(20, 110))
    for line, _, _ in known:
        text.insert(draw.randint(0, len(text)), line)
    _, name, place = draw.choice(known)
    return " ".join(text), name, place


def write_tasks(folder, count):
    draw = random.Random(7)
    choice, generation = [], []
    for _ in range(count):
        text, name, place = document(draw)
        prompt = f"{text}\n{name} carried the box to the"
        places = [place] + draw.sample([other for other in PLACES if other != place], 3)
        draw.shuffle(places)
        choice.append({"prompt": prompt, "choices": places, "answer": places.index(place)})
        generation.append({"prompt": prompt, "answers": [" " + place], "stop": ["."], "max_new_tokens": 8})
    for name, lines, template in (("choice", choice, CHOICE), ("generation", generation, GENERATION)):
        file = folder / f"{name}.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        (folder / f"carryover_{name}.yaml").write_text(template.format(file=file))


class Server:
    """`carryover serve` on a port of its own, which it says on a line of its output."""

    def __init__(self, programs, model):
        # Quiet: a line for each request would fill a pipe that is read no further than the address.
        self.process = subprocess.Popen([programs / "carryover-cli", "serve", model, "--port", "0", "--quiet"],
                                        stdout=subprocess.PIPE, text=True)
        self.address = None
        for line in self.process.stdout:
            found = re.search(r"http://[\w.\[\]:]+:\d+", line)
            if found:
                self.address = found[0]
                break
        if not self.address:
            raise SystemExit("carryover serve said no address")

    def models(self):
        with urllib.request.urlopen(self.address + "/v1/models") as answer:
            return [model["id"] for model in json.load(answer)["data"]]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)


def harness_scores(folder, address, model, count):
    """lm_eval's scores, and what each sample got: {"choice": ({metric: value}, [values of a sample])}."""
    out = folder / "harness" / model.replace(":", "_")
    environment = {**os.environ, "HF_DATASETS_CACHE": str(folder / "datasets"), "HF_HUB_OFFLINE": "1",
                   "HF_DATASETS_OFFLINE": "1"}
    subprocess.run([sys.executable, "-I", "-m", "lm_eval", "run", "--model", "local-completions", "--model_args",
                    f"model={model},base_url={address}/v1/completions,num_concurrent=1,max_length=8192,"
                    "tokenizer_backend=remote,max_retries=1",
                    "--tasks", "carryover_choice,carryover_generation", "--include_path", str(folder), "--batch_size",
                    "1", "--limit", str(count), "--log_samples", "--output_path", str(out)], check=True,
                   env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    results = json.loads(next(out.glob("*/results_*.json")).read_text())["results"]
    found = {}
    for task, metrics in (("choice", ("acc", "acc_norm")), ("generation", ("exact_match",))):
        scores = {metric: results[f"carryover_{task}"][f"{metric},none"] for metric in metrics}
        samples = next(out.glob(f"*/samples_carryover_{task}_*.jsonl"))
        lines = sorted((json.loads(line) for line in samples.read_text().splitlines()), key=lambda line: line["doc_id"])
        found[task] = scores, [line["filtered_resps"] for line in lines]
    return found


def own_scores(programs, model, folder, policy, count, broken):
    files = {"choice": folder / "choice.jsonl", "generation": folder / "generation.jsonl"}
    if broken:
        for task, file in files.items():
            lines = [json.loads(line) for line in file.read_text().splitlines()]
            for line in lines[::5]:
                line["prompt"] = line["prompt"].replace("carried the box to", "never went to")
            files[task] = folder / f"broken-{task}.jsonl"
            files[task].write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = {}
    for task, file in files.items():
        out = folder / "own" / policy / task
        subprocess.run([programs / "carryover-cli", "eval", model, "--tasks", f"file:{file}", "--policies", policy,
                        "--limit", str(count), "--out", out, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        (results,) = json.loads(next(out.glob("*/results_*.json")).read_text())["results"].values()
        scores = {key.split(",")[0]: value for key, value in results.items()
                  if key.split(",")[0] in ("acc", "acc_norm", "exact_match")}
        samples = next(out.glob("*/samples_*_2*.jsonl"))
        lines = sorted((json.loads(line) for line in samples.read_text().splitlines()), key=lambda line: line["doc_id"])
        found[task] = scores, [line["filtered_resps"] for line in lines]
    return found


def plain(responses):
    """[log-likelihood, greedy] of each choice, or the text: harness versions write numbers as strings."""
    if isinstance(responses[0], str):
        return responses
    return [(float(value), str(greedy)) for value, greedy in responses]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path)
    parser.add_argument("model")
    parser.add_argument("--policies", default="segmented,full")
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--broken", action="store_true")
    arguments = parser.parse_args()
    programs = arguments.programs.resolve()
    differing, printed = 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tasks(folder, arguments.samples)
        with Server(programs, arguments.model) as server:
            models = server.models()
            harness = {}
            for policy in arguments.policies.split(","):
                model = next(model for model in models if model.endswith(":" + policy))
                harness[policy] = harness_scores(folder, server.address, model, arguments.samples)
        for policy, theirs in harness.items():
            ours = own_scores(programs, arguments.model, folder, policy, arguments.samples, arguments.broken)
            for task, (scores, samples) in theirs.items():
                own, own_samples = ours[task]
                same = sum(plain(a) == plain(b) for a, b in zip(samples, own_samples, strict=True))
                for metric, value in scores.items():
                    equal = own[metric] == value
                    differing += not equal
                    printed.append(f"{policy:<10} {task:<11} {metric:<12} lm_eval {value!r:<20} carryover {own[metric]!r:<20}"
                                   f" {'equal' if equal else 'DIFFERS'}")
                differing += same != len(samples)
                printed.append(f"{policy:<10} {task:<11} answers equal to the last digit: {same} of {len(samples)}")
    text = "\n".join(printed) + "\n"
    sys.stdout.write(text)
    if arguments.out:
        arguments.out.write_text(text)
    return differing > 0


if __name__ == "__main__":
    sys.exit(main())
