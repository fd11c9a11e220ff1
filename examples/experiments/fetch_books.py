#!/usr/bin/python3 -I
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fetches the books of the experiments from Project Gutenberg, by number: 20 to train on, 12 by other authors to test on.

    python3 -I fetch_books.py [FOLDER] [--only train|test]

FOLDER (books, beside this script: where the plans look) gets train/*.txt and test/*.txt. books/books.json says where a
book begins and ends, which leaves out Project Gutenberg's header and licence, notes of transcribers, title pages and
contents, and the SHA-256 of the text that the published results read. A book that is there with its sum is not fetched
again. Where what is fetched has another sum (e-books are corrected, and some lost captions, notes or an index too), it
is written all the same and named at the end: the plans refuse such a test text until its "sha256" is taken out, since
its losses are no longer those of docs/results.md.

Standard library only. All of these books are in the public domain in the USA; see https://www.gutenberg.org/policy/ for
elsewhere.
"""
import argparse
import hashlib
import json
import os
import re
import sys
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ADDRESSES = ("https://www.gutenberg.org/cache/epub/{0}/pg{0}.txt", "https://www.gutenberg.org/files/{0}/{0}-0.txt")
PAUSE = 2  # seconds between two books: the site asks programs to be slow


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def download(number):
    problem = None
    for address in ADDRESSES:
        request = urllib.request.Request(address.format(number), headers={"User-Agent": "carryover-experiments"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.read().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            problem = error
    raise OSError(f"e-book {number} can't be fetched: {problem}")


def find(lines, wanted, last):
    """Where the non-empty lines `wanted` follow one another: the first place, or the last one; None where nowhere."""
    kept = [(at, line.strip()) for at, line in enumerate(lines) if line.strip()]
    places = [i for i in range(len(kept) - len(wanted) + 1)
              if [line for _, line in kept[i:i + len(wanted)]] == wanted]
    if not places:
        return None
    place = places[-1] if last else places[0]
    return kept[place + len(wanted) - 1][0] if last else kept[place][0]


def cut(text, book):
    """The book's own text within an e-book, or None where its first or last lines are not there."""
    lines = text.replace("\r\n", "\n").split("\n")
    first, last = find(lines, book["begins"], False), find(lines, book["ends"], True)
    if first is None or last is None or last < first:
        return None
    return "\n".join(line.rstrip() for line in lines[first:last + 1]) + "\n"


def variants(text):
    """What else may have been taken out: the sum tells."""
    yield text
    yield text.rstrip("\n")
    without = re.sub(r"\n*\[Illustration[^\]]*\]\n*", "\n\n", text)
    yield without
    yield re.sub(r"\n{4,}", "\n\n\n", without)


def fetch(book, path):
    """Whether it has the sum of the list."""
    text = cut(download(book["gutenberg"]), book)
    if text is None:
        raise ValueError(f"{book['title']} ({book['gutenberg']}): its first or last lines are not in the e-book")
    text = next((one for one in variants(text) if sha256(one) == book["sha256"]), text)
    with open(path + ".part", "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    os.replace(path + ".part", path)
    return sha256(text) == book["sha256"]


def is_there(path, book):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return sha256(file.read()) == book["sha256"]
    except (OSError, UnicodeDecodeError):
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=os.path.join(HERE, "books"))
    parser.add_argument("--only", choices=["train", "test"])
    given = parser.parse_args()
    with open(os.path.join(HERE, "books", "books.json"), encoding="utf-8") as file:
        books = [book for book in json.load(file) if given.only in (None, book["set"])]
    others, failed = [], []
    for book in books:
        path = os.path.join(given.folder, book["set"], book["file"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if is_there(path, book):
            continue
        print(f"{book['title']}, {book['author']}", file=sys.stderr)
        try:
            if not fetch(book, path):
                others.append(book["file"])
        except (OSError, ValueError) as error:
            failed.append(ascii(str(error)[:300]))  # a server's words may be in it
        time.sleep(PAUSE)
    for problem in failed:
        print(problem, file=sys.stderr)
    if others:
        print("another text than the one of the results: " + ", ".join(others), file=sys.stderr)
    print(f"{len(books) - len(failed)} of {len(books)} books are in {given.folder}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
