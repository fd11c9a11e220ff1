#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times transformers' own training step under full attention, as JSON on standard output.

usage: peer_training.py MODEL --ids IDS.json [--dtype fp32|bf16] [--threads 2] [--tokens 2048] [--samples 4] [--checkpointing]

Weights, gradients and AdamW's moments are fp32; bf16 is torch's autocast over them, the usual mixed precision. One step:
forward with the library's own loss and backward for each sample, then clipping and a fused AdamW step.
"""
import argparse
import json
import resource
import time
from pathlib import Path

import torch
import transformers
from peer_transformers import load


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--ids", required=True)
    parser.add_argument("--dtype", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=2048)
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--checkpointing", action="store_true")
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    transformers.utils.logging.disable_progress_bar()
    model = load(arguments.model, torch.float32).train()
    model.config.use_cache = False
    if arguments.checkpointing:
        model.gradient_checkpointing_enable({"use_reentrant": False})
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.0, weight_decay=0.0, fused=True)
    ids = json.loads(Path(arguments.ids).read_text())[: arguments.tokens * arguments.samples]
    samples = torch.tensor(ids).view(arguments.samples, 1, arguments.tokens)

    start = time.perf_counter()
    for sample in samples:
        with torch.autocast("cpu", torch.bfloat16, enabled=arguments.dtype == "bf16"):
            loss = model(sample, labels=sample).loss
        (loss / arguments.samples).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    seconds = time.perf_counter() - start
    print(json.dumps({
        "peer": f"transformers {transformers.__version__}, torch {torch.__version__}",
        "tokens_per_second": samples.numel() / seconds,
        "loss": loss.item(),
        "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }))


main()
