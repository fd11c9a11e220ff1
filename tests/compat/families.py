#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random models of each family, made and run by transformers, and run by us from the folder that it saved.

usage: families.py PROGRAMS [--ids 300] [--only NAME] [--json FILE] [--broken]

PROGRAMS has `logits` and `carryover-cli`. For each family:

  log-probabilities   of every token, in single precision, within BOUND of transformers'
  gradient            of the loss of all targets, in double precision: of each parameter, within GRADIENT_BOUND of its norm
  export              transformers reads the same model from what `carryover export` writes, to the last bit
  GGUF                the model as gguf-py writes it (family_gguf.py) has the same log-probabilities, within BOUND

Returns 1 where one of them fails. `--broken` takes the biases and the norms of queries and keys away before we read the
folder, which has to be noticed.
"""
import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import safetensors.torch
import torch
import transformers

sys.path.insert(0, str(Path(__file__).resolve().parent))  # which python3 -I leaves out
from family_gguf import write_gguf

transformers.utils.logging.disable_progress_bar()

BOUND = 1e-4  # of a log-probability, between two ways to add up fp32
GRADIENT_BOUND = 1e-6  # relative to the norm, in fp64

SHAPE = {"vocab_size": 160, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3,
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 512, "rope_theta": 10000.0,
         "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
LONGROPE = {"type": "longrope", "short_factor": [1.0, 1.0, 1.1, 1.2, 1.5, 2.0, 2.5, 3.0],
            "long_factor": [1.0, 1.5, 2.0, 4.0, 8.0, 12.0, 24.0, 48.0]}
SAME_BASE = {"rope_type": "default", "rope_theta": 500000.0}
TINY_EYE = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2,
            "image_size": 8, "patch_size": 4}
# A GGUF of these architectures has no key for such windows, nor for another scale of attention; family_gguf.py writes
# no text halves.
NOT_IN_GGUF = ("qwen2, windows from layer 1 on", "qwen3, windows by layer", "gemma3, windows by layer",
               "gemma3, no window", "gemma3, another scale, linear RoPE", "gemma2, another scale, no caps",
               "gemma3, text half", "mistral, text half")


def with_eyes(config_class, text_class, vision):
    """Makes the config of a model that reads images, too, from the keys of its text half."""
    def make(**keys):
        return config_class(text_config=text_class(**keys).to_dict(), vision_config=vision,
                            tie_word_embeddings=keys.get("tie_word_embeddings", text_class().tie_word_embeddings))
    return make


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
        {"head_dim": 16, "query_pre_attn_scalar": 16, "sliding_window": 20, "num_hidden_layers": 7,
         "rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0},
                             "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}}),
    "gemma3, windows by layer": (
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
    "gemma3, text half": (
        with_eyes(transformers.Gemma3Config, transformers.Gemma3TextConfig, TINY_EYE),
        transformers.Gemma3ForConditionalGeneration,
        {"head_dim": 16, "query_pre_attn_scalar": 16, "sliding_window": 20}),
    "mistral, text half": (
        with_eyes(transformers.Mistral3Config, transformers.MistralConfig,
                  {"model_type": "pixtral", "head_dim": 8, **TINY_EYE}),
        transformers.Mistral3ForConditionalGeneration, {"sliding_window": None, "head_dim": 16}),
    "gemma2": (
        transformers.Gemma2Config, transformers.Gemma2ForCausalLM,
        {"head_dim": 16, "query_pre_attn_scalar": 16, "sliding_window": 20, "attn_implementation": "eager",
         "attn_logit_softcapping": 1.5, "final_logit_softcapping": 3.0}),
    "gemma2, another scale, no caps": (
        transformers.Gemma2Config, transformers.Gemma2ForCausalLM,
        {"head_dim": 16, "query_pre_attn_scalar": 20, "sliding_window": 33, "attn_implementation": "eager",
         "attn_logit_softcapping": None, "final_logit_softcapping": None}),
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
    "olmo2, tied, one KV head": (
        transformers.Olmo2Config, transformers.Olmo2ForCausalLM,
        {"tie_word_embeddings": True, "num_key_value_heads": 1}),
    "olmo3": (
        transformers.Olmo3Config, transformers.Olmo3ForCausalLM,
        {"sliding_window": 20, "num_hidden_layers": 5,
         "rope_parameters": {"full_attention": SAME_BASE, "sliding_attention": SAME_BASE}}),
    "olmo3, YaRN": (
        transformers.Olmo3Config, transformers.Olmo3ForCausalLM,
        {"sliding_window": 20, "num_hidden_layers": 5,
         "rope_parameters": {"sliding_attention": SAME_BASE, "full_attention": {
             "rope_type": "yarn", "rope_theta": 500000.0, "factor": 8.0, "original_max_position_embeddings": 64,
             "beta_fast": 32, "beta_slow": 1, "attention_factor": 1.2079441541679836}}}),
    "granite": (
        transformers.GraniteConfig, transformers.GraniteForCausalLM,
        {"embedding_multiplier": 12.0, "attention_multiplier": 0.0625, "residual_multiplier": 0.22,
         "logits_scaling": 8.0}),
    "granite, tied": (
        transformers.GraniteConfig, transformers.GraniteForCausalLM,
        {"embedding_multiplier": 3.0, "attention_multiplier": 0.3, "residual_multiplier": 1.5, "logits_scaling": 0.5,
         "tie_word_embeddings": True}),
    "smollm3, tied": (
        transformers.SmolLM3Config, transformers.SmolLM3ForCausalLM,
        {"num_hidden_layers": 8, "tie_word_embeddings": True, "num_key_value_heads": 4}),
    "smollm3": (transformers.SmolLM3Config, transformers.SmolLM3ForCausalLM, {"num_hidden_layers": 5}),
    "llama, YaRN": (
        transformers.LlamaConfig, transformers.LlamaForCausalLM,
        {"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}}),
    "pythia": (transformers.GPTNeoXConfig, transformers.GPTNeoXForCausalLM, {}),
    "gpt-neox, blocks in sequence, tied, half of a head rotated": (
        transformers.GPTNeoXConfig, transformers.GPTNeoXForCausalLM,
        {"use_parallel_residual": False, "tie_word_embeddings": True, "num_attention_heads": 2,
         "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5}}),
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


class Family:
    """One random model, saved in a scratch folder, and what transformers computes of it."""

    def __init__(self, options, name, scratch):
        self.programs, self.name, self.scratch = options.programs, name, Path(scratch)
        self.folder = self.scratch / "model"
        self.model = make(name, self.folder)
        self.ids = torch.randint(0, SHAPE["vocab_size"], (options.ids,), generator=torch.Generator().manual_seed(1))
        self.theirs = self.by_transformers(self.model)
        (self.scratch / "ids.json").write_text(json.dumps(self.ids.tolist()))
        if name not in NOT_IN_GGUF:
            write_gguf(self.model, self.scratch / "model.gguf")
        if options.broken:
            without_biases_and_head_norms(self.folder)

    def by_transformers(self, model):
        with torch.no_grad():
            return model(self.ids[None]).logits[0].log_softmax(-1)

    def by_us(self, model):
        out = self.scratch / "ours.npy"
        subprocess.run([self.programs / "logits", model, self.scratch / "ids.json", out, "--policy", "full"], check=True)
        return torch.from_numpy(numpy.load(out)).float().log_softmax(-1)

    def differences(self):
        return (self.by_us(self.folder) - self.theirs).abs()

    def gguf_difference(self):
        """None where a GGUF cannot say what the model is."""
        if self.name in NOT_IN_GGUF:
            return None
        return (self.by_us(self.scratch / "model.gguf") - self.theirs).abs().max().item()

    def is_exported(self):
        exported = self.scratch / "exported"
        subprocess.run([self.programs / "carryover-cli", "export", self.folder, "-o", exported, "--quiet"], check=True)
        again = transformers.AutoModelForCausalLM.from_pretrained(exported, dtype=torch.float32).eval()
        return torch.equal(self.by_transformers(again), self.theirs)

    def gradient_difference(self):
        """Of the parameter that differs most. One segment without a carry is the whole text."""
        out = self.scratch / "gradients.safetensors"
        subprocess.run([self.programs / "carryover-cli", "audit", self.folder, "--input-ids", self.scratch / "ids.json",
                        "--segments", "1", "--segment-length", str(len(self.ids)), "--carry-length", "0",
                        "--sink-length", "0", "--retrieval-length", "0", "--no-bos", "--dtype", "fp64", "--no-checks",
                        "--gradients", out, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        ours, theirs = safetensors.torch.load_file(out), self.gradients_by_transformers()
        if ours.keys() != theirs.keys():
            raise ValueError(f"gradients of other parameters: {sorted(ours.keys() ^ theirs.keys())}")
        return max(((ours[key] - each).norm() / each.norm()).item() for key, each in theirs.items())

    def gradients_by_transformers(self):
        with in_double():
            model = type(self.model)(self.model.config).double().eval()
            model.load_state_dict({key: each.double() for key, each in self.model.state_dict().items()})
            model.get_input_embeddings().padding_idx = None  # transformers leaves its gradient out
            logits = model(self.ids[None]).logits[0]
            torch.nn.functional.cross_entropy(logits[:-1], self.ids[1:], reduction="sum").backward()
        return {name_in_files(model, key): each.grad for key, each in model.named_parameters() if each.grad is not None}


def name_in_files(model, key):
    """transformers 5 calls the head of every model lm_head, and saves GPT-NeoX's under its old name. Of a model that
    reads images, too, we have the text half alone, under the names of a model of text."""
    key = key.replace("model.language_model.", "model.")
    return "embed_out.weight" if model.config.model_type == "gpt_neox" and key == "lm_head.weight" else key


@contextlib.contextmanager
def in_double():
    """transformers computes angles, norms and softmax in single precision by name: here these names mean double."""
    single, to_single = torch.float32, torch.Tensor.float
    torch.float32 = torch.float = torch.float64
    torch.Tensor.float = torch.Tensor.double
    try:
        yield
    finally:
        torch.float32 = torch.float = single
        torch.Tensor.float = to_single


def measured(options, name):
    with tempfile.TemporaryDirectory() as scratch:
        family = Family(options, name, scratch)
        differences = family.differences()
        return {"model": name, "largest_difference": differences.max().item(),
                "mean_difference": differences.mean().item(), "gradient": family.gradient_difference(),
                "gguf": family.gguf_difference(), "exported": options.broken or family.is_exported()}


def is_right(row):
    return (row["largest_difference"] <= BOUND and row["gradient"] <= GRADIENT_BOUND and row["exported"]
            and (row["gguf"] is None or row["gguf"] <= BOUND))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path)
    parser.add_argument("--ids", type=int, default=300)
    parser.add_argument("--only", help="the one family to compare")
    parser.add_argument("--broken", action="store_true")
    parser.add_argument("--json", type=Path, help="write the differences, as docs/evaluations/families.json")
    options = parser.parse_args()
    rows = []
    for name in [options.only] if options.only else FAMILIES:
        row = measured(options, name)
        rows.append(row)
        gguf = "–" if row["gguf"] is None else f"{row['gguf']:.1e}"
        print(f"{name:36} log-probabilities {row['largest_difference']:.1e}, gradient {row['gradient']:.1e}, GGUF {gguf}"
              f"{'' if row['exported'] else ', export differs'}{'' if is_right(row) else '  WRONG'}", flush=True)
    if options.json:
        options.json.write_text(json.dumps({"transformers": transformers.__version__, "tokens": options.ids, "dtype": "fp32",
                                            "rows": rows}, indent=1) + "\n")
    return 0 if all(map(is_right, rows)) else 1


if __name__ == "__main__":
    sys.exit(main())
