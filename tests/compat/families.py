#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random models of each family, made and run by transformers, and run by us from the folder that it saved.

usage: families.py PROGRAMS [--ids 96]

PROGRAMS has the program `logits`. Prints the largest difference of a log-probability for each family, and returns 1 where
one is above the bound. `--broken` takes the biases and the norms of queries and keys away before we read the folder,
which has to be noticed.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import safetensors.torch
import torch
import transformers

transformers.utils.logging.disable_progress_bar()

BOUND = 1e-4  # of a log-probability, between two ways to add up fp32

SHAPE = {"vocab_size": 160, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3,
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 512, "rope_theta": 10000.0}
FAMILIES = {
    "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM, {}),
    "mistral": (transformers.MistralConfig, transformers.MistralForCausalLM, {"sliding_window": None}),
    "mistral, a window": (transformers.MistralConfig, transformers.MistralForCausalLM, {"sliding_window": 20}),
    "qwen2": (transformers.Qwen2Config, transformers.Qwen2ForCausalLM, {}),
    "qwen2, tied": (transformers.Qwen2Config, transformers.Qwen2ForCausalLM, {"tie_word_embeddings": True}),
    "qwen2, a window that no layer has": (
        transformers.Qwen2Config, transformers.Qwen2ForCausalLM,
        {"use_sliding_window": True, "sliding_window": 16, "max_window_layers": 3}),
    "qwen2, windows from layer 1 on": (
        transformers.Qwen2Config, transformers.Qwen2ForCausalLM,
        {"use_sliding_window": True, "sliding_window": 16, "max_window_layers": 1}),
    "qwen3, windows by layer": (
        transformers.Qwen3Config, transformers.Qwen3ForCausalLM,
        {"head_dim": 16, "use_sliding_window": True, "sliding_window": 33,
         "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}),
    "gemma3": (
        transformers.Gemma3TextConfig, transformers.Gemma3ForCausalLM,
        {"head_dim": 16, "query_pre_attn_scalar": 16, "sliding_window": 20,
         "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}),
    "gemma3, no window": (
        transformers.Gemma3TextConfig, transformers.Gemma3ForCausalLM,
        {"head_dim": 16, "layer_types": ["full_attention"] * 3}),
    "gemma3, another scale, linear RoPE": (
        transformers.Gemma3TextConfig, transformers.Gemma3ForCausalLM,
        {"head_dim": 32, "query_pre_attn_scalar": 20, "sliding_window": 9, "num_hidden_layers": 7,
         "rope_parameters": {
             "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0},
             "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}}),
    "qwen3": (transformers.Qwen3Config, transformers.Qwen3ForCausalLM, {"head_dim": 16}),
    "qwen3, heads wider than the model": (transformers.Qwen3Config, transformers.Qwen3ForCausalLM, {"head_dim": 32}),
}


def make(name, folder):
    """A random model whose biases and norms differ from their neutral values, saved as transformers saves it."""
    config_class, model_class, keys = FAMILIES[name]
    torch.manual_seed(len(name))
    model = model_class(config_class(**{**SHAPE, **keys})).float().eval()
    with torch.no_grad():
        for key, tensor in model.named_parameters():
            if key.endswith(".bias"):
                tensor.normal_(0, 0.5)
            elif tensor.dim() == 1:
                tensor.normal_(0 if name.startswith("gemma") else 1, 0.2)
            else:
                tensor.normal_(0, tensor.shape[-1] ** -0.5)
    model.save_pretrained(folder)
    return model


def without_biases_and_head_norms(folder):
    path = Path(folder) / "model.safetensors"
    tensors = safetensors.torch.load_file(path)
    for key, tensor in tensors.items():
        if key.endswith(".bias"):
            tensor.zero_()
        if key.endswith(("q_norm.weight", "k_norm.weight")):
            tensor.fill_(1)
    safetensors.torch.save_file(tensors, path, {"format": "pt"})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path)
    parser.add_argument("--ids", type=int, default=96)
    parser.add_argument("--broken", action="store_true")
    options = parser.parse_args()
    failed = 0
    for name in FAMILIES:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "model"
            model = make(name, folder)
            ids = torch.randint(0, SHAPE["vocab_size"], (options.ids,), generator=torch.Generator().manual_seed(1))
            with torch.no_grad():
                theirs = model(ids[None]).logits[0].log_softmax(-1)
            if options.broken:
                without_biases_and_head_norms(folder)
            (Path(scratch) / "ids.json").write_text(json.dumps(ids.tolist()))
            subprocess.run([options.programs / "logits", folder, Path(scratch) / "ids.json", Path(scratch) / "ours.npy",
                            "--policy", "full"], check=True)
            ours = torch.from_numpy(numpy.load(Path(scratch) / "ours.npy")).float().log_softmax(-1)
            difference = (ours - theirs).abs().max().item()
            wrong = not difference <= BOUND
            failed += wrong
            print(f"{name:40} largest difference of a log-probability {difference:.2e}{'  WRONG' if wrong else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
