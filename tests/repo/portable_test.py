#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""scripts/portable.py: an archive brings every library that a desktop does not have, and what is missing or too new for
Debian 12 is named."""
import importlib.util
import shutil
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = shutil.which("xauth")  # a small program with libraries that the list of the desktop's lacks

spec = importlib.util.spec_from_file_location("portable", ROOT / "scripts/portable.py")
portable = importlib.util.module_from_spec(spec)
spec.loader.exec_module(portable)
ANY = {kind: (99,) for kind in portable.MOST}


class PortableTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.tree = Path(self.scratch.name).resolve()
        self.libraries = self.tree / "lib/carryover"
        self.libraries.mkdir(parents=True)
        (self.tree / "bin").mkdir()
        shutil.copy2(PROGRAM, self.tree / "bin/tool")

    def test_a_library_that_is_not_in_the_archive_is_named(self):
        with self.assertRaisesRegex(SystemExit, "bin/tool needs lib.*, which is not in the archive"):
            portable.check(self.tree, ANY)

    def test_all_libraries_but_the_desktops_are_copied(self):
        copied = portable.copy_libraries(self.tree, self.libraries)
        self.assertGreaterEqual(len(copied), 2)
        self.assertFalse({path.name for path in copied} & portable.OF_THE_DESKTOP)
        of_desktop = portable.check(self.tree, ANY)
        self.assertIn("libc.so.6", of_desktop)
        self.assertLessEqual(of_desktop, portable.OF_THE_DESKTOP)
        self.assertEqual(portable.copy_libraries(self.tree, self.libraries), {}, "a second time")
        next(iter(copied)).unlink()
        with self.assertRaisesRegex(SystemExit, "which is not in the archive"):
            portable.check(self.tree, ANY)

    def test_symbols_newer_than_the_oldest_system_has_are_named(self):
        portable.copy_libraries(self.tree, self.libraries)
        with self.assertRaisesRegex(SystemExit, r"bin/tool needs GLIBC_2\.\d+"):
            portable.check(self.tree, {**ANY, "GLIBC": (2, 1)})

    def test_the_licence_of_what_is_copied_is_there(self):
        copied = portable.copy_libraries(self.tree, self.libraries)
        packages = portable.write_licences(self.tree, copied.values())
        documents = self.tree / "share/doc/carryover"
        listed = (documents / "bundled.txt").read_text().splitlines()
        self.assertEqual([line.split()[0] for line in listed], packages)
        for package in packages:
            self.assertGreater((documents / "licences" / package / "copyright").stat().st_size, 100)


if __name__ == "__main__":
    unittest.main()
