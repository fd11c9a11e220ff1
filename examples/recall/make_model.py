#!/usr/bin/python3 -I
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the model that training starts from: a small LLaMA with random weights, and the tokenizer of the texts.

    python3 -I make_model.py FOLDER

Standard library only; the same bytes on every machine up to the rounding of a logarithm.
"""
import json
import math
import os
import random
import struct
import sys
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # which python3 -I leaves out
import words

LAYERS, HIDDEN, HEADS, KV_HEADS, HEAD_DIM, FEED_FORWARD = 4, 64, 8, 4, 16, 96
DEVIATION = 0.1


def config():
    return {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": LAYERS,
        "hidden_size": HIDDEN, "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS, "head_dim": HEAD_DIM,
        "intermediate_size": FEED_FORWARD, "vocab_size": words.VOCABULARY, "max_position_embeddings": 2048,
        # A large base leaves half of a head's dimensions almost unrotated over a segment: these compare contents.
        "rope_theta": 100000.0, "rope_scaling": None, "tie_word_embeddings": True, "rms_norm_eps": 1e-5,
        "hidden_act": "silu", "attention_bias": False, "mlp_bias": False, "torch_dtype": "float32",
        "bos_token_id": words.VOCABULARY - 2, "eos_token_id": words.VOCABULARY - 1,
    }


def shapes():
    yield "model.embed_tokens.weight", (words.VOCABULARY, HIDDEN)
    for layer in range(LAYERS):
        prefix = f"model.layers.{layer}."
        yield prefix + "input_layernorm.weight", (HIDDEN,)
        yield prefix + "self_attn.q_proj.weight", (HEADS * HEAD_DIM, HIDDEN)
        yield prefix + "self_attn.k_proj.weight", (KV_HEADS * HEAD_DIM, HIDDEN)
        yield prefix + "self_attn.v_proj.weight", (KV_HEADS * HEAD_DIM, HIDDEN)
        yield prefix + "self_attn.o_proj.weight", (HIDDEN, HEADS * HEAD_DIM)
        yield prefix + "post_attention_layernorm.weight", (HIDDEN,)
        yield prefix + "mlp.gate_proj.weight", (FEED_FORWARD, HIDDEN)
        yield prefix + "mlp.up_proj.weight", (FEED_FORWARD, HIDDEN)
        yield prefix + "mlp.down_proj.weight", (HIDDEN, FEED_FORWARD)
    yield "model.norm.weight", (HIDDEN,)


def weights(chance):
    header, blobs, offset = {"__metadata__": {"format": "pt"}}, [], 0
    for name, shape in shapes():
        count = math.prod(shape)
        values = [1.0] * count if len(shape) == 1 else [chance.gauss(0, DEVIATION) for _ in range(count)]
        blobs.append(struct.pack(f"<{count}f", *values))
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [offset, offset + 4 * count]}
        offset += 4 * count
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + b"".join(blobs)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = json.dumps(words.tokenizer(), ensure_ascii=False, indent=1) + "\n"
    (folder / "tokenizer.json").write_text(tokenizer, encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(config(), indent=2) + "\n")
    (folder / "model.safetensors").write_bytes(weights(random.Random(1)))


if __name__ == "__main__":
    main()
