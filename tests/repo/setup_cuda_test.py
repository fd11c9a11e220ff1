#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""scripts/setup_cuda.sh to its end, against a package index on this machine that has small wheels of the same names:
what is fetched lies where the program looks for it, a wrong file is never unpacked, and a dry run leaves nothing."""
import base64
import hashlib
import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
SCRIPTS = TESTS.parent / "scripts"
sys.path.insert(0, str(TESTS / "support"))
sys.dont_write_bytecode = True
import poisoned_folder  # noqa: E402

NEEDED = ("setup_cuda.sh", "search_path.sh", "common.sh", "plan.sh", "fetcher.sh", "cuda_runtime.sh", "wheels.py", "pip.txt")
MEMBERS = {
    "torch": ["torch/lib/libtorch_cuda.so", "torch/lib/libc10_cuda.so", "torch/lib/libcaffe2_nvrtc.so",
              "torch/lib/libtorch_python.so", "torch/include/torch.h"],
    "nvidia-cublas": ["nvidia/cu13/lib/libcublas.so.13"],
}


def make_wheel(folder, name, version, members):
    """A wheel that pip accepts; its members hold their own names."""
    stem = f"{name.replace('-', '_')}-{version}"
    path = folder / f"{stem}-py3-none-manylinux_2_28_x86_64.whl"
    files = {member: member.encode() for member in members}
    files[f"{stem}.dist-info/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    files[f"{stem}.dist-info/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: py3-none-any\n"
    record = []
    for member, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{member},sha256={digest},{len(data)}")
    files[f"{stem}.dist-info/RECORD"] = "\n".join(record + [f"{stem}.dist-info/RECORD,,", ""]).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for member, data in files.items():
            archive.writestr(member, data)
    return path


class Index(http.server.SimpleHTTPRequestHandler):
    """A package index as pip reads it: /simple/NAME/ links to /files/WHEEL."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        name = re.fullmatch(r"/simple/([\w-]+)/", self.path)
        if not name:
            return super().do_GET()
        files = sorted(Path(self.directory, "files").glob(f"{name[1].replace('-', '_')}-*"))
        links = [f'<a href="/files/{file.name}#sha256={hashlib.sha256(file.read_bytes()).hexdigest()}">{file.name}</a>'
                 for file in files]
        page = ("<!DOCTYPE html><html><body>" + "".join(links) + "</body></html>").encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)


class SetupCudaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        root = Path(cls.scratch.name)
        cls.scripts, cls.cache, files = root / "lib/scripts", root / "cache", root / "index/files"
        for folder in (cls.scripts, cls.cache, files):
            folder.mkdir(parents=True)
        for name in NEEDED:
            shutil.copy(SCRIPTS / name, cls.scripts)
        subprocess.run([sys.executable, "-m", "venv", cls.cache / "pip-venv"], check=True)  # its pip is new enough
        for listing in ("wheels.txt", "wheels-cuda.txt"):
            lines = []
            for name, version in re.findall(r"^([\w-]+)==(\S+)", (SCRIPTS / listing).read_text(), re.MULTILINE):
                wheel = make_wheel(files, name, version, MEMBERS.get(name, [f"nvidia/{name}/lib/lib{name}.so"]))
                digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
                lines.append(f"{name}=={version} --hash=sha256:{digest}  # bytes={wheel.stat().st_size}")
            (cls.scripts / listing).write_text("\n".join(lines) + "\n")
        handler = type("Handler", (Index,), {"__init__": lambda self, *a: Index.__init__(
            self, *a, directory=str(root / "index"))})
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.root = root
        cls.current, cls.marks = root / "current", root / "marks"
        poisoned_folder.make(cls.current, cls.marks)

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()
        cls.scratch.cleanup()

    def setUp(self):
        shutil.rmtree(self.cache / "downloads", ignore_errors=True)
        shutil.rmtree(self.root / "cuda", ignore_errors=True)

    def setup_cuda(self, *arguments, **environment):
        address = f"http://127.0.0.1:{self.server.server_address[1]}/simple/"
        kept = {name: value for name, value in os.environ.items() if not name.upper().endswith("_PROXY")}
        kept.update(CARRYOVER_CACHE=str(self.cache), PIP_CONFIG_FILE=os.devnull, PIP_INDEX_URL=address,
                    PIP_DISABLE_PIP_VERSION_CHECK="1", HOME=str(self.root / "home"))
        kept.update(word.split("=", 1) for word in poisoned_folder.environment(self.current))
        kept.update(environment)
        kept.pop("PIP_EXTRA_INDEX_URL", None)
        command = ["/bin/bash", self.scripts / "setup_cuda.sh", *arguments]
        done = subprocess.run(command, env=kept, capture_output=True, text=True, timeout=100, cwd=self.current)
        self.assertEqual([mark.name for mark in self.marks.iterdir()], [], "taken from the current folder")
        return done

    def test_a_dry_run_says_everything_and_leaves_nothing(self):
        done = self.setup_cuda("--dry-run", "--to", str(self.root / "cuda"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for listing in ("wheels.txt", "wheels-cuda.txt"):
            for name, digest in re.findall(r"^(\S+)==.*sha256:(\w+)", (self.scripts / listing).read_text(), re.MULTILINE):
                self.assertRegex(done.stderr, rf"{name} .* MB  {digest}")
        self.assertIn("Nothing was fetched", done.stderr)
        self.assertFalse((self.root / "cuda").exists() or (self.cache / "downloads").exists())

    def test_the_index_is_named_without_its_password(self):
        done = self.setup_cuda("--dry-run", "--to", str(self.root / "cuda"), PIP_INDEX_URL="http://me:secret@index.test/x/")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("package index http://index.test/x/,", done.stderr)
        self.assertNotIn("secret", done.stderr)

    @unittest.skipIf(os.geteuid() != 0, "only root is asked to be careful")
    def test_root_takes_no_cache_that_others_can_write_to(self):
        theirs = self.root / "theirs"
        for uid, mode in ((65534, 0o755), (0, 0o777)):
            theirs.mkdir()
            self.addCleanup(shutil.rmtree, theirs, ignore_errors=True)
            os.chown(theirs, uid, 0)
            theirs.chmod(mode)
            for cache in (theirs, theirs / "below"):
                done = self.setup_cuda("--dry-run", "--to", str(self.root / "cuda"), CARRYOVER_CACHE=str(cache))
                self.assertIn(f"CARRYOVER_CACHE={cache}, so /var/cache/carryover is used", done.stderr)
                self.assertEqual(list(theirs.iterdir()), [])
            shutil.rmtree(theirs)

    def test_what_is_fetched_lies_where_the_program_looks(self):
        done = self.setup_cuda("--anyway", "--to", str(self.root / "cuda"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for member in ("torch/lib/libtorch_cuda.so", "torch/lib/libcaffe2_nvrtc.so", "nvidia/cu13/lib/libcublas.so.13"):
            self.assertEqual((self.root / "cuda" / member).read_text(), member)
        self.assertFalse((self.root / "cuda/torch/lib/libtorch_python.so").exists())
        self.assertEqual(list((self.cache / "downloads").glob("*.whl")), [])
        again = self.setup_cuda("--to", str(self.root / "cuda"))
        self.assertEqual((again.returncode, "here already" in again.stderr), (0, True), again.stderr)

    def test_the_default_folder_is_named_for_its_libtorch(self):
        done = self.setup_cuda("--anyway", "--keep-downloads", XDG_DATA_HOME=str(self.root / "data"))
        self.assertEqual(done.returncode, 0, done.stderr)
        version = re.search(r"^torch==(\S+)", (SCRIPTS / "wheels.txt").read_text(), re.MULTILINE)[1]
        parent = self.root / "lib" if os.geteuid() == 0 else self.root / "data/carryover"
        self.assertTrue((parent / f"libtorch-cuda-{version}/torch/lib/libtorch_cuda.so").is_file())
        self.assertTrue(list((self.cache / "downloads").glob("torch-*.whl")))

    def test_a_file_with_another_hash_is_refused(self):
        listing = self.scripts / "wheels-cuda.txt"
        right = listing.read_text()
        self.addCleanup(listing.write_text, right)
        listing.write_text(re.sub(r"(nvidia-nccl\S+ --hash=sha256:)\w+", r"\g<1>" + "0" * 64, right))
        done = self.setup_cuda("--anyway", "--to", str(self.root / "cuda"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("nvidia-nccl-cu13", done.stderr)
        self.assertFalse((self.root / "cuda").exists())

    @unittest.skipIf(Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi"), "there is a driver")
    def test_without_a_driver_it_asks_first(self):
        done = self.setup_cuda("--to", str(self.root / "cuda"))
        self.assertEqual((done.returncode, "--anyway" in done.stderr), (3, True), done.stderr)

    def test_relative_paths_start_in_the_folder_of_the_caller(self):
        done = self.setup_cuda("--dry-run", "--to", "to", CARRYOVER_CACHE="kept")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"They would go into {self.current}/to,", done.stderr)
        self.assertIn(f"downloads into {self.current}/kept/downloads.", done.stderr)

    def test_wrong_usage(self):
        done = self.setup_cuda("--everything")
        self.assertEqual((done.returncode, "'--everything'" in done.stderr), (2, True))


if __name__ == "__main__":
    unittest.main()
