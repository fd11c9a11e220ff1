#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: unwind_tables_test.py BUILD
Whether exceptions can pass through all of our functions. g++ 12 may leave the rarely run part of a function without an
instruction, and still describe its frame; lld then keeps that entry in place of the one of what stands at the same
address, and an exception on its way through there ends the program in abort(). (So it was with std::stable_sort and a
comparison that throws: a sort of pointers has no such part.)"""
import re
import subprocess
import sys
import unittest
from pathlib import Path

BUILD = Path(sys.argv.pop(1)).resolve()


def hidden(frames):
    """Addresses where an entry of no length stands before another one."""
    ranges = re.findall(r"FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)", frames)
    starts = {start for start, end in ranges if start != end}
    return [start for start, end in ranges if start == end and start in starts]


def frames_of(path):
    return subprocess.run(["readelf", "--debug-dump=frames", path], capture_output=True, text=True, check=True).stdout


class UnwindTablesTest(unittest.TestCase):
    def test_what_is_hidden(self):
        entry = "00002848 000000000000001c 0000284c FDE cie=00000000 pc=%s..%s\n"
        self.assertEqual(hidden(entry % ("0b1b", "0b1b") + entry % ("0b1b", "0bbc")), ["0b1b"])
        self.assertEqual(hidden(entry % ("0a00", "0b1b") + entry % ("0b1b", "0bbc")), [])
        self.assertEqual(hidden(entry % ("0b1b", "0b1b")), [])

    def test_no_function_is_hidden(self):
        files = sorted([*(BUILD / "lib").glob("libcarryover_*.so"), *(BUILD / "bin").glob("carryover*")])
        self.assertTrue({BUILD / "bin/carryover-cli", BUILD / "lib/libcarryover_core.so"} <= set(files))
        for file in files:
            with self.subTest(file):
                frames = frames_of(file)
                self.assertGreater(frames.count(" FDE "), 20)
                self.assertEqual(hidden(frames), [])


if __name__ == "__main__":
    unittest.main()
