# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a transformers model as the GGUF that llama.cpp's converter makes of it, in single precision, with gguf-py: its
names of tensors, and the keys, permutations and gains of conversion/*.py."""
import math

import gguf
import numpy

ARCHITECTURES = {"llama": "LLAMA", "mistral": "LLAMA", "qwen2": "QWEN2", "qwen3": "QWEN3", "gemma3_text": "GEMMA3",
                 "gemma2": "GEMMA2", "phi3": "PHI3", "olmo2": "OLMO2", "olmo3": "OLMO2", "granite": "GRANITE", "smollm3": "SMOLLM3",
                 "gpt_neox": "GPTNEOX"}
PERMUTED = ("llama", "mistral", "granite", "smollm3")  # ggml rotates neighbours for them


def rope_of(config):
    """RoPE of layers without a window: a GGUF has no other."""
    return config.rope_parameters.get("full_attention", config.rope_parameters)


def attention_factor(config):
    original = rope_of(config)["original_max_position_embeddings"]
    scale = config.max_position_embeddings / original
    return 1.0 if scale <= 1 else math.sqrt(1 + math.log(scale) / math.log(original))


def permuted(rows, heads):
    return rows.reshape(heads, 2, rows.shape[0] // heads // 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def part_by_part(rows, heads):
    return rows.reshape(heads, 3, rows.shape[0] // heads // 3, *rows.shape[1:]).swapaxes(0, 1).reshape(rows.shape)


class Written:
    def __init__(self, model, path):
        self.config, self.kind = model.config, model.config.model_type
        self.heads = self.config.num_attention_heads
        self.kv_heads = self.heads if self.kind == "gpt_neox" else self.config.num_key_value_heads
        self.head_dim = getattr(self.config, "head_dim", None) or self.config.hidden_size // self.heads
        arch = gguf.MODEL_ARCH[ARCHITECTURES[self.kind]]
        self.names = gguf.get_tensor_name_map(arch, self.config.num_hidden_layers)
        self.out = gguf.GGUFWriter(path, gguf.MODEL_ARCH_NAMES[arch])
        self.keys()
        self.rope()
        getattr(self, self.kind, lambda: None)()
        for name, tensor in model.state_dict().items():
            if name not in ("lm_head.weight", "embed_out.weight") or not self.config.tie_word_embeddings:
                self.tensor(name, tensor.float().numpy())
        self.out.write_header_to_file()
        self.out.write_kv_data_to_file()
        self.out.write_tensors_to_file()
        self.out.close()

    def tensor(self, name, values):
        if self.kind in PERMUTED and name.endswith(("q_proj.weight", "k_proj.weight")):
            values = permuted(values, self.heads if "q_proj" in name else self.kv_heads)
        if "query_key_value" in name:
            values = part_by_part(values, self.heads)
        if self.kind in ("gemma2", "gemma3_text") and name.endswith("norm.weight"):
            values = values + 1
        self.out.add_tensor(self.names.get_name(name, try_suffixes=(".weight", ".bias")), values)

    def keys(self):
        c = self.config
        self.out.add_context_length(c.max_position_embeddings)
        self.out.add_embedding_length(c.hidden_size)
        self.out.add_block_count(c.num_hidden_layers)
        self.out.add_feed_forward_length(c.intermediate_size)
        self.out.add_head_count(self.heads)
        self.out.add_head_count_kv(self.kv_heads)
        if self.kind == "gpt_neox":
            self.out.add_layer_norm_eps(c.layer_norm_eps)
        else:
            self.out.add_layer_norm_rms_eps(c.rms_norm_eps)
        self.out.add_vocab_size(c.vocab_size)
        if self.head_dim != c.hidden_size // self.heads or self.kind in ("qwen3", "gemma2", "gemma3_text"):
            self.out.add_key_length(self.head_dim)
            self.out.add_value_length(self.head_dim)

    def rope(self):
        rope = rope_of(self.config)
        self.out.add_rope_freq_base(rope["rope_theta"])
        self.out.add_rope_dimension_count(int(self.head_dim * rope.get("partial_rotary_factor", 1)))
        if rope["rope_type"] in ("linear", "yarn"):
            self.out.add_rope_scaling_type(gguf.RopeScalingType[rope["rope_type"].upper()])
            self.out.add_rope_scaling_factor(rope["factor"])
        if rope["rope_type"] in ("longrope", "yarn"):
            self.out.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
        if rope["rope_type"] == "longrope":
            self.out.add_rope_scaling_attn_factors(attention_factor(self.config))
            for kind in ("long", "short"):
                factors = numpy.array(rope[f"{kind}_factor"], dtype=numpy.float32)
                self.out.add_tensor(f"rope_factors_{kind}.weight", factors)

    def window(self):
        if self.config.sliding_window:
            self.out.add_sliding_window(self.config.sliding_window)

    mistral = phi3 = gemma3_text = window

    def gemma2(self):
        self.window()
        self.out.add_attn_logit_softcapping(self.config.attn_logit_softcapping)
        self.out.add_final_logit_softcapping(self.config.final_logit_softcapping)

    def olmo3(self):
        self.window()
        self.out.add_sliding_window_pattern([kind == "sliding_attention" for kind in self.config.layer_types])
        if rope_of(self.config)["rope_type"] == "yarn":
            self.out.add_rope_scaling_attn_factors(rope_of(self.config)["attention_factor"])

    def gpt_neox(self):
        self.out.add_parallel_residual(self.config.use_parallel_residual)

    def granite(self):
        self.out.add_attention_scale(self.config.attention_multiplier)
        self.out.add_embedding_scale(self.config.embedding_multiplier)
        self.out.add_residual_scale(self.config.residual_multiplier)
        self.out.add_logit_scale(self.config.logits_scaling)


def write_gguf(model, path):
    Written(model, path)
