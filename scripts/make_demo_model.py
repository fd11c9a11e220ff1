#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes resources/demo: a tiny LLaMA in Hugging Face layout with known random weights, its tokenizer, and a text.

    python3 scripts/make_demo_model.py [FOLDER]

Standard library only. The same bytes come out on every machine: all random numbers are random.Random(seed).random(),
whose sequence Python guarantees, and the arithmetic on them is exact or rounded to bfloat16.
"""
import json
import math
import random
import re
import struct
import sys
from collections import Counter
from pathlib import Path

LAYERS, HIDDEN, HEADS, KV_HEADS, HEAD_DIM, FEED_FORWARD, VOCABULARY = 4, 128, 8, 4, 16, 352, 512
BOS, EOS = "<|begin|>", "<|end|>"
TEXT_BYTES = 24_000

# ---- the text: a harbour-master's diary in which facts are set down and asked for again many pages later -----------

OPENING = """The Diary of the Harbour at Saltmarsh

These pages were kept by the harbour-master's clerk, and nobody else was meant to read them. I write down what came \
in, what went out, who said so, and where we put it, because the tide forgets everything and the harbour-master \
forgets more.
"""

ARRIVALS = [
    "The {ship} came in on the {tide} tide with {count} barrels of {goods}, and Captain {captain} swore "
    "at the wind for "
    "a quarter of an hour before he would sign for them.",
    "Captain {captain} brought the {ship} round the point at first light. She carried {count} crates of "
    "{goods}, two of "
    "them wet, and a {animal} that belonged to nobody.",
    "We had not looked for the {ship} before Sunday, but there she lay, low in the water under {count} "
    "sacks of {goods}. "
    "Captain {captain} said that he had seen a {animal} walking on the sandbank, and I wrote it down as he said it.",
]
STORES = [
    "I locked the {goods} in the {colour} store and hung the key {place}; its number is {number}.",
    "By evening all of it stood in the {colour} store. The key, number {number}, is {place}, and I told "
    "no one but this book.",
    "{helper} helped me to carry the {goods} to the {colour} store. We left the key, which bears the "
    "number {number}, {place}.",
]
DAYS = [
    "It rained from noon. {helper} mended the {thing} and would take nothing for it but a cup of tea.",
    "{helper} lost a wager about the {thing} and has to sweep the pier for {days} days.",
    "Nothing happened, and then the {thing} broke, and then nothing happened again until supper.",
    "The fog was so thick that {helper} walked off the end of the jetty with the {thing} under one arm. "
    "Both were saved.",
    "A letter came for {helper} from the city. It was read aloud {days} times, and each time the {thing} grew larger.",
]
LETTERS = [
    "\"Dear Sir,\" wrote the owners of the {ship}, \"we hear that you hold {count} lots of our {goods}. "
    "Be so good as to say "
    "where they lie, and who has the key.\"",
    "\"Is it true,\" asks a letter from the owners of the {ship}, \"that Captain {captain} left you our "
    "{goods}? He can't "
    "remember the place, and we don't trust his arithmetic.\"",
]
ANSWERS = [
    "I turned back the pages and answered: they lie in the {colour} store, the key is {place}, and its "
    "number is {number}.",
    "I had it here all the time. The {colour} store; the key {place}; number {number}. So much for memory.",
]
SHIPS = ("Heron|Patient Anne|Grey Goose|Margaret Dove|Second Thought|Lantern|Blue Thistle|Old Promise|"
         "Wren|Fair Copy").split("|")
CAPTAINS = "Pell|Okonjo|Lindqvist|Brandt|Moreau|Achterberg|Sands|Ferreira|Holloway|Quill".split("|")
GOODS = "salt|lamp oil|red clay|tar|walnuts|glass beads|dried figs|copper nails|soap|candle wax".split("|")
COLOURS = "white|green|yellow|black|crooked|long|upper|stone|narrow|painted".split("|")
PLACES = ("behind the seventh hymn book|under the broken compass|in the blue teapot|inside the stopped clock|"
          "on the nail above the stove|in the left boot of my father|beneath the third step|between the two almanacs|"
          "in the drawer that sticks|at the bottom of the flour bin").split("|")
HELPERS = "Tobias|Mrs. Ellery|young Ansel|Ida from the bakery|the sexton|Perpetua|Mr. Crabbe|the twins".split("|")
THINGS = "weathervane|rope ladder|brass telescope|signal lamp|handcart|church bell|fiddle|weighing scale".split("|")
ANIMALS = "goat|peacock|very old dog|tame seal|white hen".split("|")
WEEKDAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday".split("|")
MONTHS = "March|April|May|June|July|August|September|October|November".split("|")


def write_text(chance):
    """Diary entries; every shipment's store, key and number come back in an answered letter some entries later."""
    paragraphs, remembered, day = [OPENING], [], 0
    while sum(len(p) + 1 for p in paragraphs) < TEXT_BYTES:
        day += 1 + int(chance.random() * 3)
        date = f"{WEEKDAYS[day % 7]}, {1 + day % 28} {MONTHS[(day // 28) % len(MONTHS)]}"
        fact = {
            "ship": pick(chance, SHIPS), "captain": pick(chance, CAPTAINS), "goods": pick(chance, GOODS),
            "colour": pick(chance, COLOURS), "place": pick(chance, PLACES), "helper": pick(chance, HELPERS),
            "thing": pick(chance, THINGS), "animal": pick(chance, ANIMALS),
            "tide": pick(chance, ["morning", "evening"]),
            "count": 12 + int(chance.random() * 300), "number": 100 + int(chance.random() * 900),
            "days": 2 + int(chance.random() * 9),
        }
        sentences = [pick(chance, DAYS).format(**fact)]
        if chance.random() < 0.6:
            sentences += [pick(chance, ARRIVALS).format(**fact), pick(chance, STORES).format(**fact)]
            remembered.append(fact)
        if len(remembered) > 5:
            asked = remembered.pop(0)
            sentences += [pick(chance, LETTERS).format(**asked), pick(chance, ANSWERS).format(**asked)]
        paragraphs.append(f"{date}.\n" + " ".join(sentences) + "\n")
    return "\n".join(paragraphs)


