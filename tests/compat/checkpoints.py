#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints and adapters whose config files leave something open, read by us and by transformers and peft.

usage: checkpoints.py PROGRAMS MODEL [--ids 96]

PROGRAMS has carryover-cli; MODEL is a small Hugging Face folder of LLaMA's architecture with tied embeddings. Copies of
it get other RoPE keys, heads, windows and adapters; the loss of one text has to be the same under both. Prints a line for
each, and returns 1 where one differs.
"""
import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import peft
import safetensors.torch
import torch
import transformers

BOUND = 2e-5  # nats a target, between two ways to add up fp32
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LINEAR = {"rope_type": "linear", "factor": 4.0}
DEFAULT = {"rope_type": "default", "rope_theta": 500.0}

#: Keys of config.json; None takes one away.
ROPES = {
    "scaling and parameters": {"rope_theta": 500.0, "rope_scaling": LINEAR, "rope_parameters": DEFAULT},
    "scaling with a base, and parameters": {"rope_scaling": {**LINEAR, "rope_theta": 700.0}, "rope_parameters": DEFAULT},
    "llama3 in scaling, default in parameters": {
        "rope_theta": 500.0, "rope_parameters": DEFAULT,
        "rope_scaling": {**LLAMA3, "original_max_position_embeddings": 64}},
    "default in scaling, linear in parameters": {
        "rope_scaling": {"rope_type": "default"}, "rope_parameters": LINEAR},
    "empty scaling": {"rope_scaling": {}, "rope_parameters": {**LINEAR, "rope_theta": 500.0}},
    "no scaling": {"rope_scaling": None, "rope_parameters": LINEAR, "rope_theta": 500.0},
    "the older key of the kind": {"rope_scaling": {"type": "linear", "factor": 2.0}, "rope_parameters": None},
    "scaling without a kind": {"rope_scaling": {"factor": 2.0}, "rope_parameters": LINEAR},
    "llama3 without an original context": {"rope_scaling": LLAMA3, "max_position_embeddings": 128},
    "llama3, the top level's original context": {
        "original_max_position_embeddings": 32,
        "rope_scaling": {**LLAMA3, "original_max_position_embeddings": 96}},
    "dynamic with an original context": {
        "rope_scaling": {"rope_type": "dynamic", "factor": 4.0, "original_max_position_embeddings": 32}},
    "parameters before the top level": {"rope_theta": 900.0, "rope_parameters": DEFAULT, "rope_scaling": None},
    "whole heads in scaling": {
        "partial_rotary_factor": 0.5, "rope_scaling": {**LINEAR, "partial_rotary_factor": 1.0}},
    "LLaMA with a window": {"sliding_window": 8},
}
WINDOWS = {
    "Mistral without sliding_window": {"max_position_embeddings": 4096},
    "Mistral without sliding_window, longer context": {"max_position_embeddings": 8192},
    "Mistral, no window": {"max_position_embeddings": 8192, "sliding_window": None},
    "Mistral, a window that binds": {"sliding_window": 32, "use_sliding_window": False},
}
ADAPTED = {"r": 4, "lora_alpha": 8, "target_modules": ["q_proj", "v_proj", "down_proj"]}
STARTS = [True, "gaussian", "orthogonal", "eva", "mica", "olora", "pissa"]
REFUSED = ["pissa_niter_4", "loftq", "corda", "lora_ga"]

failed = False


def report(what, said, good):
    global failed
    failed |= not good
    print(f"{'passed' if good else 'FAILED'}  {what}: {said}")


class Comparison:
    def __init__(self, programs, model, scratch, tokens):
        self.cli, self.model, self.scratch, self.count = programs / "carryover-cli", model, scratch, 0
        text = self.answer("tokenize", model, model / "text.txt")
        self.ids = json.loads(text)[:tokens]
        (scratch / "ids.json").write_text(json.dumps(self.ids))
        self.config = json.loads((model / "config.json").read_text())
        self.weights = safetensors.torch.load_file(model / "model.safetensors")

    def answer(self, *words):
        done = subprocess.run([self.cli, *words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(done.stderr)
        return done.stdout

    def folder(self, changes, weights=None):
        self.count += 1
        path = self.scratch / f"model{self.count}"
        path.mkdir()
        config = {key: value for key, value in {**self.config, **changes}.items() if value is not ...}
        (path / "config.json").write_text(json.dumps(config))
        safetensors.torch.save_file(weights or self.weights, path / "model.safetensors", {"format": "pt"})
        shutil.copy(self.model / "tokenizer.json", path)
        return path

    def ours(self, path, *words):
        said = self.answer("run", path, "--input-ids", self.scratch / "ids.json", "--policy", "full", "--dtype", "fp32",
                           "--segment-length", "512", "--json", "--quiet", *words)
        return json.loads(said)["nll_mean"]

    def theirs(self, model):
        ids = torch.tensor([self.ids])
        with torch.no_grad():
            return model.eval()(ids, labels=ids).loss.item()

    def load(self, path):
        return transformers.AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)

    def equal(self, what, path, model, *words):
        theirs = self.theirs(model)
        try:
            ours = self.ours(path, *words)
            report(what, f"ours {ours:.6f}, theirs {theirs:.6f}", abs(ours - theirs) <= BOUND)
        except ValueError as error:
            report(what, f"refused: {error}", False)
        return theirs

    def refused(self, what, path, part, *words):
        try:
            report(what, f"not refused, {self.ours(path, *words):.6f}", False)
        except ValueError as error:
            report(what, "refused", part in str(error))


def ropes(compare):
    for what, changes in ROPES.items():
        path = compare.folder(changes)
        compare.equal(f"RoPE, {what}", path, compare.load(path))
    for where in ("rope_scaling", "rope_parameters", None):
        part = {"partial_rotary_factor": 0.5}
        path = compare.folder({where: {**DEFAULT, **part}} if where else part)
        compare.refused(f"a part of the head in {where or 'the top level'}", path, "partial_rotary_factor")


def heads(compare):
    other = {**compare.weights, "lm_head.weight": compare.weights["model.embed_tokens.weight"].flip(0).contiguous()}
    equal = {**compare.weights, "lm_head.weight": compare.weights["model.embed_tokens.weight"].clone()}
    alone = {name: value for name, value in equal.items() if name != "model.embed_tokens.weight"}
    for what, weights in (("another head", other), ("an equal head", equal), ("a head alone", alone)):
        path = compare.folder({"tie_word_embeddings": True}, weights)
        compare.equal(f"tied in the config, {what}", path, compare.load(path))
    path = compare.folder({"tie_word_embeddings": False}, alone)
    compare.refused("not tied in the config, a head alone", path, "model.embed_tokens.weight is missing")


def windows(compare):
    mistral = {"architectures": ["MistralForCausalLM"], "model_type": "mistral", "sliding_window": ...}
    for what, changes in WINDOWS.items():
        path = compare.folder({**mistral, **changes})
        compare.equal(what, path, compare.load(path))


def adapters(compare):
    plain = compare.theirs(compare.load(compare.model))
    for start in STARTS:
        for rslora in (False, True):
            torch.manual_seed(1)
            config = peft.LoraConfig(**ADAPTED, init_lora_weights=start, use_rslora=rslora, task_type="CAUSAL_LM")
            trained = peft.get_peft_model(compare.load(compare.model), config)
            with torch.no_grad():
                for name, value in trained.named_parameters():
                    if "lora_" in name:
                        value.add_(0.05 * torch.randn_like(value))
            compare.count += 1
            folder = compare.scratch / f"adapter{compare.count}"
            trained.save_pretrained(folder)
            loaded = peft.PeftModel.from_pretrained(compare.load(compare.model), folder)
            loss = compare.equal(f"adapter, {start}{', rslora' if rslora else ''}", compare.model, loaded, "--adapter",
                                 folder)
            report("  and it is not the base's", f"{loss - plain:+.6f}", abs(loss - plain) > 1e-3)
    settings = json.loads((folder / "adapter_config.json").read_text())
    for start in REFUSED:
        (folder / "adapter_config.json").write_text(json.dumps({**settings, "init_lora_weights": start}))
        compare.refused(f"adapter, {start}", compare.model, f"init_lora_weights is '{start}'", "--adapter", folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--ids", type=int, default=96, help="tokens of the text")
    arguments = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    print(f"transformers {transformers.__version__}, peft {peft.__version__}, torch {torch.__version__}")
    with tempfile.TemporaryDirectory() as scratch:
        compare = Comparison(arguments.programs.resolve(), arguments.model.resolve(), Path(scratch), arguments.ids)
        for part in (ropes, heads, windows, adapters):
            part(compare)
    sys.exit(failed)


if __name__ == "__main__":
    main()
