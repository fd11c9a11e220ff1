#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the logits of each policy with official and independent code; see run.sh and policy_references.py.

usage: policies.py PROGRAMS DEMO [--out FILE.json] [--broken] [--only POLICY ...]
  PROGRAMS  folder with `logits` and `carryover-cli`
  DEMO      the model resources/demo
  --out     writes [{policy, rule, model, tokens, reference, difference, bound}, ...]
  --broken  gives our program a window that is longer by one, or the like, and wants every comparison to fail
"""
import argparse
import json
import math
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable

import numpy
import torch
import transformers
from safetensors.torch import load_file, save_file

sys.path.append(str(Path(__file__).resolve().parent))  # which python3 -I leaves out
import policy_references as references  # noqa: E402

try:
    import kvpress  # noqa: F401: patches transformers' table of attention functions
    from importlib.metadata import version
    KVPRESS = f"kvpress {version('kvpress')}"
except ImportError:
    KVPRESS = None

TRANSFORMERS = f"transformers {transformers.__version__}"
transformers.utils.logging.disable_progress_bar()


def by_reading(source):
    return f"own reading of {source}, {TRANSFORMERS}"


@dataclass
class Model:
    name: str
    folder: Path
    ids: list[int]
    exact_rotation: bool = False  # for long texts
    loaded: torch.nn.Module = None

    def __post_init__(self):
        # Eager: its masks are added as they are, one for each head.
        self.loaded = transformers.AutoModelForCausalLM.from_pretrained(
            self.folder, dtype=torch.float32, attn_implementation="eager").eval()
        if self.exact_rotation:
            self.loaded.model.rotary_emb = references.ExactRotation(self.loaded.config)


@dataclass
class Case:
    policy: str
    rule: str  # which of its rules, where it has more than one
    model: Model
    settings: dict  # of our run
    broken: dict  # what --broken changes of them; may name another policy
    reference: str | None  # None: its package is not there
    logits: Callable[..., torch.Tensor]
    positions: list[int] | None = None  # those that the reference has; None: all
    prompt: str | None = None  # ours continues it, and `logits` takes what it added
    bound: float = 1e-4

    @property
    def name(self):
        return f"{self.policy}{', ' + self.rule if self.rule else ''}; {self.model.name}; {self.reference}"


def write_random_model(folder, demo, layers, heads, kv_heads, head_dim, seed):
    """A Hugging Face folder with random weights, large enough for attention to be far from uniform."""
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=512, hidden_size=72, intermediate_size=100, num_hidden_layers=layers, num_attention_heads=heads,
        num_key_value_heads=kv_heads, head_dim=head_dim, max_position_embeddings=4096, initializer_range=0.15,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0}, tie_word_embeddings=False,
        bos_token_id=510, eos_token_id=511)
    transformers.LlamaForCausalLM(config).float().save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        if (demo / name).exists():
            shutil.copy(demo / name, folder / name)
    return folder


def tokens_of(programs, model, text):
    return json.loads(subprocess.run([programs / "carryover-cli", "tokenize", model, "-"], input=text, check=True,
                                     capture_output=True, text=True).stdout)


def text_ids(programs, demo, count):
    return tokens_of(programs, demo, (demo / "text.txt").read_text())[:count]


def random_ids(count, seed):
    return numpy.random.default_rng(seed).integers(0, 510, count).tolist()


def grouping_of(retrieval, kv_heads, heads):
    """Our long-range layers and heads for `retrieval[layer]`, a set of KV heads."""
    group = heads // kv_heads
    # One query head of each is enough: all of a KV head are one kind.
    return {"long_range_layers": [layer for layer, kept in enumerate(retrieval) if kept],
            "long_range_heads": [[head * group for head in sorted(kept)] for kept in retrieval]}


def windowed_cases(model, sinks, window, segment):
    ids, shape = model.ids, model.loaded.config
    chunks = {"segment_length": segment, "carry_length": 0}
    narrow = {**chunks, "attention_window": window}
    behind = {**narrow, "sink_length": sinks}
    wider = {"attention_window": window + 1}
    retrieval = [{layer % shape.num_key_value_heads} if layer != 1 else set()
                 for layer in range(shape.num_hidden_layers)]
    grouping = {**behind, **grouping_of(retrieval, shape.num_key_value_heads, shape.num_attention_heads)}
    longest = {"policy": "sliding", "attention_window": len(ids) - 1}
    sized = f"n = {sinks}, W = {window}, S = {segment}"
    return [
        Case("full", f"S = {segment}", model, chunks, longest, f"{TRANSFORMERS}, eager",
             lambda: references.full(model.loaded, ids)),
        Case("sliding", f"W = {window}, S = {segment}", model, narrow, wider, f"{TRANSFORMERS}, Mistral's window",
             lambda: references.mistral_window(model.loaded, ids, window)),
        Case("streaming", f"positions in the text, {sized}", model, {**behind, "cache_positions": False}, wider,
             f"{TRANSFORMERS}, A-shaped mask", lambda: references.a_shape(model.loaded, ids, sinks, window)),
        Case("streaming", f"positions in the cache, {sized}", model, {**behind, "cache_positions": True}, wider,
             by_reading("StreamingLLM"), lambda: references.streaming_llm(model.loaded, ids, sinks, window - 1)),
        Case("duo", sized, model, grouping, wider, f"{TRANSFORMERS}, mask of each head",
             lambda: references.duo(model.loaded, ids, retrieval, sinks, window)),
        Case("duo", sized, model, grouping, wider, KVPRESS and f"{KVPRESS}, {TRANSFORMERS}",
             lambda: references.kvpress_duo(model.loaded, ids, retrieval, sinks, window - 1)),
    ]


def segmented_case(model, segment, carry, retrieval, layers, long_heads, broken):
    """In layer 0 equal tokens have equal keys, and rounding decides between them: it is not among `layers`."""
    return Case("segmented", f"S = {segment}, M = {carry}, R = {retrieval}, layers {layers}, heads {long_heads}", model,
                {"segment_length": segment, "carry_length": carry, "retrieval_length": retrieval,
                 "long_range_layers": layers, "long_range_heads": long_heads}, broken, by_reading("the paper"),
                lambda: references.segmented(model.loaded, model.ids, segment, carry, retrieval, layers, long_heads))


def segmented_cases(small, gqa):
    """Long-range heads: whole KV heads, and some that share theirs with local ones."""
    last = small.loaded.config.num_hidden_layers - 1
    return [segmented_case(small, 64, 16, 16, [1, last], [0, 1], {"carry_length": 17}),
            segmented_case(small, 64, 16, 16, [1, last], [0, 1], {"retrieval_length": 15}),
            segmented_case(gqa, 47, 20, 24, [1, 2], [0, 1, 2], {"expand_after": 5}),
            segmented_case(gqa, 70, 0, 100, [2], [1, 4], {"top_k": 3}),
            segmented_case(gqa, 33, 33, 0, [], [], {"carry_length": 32})]


def one_layer_case(model, sinks, window):
    positions = [sinks + window, sinks + window + 1, 2 * window + 3, len(model.ids) - 1]
    return Case("streaming", f"positions in the cache, n = {sinks}, W = {window}, one layer", model,
                {"segment_length": 50, "carry_length": 0, "attention_window": window, "sink_length": sinks,
                 "cache_positions": True}, {"attention_window": window + 1},
                KVPRESS and f"{KVPRESS}, {TRANSFORMERS}",
                lambda: references.kvpress_streaming(model.loaded, model.ids, sinks, window - 1, positions), positions)


def snapkv_case(programs, demo, model, letters, kept):
    """A prompt ends in generation alone. Its ids are the demo's, whose tokenizer all models here have."""
    prompt = (demo / "text.txt").read_text()[:letters]
    ids, window = tokens_of(programs, demo, prompt), 64
    return Case("snapkv", f"{kept} of {len(ids)} keys, greedy", model,
                {"segment_length": 50, "carry_length": 0, "query_length": window, "kv_budget": kept},
                {"query_length": window + 1}, KVPRESS and f"{KVPRESS}, {TRANSFORMERS}",
                lambda added: references.kvpress_snapkv(model.loaded, ids + added, len(ids), kept, window, kernel=5),
                prompt=prompt)


