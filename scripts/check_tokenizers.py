#!/usr/bin/python3 -I
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares Carryover's ids with those of the libraries that models are trained with.

    python3 -I scripts/check_tokenizers.py MODEL TEXT... [--cli PATH]

MODEL is a folder with tokenizer.model or tokenizer.json, or a GGUF file. The ids of `carryover-cli tokenize MODEL TEXT`
must equal those of Python's `sentencepiece`, or of `tokenizers` (built from the GGUF's vocabulary, merges and
pre-tokenizer). The libraries go into a virtual environment of their own under CARRYOVER_CACHE (~/.cache/carryover).
"""
import argparse
import json
import os
import subprocess
import sys
import time
import venv
from pathlib import Path

PACKAGES = ["tokenizers==0.21.0", "sentencepiece==0.2.0", "gguf==0.14.0", "protobuf>=4,<6"]
GPT2, LLAMA3, QWEN2 = "gpt-2", "llama-bpe", "qwen2"
LLAMA3_PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
                  r"|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2_PATTERN = LLAMA3_PATTERN.replace(r"\p{N}{1,3}", r"\p{N}")
LLAMA_CPP_DEFAULT = [r"[\p{P}\$\+<=>\^~\|]+",
                     r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)", r"\p{N}+",
                     r"[0-9][0-9][0-9]"]
UNKNOWN, USER_DEFINED, UNUSED = 2, 4, 5  # token types of GGUF


def enter_environment():
    """Runs this script again with the libraries at hand."""
    cache = Path(os.environ.get("CARRYOVER_CACHE", Path.home() / ".cache" / "carryover"))
    folder = cache / "check-tokenizers"
    python = folder / "bin" / "python"
    if Path(sys.prefix).resolve() == folder.resolve():
        return
    ready = folder / "ready"
    if not ready.exists() or ready.read_text() != "\n".join(PACKAGES):
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-I", "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        ready.write_text("\n".join(PACKAGES))
    os.execv(python, [str(python), "-I", *sys.argv])


def load_reference(model):
    """A function from a text to its ids."""
    if model.is_file():
        return load_gguf(model)
    if (model / "tokenizer.model").exists() and not (model / "tokenizer.json").exists():
        from sentencepiece import SentencePieceProcessor
        return SentencePieceProcessor(model_file=str(model / "tokenizer.model")).encode
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def load_gguf(path):
    from gguf import GGUFReader
    fields = GGUFReader(path).fields

    def text(key, default=""):
        return bytes(fields[key].parts[-1]).decode() if key in fields else default

    def texts(key):
        return [bytes(fields[key].parts[i]).decode() for i in fields[key].data]

    def numbers(key):
        return [fields[key].parts[i][0].item() for i in fields[key].data]

    tokens, kinds = texts("tokenizer.ggml.tokens"), numbers("tokenizer.ggml.token_type")
    kind = text("tokenizer.ggml.model")
    if kind == "llama":
        prefix = "tokenizer.ggml.add_space_prefix"
        unknown = numbers("tokenizer.ggml.unknown_token_id")[0]
        kinds = [UNKNOWN if i == unknown else UNUSED if kind == UNKNOWN else kind for i, kind in enumerate(kinds)]
        tokens = [token.replace(" ", "\u2581") if kind == USER_DEFINED else token for token, kind in zip(tokens, kinds)]
        return build_sentencepiece(tokens, kinds, numbers("tokenizer.ggml.scores"),
                                   bool(numbers(prefix)[0]) if prefix in fields else True)
    merges = [tuple(merge.split(" ")) for merge in texts("tokenizer.ggml.merges")]
    return build_bpe(tokens, kinds, merges, text("tokenizer.ggml.pre", "default"))


def build_bpe(tokens, kinds, merges, pre):
    from tokenizers import AddedToken, Regex, Tokenizer, models, pre_tokenizers
    vocabulary = {token: i for i, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, ignore_merges=pre == LLAMA3))
    gpt2 = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)

    def split_by(pattern):
        return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"),
                                        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])

    tokenizer.pre_tokenizer = {
        "smollm": lambda: pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), gpt2]),
        LLAMA3: lambda: split_by(LLAMA3_PATTERN),
        QWEN2: lambda: split_by(QWEN2_PATTERN),
        GPT2: lambda: gpt2,
        "default": lambda: pre_tokenizers.Sequence(
            [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in LLAMA_CPP_DEFAULT]
            + [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]),
    }[pre]()
    tokenizer.add_tokens([AddedToken(t, normalized=True) for t, k in zip(tokens, kinds) if k == USER_DEFINED])
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def build_sentencepiece(tokens, kinds, scores, dummy_prefix):
    from sentencepiece import SentencePieceProcessor, sentencepiece_model_pb2
    model = sentencepiece_model_pb2.ModelProto()
    for token, kind, score in zip(tokens, kinds, scores):
        model.pieces.add(piece=token, score=score, type=kind)
    model.trainer_spec.model_type = model.trainer_spec.BPE
    model.trainer_spec.byte_fallback = True
    model.normalizer_spec.name = "identity"
    model.normalizer_spec.add_dummy_prefix = dummy_prefix
    model.normalizer_spec.remove_extra_whitespaces = False
    return SentencePieceProcessor(model_proto=model.SerializeToString()).encode


def first_difference(ours, theirs):
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if a != b:
            return f"id {i} is {a}, should be {b}"
    return f"{len(ours)} ids, should be {len(theirs)}"


def main():
    enter_environment()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--cli", default="carryover-cli", help="the program to check (default: carryover-cli on PATH)")
    arguments = parser.parse_args()
    reference, wrong = load_reference(arguments.model), 0
    for path in arguments.texts:
        begin = time.monotonic()
        run = subprocess.run([arguments.cli, "tokenize", arguments.model, path], stdout=subprocess.PIPE, check=True)
        seconds, ours = time.monotonic() - begin, json.loads(run.stdout)
        theirs = list(reference(path.read_bytes().decode("utf-8-sig")))
        equal = ours == theirs
        wrong += not equal
        verdict = "equal" if equal else "DIFFERENT: " + first_difference(ours, theirs)
        print(f"{path.name}: {len(ours)} ids in {seconds:.2f} s, {verdict}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
