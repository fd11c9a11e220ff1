#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ids of real vocabularies against references made without us.

usage: vocabularies.py PROGRAMS [--recorded FOLDER] [--models FILE...] [--texts FILE...] [--random 3000] [--json FILE]
                       [--broken]

PROGRAMS has `tokenize_texts`.

  --recorded  a folder with ggml-vocab-NAME.gguf, .gguf.inp and .gguf.out: llama.cpp's `models`, with the ids that
              transformers gives for some texts. Each vocabulary that we read must give them.
  --models    GGUF files whose ids of --texts must equal those of `sentencepiece` and `tokenizers`, made from the file's
              pieces and scores, or those of `tokenizers`, made from its vocabulary and merges. As must those of random
              texts: letters of many scripts, marks, blanks, digits, symbols, emoji.

Returns 1 where ids differ. --json writes the counts, as docs/evaluations/vocabularies.json. --broken leaves the last id
of each text out, which has to be noticed.
"""
import argparse
import json
import random
import subprocess
import sys
import unicodedata
from pathlib import Path

import gguf
import sentencepiece
import tokenizers
from sentencepiece import sentencepiece_model_pb2

SEPARATOR = "\n__ggml_vocab_test__\n"
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
MARK = "\u2581"
QWEN2 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
         r"|\s*[\r\n]+|\s+(?!\S)|\s+")


class Program:
    def __init__(self, programs, broken):
        self.path, self.broken = programs / "tokenize_texts", broken

    def ids(self, model, texts):
        """The ids of each text, or one error for all."""
        run = subprocess.run([self.path, model], input=json.dumps(texts) + "\n", capture_output=True, text=True,
                             check=True)
        answers = json.loads(run.stdout)
        if len(answers) == 1 and "error" in answers[0]:
            return answers[0]["error"].splitlines()[0].removeprefix(f"{model}: ")
        return [answer[:-1] if self.broken and isinstance(answer, list) else answer for answer in answers[:-1]]


def recorded(program, folder):
    for model in sorted(folder.glob("ggml-vocab-*.gguf")):
        cases, ids = (model.with_name(model.name + ending) for ending in (".inp", ".out"))
        if not cases.exists() or not ids.exists():
            continue
        texts = cases.read_bytes().decode().split(SEPARATOR)
        wanted = [[int(word) for word in line.split()] for line in ids.read_text().split("\n")]
        name, ours = model.stem.removeprefix("ggml-vocab-"), program.ids(model, texts)
        if isinstance(ours, str):
            yield {"vocabulary": name, "texts": len(texts), "equal": 0, "refused": ours}
            continue
        for text, got, want in zip(texts, ours, wanted):
            if got != want:
                print(f"  {name}: {text[:60]!r}\n    ours   {got}\n    theirs {want}")
        yield {"vocabulary": name, "texts": len(texts), "equal": sum(map(list.__eq__, ours, wanted)), "refused": ""}


class Vocabulary:
    """What a GGUF says of its tokens."""

    def __init__(self, path):
        fields = gguf.GGUFReader(path).fields
        value = {key.removeprefix("tokenizer.ggml."): field for key, field in fields.items()}
        self.read = lambda key, default=None: value[key].contents() if key in value else default
        self.tokens, self.kinds = self.read("tokens"), list(self.read("token_type"))
        self.name = fields["general.name"].contents()

    def references(self):
        if self.read("model") == "llama":
            return {"sentencepiece": self.by_sentencepiece(), "tokenizers": self.by_piece_merges()}
        if self.read("model") == "gpt2" and self.read("pre") == "qwen2":
            return {"tokenizers": self.by_byte_level_merges()}
        sys.exit(f"{self.name}: no reference for {self.read('model')} with {self.read('pre')}")

    def by_sentencepiece(self):
        kinds = list(self.kinds)
        kinds[self.read("unknown_token_id")] = UNKNOWN
        model = sentencepiece_model_pb2.ModelProto()
        for token, kind, score in zip(self.tokens, kinds, self.read("scores")):
            model.pieces.add(piece=token.replace(" ", MARK) if kind == USER_DEFINED else token, score=score, type=kind)
        model.trainer_spec.model_type = model.trainer_spec.BPE
        model.trainer_spec.byte_fallback = True
        model.normalizer_spec.name = "identity"
        model.normalizer_spec.add_dummy_prefix = bool(self.read("add_space_prefix", True))
        model.normalizer_spec.remove_extra_whitespaces = False
        return sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString()).encode

    def by_piece_merges(self):
        """By the library that knows no scores: each way to join two pieces into one is a merge, best score first."""
        ids = {token: i for i, token in enumerate(self.tokens)}
        score, merges = self.read("scores"), []
        for token, kind in zip(self.tokens, self.kinds):
            if kind == NORMAL:
                merges += [(-score[ids[token]], ids[token[:at]], token[:at], token[at:]) for at in range(1, len(token))
                           if token[:at] in ids and token[at:] in ids]
        made = tokenizers.Tokenizer(tokenizers.models.BPE(
            vocab=ids, merges=[pair[2:] for pair in sorted(merges)], byte_fallback=True, fuse_unk=True,
            unk_token=self.tokens[self.read("unknown_token_id")]))
        made.normalizer = tokenizers.normalizers.Replace(" ", MARK)
        if self.read("add_space_prefix", True):
            made.normalizer = tokenizers.normalizers.Sequence([tokenizers.normalizers.Prepend(MARK), made.normalizer])
        self.add_tokens(made, normalized=False)
        return lambda text: made.encode(text, add_special_tokens=False).ids

    def by_byte_level_merges(self):
        ids = {token: i for i, token in enumerate(self.tokens)}
        merges = [tuple(merge.split(" ")) for merge in self.read("merges")]
        made = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=ids, merges=merges))
        made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([
            tokenizers.pre_tokenizers.Split(tokenizers.Regex(QWEN2), "isolated"),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
        self.add_tokens(made, normalized=False)
        return lambda text: made.encode(text, add_special_tokens=False).ids

    def add_tokens(self, made, normalized):
        listed = [token for token, kind in zip(self.tokens, self.kinds) if kind == USER_DEFINED]
        made.add_tokens([tokenizers.AddedToken(token, normalized=normalized) for token in listed])


def compared(program, path, texts):
    vocabulary = Vocabulary(path)
    references = vocabulary.references()
    for text in texts:
        content = text.read_bytes().decode("utf-8-sig")
        ours = program.ids(path, [content])[0]
        equal = {name: list(reference(content)) == ours for name, reference in references.items()}
        yield {"model": vocabulary.name, "text": text.stem, "bytes": len(content.encode()), "ids": len(ours),
               "equal": equal}


RANGES = [(0x09, 0x0E), (0x20, 0x7F), (0x20, 0x7F), (0xA0, 0x250), (0x300, 0x370), (0x370, 0x600), (0x660, 0x66A),
          (0x900, 0x980), (0xE00, 0xE80), (0x1100, 0x1200), (0x2000, 0x2070), (0x2190, 0x2600), (0x3000, 0x3100),
          (0x4E00, 0x4F00), (0xAC00, 0xAD00), (0xFE00, 0xFE10), (0x1F300, 0x1F650)]
PARTS = [" ", "  ", "\n", "\n\n", "\t", "\r\n", "'s", "'LL", "'\u017f", "<0x41>", "</s>", "<td>", "1234", "\u00bd",
         "\u00b2"]


def random_texts(count):
    """Without U+2581, which our tokenizers take for a blank, and which a merge-based reference does not."""
    draw, texts = random.Random(3), []
    while len(texts) < count:
        drawn = [draw.choice(PARTS) if draw.random() < 0.3 else chr(draw.randrange(*draw.choice(RANGES)))
                 for _ in range(draw.randint(1, 30))]
        text = "".join(part for part in drawn if part != MARK and unicodedata.category(part[0]) != "Cn")
        if text:
            texts.append(text)
    return texts


def compared_random(program, path, count):
    vocabulary, texts = Vocabulary(path), random_texts(count)
    ours = program.ids(path, texts)
    equal = {name: sum(list(reference(text)) == ids for text, ids in zip(texts, ours))
             for name, reference in vocabulary.references().items()}
    return {"model": vocabulary.name, "texts": count, "equal": equal}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path)
    parser.add_argument("--recorded", type=Path)
    parser.add_argument("--models", type=Path, nargs="*", default=[])
    parser.add_argument("--texts", type=Path, nargs="*", default=[])
    parser.add_argument("--random", type=int, default=3000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--broken", action="store_true")
    options = parser.parse_args()
    program, result, wrong = Program(options.programs, options.broken), {"recorded": [], "texts": [], "random": []}, 0
    for row in recorded(program, options.recorded) if options.recorded else ():
        result["recorded"].append(row)
        wrong += not row["refused"] and row["equal"] < row["texts"]
        print(f"{row['vocabulary']:20} {row['equal']} of {row['texts']} texts equal  {row['refused']}", flush=True)
    for path in options.models:
        for row in compared(program, path, options.texts):
            result["texts"].append(row)
            wrong += not all(row["equal"].values())
            verdicts = ", ".join(f"{name} {'equal' if equal else 'DIFFERENT'}" for name, equal in row["equal"].items())
            print(f"{row['model']}: {row['text']}: {row['ids']} ids, {verdicts}", flush=True)
        row = compared_random(program, path, options.random)
        result["random"].append(row)
        wrong += any(count < row["texts"] for count in row["equal"].values())
        print(f"{row['model']}: {row['texts']} random texts, equal: {row['equal']}", flush=True)
    if options.json:
        versions = {library.__name__: library.__version__ for library in (sentencepiece, tokenizers)}
        options.json.write_text(json.dumps({**versions, **result}, indent=1, ensure_ascii=False) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
