#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares scores of answers with the Python programs that define them: they have to be the same doubles.

usage: scorers.py SCORE_LINES LONGBENCH BABILONG [--cases N] [--broken]
  SCORE_LINES  our program, tests/compat/score_lines.cpp
  LONGBENCH    a checkout of THUDM/LongBench at 2e00731
  BABILONG     a checkout of booydar/babilong at 7a6efee
  --broken     gives our program other answers, and wants the comparison of every scorer to fail
Python 3.11, whose Unicode is that of our tables, with requirements-scorers.txt (pip install --no-deps -r).
"""
import argparse
import ast
import difflib
import json
import random
import re
import subprocess
import sys
import threading
import warnings
from pathlib import Path

warnings.simplefilter("ignore")

WORDS = ("a an the A An THE The cat cats Cat river Paris paris 7 42 042 3.14 x-ray don't U.S. naïve Größe STRASSE "
         "İstanbul ΟΔΟΣ ΣΑΣ ΑΣ' Σ Σίσυφος ὈΔΥΣΣΕΎΣ ǅ ﬁre Éa aé a\u0301 the\u0301 an’s 東京 都 段落 Paragraph ４２ ٤٢ ² ½ "
         "Ⅷ _ __ a_b 🙂 👩‍👩‍👧 ß ẞ 𝒜 𝟘𝟙 \u200b \ufeff x\u00ady").split(" ")
BLANKS = [" ", " ", " ", " ", " ", "  ", "\n", "\t", "\u00a0", "\u3000", "\x1c", "\u2028", "\x85", "\u200b"]
STOPS = [".", ". ", " .", "..", ". .", "!", ", ", ";\n", ".\n"]
CODE = ["return", "self.", "value", "(", ")", "[i]", " = ", " == ", "    ", "\t", "if", ":", "{", "}", ";", "x",
        "données", "+= 1", '"text"', "len", "for", " in ", "range", ",", "."]


def prose(rng, words, few=False):
    vocabulary = rng.sample(WORDS, rng.randint(1, 5)) if few else WORDS
    text = ""
    for _ in range(words):
        text += rng.choice(vocabulary) + (rng.choice(BLANKS) if rng.random() < 0.85 else rng.choice(STOPS))
    return text


def near(rng, text):
    """The same with a few words or characters gone, doubled or moved."""
    parts = list(text) if rng.random() < 0.3 else re.split(r"(\s+)", text)
    for _ in range(rng.randint(0, 6)):
        if not parts:
            break
        at, other = rng.randrange(len(parts)), rng.randrange(len(parts))
        kind = rng.randrange(4)
        if kind == 0:
            del parts[at]
        elif kind == 1:
            parts.insert(other, parts[at])
        elif kind == 2:
            parts[at], parts[other] = parts[other], parts[at]
        else:
            parts[at] = parts[at].swapcase()
    return "".join(parts)


def any_words(rng):
    return rng.choice([0, 1, 2, 3, 5, 8, 13, 30, 80, 250 if rng.random() < 0.3 else 20])


def prose_pair(rng):
    few = rng.random() < 0.3
    reference = prose(rng, any_words(rng), few)
    answer = near(rng, reference) if rng.random() < 0.5 else prose(rng, any_words(rng), few)
    return rng.choice([answer, answer, answer, "\n\n" + answer, "", " . . "]), reference, []


def line_of_code(rng, size):
    return "".join(rng.choice(CODE) for _ in range(size))


def code_pair(rng):
    size = rng.choice([0, 1, 3, 8, 20, 60, 150])
    reference = line_of_code(rng, size)
    lines = [near(rng, reference) if rng.random() < 0.7 else line_of_code(rng, size)]
    for _ in range(rng.randrange(4)):
        line = line_of_code(rng, rng.randint(0, 9)) + rng.choice(["#", "//", "`", "", ""])
        lines.insert(rng.randrange(len(lines) + 1), line)
    return "\n" * rng.randrange(3) + "\n".join(lines), reference, []


def difflib_pair(rng):
    letters = "ab" if rng.random() < 0.4 else "abcdefghij xyzéß東🙂"
    reference = "".join(rng.choice(letters) for _ in range(rng.choice([0, 1, 5, 20, 199, 200, 201, 350])))
    return near(rng, reference) if rng.random() < 0.6 else "".join(
        rng.choice(letters) for _ in range(rng.choice([0, 3, 30, 220]))), reference, []


CLASSES = ["Location", "City", "Location city", "Other location", "Number", "Number of something", "Number", "Date",
           "e", "Ort", "体育", "体育新闻", "新闻", "Größe", "Date of birth", ""]


def class_case(rng):
    classes = rng.sample(CLASSES, rng.randint(0, 9))
    pool = classes or ["Date"]
    answer = " ".join(rng.choice(pool) for _ in range(rng.randint(0, 4))) + rng.choice(["", ".", "\nType: City"])
    return answer, rng.choice(pool if rng.random() < 0.9 else CLASSES), classes


def numbers_text(rng):
    numbers = [str(rng.randint(1, 4)), "30", "03", "٣", "３", "3²", "3.4", "no", "Paragraph", "段落", "", "4th", "x3", "𝟛"]
    return "".join(rng.choice(numbers) + rng.choice([" ", "", ", ", "\n"]) for _ in range(rng.randint(0, 6)))


def count_case(rng):
    return numbers_text(rng), rng.choice(["1", "2", "3", "30", "03", "٣", "", "no"]), []


def retrieval_case(label):
    def make(rng):
        lead = rng.choice(["", "Answer: ", label, label + label, "Paragraph", "7 ", label.lower()])
        number = rng.choice(["1", "2", "3", "30", "03", "٣٤", "3x"])
        answer = numbers_text(rng) + rng.choice(["", label + number])
        return answer, lead + label + number + rng.choice(["", " " + label + "2"]), []
    return make


def exact_pair(rng):
    answer, reference, _ = prose_pair(rng)
    kind = rng.randrange(5)
    if kind == 0:
        answer = reference
    elif kind == 1:
        answer = reference.swapcase()
    elif kind == 2:
        answer = "".join(each + rng.choice(["", "", "!", "7", "~"]) for each in reference)
    elif kind == 3:
        answer = answer.lower()
    # NumPy keeps a text's length where lower() makes it longer.
    return answer.replace("İ", "I"), reference.replace("İ", "I"), []


def choice_case(rng):
    parts = ["The correct answer is ", "the correct answer is ", "The correct answer is", "(", ")", "A", "B", "C", "D",
             "E", "*", "**", " ", "\n", "B)", "(A)", "(C", "The correct *answer* is (D)", "東"]
    return "".join(rng.choice(parts) for _ in range(rng.randint(0, 12))), "", []


def babilong_case(labels):
    def make(rng):
        chosen = rng.choice(["qa1", "qa5"])
        words = labels[chosen] + ["The", "most", "recent", "location", "is", ".", "<context>", "<example>", "Question"]
        answer = " ".join(rng.choice(words) for _ in range(rng.randint(0, 7)))
        question = " ".join(rng.choice(["Where", "is", "Mary?"] + labels[chosen]) for _ in range(4))
        target = rng.choice(labels[chosen])
        answer = rng.choice([answer, answer.upper(), target, target + ". " + answer, answer.replace(".", "")])
        return answer, target, [question, *labels[chosen]]
    return make


def characters():
    """Every character, between letters, before a sigma and among digits."""
    codes = [chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]
    for start in range(0, len(codes), 512):
        block = codes[start:start + 512]
        yield "normalize_answer", "\n".join(f"A{c}Σ {c}Σ Σ{c}b q{c}r a{c} {c}the" for c in block), "", []
        for c in block[::1 if start < 0x32000 else 512]:
            yield "count_score", f"7{c}7 7", "7", []


def function_of(path, name):
    """One function of a program, without what else it imports."""
    tree = ast.parse(path.read_text())
    body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    scope = {"re": re}
    exec(compile(ast.Module(body, []), str(path), "exec"), scope)
    return scope[name]


def references_of(longbench, babilong):
    """What each scorer is by its Python original, and what makes a case of it."""
    sys.path[0] = str(longbench / "LongBench")
    import fuzzywuzzy.fuzz
    from lm_eval.api.metrics import exact_match_hf_evaluate
    assert fuzzywuzzy.fuzz.SequenceMatcher is difflib.SequenceMatcher, "python-Levenshtein is installed: remove it"
    metrics = __import__("metrics")
    # Both projects call it metrics.py.
    scope = {}
    exec((babilong / "babilong/metrics.py").read_text(), scope)
    extract = function_of(longbench / "pred.py", "extract_answer")

    def of_metrics(name):
        score = getattr(metrics, name)
        return lambda answer, reference, classes: score(answer, reference, all_classes=classes)

    def exact(**options):
        return lambda answer, reference, _: float(
            exact_match_hf_evaluate([answer], [reference], **options)["exact_match"])

    ignoring = {"ignore_case": True, "ignore_punctuation": True, "ignore_numbers": True}
    return {
        "qa_f1_score": (of_metrics("qa_f1_score"), prose_pair),
        "rouge_score": (of_metrics("rouge_score"), prose_pair),
        "classification_score": (of_metrics("classification_score"), class_case),
        "retrieval_score": (of_metrics("retrieval_score"), retrieval_case("Paragraph ")),
        "retrieval_zh_score": (of_metrics("retrieval_zh_score"), retrieval_case("段落")),
        "count_score": (of_metrics("count_score"), count_case),
        "code_sim_score": (of_metrics("code_sim_score"), code_pair),
        "difflib_ratio": (lambda a, b, _: difflib.SequenceMatcher(None, a, b).ratio(), difflib_pair),
        "exact_match": (exact(), exact_pair),
        "exact_match_ignoring": (exact(**ignoring), exact_pair),
        "normalize_answer": (lambda answer, *_: metrics.normalize_answer(answer), prose_pair),
        "first_line": (lambda answer, *_: answer.lstrip("\n").split("\n")[0], prose_pair),
        "extract_answer": (lambda answer, *_: extract(answer) or "", choice_case),
        "babilong": (lambda answer, target, classes: float(
            scope["compare_answers"](target, answer, classes[0], classes[1:])), babilong_case(scope["TASK_LABELS"])),
    }


def ours(program, cases):
    lines = "".join(json.dumps(dict(zip(("scorer", "answer", "reference", "classes"), case))) + "\n" for case in cases)
    done = subprocess.run([program], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.split("\n")[:-1]]


def report(name, cases, theirs, scores):
    equal = len(scores) == len(theirs) and sum(a == b for a, b in zip(scores, theirs))
    different = len(set(map(str, theirs)))
    print(f"{name:22} {equal} of {len(theirs)} equal, {different} different values")
    for case, a, b in [each for each in zip(cases, scores, theirs) if each[1] != each[2]][:3]:
        print(f"    ours {a!r}, theirs {b!r}: {case[1:]!r}"[:600])
    return equal == len(theirs) and different > 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("longbench", type=Path)
    parser.add_argument("babilong", type=Path)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--broken", action="store_true")
    arguments = parser.parse_args()
    references = references_of(arguments.longbench, arguments.babilong)
    failed = []
    for name, (score, make) in references.items():
        rng = random.Random(f"{name} 1")
        cases = [(name, *make(rng)) for _ in range(arguments.cases)]
        theirs = [score(*case[1:]) for case in cases]
        given = [(name, case[1][:-2] + "7", *case[2:]) for case in cases] if arguments.broken else cases
        if not report(name, cases, theirs, ours(arguments.program, given)):
            failed.append(name)
    if arguments.broken:
        passed = sorted(set(references) - set(failed))
        print("passed although its answers were others: " + ", ".join(passed) if passed else "each was noticed")
        return bool(passed)
    cases = list(characters())
    theirs = [references[case[0]][0](*case[1:]) for case in cases]
    if not report("every character", cases, theirs, ours(arguments.program, cases)):
        failed.append("characters")
    print("FAILED: " + ", ".join(failed) if failed else "passed")
    return bool(failed)


def run():
    global status
    status = main()


status = True
# rouge calls itself once for each word of two sentences, and LongBench gives 0 where that is too often.
sys.setrecursionlimit(1_000_000)
threading.stack_size(512 << 20)
thread = threading.Thread(target=run)
thread.start()
thread.join()
sys.exit(bool(status))
