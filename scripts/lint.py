#!/usr/bin/python3 -I
# SPDX-License-Identifier: GPL-3.0-or-later
"""clang-tidy over sources of the repository; each finding is an error.

usage: lint.py DATABASE [--all | --changed BASE | FILE...]

DATABASE is a compile_commands.json of a configuration without precompiled headers. Without further arguments every
source below QUICK is checked that reads neither LibTorch nor Qt; with --all the folders of SLOW too; with FILE... or
--changed BASE the sources of both that are named (or differ from the commit BASE), and those that include a header so
named.

A source that passed is not read again while nothing changed that could give another answer: the source, every header of
ours that it includes, directly or not, its compile command, .clang-tidy, and clang-tidy's version. The hash of these is
the name of an empty file in $CARRYOVER_CACHE/lint. Only a pass is remembered; findings are looked for anew.
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(os.environ["ROOT"])
CACHE = Path(os.environ["CARRYOVER_CACHE"]) / "lint"
QUICK = ("app", "engine", "kernels")  # where a source reads neither LibTorch nor Qt: seconds a file
LIBRARY = re.compile(r"(torch|ATen|c10|caffe2)/|Q[A-Z]|Qt|qcustomplot")
# A folder of the others is listed once nothing is found in it. Not yet: the rest of app, engine and widgets.
SLOW = ("widgets/look", "widgets/lab", "widgets/controls/warning_box.cpp", "widgets/what_if/patching.cpp") + tuple(
    f"widgets/{subject}/state"
    for subject in ("campaigns", "compare", "heads", "runs", "text", "training", "what_if")
)
DAYS_KEPT = 60  # what no checkout has asked for that long is forgotten
INCLUDE = re.compile(rb'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)


def fail(message, code=2):
    print(f"lab: {message}", file=sys.stderr)
    sys.exit(code)


def tool():
    """Of the version that Debian 12 has, if it is here: others find other things."""
    found = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    if not found:
        fail("clang-tidy is missing: install the packages of scripts/packages-lint.txt", 3)
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"version (\S+)", said)[1]
    if not version.startswith("14."):
        print(f"lab: .clang-tidy was written for clang-tidy 14; this is {version}", file=sys.stderr)
    return found, version


def commands(database):
    """Compile commands by path from the root; generated sources are left out."""
    found = {}
    for entry in json.loads(Path(database).read_text()):
        path = Path(entry["directory"], entry["file"]).resolve()
        if path.is_relative_to(ROOT) and not path.is_relative_to(Path(database).resolve().parent):
            words = entry.get("arguments") or shlex.split(entry["command"])
            text = " ".join(words).replace(str(ROOT), ".").replace(str(CACHE.parent), "~")
            found[str(path.relative_to(ROOT))] = text
    return found


@functools.cache
def content(path):
    return (ROOT / path).read_bytes()


@functools.cache
def names(path):
    """Headers that a file names. Conditions are not looked at: rather one header too many."""
    return [name.decode() for name in INCLUDE.findall(content(path))]


@functools.cache
def included(path):
    """Those of ours."""
    beside = os.path.dirname(path)
    candidates = [os.path.normpath(option) for name in names(path) for option in (name, os.path.join(beside, name))]
    return [path for path in dict.fromkeys(candidates) if (ROOT / path).is_file()]


@functools.cache
def closure(path):
    """A source and all headers of ours that it includes, directly or not."""
    seen, open_ = {path}, [path]
    while open_:
        for header in included(open_.pop()):
            if header not in seen:
                seen.add(header)
                open_.append(header)
    return frozenset(seen)


def key(path, command, version):
    digest = hashlib.sha256("\0".join((version, path, command)).encode())
    for each in (".clang-tidy", *sorted(closure(path))):
        digest.update(f"\0{each}\0".encode() + content(each))
    return digest.hexdigest()


def within(path, folders):
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def is_quick(path):
    return within(path, QUICK) and not any(LIBRARY.match(name) for each in closure(path) for name in names(each))


def changed(base):
    """What differs from the commit, in the work tree, and what git does not know yet."""
    names = []
    for command in (["diff", "--name-only", "-z", base, "--"], ["ls-files", "-z", "--others", "--exclude-standard"]):
        done = subprocess.run(["git", "-C", str(ROOT), *command], capture_output=True, text=True)
        if done.returncode:
            fail(f"git: {done.stderr.strip()}")
        names += done.stdout.split("\0")
    return {name for name in names if name}


def named(files):
    paths = set()
    for file in files:
        path = Path(file).resolve()
        if not path.is_file() or not path.is_relative_to(ROOT):
            fail(f"there is no file '{file}' in this checkout")
        paths.add(str(path.relative_to(ROOT)))
    return paths


def chosen(arguments, known):
    """The sources that the arguments ask for, of those that the database knows."""
    quick = [path for path in known if is_quick(path)]
    every = quick + [path for path in known if within(path, SLOW)]
    if not arguments:
        return quick
    if arguments == ["--all"]:
        return every
    if arguments[0] == "--changed" and len(arguments) == 2:
        wanted = changed(arguments[1])
    elif not arguments[0].startswith("-"):
        wanted = named(arguments)
        for path in sorted(wanted):
            if not any(path in closure(source) for source in every):
                fail(f"'{path}' is none of what is checked: {' '.join(SLOW)}, and of {' '.join(QUICK)} what reads "
                     "neither LibTorch nor Qt")
    else:
        fail("lint takes --all, --changed BASE, files or nothing")
    return [path for path in every if not wanted.isdisjoint(closure(path))]


def findings(output):
    """The blocks of clang-tidy's output, each from its `path:line:column:` on, with paths from the root."""
    text = output.replace(f"{ROOT}/", "")
    blocks = re.split(r"^(?=\S[^\n]*: (?:error|warning): )", text, flags=re.MULTILINE)
    return [block for block in blocks if block.strip()]