def pick(chance, choices):
    return choices[int(chance.random() * len(choices))]


# ---- the tokenizer: byte-level BPE, merges learnt from the text ----------------------------------------------------

def byte_characters():
    """Byte-level BPE spells each byte as one printable character: itself where it prints, else from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [b for b in range(256) if b not in printable]
    return {b: chr(b) for b in printable} | {b: chr(256 + i) for i, b in enumerate(others)}


def learn_merges(text, count):
    """The most frequent pair first, ties to the smaller pair. Digits stay single, words keep their leading space."""
    spelled = byte_characters()
    word_pattern = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+|\d| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")
    words = Counter(tuple(spelled[b] for b in w.encode()) for w in word_pattern.findall(text))
    merges = []
    while len(merges) < count:
        pairs = Counter()
        for word, times in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += times
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        words = Counter({merged(word, best): times for word, times in words.items()})
    return merges


def merged(word, pair):
    out, i = [], 0
    while i < len(word):
        if word[i:i + 2] == pair:
            out.append(word[i] + word[i + 1])
            i += 2
        else:
            out.append(word[i])
            i += 1
    return tuple(out)


def write_tokenizer(text):
    vocabulary = {character: i for i, character in enumerate(byte_characters()[b] for b in range(256))}
    merges = learn_merges(text, VOCABULARY - 256 - 2)
    for left, right in merges:
        vocabulary.setdefault(left + right, len(vocabulary))
    assert len(vocabulary) == VOCABULARY - 2, "two merges spell the same token"
    special = [{"id": VOCABULARY - 2 + i, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
                "normalized": False, "special": True} for i, content in enumerate([BOS, EOS])]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special, "normalizer": None,
        "pre_tokenizer": {"type": "Sequence",
                          "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level]},
        "post_processor": None, "decoder": byte_level,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                  "vocab": vocabulary, "merges": [f"{left} {right}" for left, right in merges]},
    }


# ---- the weights ---------------------------------------------------------------------------------------------------

def config():
    return {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": LAYERS,
        "hidden_size": HIDDEN, "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS, "head_dim": HEAD_DIM,
        "intermediate_size": FEED_FORWARD, "vocab_size": VOCABULARY, "max_position_embeddings": 2048,
        "rope_theta": 10000.0, "rope_scaling": None, "tie_word_embeddings": True, "rms_norm_eps": 1e-5,
        "hidden_act": "silu", "attention_bias": False, "mlp_bias": False, "torch_dtype": "bfloat16",
        "bos_token_id": VOCABULARY - 2, "eos_token_id": VOCABULARY - 1,
    }


def shapes_and_scales():
    """Name, shape and standard deviation. Small embeddings beside layers that write at unit scale keep a token from
    merely predicting itself through the tied head; sharper queries and keys let heads prefer some tokens to others."""
    yield "model.embed_tokens.weight", (VOCABULARY, HIDDEN), 0.1
    for layer in range(LAYERS):
        prefix = f"model.layers.{layer}."
        unit = 1 / math.sqrt(HIDDEN)
        yield prefix + "input_layernorm.weight", (HIDDEN,), None
        yield prefix + "self_attn.q_proj.weight", (HEADS * HEAD_DIM, HIDDEN), 1.5 * unit
        yield prefix + "self_attn.k_proj.weight", (KV_HEADS * HEAD_DIM, HIDDEN), 1.5 * unit
        yield prefix + "self_attn.v_proj.weight", (KV_HEADS * HEAD_DIM, HIDDEN), unit
        yield prefix + "self_attn.o_proj.weight", (HIDDEN, HEADS * HEAD_DIM), unit
        yield prefix + "post_attention_layernorm.weight", (HIDDEN,), None
        yield prefix + "mlp.gate_proj.weight", (FEED_FORWARD, HIDDEN), unit
        yield prefix + "mlp.up_proj.weight", (FEED_FORWARD, HIDDEN), unit
        yield prefix + "mlp.down_proj.weight", (HIDDEN, FEED_FORWARD), 1 / math.sqrt(FEED_FORWARD)
    yield "model.norm.weight", (HIDDEN,), None


def bfloat16_bytes(values):
    """Nearest, ties to even, as the upper half of the float's bits."""
    bits = struct.unpack(f"<{len(values)}I", struct.pack(f"<{len(values)}f", *values))
    return struct.pack(f"<{len(bits)}H", *((b + 0x7FFF + ((b >> 16) & 1)) >> 16 for b in bits))


