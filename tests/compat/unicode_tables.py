#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes engine/base/unicode_tables.cpp from what this Python's str says of each character.

usage: unicode_tables.py > engine/base/unicode_tables.cpp      (then clang-format -i)
"""
import unicodedata

SIGMA = "\u03a3"  # its lower-case form tells which characters around it have a case, and which are passed over
CHARACTERS = [chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]


def is_cased(character):
    return (character + "a").title().endswith("a")  # otherwise a word begins behind it


def is_case_ignorable(character):
    counts = (character + SIGMA).lower().endswith("\u03c2")
    return not counts and ("A" + character + SIGMA).lower().endswith("\u03c2")


def changes(holds):
    """Where a property begins and ends to hold, in turns."""
    points, last = [], False
    for code in range(0x110000):
        now = not 0xD800 <= code <= 0xDFFF and holds(chr(code))
        if now != last:
            points.append(code)
        last = now
    return points


def runs_of(form):
    """(first, last, step, offset) of characters in runs whose other form, one character, lies at the same offset."""
    runs = []
    for character in CHARACTERS:
        other = form(character)
        if len(other) != 1 or other == character:
            continue
        code, offset = ord(character), ord(other) - ord(character)
        if runs:
            first, last, step, before = runs[-1]
            gap = code - last
            if before == offset and (gap in (1, 2) if first == last else gap == step):
                runs[-1] = (first, code, gap, offset)
                continue
        runs.append((code, code, 1, offset))
    return runs


def write_runs(name, form):
    print(f"\nconst std::vector<CaseRun>& {name}() {{\n  static const std::vector<CaseRun> runs{{")
    print(", ".join(f"{{0x{a:X}, 0x{b:X}, {step}, {offset}}}" for a, b, step, offset in runs_of(form)) + "};")
    print("  return runs;\n}")


def write_decompositions():
    print("\nconst std::vector<Decomposition>& decompositions() {\n  static const std::vector<Decomposition> all{")
    rows = []
    for character in CHARACTERS:
        parts = unicodedata.decomposition(character).split()
        if not parts or parts[0].startswith("<"):
            continue
        pair = "".join(chr(int(part, 16)) for part in parts)
        composes = len(pair) == 2 and unicodedata.normalize("NFC", pair) == character
        second = f"0x{ord(pair[1]):X}" if len(pair) == 2 else "0"
        rows.append(f"{{0x{ord(character):X}, 0x{ord(pair[0]):X}, {second}, {str(composes).lower()}}}")
    print(", ".join(rows) + "};\n  return all;\n}")


def write_combining_classes():
    print("\nconst std::vector<ClassRun>& combining_classes() {\n  static const std::vector<ClassRun> runs{")
    runs = []
    for character in CHARACTERS:
        kind, code = unicodedata.combining(character), ord(character)
        if kind and runs and runs[-1][1] == code - 1 and runs[-1][2] == kind:
            runs[-1] = (runs[-1][0], code, kind)
        elif kind:
            runs.append((code, code, kind))
    print(", ".join(f"{{0x{a:X}, 0x{b:X}, {kind}}}" for a, b, kind in runs) + "};\n  return runs;\n}")


def literal(text):
    return 'U"' + "".join(f"\\U{ord(c):08X}" for c in text) + '"'


def write_special_upper():
    """Where the upper-case form is several characters, or the first of a word has another one."""
    print("\nconst std::vector<SpecialUpper>& special_upper() {\n  static const std::vector<SpecialUpper> characters{")
    special = [c for c in CHARACTERS if len(c.upper()) != 1 or c.title() != c.upper()]
    print(", ".join(f"{{0x{ord(c):X}, {literal(c.upper())}, {literal(c.title())}}}" for c in special) + "};")
    print("  return characters;\n}")


def write_changes(name, points):
    print(f"\nconst std::vector<char32_t>& {name}() {{\n  static const std::vector<char32_t> points{{")
    print(", ".join(f"0x{code:X}" for code in points) + "};\n  return points;\n}")


print(f"""// SPDX-License-Identifier: GPL-3.0-or-later
// Written by tests/compat/unicode_tables.py from Unicode {unicodedata.unidata_version}.
#include "engine/base/unicode_tables.h"

namespace carryover::unicode_tables {{""")
write_changes("alphanumeric", changes(str.isalnum))
write_changes("decimal", changes(str.isdecimal))
write_changes("cased", changes(is_cased))
write_changes("case_ignorable", changes(is_case_ignorable))
write_runs("lower_runs", str.lower)
write_runs("upper_runs", str.upper)
write_special_upper()
write_decompositions()
write_combining_classes()
print("\n}  // namespace carryover::unicode_tables")