def minference_case(model, rule, patterns, broken, own_block=False):
    """Patterns: (kind, vertical, slash) of the heads of all layers, in turn. Columns are those of one chunk."""
    shape = model.loaded.config
    heads, layers = shape.num_attention_heads, shape.num_hidden_layers

    def spread(of_heads):
        return [[of_heads[(layer + head) % len(of_heads)] for head in range(heads)] for layer in range(layers)]

    def as_file(of_heads):
        return {"head_patterns": [{str(head): [*pattern, 1.0] for head, pattern in enumerate(layer)}
                                  for layer in spread(of_heads)]}

    source = by_reading("MInference fb56c91" + (" with each query's own block" if own_block else ""))
    source += ", angles in fp64" if model.exact_rotation else ""
    return Case("minference", rule, model, {"segment_length": len(model.ids), "carry_length": 0, **as_file(patterns)},
                as_file(broken), source,
                lambda: references.minference(model.loaded, model.ids, spread(patterns), own_block))


def minference_cases(model):
    lines, more = [("vertical_and_slash", 40, 103)], [("vertical_and_slash", 40, 104)]
    mixed = [("vertical_and_slash", 60, 105), ("stream_llm", 10, 90), ("vertical_and_slash", 30, 101),
             ("stream_llm", 3, 70)]
    wider = [(kind, vertical, slash + (kind == "stream_llm")) for kind, vertical, slash in mixed]
    return [minference_case(model, "vertical_and_slash", lines, more),
            minference_case(model, "stream_llm", [("stream_llm", 8, 75)], [("stream_llm", 8, 76)]),
            minference_case(model, "both patterns", mixed, wider),
            minference_case(model, "block_sparse", [("block_sparse", 3, 1)], [("block_sparse", 4, 1)], own_block=True)]


