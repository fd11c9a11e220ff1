#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: harness.py PROGRAMS MODEL [--policies segmented,full] [--samples 40] [--out FILE]

lm-evaluation-harness and `carryover eval` on the same local tasks: a multiple choice and whole texts by
log-likelihoods, a generation, and, where MODEL has a template, the same generation as a chat. The harness asks
`carryover serve` by its models `local-completions`, with the server's own tokenizer, and `local-chat-completions`; both
read the same JSONL file. The losses of whole texts are those of `carryover run`. Every score has to be the same to the
last digit, and so has what each sample got. Run it with the Python of a virtual environment that has `lm_eval[api]`
(tests/compat/requirements-lm-eval.txt). Prints a line for each score, and returns 1 where one differs. --broken lets
`carryover` read texts whose every fifth answer is another one, which has to be noticed.
"""
import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import urllib.request
from array import array
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))  # python -I has no folder of the script
from served import Server  # noqa: E402

COLOURS = ["red", "blue", "green", "yellow", "white", "black", "brown", "grey"]
PLACES = ["harbour", "garden", "market", "library", "station", "bakery", "museum", "theatre", "castle", "bridge"]
NAMES = ["Anna", "Ben", "Clara", "David", "Emma", "Frank", "Grace", "Henry", "Iris", "Jack", "Kate", "Leo", "Mary",
         "Ned"]
CHOICE = """task: carryover_{task}
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
GENERATION = """task: carryover_{task}
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
ROLLING = """task: carryover_{task}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {file}}}}}
test_split: test
output_type: loglikelihood_rolling
doc_to_text: ""
doc_to_target: "{{{{prompt}}}}"
metric_list:
  - metric: bits_per_byte
