#!/usr/bin/python3 -I
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the texts that the demo model learns recall from, and those it is measured and shown with.

    python3 -I make_texts.py pairs   OUT.jsonl --texts N [--tokens T] [--people P] [--names A]
    python3 -I make_texts.py stories OUT.jsonl --texts N [--segments G] [--segment S]
    python3 -I make_texts.py cases   OUT.jsonl --texts N [--segment S]
    python3 -I make_texts.py prompts OUT.jsonl --texts N [--segment S]
    python3 -I make_texts.py show    OUT.txt             [--segments G] [--segment S]

pairs: words stand beside the same neighbour all through a text, in random order: whoever looks up what followed a word
    the last time can predict every second word.
stories: people are introduced by name and surname, and asked for again. "Who is Eva" is the end of a segment of S
    tokens, "? Eva Moon." the beginning of the next one: at "Eva" the surname has to come from where Eva was introduced,
    any number of segments before. Others are asked for within a segment.
cases: stories to measure with: a person is introduced once and asked for once, a given number of segments later.
prompts: a prompt set of the questions of N cases: each up to the asked surname, tagged by how many segments back it is.
show: one story, as the window's text.

Standard library only; the same seed gives the same texts.
"""
import argparse
import json
import os
import random
import sys
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # which python3 -I leaves out
import words

DISTANCES = (1, 2, 4, 8, 16, 32)


def tokens_of(sentence):
    """As the tokenizer cuts it: words with the space before them, and the full stop apart."""
    pieces = []
    for word in sentence.split():
        pieces.append(" " + word.rstrip(".?"))
        if word[-1] in ".?":
            pieces.append(word[-1])
    return pieces


FILLERS = [tokens_of(sentence) for sentence in words.FILLERS]
MEETING, QUESTION = tokens_of(words.MEETING), tokens_of(words.QUESTION)


def introduce(person):
    return MEETING + [" " + person[0], " " + person[1], "."]


def ask(name):
    return QUESTION + [" " + name]


def answer(person):
    return ["?", " " + person[0], " " + person[1], ".", "\n"]


def pairs(chance, tokens, people, names):
    """With few `names` in play, both of a pair come from one small set, so that nothing but the text tells what
    follows what: a circuit that looks it up forms in minutes. Of all of them, a name comes before a surname."""
    count = chance.randint(2, people)
    if names < 64:
        few = words.FIRST_NAMES[:names // 2] + words.SURNAMES[:names - names // 2]
        drawn = chance.sample(few, min(2 * count, len(few) // 2 * 2))
        couples = list(zip(drawn[::2], drawn[1::2]))
    else:
        couples = list(zip(chance.sample(words.FIRST_NAMES, count), chance.choices(words.SURNAMES, k=count)))
    told = [chance.choice(couples) for _ in range(tokens // 2)]
    return "".join(f" {name} {surname}" for name, surname in told)


class Story:
    """Segments of exactly S tokens. An answer opens a segment, a question closes it; between them people are
    introduced, some are asked for at once, and the rest is small talk."""

    def __init__(self, chance, segment):
        self.chance, self.segment = chance, segment
        self.pieces, self.tail = [], []

    def add(self, introduced, asked_here, question):
        """introduced, asked_here: people; question: the person whom the next segment answers for, or None."""
        body = self.tail
        for person in introduced:
            body = body + introduce(person)
        for person in asked_here:
            body = body + ask(person[0]) + answer(person)
        end = ask(question[0]) if question else []
        self.fill(body, self.segment - len(body) - len(end))
        self.pieces += end
        self.tail = answer(question) if question else []

    def fill(self, body, room):
        """Small talk that fits: sentences of three to five tokens, so that only one or two places can be left."""
        assert room >= 0, "a segment is too short for what it has to tell"
        while room > 2:
            sentence = self.chance.choice([talk for talk in FILLERS if room - len(talk) == 0 or room - len(talk) > 2])
            body, room = body + sentence, room - len(sentence)
        self.pieces += body + ["\n"] * room

    def text(self):
        return "".join(self.pieces)


def story(chance, segments, segment, newcomers=32):
    """People come in, at most `newcomers` a segment, are asked for at any time after, and may be asked for again."""
    told, known = Story(chance, segment), []
    surnames = chance.choices(words.SURNAMES, k=32)
    new = list(zip(chance.sample(words.FIRST_NAMES, 32), surnames))
    for index in range(segments):
        room = (segment - len(told.tail) - len(QUESTION) - 1) // 8
        introduced = [new.pop()
                      for _ in range(min(newcomers, len(new), chance.randint(0 if known else 1, room - 1)))]
        known = known + introduced
        asked_here = [chance.choice(known) for _ in range(chance.randint(0, room - len(introduced)))]
        told.add(introduced, asked_here, chance.choice(known) if index + 1 < segments else None)
    return told.text()


def case(chance, segment):
    """33 segments: nine people, of whom every distance asks for one, in the segments' order; nobody is named twice
    before. Its pieces, and what is asked, each with the answer's position, which the logits before it predict."""
    segments = max(DISTANCES) + 2
    people = list(zip(chance.sample(words.FIRST_NAMES, 32), chance.choices(words.SURNAMES, k=32)))
    introduced, questions, asked, taken = {}, {}, [], set()
    for distance in sorted(DISTANCES, reverse=True):
        free = [i for i in range(distance, segments) if i not in taken]
        at = chance.choice(free)
        taken.add(at)
        person = people.pop()
        introduced.setdefault(at - distance, []).append(person)
        questions[at] = person
        asked.append({"distance": distance, "position": at * segment + 2, "answer": " " + person[1],
                      "name": " " + person[0], "segment": at - distance})
    told = Story(chance, segment)
    for index in range(segments):
        here = introduced.get(index, [])
        if len(people) > 8 and len(here) < 2:
            here = here + [people.pop()]
        chance.shuffle(here)
        told.add(here, [], questions.get(index + 1))
    # Where a person stands is known only now.
    for one in asked:
        begin = one.pop("segment") * segment
        inside = told.pieces[begin:begin + segment]
        places = [i for i in range(len(inside) - 1) if inside[i] == one["name"] and inside[i + 1] == one["answer"]]
        one["introduced"] = begin + places[-1] + 1
        assert told.pieces[one["position"]] == one["answer"] and told.pieces[one["position"] - 1] == one["name"]
    return told.pieces, asked


