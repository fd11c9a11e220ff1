#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""./lab lint in a made-up checkout: what a finding does, what is remembered and what makes it be looked at again, and
which sources a call chooses. A stand-in for clang-tidy finds the word BAD; the real one, where it is, planted mistakes.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
STAND_IN = """#!/usr/bin/env bash
if [ "$1" = --version ]; then echo "LLVM version 14.0.6"; exit; fi
file=${*: -1}
echo "$file" >>"$CALLS"
awk -v file="$PWD/$file" '/BAD/ { print file ":" NR ":1: error: a bad word [made-up]"; n = 1 } END { exit n }' "$file"
"""
SOURCES = {
    "engine/base/one.cpp": '#include "engine/base/one.h"\nint one() { return ONE; }\n',
    "engine/base/one.h": '#include "deep.h"\n#define ONE 1\n',
    "engine/base/deep.h": "// nothing\n",
    "engine/cost/two.cpp": "int two() { return 2; }\n",
    "widgets/look/three.cpp": "#include <engine/base/one.h>\nint three() { return 2 + ONE; }\n",
    "engine/ops/tensors.h": "#include <ATen/ATen.h>\n",
    "engine/ops/four.cpp": '#include "tensors.h"\nint four();  // BAD, in a source that reads LibTorch\n',
    "app/window/five.cpp": "#include <QString>\nint five();  // BAD, in a source that reads Qt\n",
    "build/lint/made.cpp": "// BAD, but nobody wrote it\n",
}
CORE = {"engine/base/one.cpp", "engine/cost/two.cpp"}
ALL = CORE | {"widgets/look/three.cpp"}