def check(path, clang_tidy, folder):
    """What clang-tidy says of a source; nothing where it passed."""
    done = subprocess.run([clang_tidy, "--quiet", "-p", folder, path], capture_output=True, text=True, cwd=ROOT)
    found = findings(done.stdout)
    if done.returncode and not found:
        found = [f"{path}: error: clang-tidy ended with {done.returncode}\n{done.stderr}"]
    return found


def forget_old():
    oldest = time.time() - DAYS_KEPT * 86400
    for entry in CACHE.iterdir():
        if entry.stat().st_mtime < oldest:
            entry.unlink(missing_ok=True)


def main(database, *arguments):
    clang_tidy, version = tool()
    known = commands(database)
    sources = sorted(chosen(list(arguments), known))
    if not sources and not arguments:
        fail("the database has no source of what is checked", 1)
    CACHE.mkdir(parents=True, exist_ok=True)
    forget_old()
    keys = {path: key(path, known[path], version) for path in sources}
    open_ = [path for path in sources if not (CACHE / keys[path]).exists()]
    for path in set(sources) - set(open_):
        (CACHE / keys[path]).touch()
    began, shown, failed = time.monotonic(), set(), 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        running = {pool.submit(check, path, clang_tidy, str(Path(database).parent)): path for path in open_}
        for done, future in enumerate(concurrent.futures.as_completed(running), 1):
            found = future.result()
            if not found:
                (CACHE / keys[running[future]]).touch()
            failed += bool(found)
            for block in found:
                if block not in shown:  # of a header, once
                    shown.add(block)
                    print(block.rstrip(), flush=True)
            if done % 50 == 0:
                print(f"lint: {done} of {len(open_)} sources", file=sys.stderr, flush=True)
    took = f", {time.monotonic() - began:.0f} s" if open_ else ""
    print(f"lint: {len(sources)} sources, {len(sources) - len(open_)} of them unchanged since they passed; "
          f"{len(shown)} findings{took}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        fail(__doc__)
    sys.exit(main(*sys.argv[1:]))