"""
# (the harness's form of a task, its scores) of each, in the order of the report.
TASKS = {"choice": (CHOICE, ["acc", "acc_norm"]), "rolling": (ROLLING, ["bits_per_byte"]),
         "generation": (GENERATION, ["exact_match"]), "chat": (GENERATION, ["exact_match"])}


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
    for task, (form, _) in TASKS.items():
        file = folder / f"{task}.jsonl"
        write_lines(file, choice if task == "choice" else generation)
        (folder / f"carryover_{task}.yaml").write_text(form.format(task=task, file=file))


def write_lines(file, lines):
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


def read_lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def call(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data)) as answer:
        return json.load(answer)


class Harness:
    """lm_eval as it is, against a server."""

    def __init__(self, folder, address, count):
        self.folder, self.address, self.count = folder, address, count
        self.models = [model["id"] for model in call(address + "/v1/models")["data"]]
        self.info = call(address + "/tokenizer_info")
        self.tasks = [task for task in TASKS if task != "chat" or self.info["chat_template"]]

    def tokens(self, text):
        return call(self.address + "/tokenize", {"prompt": text, "add_special_tokens": False})["tokens"]

    def text_ids(self, text):
        """What the harness puts before a whole text, and its tokens."""
        return self.tokens(self.info["bos_token"] or self.info["eos_token"])[:1] + self.tokens(text)

    def scores(self, policy):
        """Scores and what each sample got: {"choice": ({metric: value}, [values of a sample])}."""
        model = next(model for model in self.models if model.endswith(":" + policy))
        found = self.run(model, "local-completions", "completions", [task for task in self.tasks if task != "chat"])
        if "chat" in self.tasks:
            found |= self.run(model, "local-chat-completions", "chat/completions", ["chat"], "--apply_chat_template")
        return found

    def run(self, model, kind, endpoint, tasks, *options):
        out = self.folder / "harness" / kind / model.replace(":", "_")
        environment = {**os.environ, "HF_DATASETS_CACHE": str(self.folder / "datasets"), "HF_HUB_OFFLINE": "1",
                       "HF_DATASETS_OFFLINE": "1"}
        done = subprocess.run(
            [sys.executable, "-I", "-m", "lm_eval", "run", "--model", kind, "--model_args",
             f"model={model},base_url={self.address}/v1/{endpoint},num_concurrent=1,max_length=8192,max_retries=1",
             "--tasks", ",".join(f"carryover_{task}" for task in tasks), "--include_path", str(self.folder),
             "--batch_size", "1", "--limit", str(self.count), "--log_samples", "--output_path", str(out), *options],
            cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise SystemExit(f"lm_eval failed:\n{done.stdout}")
        results = json.loads(next(out.glob("*/results_*.json")).read_text())["results"]
        found = {}
        for task in tasks:
            scores = {metric: results[f"carryover_{task}"][f"{metric},none"] for metric in TASKS[task][1]}
            found[task] = scores, responses(next(out.glob(f"*/samples_carryover_{task}_*.jsonl")))
        return found


def responses(file):
    return [plain(line["filtered_resps"]) for line in sorted(read_lines(file), key=lambda line: line["doc_id"])]


def plain(response):
    """A text, a log-likelihood, or [(log-likelihood, greedy)] of each choice: the harness writes numbers as strings."""
    if len(response) > 1 or isinstance(response[0], list):
        return [(float(value), str(greedy)) for value, greedy in response]
    try:
        return float(response[0])
    except ValueError:
        return response[0]


def own_scores(programs, model, harness, policy, broken):
    """The same of `carryover`."""
    found = {}
    for task in harness.tasks:
        file = harness.folder / f"{task}.jsonl"
        if broken:
            lines = read_lines(file)
            for line in lines[::5]:
                line["prompt"] = line["prompt"].replace("carried the box to", "never went to")
            file = harness.folder / f"broken-{task}.jsonl"
            write_lines(file, lines)
        out = harness.folder / "own" / policy / task
        if task == "rolling":
            found[task] = own_rolling(programs, model, harness, policy, file, out)
            continue
        chat = ["--chat"] if task == "chat" else []
        subprocess.run([programs / "carryover-cli", "eval", model, "--tasks", f"file:{file}", "--policies", policy,
                        "--limit", str(harness.count), "--out", out, "--quiet", *chat],
                       check=True, stdout=subprocess.DEVNULL)
        (results,) = json.loads(next(out.glob("*/results_*.json")).read_text())["results"].values()
        scores = {key.split(",")[0]: value for key, value in results.items() if key.split(",")[0] in TASKS[task][1]}
        found[task] = scores, responses(next(out.glob("*/samples_*_2*.jsonl")))
    return found


def own_rolling(programs, model, harness, policy, file, out):
    likelihoods, texts = [], [line["prompt"] for line in read_lines(file)[:harness.count]]
    for text in texts:
        ids = harness.folder / "ids.json"
        ids.write_text(json.dumps(harness.text_ids(text)))
        subprocess.run([programs / "carryover-cli", "run", model, "--input-ids", ids, "--policy", policy, "--out", out,
                        "--overwrite", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        # The file has the shortest digits that tell one fp32 number from the next.
        likelihoods.append(sum(-loss for loss in array("f", json.loads((out / "nll.json").read_text()))))
    size = sum(len(text.encode()) for text in texts)
    return {"bits_per_byte": -(sum(likelihoods) / size) / math.log(2)}, likelihoods


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
    with tempfile.TemporaryDirectory() as name, Server(programs, arguments.model) as server:
        folder = Path(name)
        write_tasks(folder, arguments.samples)
        harness = Harness(folder, server.address, arguments.samples)
        for policy in arguments.policies.split(","):
            theirs = harness.scores(policy)
            ours = own_scores(programs, arguments.model, harness, policy, arguments.broken)
            for task, (scores, samples) in theirs.items():
                own, own_samples = ours[task]
                same = sum(a == b for a, b in zip(samples, own_samples, strict=True))
                for metric, value in scores.items():
                    equal = own[metric] == value
                    differing += not equal
                    printed.append(f"{policy:<10} {task:<11} {metric:<13} lm_eval {value!r:<20} "
                                   f"carryover {own[metric]!r:<20} {'equal' if equal else 'DIFFERS'}")
                differing += same != len(samples)
                printed.append(f"{policy:<10} {task:<11} answers equal to the last digit: {same} of {len(samples)}")
    text = "\n".join(printed) + "\n"
    sys.stdout.write(text)
    if arguments.out:
        arguments.out.write_text(text)
    return differing > 0


if __name__ == "__main__":
    sys.exit(main())