class Lint(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve()
        self.tools, self.calls = self.folder / "tools", self.folder / "calls"
        self.root = self.checkout("checkout")
        self.tools.mkdir()
        (self.tools / "clang-tidy-14").write_text(STAND_IN)
        (self.tools / "clang-tidy-14").chmod(0o755)

    def checkout(self, name):
        root = self.folder / name
        for path, text in SOURCES.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        shutil.copy(REPOSITORY / ".clang-tidy", root)
        self.database(root)
        return root

    def database(self, root, flags=""):
        entries = [
            {"directory": str(root), "file": path, "command": f"c++ -std=c++20 -I{root} {flags} -c {root}/{path}"}
            for path in SOURCES
            if path.endswith(".cpp")
        ]
        (root / "build/lint/compile_commands.json").write_text(json.dumps(entries))

    def write(self, path, text):
        (self.root / path).write_text(text)

    def lint(self, *arguments, root=None, path=None):
        """Exit code, output, and the sources that were read."""
        root = root or self.root
        self.calls.write_text("")
        environment = dict(os.environ, ROOT=str(root), CALLS=str(self.calls))
        environment["CARRYOVER_CACHE"] = str(self.folder / "cache")
        environment["PATH"] = path or f"{self.tools}:{os.environ['PATH']}"
        script = [sys.executable, str(REPOSITORY / "scripts/lint.py"), str(root / "build/lint/compile_commands.json")]
        done = subprocess.run([*script, *arguments], cwd=root, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr, set(self.calls.read_text().split())

    def test_without_arguments_the_quick_sources_and_with_all_the_listed_folders(self):
        code, said, read = self.lint()
        self.assertEqual((code, read), (0, CORE), said)
        self.assertIn("2 sources, 0 of them unchanged since they passed; 0 findings", said)
        code, said, read = self.lint("--all")
        self.assertEqual((code, read), (0, ALL - CORE), said)

    def test_a_finding_fails_with_its_file_and_line_each_time(self):
        self.write("engine/cost/two.cpp", "int two();\n// BAD\n")
        for _ in range(2):
            code, said, read = self.lint()
            self.assertEqual(code, 1)
            self.assertIn("\nengine/cost/two.cpp:2:1: error: a bad word [made-up]\n", "\n" + said)
            self.assertIn("1 findings", said)
            self.assertIn("engine/cost/two.cpp", read)
        self.write("engine/cost/two.cpp", "int two();\n")
        self.assertEqual(self.lint()[0], 0)

    def test_what_passed_is_read_again_where_anything_changed_that_it_depends_on(self):
        self.lint("--all")
        code, said, read = self.lint("--all")
        self.assertEqual((code, read), (0, set()))
        self.assertEqual(said, "lint: 3 sources, 3 of them unchanged since they passed; 0 findings\n")
        self.write("engine/base/deep.h", "// a header of a header\n")
        self.assertEqual(self.lint("--all")[2], {"engine/base/one.cpp", "widgets/look/three.cpp"})
        self.write("engine/base/deep.h", SOURCES["engine/base/deep.h"])
        self.assertEqual(self.lint("--all")[2], set())
        self.write(".clang-tidy", "Checks: '-*'\n")
        self.assertEqual(self.lint()[2], CORE)
        self.database(self.root, "-DOTHER")
        self.assertEqual(self.lint()[2], CORE)

    def test_another_checkout_shares_what_passed(self):
        self.lint()
        self.assertEqual(self.lint(root=self.checkout("another"))[2], set())

    def test_files_and_headers_that_are_named(self):
        self.assertEqual(self.lint("widgets/look/three.cpp")[2], {"widgets/look/three.cpp"})
        self.assertEqual(self.lint("engine/base/deep.h", "engine/cost/two.cpp")[2], CORE)
        code, said, read = self.lint("engine/base/none.h")
        self.assertEqual((code, read, "there is no file" in said), (2, set(), True), said)
        code, said, read = self.lint("build/lint/made.cpp")
        self.assertEqual((code, read, "none of what is checked" in said), (2, set(), True), said)
        self.assertEqual(self.lint("--everything")[0], 2)

    def test_what_differs_from_a_commit(self):
        def git(*words):
            identity = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"]
            subprocess.run(["git", *identity, *words], cwd=self.root, check=True, capture_output=True)

        git("init")
        git("add", "engine", "widgets", ".clang-tidy")
        git("commit", "-m", "first")
        code, said, read = self.lint("--changed", "HEAD")
        self.assertEqual((code, read), (0, set()), said)
        self.write("engine/base/one.h", "#define ONE 11\n")
        self.assertEqual(self.lint("--changed", "HEAD")[2], {"engine/base/one.cpp", "widgets/look/three.cpp"})
        self.write("engine/cost/two.cpp", "int two();\n")
        self.assertEqual(self.lint("--changed", "HEAD")[2], {"engine/cost/two.cpp"})
        code, said, read = self.lint("--changed", "nowhere")
        self.assertEqual((code, read), (2, set()), said)

    def test_a_tool_that_crashes_is_no_pass(self):
        (self.tools / "clang-tidy-14").write_text(STAND_IN.replace("awk", "exit 139 # awk"))
        code, said, _ = self.lint()
        self.assertEqual((code, "clang-tidy ended with 139" in said), (1, True), said)
        self.assertEqual(self.lint()[2], CORE)

    def test_without_the_tool_its_package_is_named(self):
        code, said, _ = self.lint(path=str(self.folder))
        self.assertEqual((code, "packages-lint.txt" in said), (3, True), said)

    @unittest.skipUnless(shutil.which("clang-tidy-14"), "there is no clang-tidy 14")
    def test_the_real_tool_finds_a_planted_mistake_by_the_repositorys_checks(self):
        self.write("engine/cost/two.cpp", "int two() {\n  const int* none = 0;\n  return none == nullptr;\n}\n")
        self.write("engine/base/deep.h", "inline const int* deep() {\n  return 0;\n}\n")
        code, said, _ = self.lint("--all", path=os.environ["PATH"])
        self.assertEqual(code, 1, said)
        self.assertIn("\nengine/cost/two.cpp:2:21: error: use nullptr [modernize-use-nullptr", "\n" + said)
        self.assertEqual(said.count("engine/base/deep.h:2:10: error: use nullptr"), 1, said)  # two sources include it
        self.assertIn("2 findings", said)

    def test_every_folder_that_is_checked_is_there(self):
        sys.path.insert(0, str(REPOSITORY / "scripts"))
        sys.dont_write_bytecode = True
        os.environ.setdefault("CARRYOVER_CACHE", str(self.folder / "cache"))
        os.environ.setdefault("ROOT", str(REPOSITORY))
        import lint

        for path in lint.QUICK + lint.SLOW:
            self.assertTrue((REPOSITORY / path).exists(), path)

    def test_a_new_folder_without_a_library_is_checked(self):
        (self.root / "app/new").mkdir()
        self.write("app/new/six.cpp", "#include <vector>\nint six();\n")
        database = self.root / "build/lint/compile_commands.json"
        entry = {"directory": str(self.root), "file": "app/new/six.cpp", "command": "c++ -c app/new/six.cpp"}
        database.write_text(json.dumps(json.loads(database.read_text()) + [entry]))
        self.assertEqual(self.lint()[2], CORE | {"app/new/six.cpp"})


if __name__ == "__main__":
    unittest.main()
