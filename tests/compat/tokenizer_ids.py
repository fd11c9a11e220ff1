#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: tokenizer_ids.py PROGRAMS TEXT [--keep FOLDER] [--no-export]

Compares the ids of 150 texts in tokenizer folders of every kind with those of transformers' AutoTokenizer: vocabularies
of SentencePiece and of `tokenizers`, each rule for the space in front, added tokens of each file that lists them. Then
`carryover-cli export` writes a model with each tokenizer, and transformers has to give the same ids for what it wrote.
The vocabularies are trained on TEXT. Prints a line for each folder; returns 1 where ids differ. --broken leaves the
last id of each text out, which has to be noticed.
"""
import argparse
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
os.environ["HF_HUB_OFFLINE"] = "1"
sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent]

import numpy  # noqa: E402
import sentencepiece  # noqa: E402
import tokenizers  # noqa: E402
import transformers  # noqa: E402
from safetensors.numpy import save_file  # noqa: E402

PIECES, WIDTH = 600, 32
CONFIG = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu", "hidden_size": WIDTH,
          "intermediate_size": 48, "num_hidden_layers": 1, "num_attention_heads": 4, "num_key_value_heads": 2,
          "max_position_embeddings": 128, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "tie_word_embeddings": True,
          "bos_token_id": 1, "eos_token_id": 2}
NAMES = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
LLAMA = {"tokenizer_class": "LlamaTokenizer", **NAMES}
MARK = "\u2581"
SPECIALS = ["\n\n", "<|user|>", "<|end|>", "<|im_start|>", "<|im_end|>", "<tool>", "<keep>", "<word>", "<left>", "<right>", "[NEW]"]


def added(content, special, **flags):
    return {"content": content, "special": special, "lstrip": False, "rstrip": False, "single_word": False,
            "normalized": not special, **flags}


def listed():
    """What tokenizer_config.json lists: special and not, each way to treat what stands beside."""
    tokens = [added("<|im_start|>", True), added("<|im_end|>", True), added("<tool>", False),
              added("<keep>", False, normalized=False), added("<word>", False, single_word=True),
              added("<left>", True, lstrip=True), added("<right>", True, rstrip=True),
              added("[NEW]", False, lstrip=True, rstrip=True)]
    numbered = {str(PIECES + i): token for i, token in enumerate(tokens)}
    return {str(i): added(text, True) for i, text in enumerate(["<unk>", "<s>", "</s>"])} | numbered


def texts(book):
    """150 of them: prose, blanks, marks, special tokens in the middle and beside blanks, other scripts."""
    draw = random.Random(5)
    words = book.split()
    made = ["", " ", "  ", "   ", "Hello", " Hello", "  Hello", "Hello ", "\n", "\nHello", "\t x", MARK, MARK + "Hello",
            "hello" + MARK + "hello", MARK * 3, "a" + MARK + " b", "<s>", "<s>[INST] Hi", "<s> Hi", "<s>  Hi", " <s>Hi",
            "a</s> b", "</s>", "<s></s>", "<s> </s>", "x<s>y", "<unk>", "a <unk> b", "<0x41>", "日本語", "naïve café",
            "Ünïcödé", "🙂 smile", "🙂", "\u00a0nbsp\u00a0", "\u3000wide", "e\u0301", "\u200dz", "0123456789", "1 2  3"]
    pool = SPECIALS + ["<s>", "</s>", " ", "  ", "\n", MARK, "\u3000", "_", "é", "x", "7", ".", "日"]
    while len(made) < 110:
        made.append("".join(draw.choice(pool + words) for _ in range(draw.randint(2, 12))))
    while len(made) < 150:
        at = draw.randint(0, len(words) - 40)
        between = draw.choice([" ", "  ", "\n", MARK])
        made.append(between.join(words[at:at + draw.randint(3, 40)]))
    return made


def train_sentencepiece(book, path, **options):
    defaults = {"model_type": "bpe", "vocab_size": PIECES, "byte_fallback": True,
                "normalization_rule_name": "identity", "remove_extra_whitespaces": False, "character_coverage": 0.999}
    sentencepiece.SentencePieceTrainer.Train(
        sentence_iterator=iter(line for line in book.splitlines() if line.strip()), model_prefix=str(path),
        minloglevel=2, **{**defaults, **options})
    return path.with_suffix(".model")


def as_tokenizer_json(model_file, normalizer, pre_tokenizer, extra=(), **model_options):
    """A tokenizer.json of a tokenizer.model's pieces, with the merges that transformers makes of them."""
    processor = sentencepiece.SentencePieceProcessor(model_file=str(model_file))
    vocabulary = {processor.id_to_piece(i): i for i in range(len(processor))}
    ranked = []
    for piece, rank in vocabulary.items():
        for cut in range(1, len(piece)):
            if piece[:cut] in vocabulary and piece[cut:] in vocabulary:
                ranked.append((rank, cut, piece[:cut], piece[cut:]))
    made = tokenizers.Tokenizer(tokenizers.models.BPE(
        vocab=vocabulary, merges=[(left, right) for _, _, left, right in sorted(ranked)], fuse_unk=True,
        byte_fallback=True, unk_token="<unk>", **model_options))
    if normalizer:
        made.normalizer = normalizer
    if pre_tokenizer:
        made.pre_tokenizer = pre_tokenizer
    made.add_special_tokens([tokenizers.AddedToken(name, special=True) for name in ("<unk>", "<s>", "</s>")])
    made.add_tokens([tokenizers.AddedToken(token["content"], **{k: v for k, v in token.items() if k != "content"})
                     for token in extra])
    return made.to_str()


