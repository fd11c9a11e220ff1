# SPDX-License-Identifier: GPL-3.0-or-later
"""readers.py MODEL OUT.json NOVEL...: which heads read an answer out of what was retrieved, by activation patching.

Each question hides a number in a novel, and asks for it where a segment ends, so that the next segment begins with the
answer and reads what the question retrieved. A second text has another number in the same place, of which each token's
first one is the foil. Two sweeps then measure, for each head, how much the difference of the two logits falls: if the
head alone does not read what was retrieved, and if its output is that of the second text. OUT.json has both heatmaps of
every question."""

import json
import random
import sys
from pathlib import Path

import carryover

CITIES = ("Oslo", "Lima", "Cairo", "Quito", "Delhi", "Perth", "Turin", "Kyoto", "Tunis", "Malmo", "Porto", "Sofia")
SEGMENT, SEGMENTS = 512, 6


def question(model, novel, city, numbers):
    """Returns the ids of both texts, which differ in the numbers alone; the answer's first token begins segment 6."""
    ask = model.encode(f"\n\nWhat is the magic number?\n\nThe special magic number for {city} is").tolist()
    body = model.encode(novel).tolist()
    texts = []
    for number in numbers:
        needle = model.encode(f" The special magic number for {city} is {number}.").tolist()
        answer = model.encode(f" {number}.").tolist()
        length = SEGMENT * SEGMENTS + 1 - len(ask) - len(needle)
        texts.append(body[:700] + needle + body[700:length] + ask + answer)
    return texts


def main(path, out, novels):
    draw = random.Random(1)
    rows = json.loads(Path(out).read_text())["rows"] if Path(out).exists() else []  # continues after an interruption
    with carryover.Engine() as engine:
        model = engine.open(path)
        settings = json.loads((Path(__file__).parent / "recall_settings.json").read_text())
        for index, city in enumerate(CITIES):
            novel = Path(novels[index % len(novels)])
            numbers = [str(draw.randint(10000, 99999)) for _ in range(2)]
            while numbers[1][0] == numbers[0][0]:
                numbers[1] = str(draw.randint(10000, 99999))
            start = draw.randint(2000, 60000)
            if index < len(rows):
                continue
            clean, other = question(model, novel.read_text(encoding="utf-8")[start : start + 30000], city, numbers)
            first = next(i for i, (a, b) in enumerate(zip(clean[SEGMENT * SEGMENTS :], other[SEGMENT * SEGMENTS :])) if a != b)
            foil = other[SEGMENT * SEGMENTS + first]
            runs = [model.run(ids, **settings) for ids in (clean, other)]
            maps = {
                "unread": model.sweep(runs[0], SEGMENTS, first - 1, site="retrieved", foil=foil),
                "patched": model.sweep(runs[0], SEGMENTS, first - 1, site="heads", patch=runs[1], foil=foil),
            }
            before = maps["unread"].as_it_was
            rows.append({
                "novel": novel.name,
                "city": city,
                "numbers": numbers,
                "difference": before["logit"] - before["foil_logit"],
                "probability_log": before["logprob"],
                **{name: swept.change.round(5).tolist() for name, swept in maps.items()},
            })
            Path(out).write_text(json.dumps({"model": Path(path).name, "weights_hash": model.info["weights_hash"],
                                             "dtype": model.info["dtype"], "settings": settings, "rows": rows}))
            print(city, novel.name, numbers, round(rows[-1]["difference"], 2), round(before["logprob"], 2), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
