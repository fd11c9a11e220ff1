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
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 512, "rope_theta": 10000.0,
         "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
LONGROPE = {"type": "longrope", "short_factor": [1.0, 1.0, 1.1, 1.2, 1.5, 2.0, 2.5, 3.0],
            "long_factor": [1.0, 1.5, 2.0, 4.0, 8.0, 12.0, 24.0, 48.0]}
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
    "phi3, a window": (transformers.Phi3Config, transformers.Phi3ForCausalLM, {"sliding_window": 20}),
    "phi3, longrope, short": (
        transformers.Phi3Config, transformers.Phi3ForCausalLM,
        {"original_max_position_embeddings": 400, "rope_scaling": LONGROPE}),
    "phi3, longrope, long": (
        transformers.Phi3Config, transformers.Phi3ForCausalLM,
        {"original_max_position_embeddings": 64, "rope_scaling": LONGROPE}),
    "phi3, part of a head rotated": (
        transformers.Phi3Config, transformers.Phi3ForCausalLM,
        {"partial_rotary_factor": 0.75, "tie_word_embeddings": True}),
    "olmo2": (transformers.Olmo2Config, transformers.Olmo2ForCausalLM, {}),
    "olmo3": (transformers.Olmo3Config, transformers.Olmo3ForCausalLM, {"sliding_window": 20, "num_hidden_layers": 5}),
    "olmo3, YaRN": (
        transformers.Olmo3Config, transformers.Olmo3ForCausalLM,
        {"sliding_window": 20, "num_hidden_layers": 5,
         "rope_scaling": {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 64,
                          "beta_fast": 32, "beta_slow": 1, "attention_factor": 1.2079441541679836}}),
    "granite": (
        transformers.GraniteConfig, transformers.GraniteForCausalLM,
        {"embedding_multiplier": 12.0, "attention_multiplier": 0.0625, "residual_multiplier": 0.22,
         "logits_scaling": 8.0}),
    "smollm3": (transformers.SmolLM3Config, transformers.SmolLM3ForCausalLM, {"num_hidden_layers": 5}),
    "llama, YaRN": (
        transformers.LlamaConfig, transformers.LlamaForCausalLM,
        {"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}}),
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


def is_exported(programs, folder, ids, theirs):
    """Whether transformers reads the same model from the folder that an export writes, to the last bit."""
    exported = folder.parent / "exported"
    subprocess.run([programs / "carryover-cli", "export", folder, "-o", exported, "--quiet"], check=True)
    with torch.no_grad():
        again = transformers.AutoModelForCausalLM.from_pretrained(exported, dtype=torch.float32).eval()(ids[None])
    return torch.equal(again.logits[0].log_softmax(-1), theirs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path)
    parser.add_argument("--ids", type=int, default=300)
    parser.add_argument("--broken", action="store_true")
    parser.add_argument("--json", type=Path, help="write the differences, as docs/evaluations/families.json")
    options = parser.parse_args()
    failed = 0
    rows = []
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
            wrong = not difference <= BOUND or (not options.broken and not is_exported(options.programs, folder, ids, theirs))
            failed += wrong
            rows.append({"model": name, "largest_difference": difference,
                         "mean_difference": (ours - theirs).abs().mean().item()})
            print(f"{name:40} largest difference of a log-probability {difference:.2e}{'  WRONG' if wrong else ''}")
    if options.json:
        options.json.write_text(json.dumps({"transformers": transformers.__version__, "tokens": options.ids, "dtype": "fp32",
                                            "rows": rows}, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
