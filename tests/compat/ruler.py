#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs RULER's own scripts and compares the lines that they write with ours; see ruler.sh.

usage: ruler.py theirs CHECKOUT OUT --lengths L… --tasks T… --samples N --seed S [--tokenizer DIR] [--words DIR]
       ruler.py compare THEIRS OURS --lengths L… --tasks T…
       ruler.py lists FOLDER

theirs: CHECKOUT is a work tree of RULER at the pin. The tokenizer's folder is one that transformers loads; without one,
four bytes of text are a token. --words: lists in place of those of wonderwords.
compare: THEIRS is the OUT of the first, OURS a folder of ruler_TASK_LENGTH.jsonl. Ends with 1 where lines differ, and
says where.
lists: writes the made-up words that tests/tasks/ruler_data.h writes too.
"""
import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Puts other word lists in the place of the package's.
OTHER_WORDS = """
import os
import wonderwords.random_word as words
from pathlib import Path
def read(name):
    return [line.rstrip() for line in (Path(os.environ["RULER_WORDS"]) / name).open(encoding="utf-8")]
words._get_words_from_text_file = read
"""

# A tokenizer in the place of transformers: four bytes are a token.
FOUR_BYTES = """
class AutoTokenizer:
    @classmethod
    def from_pretrained(cls, path, trust_remote_code):
        return cls()
    def tokenize(self, text):
        return range((len(text.encode()) + 3) // 4)
"""


def made_word(number):
    """Two syllables."""
    def syllable(part):
        return "bdfgklmnprstvz"[part // 5] + "aeiou"[part % 5]
    return syllable(number % 70) + syllable(number // 70)


def write_lists(folder):
    """Pairs that two adjectives and nouns make are among them, and a word that is not ASCII."""
    folder.mkdir(parents=True, exist_ok=True)
    lists = {"nounlist.txt": [made_word(i) for i in range(3000)] + ["time-out", "out", "piña"],
             "adjectivelist.txt": ["un" + made_word(i) for i in range(800)] + ["old-time", "old", "old"],
             "verblist.txt": [made_word(i) + "s" for i in range(600)]}
    for name, words in lists.items():
        (folder / name).write_text("".join(word + "\n" for word in words), encoding="utf-8")


def copy_of(checkout, scratch):
    """A copy that runs without downloads: of the English words, which only prompts beyond 8,000 words need, a checkout
    without Git LFS has a pointer."""
    copy = scratch / "ruler"
    shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".git"))
    words = copy / "scripts/data/synthetic/json/english_words.json"
    if not words.is_file() or words.read_bytes().startswith(b"version "):
        words.write_text("{}")
    (scratch / "nltk/tokenizers/punkt").mkdir(parents=True)  # found, and so not fetched; only essays use it
    return copy


def run_theirs(options):
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        data = copy_of(options.checkout, scratch) / "scripts/data"
        environment = os.environ | {"NLTK_DATA": str(scratch / "nltk"), "TRANSFORMERS_OFFLINE": "1",
                                    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        environment["PYTHONPATH"] = str(scratch / "site")
        (scratch / "site").mkdir()
        if options.words:
            (scratch / "site/sitecustomize.py").write_text(OTHER_WORDS)
            environment["RULER_WORDS"] = str(options.words.resolve())
        if not options.tokenizer:
            (scratch / "site/transformers.py").write_text(FOUR_BYTES)
        for length in options.lengths:
            for task in options.tasks:
                written = options.out / str(length) / task / "validation.jsonl"
                written.unlink(missing_ok=True)
                arguments = {"save_dir": options.out.resolve() / str(length), "benchmark": "synthetic", "task": task,
                             "tokenizer_path": (options.tokenizer or Path("four-bytes")).resolve(),
                             "tokenizer_type": "hf", "max_seq_length": length, "model_template_type": "base",
                             "num_samples": options.samples, "random_seed": options.seed}
                words = [word for name, value in arguments.items() for word in (f"--{name}", str(value))]
                ran = subprocess.run([sys.executable, "prepare.py", *words], cwd=data, env=environment,
                                     capture_output=True, text=True)
                if not written.is_file():
                    sys.exit(f"{task} at {length}: prepare.py wrote nothing\n{ran.stdout[-3000:]}{ran.stderr[-3000:]}")


def official_bytes(lines, order):
    """The lines as RULER writes them, with their fields in its order."""
    return "".join(json.dumps({key: line[key] for key in order}) + "\n" for line in lines).encode()


def difference(ours, theirs):
    for index, (our, their) in enumerate(zip(ours, theirs)):
        for key in their.keys() | our.keys():
            if our.get(key) != their.get(key):
                return f"sample {index}, {key}: {str(our.get(key))[-200:]!r}, not {str(their.get(key))[-200:]!r}"
    return f"{len(ours)} samples, not {len(theirs)}"


def compare(options):
    failed = False
    for length in options.lengths:
        for task in options.tasks:
            raw = (options.theirs / str(length) / task / "validation.jsonl").read_bytes()
            theirs = [json.loads(line) for line in raw.splitlines()]
            text = (options.ours / f"ruler_{task}_{length}.jsonl").read_text(encoding="utf-8")
            ours = [json.loads(line) for line in text.splitlines()]
            same_fields = bool(theirs) and all(line.keys() == theirs[0].keys() for line in ours)
            same = same_fields and official_bytes(ours, theirs[0]) == raw
            failed |= not same
            print(f"{'passed' if same else 'FAILED'}  ruler/{task} at {length}: {len(theirs)} samples, "
                  f"SHA-256 {hashlib.sha256(raw).hexdigest()}")
            if not same:
                print("        " + difference(ours, theirs))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("theirs")
    run.add_argument("checkout", type=Path)
    run.add_argument("out", type=Path)
    run.add_argument("--tokenizer", type=Path)
    run.add_argument("--samples", type=int, default=100)
    run.add_argument("--seed", type=int, default=42)
    run.add_argument("--words", type=Path)
    both = commands.add_parser("compare")
    both.add_argument("theirs", type=Path)
    both.add_argument("ours", type=Path)
    commands.add_parser("lists").add_argument("folder", type=Path)
    for command in (run, both):
        command.add_argument("--lengths", type=int, nargs="+", required=True)
        command.add_argument("--tasks", nargs="+", required=True)
    options = parser.parse_args()
    if options.command == "compare":
        sys.exit(compare(options))
    if options.command == "lists":
        return write_lists(options.folder)
    run_theirs(options)


main()
