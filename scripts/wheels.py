#!/usr/bin/python3 -I
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fetches and unpacks wheels named in a list, using the standard library and pip's own idea of where packages live.

usage: wheels.py missing LIST...                   the bytes still to fetch
       wheels.py get [--progress] LIST...          fetch what is missing into $CARRYOVER_CACHE/downloads
       wheels.py unpack LIST OUT PREFIX...         unpack, in a folder that appears whole or not at all, every member
                                                   whose path starts with one of the prefixes
       wheels.py join LIST OUT SHA256 COUNT PART   join the COUNT members whose paths contain PART, in the list's order,
                                                   into a file that appears whole and with that SHA-256, or not at all

A line of a list is `name==version --hash=sha256:DIGEST  # bytes=N`. A fetch that broke off, in this call or in an
earlier one, continues at its last byte; a file gets its name only once its SHA-256 is right. Before a named file is
unpacked, its SHA-256 is checked again.
"""
import hashlib
import http.client
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
import zipfile
from collections import namedtuple
from pathlib import Path

Wheel = namedtuple("Wheel", "name version sha256 bytes")
LINE = re.compile(r"([\w.-]+)==([\w.]+)\s+--hash=sha256:([0-9a-f]{64})\s+# bytes=(\d+)$")
CACHE = Path(os.environ["CARRYOVER_CACHE"])
DOWNLOADS = CACHE / "downloads"
PLATFORMS = [f"manylinux_2_{minor}_x86_64" for minor in range(28, 4, -1)] + ["manylinux2014_x86_64"]
TRIES, CHUNK = 20, 1 << 20


def read_list(path):
    """The wheels of a list; anything that is neither a comment nor a wheel is an error."""
    wheels = []
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = LINE.match(line.strip())
        if not match:
            sys.exit(f"{path}:{number}: expected `name==version --hash=sha256:DIGEST  # bytes=N`, found: {line}")
        wheels.append(Wheel(match[1], match[2], match[3], int(match[4])))
    return wheels


def stem(wheel):
    return re.sub(r"[-.]+", "_", wheel.name) + f"-{wheel.version}-"


def here(wheel):
    """The wheel's file in the cache, or None."""
    found = sorted(DOWNLOADS.glob(stem(wheel) + "*.whl"))
    return next((file for file in found if file.stat().st_size == wheel.bytes), None)


def missing(lists):
    wanted = {wheel.sha256: wheel for path in lists for wheel in read_list(path)}
    return [wheel for wheel in wanted.values() if not here(wheel)]


def addresses(wheels):
    """sha256 -> address, asked of the package index that this machine's pip is set up for. Downloads nothing."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        command = [sys.executable, "-I", "-m", "pip", "install", "--dry-run", "--quiet", "--report", str(report)]
        command += ["--no-deps"]
        command += ["--ignore-installed", "--no-cache-dir", "--target", scratch, "--only-binary=:all:"]
        command += ["--python-version", "3.11"] + [word for tag in PLATFORMS for word in ("--platform", tag)]
        command += [f"{wheel.name}=={wheel.version}" for wheel in wheels]
        if subprocess.run(command).returncode != 0:
            sys.exit("wheels.py: pip found no address for: " + ", ".join(wheel.name for wheel in wheels) +
                     ". Is the network up, and does `pip config list` name the right index?")
        infos = [item["download_info"] for item in json.loads(report.read_text())["install"]]
    return {sha256_of(info["archive_info"]): info["url"] for info in infos}


def sha256_of(archive):
    """A pip before 23.1 knows one hash."""
    return archive["hashes"]["sha256"] if "hashes" in archive else archive["hash"].removeprefix("sha256=")


def trust():
    """The certificates that pip was told to trust, else the system's."""
    context = ssl.create_default_context()
    command = [sys.executable, "-I", "-m", "pip", "config", "get", "global.cert"]
    told = subprocess.run(command, capture_output=True, text=True)
    for file in (os.environ.get("PIP_CERT"), told.stdout.strip()):
        if file and Path(file).is_file():
            context.load_verify_locations(file)
    return context


class Progress:
    """Bytes fetched so far: a line that rewrites itself on a terminal, a line every ten seconds elsewhere."""

    def __init__(self, total, machine):
        self.total, self.machine, self.done = total, machine, 0
        self.new, self.started, self.shown = 0, time.monotonic(), 0.0
        self.live = sys.stderr.isatty()

    def add(self, count, what, new=True):
        self.done += count
        self.new += count if new else 0
        now = time.monotonic()
        if now - self.shown < (0.3 if self.live or self.machine else 10) and self.done < self.total:
            return
        self.shown = now
        if self.machine:
            print(f"progress {min(100, 100 * self.done // max(1, self.total))} {what}", flush=True)
            return
        rate = self.new / max(1e-3, now - self.started)
        left = (self.total - self.done) / rate if rate else 0
        text = f"      {self.done / 1e6:6.0f} of {self.total / 1e6:.0f} MB, {rate / 1e6:.1f} MB/s, {left:.0f} s left  {what}"
        print(f"\r{text[:110]:110}" if self.live else text, end="" if self.live else "\n", file=sys.stderr, flush=True)

    def close(self):
        if self.live and not self.machine and self.shown:
            print(file=sys.stderr)


def file_name(address, wheel):
    """The name in an address, which the package index chose: it becomes a path only if it is this wheel's file name."""
    name = urllib.parse.unquote(urllib.parse.urlsplit(address).path.rsplit("/", 1)[-1])
    if not re.fullmatch(re.escape(stem(wheel)) + r"[\w.]+(-[\w.]+){2,3}\.whl", name, re.ASCII):
        sys.exit(f"wheels.py: the index names a file {name[:200]!a} for {wheel.name}=={wheel.version}, which is no name "
                 "of that wheel; nothing was fetched. Does `pip config list` name the right index?")
    return name