def prompts(chance, segment, number):
    pieces, asked = case(chance, segment)
    for one in sorted(asked, key=lambda each: each["distance"]):
        distance, name = one["distance"], one["name"].strip()
        yield {"name": f"{number}-{distance}-{name.lower()}", "text": "".join(pieces[:one["position"]]),
               "answer": one["answer"], "tags": [f"{distance} segment{'s' if distance > 1 else ''} back"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["pairs", "stories", "cases", "prompts", "show"])
    parser.add_argument("out", type=Path)
    parser.add_argument("--texts", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=64, help="of a text of pairs")
    parser.add_argument("--people", type=int, default=4, help="most pairs in a text")
    parser.add_argument("--names", type=int, default=64, help="words in play")
    parser.add_argument("--segments", type=int, default=8)
    parser.add_argument("--segment", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    if given.kind == "show":
        given.out.write_text(story(chance, given.segments, given.segment, newcomers=1), encoding="utf-8")
        return
    with given.out.open("w", encoding="utf-8") as out:
        for number in range(given.texts):
            if given.kind == "pairs":
                lines = [{"text": pairs(chance, given.tokens, given.people, given.names)}]
            elif given.kind == "stories":
                lines = [{"text": story(chance, given.segments, given.segment)}]
            elif given.kind == "prompts":
                lines = prompts(chance, given.segment, number)
            else:
                pieces, asked = case(chance, given.segment)
                lines = [{"text": "".join(pieces), "asked": asked}]
            for line in lines:
                out.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
