# SPDX-License-Identifier: GPL-3.0-or-later
"""hide_number.py NOVEL OUT: the first 36000 characters of a novel's text, about 17 segments of 512 tokens, with one
sentence in segment 2 that a question asks for at the end: " The special magic number for Oslo is 48213."
"""

import sys

CHARACTERS, PLACE = 36000, 4000
NEEDLE = " The special magic number for Oslo is 48213."


def hide(text):
    body = text[max(0, text.find("Chapter 1")) :][:CHARACTERS]
    end = body.find(". ", PLACE)
    if end < 0:
        sys.exit("The text is too short: it has no sentence that ends behind its first 4000 characters.")
    return body[: end + 1] + NEEDLE + body[end + 1 :]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as source:
        novel = source.read()
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write(hide(novel))