def folders(book, scratch):
    """(name, {file: contents}) of each folder; contents are bytes, text or JSON."""
    plain = train_sentencepiece(book, scratch / "plain").read_bytes()
    named = train_sentencepiece(book, scratch / "named",
                                user_defined_symbols=["[INST]", "[/INST]", MARK * 4]).read_bytes()
    bare = train_sentencepiece(book, scratch / "bare", add_dummy_prefix=False).read_bytes()
    model = {"tokenizer.model": plain}
    names = [token["content"] for token in list(listed().values())[3:]]
    older = {name: PIECES + i for i, name in enumerate(names)}

    yield "no tokenizer_config.json", model
    yield "legacy true", {**model, "tokenizer_config.json": {**LLAMA, "legacy": True}}
    yield "legacy false", {**model, "tokenizer_config.json": {**LLAMA, "legacy": False}}
    yield "legacy null", {**model, "tokenizer_config.json": {**LLAMA, "legacy": None}}
    yield "add_prefix_space false", {**model, "tokenizer_config.json": {**LLAMA, "add_prefix_space": False}}
    yield "add_prefix_space and legacy true", {
        **model, "tokenizer_config.json": {**LLAMA, "add_prefix_space": True, "legacy": True}}
    yield "no class, legacy false", {**model, "tokenizer_config.json": {**NAMES, "legacy": False}}
    yield "no dummy prefix in the model", {"tokenizer.model": bare}
    yield "no dummy prefix, LlamaTokenizer", {"tokenizer.model": bare, "tokenizer_config.json": LLAMA}
    yield "user-defined pieces", {"tokenizer.model": named}
    yield "user-defined pieces, legacy true", {
        "tokenizer.model": named, "tokenizer_config.json": {**LLAMA, "legacy": True}}
    yield "mistral", {**model, "config.json": {"model_type": "mistral", "architectures": ["MistralForCausalLM"]},
                      "tokenizer_config.json": LLAMA}
    for legacy in (False, True):
        yield f"added_tokens_decoder, legacy {legacy}", {**model, "tokenizer_config.json": {
            **LLAMA, "legacy": legacy, "eos_token": "<|im_end|>", "added_tokens_decoder": listed()}}
    yield "added_tokens_decoder, no class", {**model, "tokenizer_config.json": {
        **NAMES, "added_tokens_decoder": listed()}}
    yield "added_tokens.json", {**model, "tokenizer_config.json": LLAMA, "added_tokens.json": older}
    yield "added_tokens.json and special_tokens_map.json", {
        **model, "tokenizer_config.json": {**LLAMA, "legacy": True}, "added_tokens.json": older,
        "special_tokens_map.json": {**NAMES, "pad_token": added("<tool>", True, lstrip=True),
                                    "additional_special_tokens": ["<|im_start|>", "<|im_end|>"]}}
    yield "special_tokens_map.json", {**model, "special_tokens_map.json": {
        **NAMES, "eos_token": {"content": "<|im_end|>", "lstrip": False, "rstrip": True, "normalized": False,
                               "single_word": False}, "pad_token": "<tool>"}}
    yield "additional_special_tokens", {**model, "tokenizer_config.json": {
        **LLAMA, "additional_special_tokens": ["<|im_start|>", "<keep>"]}}

    yield "added_tokens_decoder with a gap", {**model, "tokenizer_config.json": {
        **LLAMA, "added_tokens_decoder": {"605": added("<|im_start|>", True), "610": added("<tool>", False)}}}
    for config in (LLAMA, NAMES):
        yield "added_tokens_decoder renames a piece" + (", no class" if config is NAMES else ""), {
            **model, "tokenizer_config.json": {**config, "added_tokens_decoder": {
                "2": added("<|im_end|>", True), str(PIECES): added("<tool>", False)}}}
    yield "extra_special_tokens", {**model, "added_tokens.json": {"<keep>": PIECES, "<tool>": PIECES + 1},
                                   "tokenizer_config.json": {**LLAMA, "extra_special_tokens": ["<tool>", "<keep>"]}}
    yield "unk_token null", {**model, "tokenizer_config.json": {
        "tokenizer_class": "LlamaTokenizer", "unk_token": None, "pad_token": None}}

    metaspace = tokenizers.pre_tokenizers.Metaspace
    sequence = tokenizers.normalizers.Sequence
    prepend = sequence([tokenizers.normalizers.Prepend(MARK), tokenizers.normalizers.Replace(" ", MARK)])
    replace = tokenizers.normalizers.Replace(" ", MARK)
    more = list(listed().values())[3:]
    fast = {"tokenizer_class": "PreTrainedTokenizerFast", **NAMES}
    kinds = {"Metaspace first": (None, metaspace(MARK, "first", False)),
             "Metaspace always": (None, metaspace(MARK, "always", False)),
             "Metaspace never": (None, metaspace(MARK, "never", False)),
             "Metaspace always, split": (None, metaspace(MARK, "always", True)),
             "Prepend": (prepend, None), "Replace": (replace, None),
             "Prepend and Metaspace": (prepend, metaspace(MARK, "always", False))}
    for name, (normalizer, pre_tokenizer) in kinds.items():
        for extra in ((), more):
            yield f"tokenizer.json: {name}{', added tokens' if extra else ''}", {
                "tokenizer.json": as_tokenizer_json(scratch / "plain.model", normalizer, pre_tokenizer, extra),
                "tokenizer_config.json": fast}
    both = as_tokenizer_json(scratch / "plain.model", *kinds["Prepend"], more)
    yield "both files", {**model, "tokenizer.json": both, "tokenizer_config.json": fast}
    yield "both files, LlamaTokenizer", {**model, "tokenizer.json": both, "tokenizer_config.json": LLAMA}
    yield "both files, LlamaTokenizer, legacy true", {
        **model, "tokenizer.json": both, "tokenizer_config.json": {**LLAMA, "legacy": True}}
    yield "both files, added_tokens_decoder", {
        **model, "tokenizer.json": both, "tokenizer_config.json": {**fast, "added_tokens_decoder": {
            key: {**token, "lstrip": not token["lstrip"]} for key, token in listed().items()}}}
    yield "tokenizer.json with ignore_merges", {
        "tokenizer.json": as_tokenizer_json(scratch / "plain.model", None, metaspace(MARK, "always", True), more,
                                            ignore_merges=True), "tokenizer_config.json": fast}
    cut = tokenizers.pre_tokenizers.Split(" ", "merged_with_previous")
    runs = [added(unit * count, False, normalized=False) for unit in ("\n", MARK) for count in (2, 3, 5)]
    gemma = {"tokenizer.json": as_tokenizer_json(scratch / "plain.model", replace, cut, runs + more)}
    yield "tokenizer.json: as Gemma's", {**gemma, "tokenizer_config.json": fast}
    yield "tokenizer.json: as Gemma's, GemmaTokenizer", {
        **gemma, "tokenizer_config.json": {**NAMES, "tokenizer_class": "GemmaTokenizer"}}
    turns = [added(name, True, rstrip=True) for name in ("<|user|>", "<|end|>", "<|assistant|>")]
    phi3 = {"tokenizer.json": as_tokenizer_json(scratch / "plain.model", prepend, None, turns)}
    for legacy in (False, True):
        yield f"tokenizer.json: as Phi-3's, legacy {legacy}", {**phi3, "tokenizer_config.json": {
            **LLAMA, "legacy": legacy, "added_tokens_decoder": {str(PIECES + i): token for i, token in enumerate(turns)}}}
    yield "byte-level, added tokens", {"tokenizer.json": byte_level(book, more), "tokenizer_config.json": {
        "tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|im_end|>"}}


