# SPDX-License-Identifier: GPL-3.0-or-later
"""What attention sees under each policy, in Python, for policies.py.

Official code runs where a package has it (transformers, kvpress). The rest is written from reading the official code,
slowly and without any of ours: StreamingLLM's cache, MInference's index, InfLLM's memory, NSA's three branches. CCA's
authors publish no code: that is from their paper, and so is `segmented`, whose authors' code makes errors that
docs/paper_map.md names.
Queries, keys and values are [heads, tokens, d]; query head h reads KV head h // (heads / KV heads). All is fp32.
"""
import math
from contextlib import contextmanager

import torch
import transformers
from transformers.models.llama.modeling_llama import rotate_half


def all_logits(model, ids, **more):
    """[tokens, vocabulary] of one forward without a cache."""
    with torch.no_grad():
        return model(torch.tensor([ids]), use_cache=False, **more).logits[0]


@contextmanager
def before_attention(model, change):
    """`change(layer, arguments)` says what each layer's attention is called with instead."""
    def hook(module, positional, arguments):
        return positional, change(module.layer_idx, arguments)

    hooks = [layer.self_attn.register_forward_pre_hook(hook, with_kwargs=True) for layer in model.model.layers]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def under_masks(model, ids, seen):
    """Logits of transformers' eager attention where `seen(layer)`, [1 or heads, tokens, tokens], is true."""
    def change(layer, arguments):
        mask = seen(layer)
        return {**arguments, "attention_mask": torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)[None]}

    with before_attention(model, change):
        return all_logits(model, ids)


def under_rule(model, ids, rule, rotated=True):
    """Logits where `rule(layer, q, k, v)` stands in place of attention; of unrotated q and k on demand."""
    def attention(module, query, key, value, *_, **__):
        return rule(module.layer_idx, query[0], key[0], value[0]).transpose(0, 1)[None], None

    def without_rotation(_, arguments):
        cos, sin = arguments["position_embeddings"]
        return {**arguments, "position_embeddings": (torch.ones_like(cos), torch.zeros_like(sin))}

    before = model.config._attn_implementation
    transformers.AttentionInterface.register("carryover_rule", attention)
    model.set_attn_implementation("carryover_rule")
    try:
        with before_attention(model, (lambda _, arguments: arguments) if rotated else without_rotation):
            return all_logits(model, ids)
    finally:
        model.set_attn_implementation(before)


class ExactRotation(torch.nn.Module):
    """Angles in fp64. transformers' are in fp32, which at position 1000 moves the demo's logits by 1e-3."""

    def __init__(self, config):
        super().__init__()
        pairs = torch.arange(0, config.head_dim, 2, dtype=torch.float64) / config.head_dim
        assert config.rope_parameters["rope_type"] == "default"
        self.frequencies = config.rope_parameters["rope_theta"] ** -pairs

    def forward(self, _, position_ids):
        angles = position_ids[..., None].double() * self.frequencies
        angles = torch.cat([angles, angles], -1)
        return angles.cos().float(), angles.sin().float()


def rotation(model):
    """`rotate(x, positions)`: x, [heads, tokens, d], at these positions."""
    def rotate(x, positions):
        cos, sin = model.model.rotary_emb(x, positions[None])
        return x * cos + rotate_half(x) * sin

    return rotate


