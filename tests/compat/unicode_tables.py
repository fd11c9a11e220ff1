#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes engine/tasks/unicode_tables.cpp from what this Python's str says of each character.

usage: unicode_tables.py > engine/tasks/unicode_tables.cpp      (then clang-format -i)
"""
import unicodedata

SIGMA = "\u03a3"  # its lower-case form tells which characters around it have a case, and which are passed over
CHARACTERS = [chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]


def is_cased(character):
    return (character + SIGMA).lower().endswith("\u03c2")


def is_case_ignorable(character):
    return not is_cased(character) and ("A" + character + SIGMA).lower().endswith("\u03c2")


def changes(holds):
    """Where a property begins and ends to hold, in turns."""
    points, last = [], False
    for code in range(0x110000):
        now = not 0xD800 <= code <= 0xDFFF and holds(chr(code))
        if now != last:
            points.append(code)
        last = now
    return points


def lower_runs():
    """(first, last, step, offset) of characters in runs whose lower-case form lies at the same offset."""
    runs = []
    for character in CHARACTERS:
        lower = character.lower()
        if len(lower) != 1 or lower == character:
            continue
        code, offset = ord(character), ord(lower) - ord(character)
        if runs:
            first, last, step, before = runs[-1]
            gap = code - last
            if before == offset and (gap in (1, 2) if first == last else gap == step):
                runs[-1] = (first, code, gap, offset)
                continue
        runs.append((code, code, 1, offset))
    return runs


def write_changes(name, points):
    print(f"\nconst std::vector<char32_t>& {name}() {{\n  static const std::vector<char32_t> points{{")
    print(", ".join(f"0x{code:X}" for code in points) + "};\n  return points;\n}")


print(f"""// SPDX-License-Identifier: GPL-3.0-or-later
// Written by tests/compat/unicode_tables.py from Unicode {unicodedata.unidata_version}.
#include "engine/tasks/unicode_tables.h"

namespace carryover::unicode_tables {{""")
write_changes("alphanumeric", changes(str.isalnum))
write_changes("decimal", changes(str.isdecimal))
write_changes("cased", changes(is_cased))
write_changes("case_ignorable", changes(is_case_ignorable))
print("\nconst std::vector<LowerRun>& lower_runs() {\n  static const std::vector<LowerRun> runs{")
print(", ".join(f"{{0x{a:X}, 0x{b:X}, {step}, {offset}}}" for a, b, step, offset in lower_runs()) + "};")
print("  return runs;\n}\n\n}  // namespace carryover::unicode_tables")
