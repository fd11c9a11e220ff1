#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times and scores a model with the transformers library, as JSON on standard output.

usage: peer_transformers.py MODEL [--dtype fp32|bf16] [--threads 2] [--tokens 512,2048] [--repeat 5] [--ids IDS.json]

MODEL is a GGUF file (its weights are dequantised, then cast) or a Hugging Face folder. Attention is torch's
scaled_dot_product_attention. For each length, prefill is timed once with the logits of the last token only and once with
all logits: the median of --repeat after one warm-up, in seconds. With --ids (a JSON array) these tokens are read, and
their perplexity under full attention is given for each length; without, arbitrary ids are read and none is.
"""
import argparse
import json
import math
import statistics
import sys
import time
from pathlib import Path

import torch
import transformers

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}


def load(path, dtype):
    path = Path(path)
    where, extra = (path, {}) if path.is_dir() else (path.parent, {"gguf_file": path.name})
    model = transformers.AutoModelForCausalLM.from_pretrained(
        where, dtype=dtype, attn_implementation="sdpa", local_files_only=True, **extra
    )
    return model.eval()


def seconds(job, repeat):
    job()
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def score(model, ids):
    """Mean negative log-likelihood of ids[1:], summed in fp64; never all logits of a long text in fp32 at once."""
    logits = model(ids, use_cache=False).logits[0, :-1]
    total = 0.0
    for rows, targets in zip(logits.split(256), ids[0, 1:].split(256)):
        total += torch.nn.functional.cross_entropy(rows.float(), targets, reduction="none").double().sum().item()
    return total / (ids.shape[1] - 1)


@torch.inference_mode()
def measure(model, ids, repeat, scored):
    result = {
        "tokens": ids.shape[1],
        "prefill_last_logits_s": seconds(lambda: model(ids, logits_to_keep=1, use_cache=True), repeat),
        "prefill_all_logits_s": seconds(lambda: model(ids, use_cache=True), repeat),
    }
    result["tokens_per_s"] = ids.shape[1] / result["prefill_last_logits_s"]
    if scored:
        result["nll_mean"] = score(model, ids)
        result["ppl"] = math.exp(result["nll_mean"])
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--dtype", choices=DTYPES, default="fp32")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", default="512,2048")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--ids")
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    transformers.utils.logging.disable_progress_bar()
    model = load(arguments.model, DTYPES[arguments.dtype])
    lengths = [int(word) for word in arguments.tokens.split(",")]
    if arguments.ids:
        ids = json.loads(Path(arguments.ids).read_text())
        if len(ids) < max(lengths):
            sys.exit(f"{arguments.ids}: holds {len(ids)} ids, and --tokens asks for {max(lengths)}")
    else:
        generator = torch.Generator().manual_seed(1)
        ids = torch.randint(model.config.vocab_size, (max(lengths),), generator=generator).tolist()
    report = {
        "peer": f"transformers {transformers.__version__}, torch {torch.__version__}",
        "model": str(arguments.model),
        "dtype": arguments.dtype,
        "threads": arguments.threads,
        "attention": "sdpa",
        "repeat": arguments.repeat,
        "runs": [
            measure(model, torch.tensor([ids[:length]]), arguments.repeat, bool(arguments.ids)) for length in lengths
        ],
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