def for_queries(keys, heads):
    """Rows of KV heads, repeated for the query heads that read them."""
    return keys.repeat_interleave(heads // keys.shape[0], dim=0)


def scores_of(q, k):
    return q @ for_queries(k, q.shape[0]).transpose(-1, -2) / math.sqrt(q.shape[-1])


def attend(q, k, v, seen):
    weights = scores_of(q, k).masked_fill(~seen, -torch.inf).softmax(-1)
    return weights @ for_queries(v, q.shape[0])


def distances(tokens):
    """[tokens, tokens]: how far each key lies before each query."""
    return torch.arange(tokens)[:, None] - torch.arange(tokens)[None, :]


def in_window(tokens, window, sinks=0):
    """Keys of the last `window` positions, the query's own among them, and the first `sinks`."""
    distance = distances(tokens)
    return (distance >= 0) & ((distance < window) | (torch.arange(tokens) < sinks))


# Full attention, windows, StreamingLLM


def full(model, ids):
    return all_logits(model, ids)


def mistral_window(model, ids, window):
    """The same weights as a Mistral, whose sliding window is transformers' own."""
    shape = model.config.to_dict()
    for of_llama in ("model_type", "architectures", "attention_bias", "mlp_bias", "pretraining_tp",
                     "transformers_version"):
        shape.pop(of_llama, None)
    config = transformers.MistralConfig(**shape, sliding_window=window, attn_implementation="eager")
    mistral = transformers.MistralForCausalLM(config).float().eval()
    mistral.load_state_dict(model.state_dict())
    return all_logits(mistral, ids)


def a_shape(model, ids, sinks, window):
    return under_masks(model, ids, lambda _: in_window(len(ids), window, sinks)[None])


def streaming_llm(model, ids, sinks, recent):
    """Token by token, as StreamingLLM evicts: its cache holds the first `sinks` and the last `recent` tokens.

    They are held unrotated. A query attends to the cache and to itself; positions are places in this list. So it sees
    recent + 1 tokens beside the sinks.
    """
    rotate, caches = rotation(model), {}

    def rule(layer, q, k, v):
        if layer in caches:
            k, v = (torch.cat(both, dim=1) for both in zip(caches[layer], (k, v)))
        places = torch.arange(k.shape[1])
        out = attend(rotate(q, places[-1:]), rotate(k, places), v, torch.tensor(True))
        if k.shape[1] > sinks + recent:
            k, v = (torch.cat([x[:, :sinks], x[:, x.shape[1] - recent:]], dim=1) for x in (k, v))
        caches[layer] = k, v
        return out

    return torch.cat([under_rule(model, [token], rule, rotated=False) for token in ids])


def kvpress_streaming(model, ids, sinks, recent, positions):
    """kvpress's StreamingLLM with keys rotated anew, for a model of one layer: [positions, vocabulary].

    Its prompts are read with full attention, which changes what deeper layers hold, but nothing in the first.
    """
    from kvpress import KeyRerotationPress, StreamingLLMPress

    assert model.config.num_hidden_layers == 1
    rows = []
    for position in positions:
        kept = sinks + recent
        press = KeyRerotationPress(StreamingLLMPress(compression_ratio=1 - (kept + 0.5) / position, n_sink=sinks))
        cache = prefilled(model, ids[:position], press)[0]
        assert cache.get_seq_length() == kept
        with torch.no_grad():
            rows.append(model(torch.tensor([[ids[position]]]), past_key_values=cache,
                              position_ids=torch.tensor([[kept]])).logits[0])
    return torch.cat(rows)


def with_older_names(press):
    """kvpress 0.5.5 asks for past_key_values, which attention in transformers 5.24 gets as `cache`."""
    read = press.forward_hook

    def hook(module, given, arguments, output):
        return read(module, given, {"past_key_values": arguments.get("cache"), **arguments}, output)

    press.forward_hook = hook
    return press


def prefilled(model, ids, press):
    """A cache that a press compressed behind a prompt, and the prompt's logits. The press asks for cache_position."""
    cache = transformers.DynamicCache()
    press = with_older_names(press)
    with torch.no_grad(), press(model):
        logits = model(torch.tensor([ids]), past_key_values=cache, cache_position=torch.arange(len(ids))).logits[0]
    return cache, logits


# DuoAttention: `retrieval[layer]` is the set of retrieval heads among the KV heads


def duo(model, ids, retrieval, sinks, window):
    heads, kv_heads = model.config.num_attention_heads, model.config.num_key_value_heads

    def seen(layer):
        rows = [in_window(len(ids), len(ids) if head in retrieval[layer] else window, sinks)
                for head in range(kv_heads)]
        return for_queries(torch.stack(rows), heads)

    return under_masks(model, ids, seen)


def kvpress_duo(model, ids, retrieval, sinks, recent):
    """kvpress's masked keys of streaming heads, set anew before each token; a query sees recent + 1 beside the sinks.

    kvpress sets them once behind a prompt, for the question that follows.
    """
    from kvpress import DuoAttentionPress

    shape, first = model.config, sinks + recent + 1  # all heads see whole texts as short as that
    press = DuoAttentionPress(head_compression_ratio=0.5)
    press.sink_size, press.recent_size = sinks, recent
    press.streaming_mask = torch.tensor([[head not in retrieval[layer] for head in range(shape.num_key_value_heads)]
                                         for layer in range(shape.num_hidden_layers)])
    before, cache = shape._attn_implementation, transformers.DynamicCache()
    model.set_attn_implementation("sdpa")  # kvpress patches those in transformers' table, which eager is not in
    try:
        with torch.no_grad():
            rows = [model(torch.tensor([ids[:first]]), past_key_values=cache).logits[0]]
            for token in ids[first:]:
                for layer, block in zip(cache.layers, model.model.layers):
                    press.compress(block.self_attn, None, layer.keys, layer.values, None, {})
                rows.append(model(torch.tensor([[token]]), past_key_values=cache).logits[0])
    finally:
        model.set_attn_implementation(before)
        for block in model.model.layers:
            block.self_attn.masked_key_indices = None
    return torch.cat(rows)


# Segmented execution, from the paper's appendices


def retrieved(q, k, length, before, after, queries=64, window=8, stride=4, tail=4, top=16):
    """Positions of one head's pool that its next segment reads, ascending; `q` is of the segment that was read last.

    Means of the last queries score unrotated keys, each mean has its best `top`, the best of all are anchors, and these
    are expanded in this order until there are `length` positions; the pool's first ones fill what is left.
    """
    q = q[-queries:]
    summaries = torch.cat([q.unfold(0, window, stride).mean(-1), q[-tail:].mean(0, keepdim=True)])
    best = {}
    for scores in summaries @ k.T:
        found = scores.topk(min(top, len(k)))
        for position, score in zip(found.indices.tolist(), found.values.tolist()):
            best[position] = max(score, best.get(position, -math.inf))
    anchors = sorted(best, key=lambda position: (-best[position], position))
    held = {}  # in order
    for anchor in anchors[:max(1, length // (before + after + 1))]:
        held |= dict.fromkeys(range(max(0, anchor - before), min(len(k), anchor + after + 1)))
    held = dict.fromkeys(list(held)[:length])
    held |= dict.fromkeys([position for position in range(len(k)) if position not in held][:length - len(held)])
    return torch.tensor(sorted(held), dtype=torch.long)


def segmented(model, ids, segment, carry, retrieval, layers, long_heads, before=3, after=4):
    """A head sees its segment up to the query, behind what it reads: a local one the last `carry` tokens of the segment
    before, a long-range one of `layers` what it retrieves from all segments before, and others nothing. Positions are
    counted from the first token that it reads."""
    rotate, tokens = rotation(model), len(ids)

    def read_by(layer, head, start, q, k):
        if start == 0 or (head in long_heads and layer not in layers):
            return torch.arange(0)
        if head not in long_heads:
            return torch.arange(max(start - carry, start - segment), start)
        return retrieved(q[start - segment:start], k[:start], retrieval, before, after)

    def rule(layer, q, k, v):
        k, v, out = for_queries(k, q.shape[0]), for_queries(v, q.shape[0]), torch.zeros_like(q)
        for head in range(q.shape[0]):
            for start in range(0, tokens, segment):
                own = torch.arange(start, min(start + segment, tokens))
                prefix = read_by(layer, head, start, q[head], k[head])
                places, seen = torch.arange(len(prefix) + len(own)), torch.cat([prefix, own])
                behind = places[len(prefix):]
                queries, keys = rotate(q[head:head + 1, own], behind), rotate(k[head:head + 1, seen], places)
                out[head, own] = attend(queries, keys, v[head:head + 1, seen], places <= behind[:, None])[0]
        return out

    return under_rule(model, ids, rule, rotated=False)


# SnapKV


def kvpress_snapkv(model, ids, prompt, kept, window, kernel):
    """Full attention over the prompt, of which each KV head then keeps `kept` keys; what follows sees them and itself.

    Kept keys have the positions they had.
    """
    from kvpress import SnapKVPress

    press = SnapKVPress(compression_ratio=1 - (kept + 0.5) / prompt, window_size=window, kernel_size=kernel)
    cache, logits = prefilled(model, ids[:prompt], press)
    assert cache.get_seq_length() == kept
    with torch.no_grad():
        rest = model(torch.tensor([ids[prompt:]]), past_key_values=cache,
                     position_ids=torch.arange(prompt, len(ids))[None]).logits[0]
    return torch.cat([logits, rest])


# MInference: patterns[layer][head] is (kind, vertical, slash), as in its files

TILE = 64


def vertical_slash_mask(q, k, vertical, slash):
    """[tokens, tokens] of one head: minference_forward.py's estimate, vertical_slash_index.cu's tiles."""
    tokens = q.shape[0]
    vertical, slash, last = min(tokens, max(vertical, 30)), min(tokens, max(slash, 50)), min(TILE, tokens)
    weights = (q[-last:] @ k.T / math.sqrt(q.shape[-1]))
    weights = weights.masked_fill(distances(tokens)[-last:] < 0, -torch.inf).softmax(-1)
    by_column = weights.sum(0)
    by_column[:30] = torch.inf
    by_distance = torch.zeros(tokens).index_add(0, distances(tokens)[-last:].clamp(min=0).flatten(), weights.flatten())
    by_distance[:100] = torch.inf
    columns, lines = by_column.topk(vertical).indices.tolist(), by_distance.topk(slash).indices.tolist()

    seen = torch.zeros(tokens, tokens, dtype=torch.bool)
    for start in range(0, tokens, TILE):
        end, rows = start + TILE, slice(start, start + TILE)
        # A range of 64 keys for each diagonal, furthest first. One that overlaps or touches the range before lengthens
        # it by 64, however little it reaches beyond.
        ranges = []
        for line in sorted((line for line in lines if line < end), reverse=True):
            behind = max(end - line, TILE)
            if not ranges or behind > ranges[-1][1] + TILE:
                ranges.append([behind - TILE, behind])
            elif behind > ranges[-1][1]:
                ranges[-1][1] += TILE
        for first, behind in ranges:
            seen[rows, first:behind] = True
        seen[rows, [column for column in columns if column < ranges[-1][0]]] = True
    return seen & (distances(tokens) >= 0)


def block_mask(q, k, blocks, own_block):
    """block_sparse_flash_attention.py: blocks of keys by the products of means, those of a short last block as over 64.

    There a query's own block must be among the best like any other; `own_block` adds it where it is not.
    """
    tokens = q.shape[0]
    tiles = tokens // TILE + 1  # a whole text of tiles is padded by one more, too
    means = [torch.nn.functional.pad(x, (0, 0, 0, tiles * TILE - tokens)).view(tiles, TILE, -1).mean(1) for x in (q, k)]
    products = (means[0] @ means[1].T).masked_fill(distances(tiles) < 0, -torch.inf)
    chosen = products.topk(min(blocks, tiles), -1).indices
    seen = torch.zeros(tiles, tiles, dtype=torch.bool).scatter(1, chosen, True)
    if own_block:
        seen |= torch.eye(tiles, dtype=torch.bool)
    return seen.repeat_interleave(TILE, 0).repeat_interleave(TILE, 1)[:tokens, :tokens] & (distances(tokens) >= 0)


def minference(model, ids, patterns, own_block=False):
    def rule(layer, q, k, v):
        keys, masks = for_queries(k, q.shape[0]), []
        for head, (kind, vertical, slash) in enumerate(patterns[layer]):
            if kind == "stream_llm":
                masks.append(in_window(len(ids), slash, vertical))
            elif kind == "vertical_and_slash":
                masks.append(vertical_slash_mask(q[head], keys[head], vertical, slash))
            else:
                masks.append(block_mask(q[head], keys[head], vertical, own_block))
        return attend(q, k, v, torch.stack(masks))

    return under_rule(model, ids, rule)


# InfLLM


def infllm(model, ids, n_init, n_local, block_size, topk, repr_topk, exc_block_size, official_remainder=True):
    """context_manager.py, all of the text in one append.

    A query sees its window of n_local, rotated as in the text, and, from position n_local - 1 and unrotated: the first
    n_init tokens, the topk blocks that the mean query of its exc_block_size matches best, and tokens that left the
    window of the last query among those and are in no block yet. Such a token may still be in the window of an earlier
    query, which then counts it twice: so the official code does, whose mask of them is always true. Without
    `official_remainder` it counts once.
    """
    rotate, tokens = rotation(model), len(ids)

    def rule(_, q, k, v):
        heads, all_k = q.shape[0], for_queries(k, q.shape[0])
        places = torch.arange(tokens)
        near_q, near_k = rotate(q, places), rotate(k, places)
        far_q = rotate(q, torch.full((tokens,), n_local - 1))
        local_score = torch.zeros(heads, tokens)  # what each key got from windows
        inits, held, blocks, remainder = 0, [], [], 0  # tokens of the start; representatives; firsts; the next to leave
        outputs = []
        for start in range(0, tokens, exc_block_size):
            end = min(start + exc_block_size, tokens)
            rows = slice(start, end)
            chosen = list(range(len(blocks)))
            if len(blocks) > topk:
                query = far_q[:, rows].mean(1).flatten()
                chosen = sorted((torch.stack(held) @ query).topk(topk).indices.tolist())
            left = max(end - remainder - n_local, 0)
            far = list(range(inits)) + [t for b in chosen for t in range(blocks[b], blocks[b] + block_size)]
            far += range(remainder, remainder + left)

            distance = distances(tokens)[rows]
            near_seen = (distance >= 0) & (distance < n_local)
            far_seen = torch.ones(end - start, len(far), dtype=torch.bool)
            if not official_remainder:
                far_seen = distance[:, far] >= n_local
            near = scores_of(near_q[:, rows], near_k).masked_fill(~near_seen, -torch.inf)
            beyond = scores_of(far_q[:, rows], k[:, far]).masked_fill(~far_seen, -torch.inf)
            weights = torch.cat([near, beyond], -1).softmax(-1)
            outputs.append(weights @ for_queries(torch.cat([v, v[:, far]], 1), heads))
            local_score += weights[..., :tokens].sum(1)

            if inits < n_init and end - remainder > n_local:
                more = min(n_init - inits, end - remainder - n_local)
                inits, remainder = inits + more, remainder + more
            while end - remainder - block_size >= n_local:
                block = slice(remainder, remainder + block_size)
                best = local_score[:, block].topk(repr_topk, -1).indices
                representatives = all_k[:, block].gather(1, best[..., None].expand(-1, -1, k.shape[-1]))
                held.append(representatives.mean(1).flatten())
                blocks.append(remainder)
                remainder += block_size
        return torch.cat(outputs, 1)

    return under_rule(model, ids, rule, rotated=False)


# CCA-Attention


def cca(model, ids, group, window):
    """Token n, from 1, sees the first (n - window) // group core tokens, and each token behind their groups.

    A core token is what the last query of a group of rotated keys would attend to among them: the weighted sum of
    their values, and of themselves.
    """
    def pooled(q, k, v):
        last = q[:, None, group - 1::group]  # [heads, 1, groups, d]
        whole = last.shape[2] * group
        k, v = (for_queries(x, q.shape[0])[:, :whole].unflatten(1, (-1, group)) for x in (k, v))
        weights = torch.einsum("hagd,hgtd->hgt", last, k).div(math.sqrt(q.shape[-1])).softmax(-1)
        return [torch.einsum("hgt,hgtd->hgd", weights, x) for x in (k, v)]

    count = torch.arange(len(ids)) + 1
    seen = (count - window).clamp(min=0) // group
    core = torch.arange(len(ids) // group) < seen[:, None]
    own = (torch.arange(len(ids)) >= seen[:, None] * group) & (distances(len(ids)) >= 0)

    def rule(_, q, k, v):
        core_k, core_v = pooled(q, k, v)
        keys, values = (torch.cat([of_cores, for_queries(x, q.shape[0])], 1)
                        for of_cores, x in ((core_k, k), (core_v, v)))
        return attend(q, keys, values, torch.cat([core, own], 1))

    return under_rule(model, ids, rule)


# Native sparse attention


def nsa_attention(q, k, v, gates, block_size, block_count, window):
    """fla-org's naive.py: means of whole blocks, selected blocks, a window.

    `gates`: [3, heads, tokens], in this order.
    """
    heads, kv_heads, tokens = q.shape[0], k.shape[0], q.shape[1]
    position, blocks = torch.arange(tokens), -(-tokens // block_size)
    block_of = position // block_size

    def means(x):
        padded = torch.nn.functional.pad(x, (0, 0, 0, blocks * block_size - tokens))
        return padded.view(kv_heads, blocks, block_size, -1).mean(2)

    whole = (torch.arange(blocks) + 1) * block_size - 1 <= position[:, None]
    weights = scores_of(q, means(k)).masked_fill(~whole, -torch.inf).softmax(-1)
    weights = weights.where(whole.any(-1, keepdim=True), torch.zeros(()))  # before the first whole block: nothing
    compressed = weights @ for_queries(means(v), heads)

    # All query heads of a KV head select alike; a query's own block comes first.
    own = torch.arange(blocks) == block_of[:, None]
    choice = weights.masked_fill(own, 1).view(kv_heads, heads // kv_heads, tokens, blocks).sum(1)
    chosen = torch.zeros_like(choice, dtype=torch.bool).scatter(
        -1, choice.topk(min(block_count, blocks), -1).indices, True)
    causal = distances(tokens) >= 0
    selected = attend(q, k, v, for_queries(chosen[..., block_of] & causal, heads))

    local = attend(q, k, v, in_window(tokens, window))
    return sum(gate[..., None] * out for gate, out in zip(gates, (compressed, selected, local)))


def nsa(model, ids, gate_weights, block_size, block_count, window):
    """gate_weights[layer]: [3 heads, hidden] and a bias, a head's three gates side by side; None: those of a model that
    was not trained for it, of logits -4, 0 and 0."""
    heads, hidden = model.config.num_attention_heads, {}

    def keep_hidden(layer, arguments):
        hidden[layer] = arguments["hidden_states"][0]
        return arguments

    def rule(layer, q, k, v):
        gates = torch.tensor([-4.0, 0, 0]).sigmoid()[:, None, None].expand(3, heads, len(ids))
        if gate_weights is not None:
            rows, bias = gate_weights[layer]
            gates = (hidden[layer] @ rows.T + bias).sigmoid().view(len(ids), heads, 3).permute(2, 1, 0)
        return nsa_attention(q, k, v, gates, block_size, block_count, window)

    with before_attention(model, keep_hidden):
        return under_rule(model, ids, rule)