def byte_level(book, extra):
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.train_from_iterator(book.splitlines(), tokenizers.trainers.BpeTrainer(
        vocab_size=PIECES, show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet()))
    made.add_tokens([tokenizers.AddedToken(token["content"], **{k: v for k, v in token.items() if k != "content"})
                     for token in extra])
    return made.to_str()


def write_folder(folder, files):
    folder.mkdir(parents=True)
    config = {**CONFIG, "vocab_size": PIECES + 16, **files.get("config.json", {})}
    for name, contents in {**files, "config.json": config}.items():
        if isinstance(contents, bytes):
            (folder / name).write_bytes(contents)
        else:
            text = contents if isinstance(contents, str) else json.dumps(contents, ensure_ascii=False)
            (folder / name).write_text(text)
    draw = numpy.random.default_rng(0)
    kv = WIDTH // 2
    shapes = {"self_attn.q_proj": (WIDTH, WIDTH), "self_attn.k_proj": (kv, WIDTH), "self_attn.v_proj": (kv, WIDTH),
              "self_attn.o_proj": (WIDTH, WIDTH), "mlp.gate_proj": (48, WIDTH), "mlp.up_proj": (48, WIDTH),
              "mlp.down_proj": (WIDTH, 48)}
    tensors = {f"model.layers.0.{name}.weight": shape for name, shape in shapes.items()}
    tensors |= {f"model.layers.0.{name}.weight": (WIDTH,) for name in ("input_layernorm", "post_attention_layernorm")}
    tensors |= {"model.norm.weight": (WIDTH,), "model.embed_tokens.weight": (PIECES + 16, WIDTH)}
    save_file({name: draw.normal(size=shape).astype(numpy.float32) for name, shape in tensors.items()},
              folder / "model.safetensors", metadata={"format": "pt"})


