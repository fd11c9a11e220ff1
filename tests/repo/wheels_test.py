#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""scripts/wheels.py against a server on this machine that breaks connections off: downloads continue, and no wrong or
partial file ever gets its name."""
import contextlib
import hashlib
import http.server
import io
import os
import random
import re
import sys
import tempfile
import threading
import unittest
import zipfile
from pathlib import Path

FOLDER = tempfile.TemporaryDirectory()
os.environ["CARRYOVER_CACHE"] = FOLDER.name
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
sys.dont_write_bytecode = True
import wheels  # noqa: E402  (reads CARRYOVER_CACHE)

PAYLOAD = random.Random(7).randbytes(5_000_000)
NAME = "some_thing-1.0-py3-none-any.whl"


class Server(http.server.BaseHTTPRequestHandler):
    """Sends at most `limit` bytes a connection, and honours Range unless told not to."""

    limit, honours_range, ranges = 0, True, []

    def do_GET(self):
        asked = self.headers.get("Range")
        start = int(asked[6:-1]) if asked and self.honours_range else 0
        type(self).ranges.append(start)
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(PAYLOAD) - start))
        self.end_headers()
        self.wfile.write(PAYLOAD[start : start + self.limit])

    def log_message(self, *_):
        pass


class Spelled(http.server.BaseHTTPRequestHandler):
    """Its refusals would control a terminal."""

    answer = b""

    def do_GET(self):
        self.wfile.write(self.answer)

    def log_message(self, *_):
        pass


class WheelsTest(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        Server.limit, Server.honours_range, Server.ranges = len(PAYLOAD), True, []
        wheels.DOWNLOADS.mkdir(parents=True, exist_ok=True)
        for file in wheels.DOWNLOADS.iterdir():
            file.unlink()
        wheels.time.sleep = lambda _: None
        self.wheel = wheels.Wheel("some-thing", "1.0", hashlib.sha256(PAYLOAD).hexdigest(), len(PAYLOAD))
        self.part = wheels.DOWNLOADS / (NAME + ".part")

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()

    def fetch(self, wheel=None, name=NAME):
        address = f"http://127.0.0.1:{self.server.server_address[1]}/x/{name}"
        wheels.fetch(address, wheel or self.wheel, None, wheels.Progress(len(PAYLOAD), machine=False))

    def test_a_whole_fetch_is_named_and_found(self):
        self.assertIsNone(wheels.here(self.wheel))
        self.fetch()
        self.assertEqual(wheels.here(self.wheel).read_bytes(), PAYLOAD)
        self.assertFalse(self.part.exists())

    def test_connections_that_break_off_are_continued_at_their_last_byte(self):
        Server.limit = 1_500_000
        self.fetch()
        self.assertEqual(Server.ranges, [0, 1_500_000, 3_000_000, 4_500_000])
        self.assertEqual(wheels.here(self.wheel).read_bytes(), PAYLOAD)

    def test_a_killed_call_is_continued_by_the_next(self):
        self.part.write_bytes(PAYLOAD[:2_345_678])
        self.fetch()
        self.assertEqual(Server.ranges, [2_345_678])
        self.assertEqual(wheels.here(self.wheel).read_bytes(), PAYLOAD)

    def test_a_server_without_ranges_starts_over(self):
        Server.honours_range = False
        self.part.write_bytes(PAYLOAD[:1000])
        self.fetch()
        self.assertEqual(wheels.here(self.wheel).read_bytes(), PAYLOAD)

    def test_a_wrong_hash_leaves_nothing_behind(self):
        self.part.write_bytes(b"x" * 1000)
        with self.assertRaises(SystemExit):
            self.fetch()
        self.assertEqual(list(wheels.DOWNLOADS.iterdir()), [])

    def test_a_server_that_sends_nothing_gives_up_and_keeps_the_part(self):
        Server.limit = 0
        self.part.write_bytes(PAYLOAD[:1000])
        with self.assertRaises(SystemExit):
            self.fetch()
        self.assertEqual(self.part.read_bytes(), PAYLOAD[:1000])
        self.assertIsNone(wheels.here(self.wheel))

    def test_a_server_s_words_are_spelled(self):
        self.server.RequestHandlerClass = Spelled
        for Spelled.answer in (b"HTTP/1.1 404 \x1b[2Jgone\r\n\r\n", b"\x1b]0;x\x07\r\n\r\n"):
            told = io.StringIO()
            with contextlib.redirect_stderr(told), self.assertRaises(SystemExit):
                self.fetch()
            self.assertIn("\\x1b", told.getvalue())
            self.assertNotIn("\x1b", told.getvalue())

    def test_a_name_that_the_index_chose_is_no_path(self):
        outside = Path(FOLDER.name) / "outside"
        outside.mkdir()
        self.addCleanup(outside.rmdir)
        rest = "some_thing-1.0-py3-none-any.whl"
        names = [f"..%2Foutside%2F{rest}", f"%2e%2e/outside%2F{rest}", f"{outside}%2F{rest}".replace("/", "%2F"),
                 f"%2Fetc%2F{rest}", "..%2F..%2F", "", ".whl", "..", "other-1.0-py3-none-any.whl",
                 "some_thing-1.1-py3-none-any.whl", "some_thing-1.0-py3-none-any.whl%00",
                 "some_thing-1.0-py3%0A-none-any.whl", "some_thing-1.0-py3-none-..%5Cany.whl",
                 "some_thing-1.0-py3-none-any.whl.part", "some_thing-1.0-.whl"]
        for name in names:
            with self.assertRaises(SystemExit) as refused:
                self.fetch(name=name)
            self.assertIn("no name of that wheel", str(refused.exception), name)
        self.assertEqual(list(outside.iterdir()) + list(wheels.DOWNLOADS.iterdir()), [])
        self.assertEqual(wheels.file_name(f"https://h/a/{NAME}?x=../y#sha256=0", self.wheel), NAME)

    def test_no_more_is_taken_than_the_wheel_has(self):
        Server.limit = 5000
        taken = []
        short = self.wheel._replace(bytes=1000)
        progress = wheels.Progress(1000, machine=False)
        progress.add = lambda count, what, new=True: taken.append(count)
        with self.assertRaises(SystemExit):
            wheels.fetch(f"http://127.0.0.1:{self.server.server_address[1]}/x/{NAME}", short, None, progress)
        self.assertEqual(sum(taken), 1001)
        self.assertEqual(list(wheels.DOWNLOADS.iterdir()), [])

    def test_unpack_takes_only_the_prefixes_and_appears_whole(self):
        file = wheels.DOWNLOADS / NAME
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("keep/a.txt", "a")
            archive.writestr("drop/b.txt", "b")
        listing = Path(FOLDER.name) / "list.txt"
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        listing.write_text(f"some-thing==1.0 --hash=sha256:{digest}  # bytes={file.stat().st_size}\n")
        out = Path(FOLDER.name) / "out"
        wheels.unpack(listing, out, ["keep/"])
        self.assertEqual([str(p.relative_to(out)) for p in sorted(out.rglob("*.txt"))], ["keep/a.txt"])
        self.assertFalse(out.with_name("out.part").exists())
        with self.assertRaises(SystemExit):
            wheels.unpack(listing, Path(FOLDER.name) / "none", ["elsewhere/"])
        self.assertFalse((Path(FOLDER.name) / "none").exists())

    def test_a_file_that_changed_in_the_cache_is_not_unpacked(self):
        file = wheels.DOWNLOADS / NAME
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("keep/a.txt", "a")
        right = file.read_bytes()
        digest = hashlib.sha256(right).hexdigest()
        listing = Path(FOLDER.name) / "list.txt"
        listing.write_text(f"some-thing==1.0 --hash=sha256:{digest}  # bytes={len(right)}\n")
        file.unlink()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("keep/a.txt", "b")  # another content of the same size
        self.assertEqual(file.stat().st_size, len(right))
        out = Path(FOLDER.name) / "changed"
        with self.assertRaises(SystemExit) as refused:
            wheels.unpack(listing, out, ["keep/"])
        self.assertIn("SHA-256", str(refused.exception))
        self.assertFalse(out.exists() or file.exists())

    def test_pip_is_pinned_by_hash_wherever_it_is_upgraded(self):
        scripts = Path(wheels.__file__).parent
        for file in [*scripts.rglob("*.sh"), *scripts.rglob("*.py")]:
            for line in file.read_text().splitlines():
                if "install" in line and "--upgrade" in line and "pip" in line:
                    self.assertIn("--require-hashes", line, file)
        lines = [line for line in (scripts / "pip.txt").read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(len(lines), 1)
        self.assertRegex(lines[0], r"^pip==[\d.]+ --hash=sha256:[0-9a-f]{64}$")

    def test_the_peer_of_the_benches_is_pinned_by_hash(self):
        scripts = Path(wheels.__file__).parent
        lines = [line for line in (scripts / "bench/requirements.txt").read_text().splitlines() if line[0] != "#"]
        for line in lines:
            self.assertRegex(line, r"^[a-z0-9-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}$")
        self.assertIn("transformers", {line.split("==")[0] for line in lines})
        text = (scripts / "bench.sh").read_text()
        installs = re.findall(r"pip install (?!--quiet --no-cache-dir --no-deps).*|\$\{install\[@\]\}\".*", text)
        self.assertTrue(installs)
        for line in installs:
            self.assertIn("--require-hashes", line)

    def test_actions_and_images_of_hosted_ci_are_pinned(self):
        workflows = Path(wheels.__file__).parents[1] / ".github/workflows"
        for line in "".join(file.read_text() for file in workflows.glob("*.yml")).splitlines():
            if "uses:" in line:
                self.assertRegex(line, r"uses: [\w/-]+@[0-9a-f]{40} # v[\d.]+$")
            if re.search(r"\bdebian:\d", line):
                self.assertRegex(line, r"debian:\d+@sha256:[0-9a-f]{64}\b")

    def test_the_repository_s_lists_are_well_formed(self):
        scripts = Path(wheels.__file__).parent
        listings = sorted(scripts.glob("wheels*.txt"))
        self.assertGreaterEqual(len(listings), 7)
        for listing in listings:
            self.assertTrue(wheels.read_list(listing), listing)
        bad = Path(FOLDER.name) / "bad.txt"
        bad.write_text("torch==2.11.0\n")
        with self.assertRaises(SystemExit):
            wheels.read_list(bad)


if __name__ == "__main__":
    unittest.main()
