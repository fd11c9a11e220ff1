# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a long text made of a short one: its paragraphs again and again, each time in another, fixed order."""
import random
import sys

with open(sys.argv[1], encoding="utf-8") as source:
    paragraphs = source.read().split("\n\n")
chance = random.Random(1)
for _ in range(int(sys.argv[2])):
    print("\n\n".join(paragraphs), end="\n\n")
    chance.shuffle(paragraphs)
