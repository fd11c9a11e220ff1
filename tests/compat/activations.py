#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of the forward pass, and what patches of them do, against transformers' own hooks on random models.

usage: activations.py PROGRAMS [--broken]

PROGRAMS has `carryover-cli`. For each family, every point that transformers' modules show, in every layer, has to be
within BOUND of ours, relative to the largest; and each of our patches of a point with the values of another text has to give the logits that a
hook of transformers gives. Returns 1 where one of them is not. `--broken` compares with the next layer."""
import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))  # which python3 -I leaves out
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import carryover
from families import SHAPE, make

BOUND = 1e-5
TOKENS = 60
# Where a family's modules show each point: the module, and whether the point is its input or its output.
PLAIN = {"resid_pre": ("", "in"), "v": ("self_attn.v_proj", "out"), "z": ("self_attn.o_proj", "in"),
         "attn_out": ("self_attn.o_proj", "out"), "resid_mid": ("post_attention_layernorm", "in"),
         "post": ("mlp.down_proj", "in"), "mlp_out": ("mlp.down_proj", "out"), "resid_post": ("", "out")}
BEFORE_ROPE = {"q": ("self_attn.q_proj", "out"), "k": ("self_attn.k_proj", "out")}
NORMED = {"q": ("self_attn.q_norm", "out"), "k": ("self_attn.k_norm", "out")}
BETWEEN_NORMS = {"attn_out": ("post_attention_layernorm", "out"), "resid_mid": ("pre_feedforward_layernorm", "in"),
                 "mlp_out": ("post_feedforward_layernorm", "out")}
FAMILIES = {"llama": {**PLAIN, **BEFORE_ROPE}, "qwen2": {**PLAIN, **BEFORE_ROPE}, "qwen3": {**PLAIN, **NORMED},
            "gemma3": {**PLAIN, **NORMED, **BETWEEN_NORMS}}


def value(tensors):
    return tensors[0] if isinstance(tensors, tuple) else tensors


def by_token(values):
    """Values of heads, [1, heads, tokens, d], with the tokens first; others as they are."""
    return values.transpose(1, 2) if values.dim() == 4 and values.shape[1] != TOKENS else values


class Theirs:
    def __init__(self, model, places):
        self.model, self.places = model, places

    def module(self, layer, point):
        name, side = self.places[point]
        whole = self.model.model.layers[layer]
        return (whole.get_submodule(name) if name else whole), side

    def run(self, ids, on_value):
        """The logits of a text; `on_value(layer, point, values)` may return others."""
        hooks = []
        for layer in range(len(self.model.model.layers)):
            for point in self.places:
                module, side = self.module(layer, point)

                def see_output(_, __, out, layer=layer, point=point):
                    changed = on_value(layer, point, value(out))
                    if changed is not None:
                        return (changed, *out[1:]) if isinstance(out, tuple) else changed
                    return None

                def see_input(_, args, kwargs, layer=layer, point=point):
                    named = not args
                    changed = on_value(layer, point, kwargs["hidden_states"] if named else args[0])
                    if changed is None:
                        return None
                    return (args, {**kwargs, "hidden_states": changed}) if named else ((changed, *args[1:]), kwargs)

                hooks.append(module.register_forward_pre_hook(see_input, with_kwargs=True) if side == "in"
                             else module.register_forward_hook(see_output))
        try:
            with torch.no_grad():
                return self.model(torch.tensor([ids])).logits[0]
        finally:
            for hook in hooks:
                hook.remove()

    def values(self, ids):
        seen = {}
        self.run(ids, lambda layer, point, values: seen.__setitem__((layer, point), values.clone()))
        return {key: by_token(values).reshape(TOKENS, -1).numpy() for key, values in seen.items()}

    def patched_losses(self, ids, layer, point, other):
        """The losses of a text in which one point has other values: (tokens, width)."""
        def patch(at_layer, at_point, values):
            if (at_layer, at_point) != (layer, point):
                return None
            mine = by_token(values)
            patched = torch.tensor(other).reshape(mine.shape)
            return patched if mine is values else patched.transpose(1, 2)
        logprobs = self.run(ids, patch).log_softmax(-1)
        return -logprobs[:-1].gather(1, torch.tensor(ids[1:])[:, None])[:, 0].numpy()


def compare(name, programs, broken):
    worst = {"values": 0.0, "patches": 0.0}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "model"
        model = make(name, folder)
        theirs = Theirs(model, FAMILIES[name])
        layers = len(model.model.layers)
        texts = [torch.randint(3, SHAPE["vocab_size"], (TOKENS,), generator=torch.Generator().manual_seed(seed)).tolist()
                 for seed in (1, 2)]
        with carryover.Engine(os.fspath(programs / "carryover-cli")) as engine:
            ours = engine.open(folder, dtype="fp32")
            # One segment without a carry is full attention.
            runs = [ours.run(ids, segment_length=TOKENS, carry_length=0, sink_length=0, retrieval_length=0, bos=False)
                    for ids in texts]
            points = [f"{layer}.{point}" for layer in range(layers) for point in FAMILIES[name]]
            mine, others = (ours.activations(run, 0, points) for run in runs)
            expected = theirs.values(texts[0])
            for key, values in mine.items():
                layer, point = int(key.split(".")[0]), key.split(".")[1]
                shift = 1 if broken and layer + 1 < layers else 0
                there = expected[layer + shift, point]
                difference = numpy.abs(values.reshape(TOKENS, -1) - there).max() / max(1, numpy.abs(there).max())
                worst["values"] = max(worst["values"], float(difference))
                if point == "resid_mid":
                    continue  # it is the input of a norm there, which is not all that reads it
                losses = ours.what_if(runs[0], 0, patch={key: others[key]}).after
                there = theirs.patched_losses(texts[0], layer + shift, point, others[key])
                worst["patches"] = max(worst["patches"], float(numpy.abs(losses - there).max()))
        return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path)
    parser.add_argument("--broken", action="store_true")
    options = parser.parse_args()
    right = True
    for name in FAMILIES:
        worst = compare(name, options.programs.resolve(), options.broken)
        ok = max(worst.values()) <= BOUND
        right = right and ok
        print(f"{name:12} values {worst['values']:.1e}, patches {worst['patches']:.1e}{'' if ok else '  WRONG'}", flush=True)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
