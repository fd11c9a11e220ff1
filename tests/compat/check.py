#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What transformers, peft and TensorBoard make of two training runs' folders; see run.sh.

usage: check.py BASE_MODEL FOLDER      FOLDER holds full/, lora/, full.npy, lora.npy and ids.json
"""
import json
import sys
from pathlib import Path

import numpy
import peft
import tensorboard
import torch
import transformers
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

BOUND = 1e-4
failed = False


def check(what, difference, bound):
    global failed
    failed |= not difference <= bound
    print(f"{'passed' if difference <= bound else 'FAILED'}  {what}: {difference:.2e} (bound {bound:.0e})")


def logits_of(model, ids):
    with torch.no_grad():
        return model.eval()(torch.tensor([ids])).logits[0].double().numpy()


def largest_difference(ours, theirs):
    return float(numpy.abs(ours.astype(numpy.float64) - theirs).max())


base, folder = sys.argv[1], Path(sys.argv[2])
ids = json.loads((folder / "ids.json").read_text())
print(f"transformers {transformers.__version__}, peft {peft.__version__}, tensorboard {tensorboard.__version__}, "
      f"torch {torch.__version__}; {len(ids)} tokens")

load = transformers.AutoModelForCausalLM.from_pretrained
trained = load(folder / "full/final", dtype=torch.float32)
check("transformers loads final/: largest difference of logits",
      largest_difference(numpy.load(folder / "full.npy"), logits_of(trained, ids)), BOUND)
start = logits_of(load(base, dtype=torch.float32), ids)
check("  and training had changed them (inverse of the largest difference)",
      1 / largest_difference(numpy.load(folder / "full.npy"), start), 1e4)

adapted = peft.PeftModel.from_pretrained(load(base, dtype=torch.float32), folder / "lora/final")
check("peft loads the adapter: largest difference of logits",
      largest_difference(numpy.load(folder / "lora.npy"), logits_of(adapted, ids)), BOUND)
check("  and it is none of the base model's (inverse of the largest difference)",
      1 / largest_difference(numpy.load(folder / "lora.npy"), start), 1e4)

for run in ("full", "lora"):
    metrics = [json.loads(line) for line in (folder / run / "metrics.jsonl").read_text().splitlines()]
    steps = [line for line in metrics if "loss" in line]
    events = EventAccumulator(str(folder / run))
    events.Reload()
    for tag in ("loss", "learning_rate", "gradient_norm"):
        read = [(event.step, event.value) for event in events.Scalars(tag)]
        same = len(read) == len(steps) and all(step == line["step"] for (step, _), line in zip(read, steps))
        difference = max(abs(value - line[tag]) for (_, value), line in zip(read, steps)) if same else float("inf")
        check(f"TensorBoard reads {run}'s {tag} of {len(steps)} steps: largest difference", difference, 1e-5)
sys.exit(failed)