def infllm_case(model, segment, sinks):
    """Our tokens count once where the official code counts some twice, which is none in segments of one token."""
    sizes = {"n_init": sinks, "n_local": 40, "block_size": 8, "topk": 4, "repr_topk": 3, "exc_block_size": segment}
    official = segment == 1
    return Case("infllm", f"S = {segment}", model,
                {"segment_length": segment, "carry_length": 0, "sink_length": sinks,
                 "attention_window": sizes["n_local"], "memory_block_length": sizes["block_size"],
                 "memory_blocks": sizes["topk"], "memory_representatives": sizes["repr_topk"]},
                {"attention_window": sizes["n_local"] + 1},
                by_reading("InfLLM 12b7079" + ("" if official else " and each token once")),
                lambda: references.infllm(model.loaded, model.ids, **sizes, official_remainder=official))


def cca_case(model, segment, group, window):
    return Case("cca", f"g = {group}, W = {window}, S = {segment}", model,
                {"segment_length": segment, "carry_length": 0, "core_group_length": group,
                 "attention_window": window}, {"attention_window": window + 1},
                by_reading("Core Context Aware Transformers"),
                lambda: references.cca(model.loaded, model.ids, group, window))


def with_random_gates(model, folder, seed):
    """A copy of the model that has gates, and these by layer: rows and bias."""
    shape = model.loaded.config
    random = torch.Generator().manual_seed(seed)
    gates = [(0.2 * torch.randn(3 * shape.num_attention_heads, shape.hidden_size, generator=random),
              torch.randn(3 * shape.num_attention_heads, generator=random)) for _ in range(shape.num_hidden_layers)]
    shutil.copytree(model.folder, folder)
    tensors = load_file(folder / "model.safetensors")
    for layer, (rows, bias) in enumerate(gates):
        name = f"model.layers.{layer}.self_attn.g_proj"
        tensors |= {f"{name}.weight": rows, f"{name}.bias": bias}
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    return replace(model, folder=folder), gates


def nsa_case(model, rule, segment, block, count, gates=None):
    window = 40
    return Case("nsa", f"{rule} gates, S = {segment}", model,
                {"segment_length": segment, "carry_length": 0, "selected_block_length": block,
                 "selected_blocks": count, "attention_window": window}, {"attention_window": window + 1},
                by_reading("fla-org/native-sparse-attention bd67af5"),
                lambda: references.nsa(model.loaded, model.ids, gates, block, count, window))


def all_cases(programs, demo, scratch):
    small = Model("demo", demo, text_ids(programs, demo, 200))  # of more, fp32 alone is 1e-4 from fp64
    gqa = Model("random GQA", write_random_model(scratch / "gqa", demo, 3, 6, 2, 20, seed=5), random_ids(331, seed=6))
    long = Model("demo", demo, text_ids(programs, demo, 320), exact_rotation=True)
    long_gqa = Model("random GQA", scratch / "gqa", random_ids(741, seed=8), exact_rotation=True)
    one = Model("random, one layer", write_random_model(scratch / "one", demo, 1, 6, 3, 16, seed=7),
                random_ids(200, seed=9))
    cases = windowed_cases(small, sinks=4, window=24, segment=64) + windowed_cases(gqa, sinks=5, window=37, segment=47)
    cases += windowed_cases(gqa, sinks=1, window=100, segment=331)
    cases += segmented_cases(small, gqa)
    cases.append(one_layer_case(one, sinks=4, window=30))
    cases += minference_cases(long) + minference_cases(long_gqa)
    for model in (small, gqa):
        cases += [cca_case(model, segment=50, group=16, window=40), cca_case(model, segment=1, group=7, window=24)]
        cases += [snapkv_case(programs, demo, model, letters=1000, kept=90),
                  infllm_case(model, segment=16, sinks=5), infllm_case(model, segment=1, sinks=1),
                  nsa_case(model, "neutral", segment=48, block=16, count=3)]
    gated, gates = with_random_gates(gqa, scratch / "gated", seed=10)
    cases.append(nsa_case(gated, "random", segment=1, block=8, count=5, gates=gates))
    return cases