def write_weights(chance):
    header, blobs, offset = {"__metadata__": {"format": "pt"}}, [], 0
    for name, shape, deviation in shapes_and_scales():
        count = math.prod(shape)
        if deviation is None:
            values = [0.75 + 0.5 * chance.random() for _ in range(count)]
        else:
            width = 2 * math.sqrt(3) * deviation  # uniform: exact on every machine
            values = [width * (chance.random() - 0.5) for _ in range(count)]
        blobs.append(bfloat16_bytes(values))
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [offset, offset + 2 * count]}
        offset += 2 * count
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + b"".join(blobs)


def main():
    default = Path(__file__).resolve().parent.parent / "resources" / "demo"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    folder.mkdir(parents=True, exist_ok=True)
    text = write_text(random.Random(1))
    (folder / "text.txt").write_bytes(text.encode())
    tokenizer = json.dumps(write_tokenizer(text), ensure_ascii=False, indent=1) + "\n"
    (folder / "tokenizer.json").write_bytes(tokenizer.encode())
    (folder / "config.json").write_bytes((json.dumps(config(), indent=2) + "\n").encode())
    (folder / "model.safetensors").write_bytes(write_weights(random.Random(2)))
    (folder / "README.md").write_bytes(
        b"Made by `python3 scripts/make_demo_model.py`: a tiny LLaMA with known random weights, its "
        b"tokenizer, and a text "
        b"written for it.\n")


if __name__ == "__main__":
    main()
