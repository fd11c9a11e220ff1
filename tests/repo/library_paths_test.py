#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: library_paths_test.py BUILD
Where programs look for libraries. An empty entry of an RPATH, and a relative one, mean the current folder: whoever can
write there (a download folder, a shared disk) would run code in our processes."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(sys.argv.pop(1)).resolve()
ROOT = Path(__file__).resolve().parents[2]


def is_elf(path):
    if path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(18)[:4] == b"\x7fELF"


def elf_files():
    """Programs and shared libraries of the build tree; object files have no dynamic section."""
    for folder in ("bin", "lib", "tests"):
        yield from (path for path in sorted((BUILD / folder).glob("*")) if is_elf(path))


def dynamic(path, kind):
    said = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    return re.findall(rf"\((?:{kind})\)[^\[]*\[(.*)\]", said)


def bad_entries(rpath):
    return [entry for entry in rpath.split(":") if not re.match(r"/|\$ORIGIN(/|$)", entry)]


class LibraryPathsTest(unittest.TestCase):
    def test_what_counts_as_bad(self):
        self.assertEqual(bad_entries("$ORIGIN:$ORIGIN/../lib:/usr/lib"), [])
        self.assertEqual(bad_entries(":::"), [""] * 4)
        self.assertEqual(bad_entries("/a:"), [""])
        self.assertEqual(bad_entries("lib:./lib:$ORIGINAL"), ["lib", "./lib", "$ORIGINAL"])

    def test_no_entry_is_empty_or_relative(self):
        files = list(elf_files())
        self.assertIn(BUILD / "bin/carryover-cli", files)
        self.assertIn(BUILD / "lib/libcarryover_core.so", files)
        bad = {f"{file}: {rpath}" for file in files for rpath in dynamic(file, "RPATH|RUNPATH") if bad_entries(rpath)}
        self.assertEqual(bad, set())

    def test_none_is_loaded_from_the_current_folder(self):
        names = {name for file in elf_files() for name in dynamic(file, "NEEDED")}
        names |= {file.name for file in elf_files() if file.suffix == ".so"}
        names |= {"libtorch_cuda.so", "libc10_cuda.so", "libcaffe2_nvrtc.so", "libcudart.so.13", "libcupti.so.13",
                  "libnvidia-ml.so.1", "libcuda.so.1", "libgomp.so.1"}
        self.assertGreater(len(names), 10)
        demo = ROOT / "resources/demo"
        for arguments in (["--version"], ["info", demo],
                          ["run", demo, demo / "text.txt", "--tokens", "128", "--out", "out"]):
            if arguments[0] == "run" and not (BUILD / "lib/libcarryover_engine.so").exists():
                continue
            with tempfile.TemporaryDirectory() as folder:
                for name in names:
                    Path(folder, name).write_text("planted")
                kept = {key: value for key, value in os.environ.items() if not key.startswith(("LD_", "CARRYOVER_"))}
                kept.update(LD_DEBUG="libs", LD_DEBUG_OUTPUT=f"{folder}/linker")
                done = subprocess.run([BUILD / "bin/carryover-cli", *arguments], env=kept, cwd=folder,
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                said = "".join(file.read_text(errors="replace") for file in Path(folder).glob("linker*"))
            tried = re.findall(r"trying file=(\S*)|calling init: (\S*)", said)
            paths = [first or second for first, second in tried]
            self.assertTrue(any(path.endswith("/libcarryover_core.so") for path in paths), said[:2000])
            self.assertEqual([path for path in paths if not path.startswith("/") or path.startswith(folder)], [])


if __name__ == "__main__":
    unittest.main()