def checked(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        ended = f"{Path(command[0]).name} ended with {done.returncode}: was it built with its libraries?"
        raise RuntimeError(done.stderr.strip() or ended)
    return done.stdout


def our_settings(case, broken, scratch):
    """Our policy's name and its settings in a file."""
    settings = {**case.settings, **(case.broken if broken else {})}
    policy, config = settings.pop("policy", case.policy), scratch / "config.json"
    config.write_text(json.dumps(settings))
    return policy, config


def largest_difference(programs, case, broken, scratch):
    """Of logits."""
    policy, config = our_settings(case, broken, scratch)
    ids, out = scratch / "ids.json", scratch / "out.npy"
    ids.write_text(json.dumps(case.model.ids))
    out.unlink(missing_ok=True)
    checked([programs / "logits", case.model.folder, ids, out, "--policy", policy, "--config", config])
    ours, theirs = torch.from_numpy(numpy.load(out)).double(), case.logits().double()
    if case.positions is not None:
        ours = ours[case.positions]
    if ours.shape != theirs.shape:
        raise RuntimeError(f"shapes differ: ours {tuple(ours.shape)}, theirs {tuple(theirs.shape)}")
    return float((ours - theirs).abs().max())


def largest_regret(programs, case, broken, scratch):
    """By how much the reference's likeliest token is ahead of the one that our greedy generation took, in logits."""
    policy, config = our_settings(case, broken, scratch)
    prompt = scratch / "prompt.txt"
    prompt.write_text(case.prompt)
    told = json.loads(checked([programs / "carryover-cli", "generate", case.model.folder, "--prompt-file", prompt,
                               "--policy", policy, "--config", config, "--dtype", "fp32", "--device", "cpu",
                               "--max-new-tokens", "150", "--ignore-eos", "--json", "--quiet"]))
    added, first = told["ids"], told["prompt_tokens"]
    rows = case.logits(added)[first - 1:-1]
    return float((rows.max(-1).values - rows[torch.arange(len(added)), added]).max())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path)
    parser.add_argument("demo", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--broken", action="store_true")
    parser.add_argument("--only", nargs="+", metavar="POLICY")
    arguments = parser.parse_args()
    if arguments.out and arguments.broken:
        parser.error("--broken measures nothing that a table may show: leave out --out")
    programs = arguments.programs.resolve()
    help_text = subprocess.run([programs / "carryover-cli", "run", "--help"], check=True, capture_output=True,
                               text=True).stdout
    listed = next(line for line in help_text.splitlines() if line.strip().startswith("--policy"))
    built = set(listed.replace(",", " ").replace("(", " ").split())

    results, unwanted, noticed, shown = [], 0, 0, set()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        for case in all_cases(programs, arguments.demo.resolve(), scratch):
            if arguments.only and case.policy not in arguments.only:
                continue
            if case.policy not in built:
                if case.policy not in shown:
                    print(f"not built {case.policy}")
                shown.add(case.policy)
                continue
            if case.reference is None:
                print(f"left out {case.policy}, {case.rule}; {case.model.name}: kvpress is not installed")
                continue
            try:
                measure = largest_difference if case.prompt is None else largest_regret
                difference = measure(programs, case, arguments.broken, scratch)
            except RuntimeError as error:
                print(f"FAILED  {case.name}: {error}")
                unwanted += 1
                continue
            passed = difference <= case.bound  # NaN is not
            unwanted += passed == arguments.broken
            noticed += not passed
            print(f"{'passed' if passed else 'FAILED'}  {case.name}: {difference:.2e} (bound {case.bound:.0e})",
                  flush=True)
            results.append({"policy": case.policy, "rule": case.rule, "model": case.model.name,
                            "tokens": len(case.model.ids), "reference": case.reference,
                            "difference": difference if math.isfinite(difference) else None, "bound": case.bound})
    if arguments.out:
        arguments.out.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    if arguments.broken:
        print(f"{noticed} of {len(results)} comparisons notice a wrong window")
    return unwanted > 0 or not results


if __name__ == "__main__":
    sys.exit(main())