def fetch(address, wheel, context, progress):
    """Continues (or starts) NAME.part, checks it, and gives it its name. No more is taken than the wheel's size."""
    target = DOWNLOADS / file_name(address, wheel)
    part = target.with_suffix(".whl.part")
    digest = hashlib.sha256()
    if part.exists():
        with open(part, "rb") as file:
            for chunk in iter(lambda: file.read(CHUNK), b""):
                digest.update(chunk)
                progress.add(len(chunk), wheel.name, new=False)
    for attempt in range(TRIES):
        start = part.stat().st_size if part.exists() else 0
        if start >= wheel.bytes:
            break
        try:
            request = urllib.request.Request(address, headers={"Range": f"bytes={start}-"} if start else {})
            with urllib.request.urlopen(request, timeout=60, context=context) as reply:
                if start and reply.status != 206:  # this server starts over, and so do we
                    progress.add(-start, wheel.name, new=False)
                    digest, start = hashlib.sha256(), 0
                with open(part, "ab" if start else "wb") as file:
                    while chunk := reply.read(min(CHUNK, wheel.bytes + 1 - start)):
                        file.write(chunk)
                        start += len(chunk)
                        digest.update(chunk)
                        progress.add(len(chunk), wheel.name)
        except (http.client.HTTPException, OSError) as error:  # URLError is an OSError
            if isinstance(error, OSError) and error.errno == 28:
                sys.exit(f"\nwheels.py: {DOWNLOADS}: the disk is full; {part.name} stays and will be continued")
            print(f"\n      broke off ({str(error)[:200]!a}); trying again", file=sys.stderr)
            time.sleep(min(30, 2**attempt))
    if digest.hexdigest() != wheel.sha256:
        whole = part.exists() and part.stat().st_size >= wheel.bytes
        if whole:
            part.unlink()
        sys.exit(f"\nwheels.py: {target.name}: " + ("the SHA-256 is wrong; it was removed, run the same command again"
                 if whole else "could not be fetched to its end; run the same command again to continue"))
    part.rename(target)


def get(lists, machine):
    wheels = missing(lists)
    if not wheels:
        return
    DOWNLOADS.mkdir(parents=True, exist_ok=True)
    found, context = addresses(wheels), trust()
    progress = Progress(sum(wheel.bytes for wheel in wheels), machine)
    for wheel in wheels:
        if wheel.sha256 not in found:
            sys.exit(f"wheels.py: the index offers another file for {wheel.name}=={wheel.version} than the list's hash")
        fetch(found[wheel.sha256], wheel, context, progress)
    progress.close()


def check(file, path, wheel):
    """What lies in the cache may have changed since it was fetched. The file stays open from here to its unpacking."""
    digest = hashlib.sha256()
    for chunk in iter(lambda: file.read(CHUNK), b""):
        digest.update(chunk)
    if digest.hexdigest() != wheel.sha256:
        path.unlink()
        sys.exit(f"wheels.py: {path.name}: the SHA-256 is wrong, so it was removed and nothing unpacked; run the same "
                 "command to fetch it again")
    file.seek(0)


def fetched(listing):
    """The archive of each wheel of a list, in order; its SHA-256 is right."""
    for wheel in read_list(listing):
        path = here(wheel)
        if not path:
            sys.exit(f"wheels.py: {wheel.name}=={wheel.version} has not been fetched")
        with open(path, "rb") as file:
            check(file, path, wheel)
            with zipfile.ZipFile(file) as archive:
                yield archive


def unpack(listing, out, prefixes):
    out = Path(out)
    part = out.with_name(out.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for archive in fetched(listing):
        for member in archive.infolist():
            if not member.filename.startswith(tuple(prefixes)) or member.is_dir():
                continue
            mode = member.external_attr >> 16 & 0o777
            Path(archive.extract(member, part)).chmod(mode | 0o644)  # zipfile itself forgets who may execute
    if not any(part.iterdir()):
        sys.exit(f"wheels.py: nothing in {listing} starts with {' or '.join(prefixes)}")
    shutil.rmtree(out, ignore_errors=True)
    part.rename(out)


def join(listing, out, sha256, count, name):
    out, digest, found = Path(out), hashlib.sha256(), 0
    part = out.with_name(out.name + ".part")
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open(part, "wb") as file:
            for archive in fetched(listing):
                for member in (each for each in archive.namelist() if name in each):
                    found += 1
                    with archive.open(member) as source:
                        while chunk := source.read(CHUNK):
                            digest.update(chunk)
                            file.write(chunk)
        if found != count:
            sys.exit(f"wheels.py: {listing} has {found} of the {count} parts of {out.name}; nothing was written")
        if digest.hexdigest() != sha256:
            sys.exit(f"wheels.py: {out.name}: the parts have another SHA-256 together than {sha256}; nothing was written")
        part.rename(out)
    except OSError as error:
        sys.exit(f"wheels.py: {part}: {error.strerror}; make room and run the same command again")
    finally:
        part.unlink(missing_ok=True)


def main(arguments):
    verb, rest = arguments[0] if arguments else "", arguments[1:]
    if verb == "missing" and rest:
        print(sum(wheel.bytes for wheel in missing(rest)))
    elif verb == "get" and rest:
        get([word for word in rest if word != "--progress"], "--progress" in rest)
    elif verb == "unpack" and len(rest) >= 3:
        unpack(rest[0], rest[1], rest[2:])
    elif verb == "join" and len(rest) == 5:
        join(rest[0], rest[1], rest[2], int(rest[3]), rest[4])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