def gguf_value(value):
    """A value of a GGUF's directory with its type in front."""
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<IQ", 8, len(value.encode())) + value.encode()
    items = [gguf_value(item) for item in value]
    return struct.pack("<I", 9) + items[0][:4] + struct.pack("<Q", len(items)) + b"".join(item[4:] for item in items)


def write_gguf(path, tokenizer, rows):
    draw, kv = numpy.random.default_rng(0), WIDTH // 2
    shapes = {"token_embd": (rows, WIDTH), "output_norm": (WIDTH,), "blk.0.attn_norm": (WIDTH,),
              "blk.0.ffn_norm": (WIDTH,), "blk.0.attn_q": (WIDTH, WIDTH), "blk.0.attn_k": (kv, WIDTH),
              "blk.0.attn_v": (kv, WIDTH), "blk.0.attn_output": (WIDTH, WIDTH), "blk.0.ffn_gate": (48, WIDTH),
              "blk.0.ffn_up": (48, WIDTH), "blk.0.ffn_down": (WIDTH, 48)}
    pairs = {"general.architecture": "llama", "llama.block_count": 1, "llama.embedding_length": WIDTH,
             "llama.feed_forward_length": 48, "llama.attention.head_count": 4, "llama.attention.head_count_kv": 2,
             "llama.context_length": 128, "llama.attention.layer_norm_rms_epsilon": 1e-5, **tokenizer}
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(pairs))
    for key, value in pairs.items():
        head += struct.pack("<Q", len(key)) + key.encode() + gguf_value(value)
    data = b""
    for name, shape in shapes.items():
        name += ".weight"
        head += struct.pack("<Q", len(name)) + name.encode() + struct.pack(f"<I{len(shape)}Q", len(shape), *shape[::-1])
        head += struct.pack("<IQ", 0, len(data))
        data += draw.normal(size=shape).astype(numpy.float32).tobytes()
        data += bytes(-len(data) % 32)
    path.write_bytes(head + bytes(-len(head) % 32) + data)


