#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Log-probabilities of real weights in a GGUF, token by token, against transformers on the dequantised weights.

usage: real_weights.py PROGRAMS TEXT MODEL.gguf... [--tokens 2048] [--json FILE] [--broken]

PROGRAMS has `carryover-cli`; its ids of TEXT, behind BOS where the file asks for it, are what both read. Returns 1
where a log-probability differs by more than LARGEST, or all of them by more than MEAN in the mean. --json writes the figures,
as docs/evaluations/real_weights.json. --broken gives transformers one other token, which has to be noticed.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import gguf
import torch
import transformers

transformers.utils.logging.disable_progress_bar()

LARGEST, MEAN = 2e-3, 1e-4
CHUNK = 256  # tokens whose logits are held at a time


def tokens(options, model):
    fields = gguf.GGUFReader(model).fields
    run = subprocess.run([options.programs / "carryover-cli", "tokenize", model, options.text], stdout=subprocess.PIPE,
                         check=True)
    begin = []
    if "tokenizer.ggml.add_bos_token" not in fields or fields["tokenizer.ggml.add_bos_token"].contents():
        begin = [int(fields["tokenizer.ggml.bos_token_id"].contents())]
    return (begin + json.loads(run.stdout))[:options.tokens]


def by_us(options, model, ids, scratch):
    """The log-probability of each token but the first."""
    (scratch / "ids.json").write_text(json.dumps(ids))
    subprocess.run([options.programs / "carryover-cli", "run", model, "--input-ids", scratch / "ids.json", "--policy",
                    "full", "--dtype", "fp32", "--no-bos", "--out", scratch / "run", "--no-capture", "hits,sinks",
                    "--quiet"], check=True, stdout=subprocess.DEVNULL)
    losses = json.loads((scratch / "run" / "nll.json").read_text())
    return -torch.tensor(losses, dtype=torch.float64)


def by_transformers(model, ids):
    load = transformers.AutoModelForCausalLM.from_pretrained
    theirs = load(model.parent, gguf_file=model.name, dtype=torch.float32).eval()
    ids = torch.tensor(ids)
    with torch.no_grad():
        hidden = theirs.model(ids[None]).last_hidden_state[0, :-1]
        parts = [theirs.lm_head(part).double().log_softmax(-1) for part in hidden.split(CHUNK)]
        return torch.cat([part.gather(1, at[:, None])[:, 0] for part, at in zip(parts, ids[1:].split(CHUNK))])


def measured(options, model):
    ids = tokens(options, model)
    with tempfile.TemporaryDirectory() as scratch:
        ours = by_us(options, model, ids, Path(scratch))
    if options.broken:
        ids[len(ids) // 2] = ids[len(ids) // 2 + 1]
    theirs = by_transformers(model, ids)
    differences = (ours - theirs).abs()
    fields = gguf.GGUFReader(model).fields
    return {"model": fields["general.name"].contents(), "architecture": fields["general.architecture"].contents(),
            "tokens": len(ids), "largest_difference": differences.max().item(),
            "mean_difference": differences.mean().item(),
            "loss": -ours.mean().item(), "loss_of_transformers": -theirs.mean().item()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--tokens", type=int, default=2048)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--broken", action="store_true")
    options = parser.parse_args()
    rows = [measured(options, model) for model in options.models]
    right = [row["largest_difference"] <= LARGEST and row["mean_difference"] <= MEAN for row in rows]
    for row, is_right in zip(rows, right):
        print(f"{row['model']}: {row['tokens']} tokens, largest difference {row['largest_difference']:.1e}, mean "
              f"{row['mean_difference']:.1e}, loss {row['loss']:.4f}{'' if is_right else '  WRONG'}", flush=True)
    if options.json:
        made_with = {"transformers": transformers.__version__, "text": options.text.stem, "dtype": "fp32"}
        options.json.write_text(json.dumps({**made_with, "rows": rows}, indent=1) + "\n")
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