def gguf_files(book, scratch):
    """(name, the directory's pairs for a tokenizer) of GGUF files of each kind."""
    model = sentencepiece.SentencePieceProcessor(model_file=str(scratch / "plain.model"))
    kinds = [2 if model.is_unknown(i) else 3 if model.is_control(i) else 6 if model.is_byte(i) else 1
             for i in range(len(model))]
    pieces = {"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": [model.id_to_piece(i) for i in range(len(model))],
              "tokenizer.ggml.scores": [float(model.get_score(i)) for i in range(len(model))],
              "tokenizer.ggml.token_type": kinds, "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2}
    yield "GGUF of SentencePiece", pieces
    yield "GGUF of SentencePiece without add_space_prefix", {**pieces, "tokenizer.ggml.add_space_prefix": False}
    trained = json.loads(byte_level(book, []))["model"]
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in trained["merges"]]
    tokens = sorted(trained["vocab"], key=trained["vocab"].get) + ["<|im_start|>", "<|im_end|>"]
    bytes_too = {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": tokens, "tokenizer.ggml.merges": merges,
                 "tokenizer.ggml.token_type": [1] * (len(tokens) - 2) + [3, 3],
                 "tokenizer.ggml.bos_token_id": len(tokens) - 2, "tokenizer.ggml.eos_token_id": len(tokens) - 1}
    yield "GGUF of byte-level BPE without tokenizer.ggml.pre", bytes_too
    for pre in ("gpt-2", "llama-bpe", "smollm", "default", "qwen2", "qwen35", "gpt-4o", "tekken", "seed-coder", "falcon",
                "deepseek-llm", "deepseek-coder"):
        yield f"GGUF of byte-level BPE, {pre}", {**bytes_too, "tokenizer.ggml.pre": pre}


def theirs(folder, lines):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return [tokenizer.encode(text, add_special_tokens=False) for text in lines]


def ours(programs, folder, lines):
    done = subprocess.run([programs / "tokenize_texts", folder], input=json.dumps(lines) + "\n", text=True,
                          capture_output=True, check=True)
    return json.loads(done.stdout)


def show(name, lines, wanted, found):
    """How many are equal, and the first that is not."""
    same = sum(a == b for a, b in zip(wanted, found))
    print(f"{'equal  ' if same == len(lines) else 'DIFFERS'} {same:3} of {len(lines)}  {name}")
    for text, a, b in zip(lines, wanted, found):
        if a != b:
            print(f"    {text!r}\n      transformers {a}\n      carryover    {b}")
            break
    else:
        if same != len(lines):
            print("   ", found)
    return same == len(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("--keep", type=Path, help="write the folders here, and leave them")
    parser.add_argument("--no-export", action="store_true")
    parser.add_argument("--broken", action="store_true")
    arguments = parser.parse_args()
    programs, book = arguments.programs.resolve(), arguments.text.read_text()
    lines, equal = texts(book), True

    def exported(model, name, found, ends):
        """Whether transformers gives the same ids and end tokens for what is exported of a model."""
        folder = root / (model.stem + "_exported")
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([programs / "carryover-cli", "export", model, "--output", folder, "--quiet"], check=True,
                       stderr=subprocess.DEVNULL)
        told = transformers.GenerationConfig.from_pretrained(folder).eos_token_id
        told = told if isinstance(told, list) else [told]
        if sorted(told) != ends["end"]:
            print(f"    generation_config.json ends at {told}, carryover at {ends['end']}")
        return show(name + ", exported", lines, theirs(folder, lines), found) and sorted(told) == ends["end"]

    with tempfile.TemporaryDirectory() as scratch:
        root = arguments.keep or Path(scratch) / "folders"
        for name, files in folders(book, Path(scratch)):
            folder = root / "".join(c if c.isalnum() else "_" for c in name)
            shutil.rmtree(folder, ignore_errors=True)
            write_folder(folder, files)
            *found, ends = ours(programs, folder, lines)
            if arguments.broken:
                found = [ids[:-1] for ids in found]
            equal &= show(name, lines, theirs(folder, lines), found)
            if not arguments.no_export:
                equal &= exported(folder, name, found, ends)
        for name, tokenizer in () if arguments.no_export else gguf_files(book, Path(scratch)):
            model = root / ("".join(c if c.isalnum() else "_" for c in name) + ".gguf")
            write_gguf(model, tokenizer, len(tokenizer["tokenizer.ggml.tokens"]))
            *found, ends = ours(programs, model, lines)
            equal &= exported(model, name, found, ends)
    return not equal


if __name__ == "__main__":
    sys.exit(main())
