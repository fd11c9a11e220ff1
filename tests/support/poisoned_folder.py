#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""poisoned_folder.py FOLDER MARKS: makes a folder in which somebody waits for another user's scripts: modules with the
names of Python's own and of pip, programs with the names of those that scripts call, a repository whose configuration
runs a program. Each of them writes its name into the folder MARKS, so that this stays empty where none was run.

`environment()` has what leads a careless script there even from elsewhere: PATH, CDPATH and Python's variables."""
import os
import sys
from pathlib import Path

PROGRAMS = ("apt-get awk base64 basename bash cat ccache chmod cksum clang++ cmake comm cp cpack cut date df dirname "
            "dpkg-deb dpkg-query du env find flock g++ getent git grep head id install ld.lld ln ls mkdir mktemp mv "
            "ninja nproc nvcc nvidia-smi paste printf pwd python python3 readlink realpath rm sed sh sha256sum "
            "sort stat sudo tail tee touch tr true uname uniq wc xargs xvfb-run").split()
OTHER_MODULES = ("sitecustomize", "usercustomize", "ensurepip", "pip", "setuptools", "_distutils_hack", "runs",
                 "tables", "sections", "words", "wheels", "lint", "numpy", "torch")


def make(folder, marks):
    folder, marks = Path(folder), Path(marks)
    for made in (folder / "scripts", marks):
        made.mkdir(parents=True)
    for name in sorted({*sys.stdlib_module_names, *OTHER_MODULES}):
        lines = f"import posix\nposix.close(posix.open({str(marks / name)!r}, posix.O_CREAT | posix.O_WRONLY))\n"
        (folder / f"{name}.py").write_text(lines)
    for package in ("pip", "venv", "ensurepip"):
        (folder / package).mkdir()
        for part in ("__init__", "__main__"):
            (folder / package / f"{part}.py").write_text((folder / f"{package}.py").read_text())
    for name in PROGRAMS:
        for place in (folder, folder / "scripts"):
            (place / name).write_text(f"#!/bin/sh\n: >'{marks}/{name}'\nexit 1\n")
            (place / name).chmod(0o755)
    for name in ("common.sh", "search_path.sh", "plan.sh", "fetcher.sh", "setup.sh"):
        for place in (folder, folder / "scripts"):
            (place / name).write_text(f": >'{marks}/{name}'\n")
    git = folder / ".git"
    for made in ("objects", "refs"):
        (git / made).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text(f"[core]\n\trepositoryformatversion = 0\n\tfsmonitor = {folder}/git\n")


def environment(folder):
    """Variables as words NAME=VALUE; PATH first names the current folder in every way that it can be named."""
    return [f"PATH=.::./:x/..:{os.environ['PATH']}:", "CDPATH=.", f"PYTHONPATH={folder}", f"PYTHONHOME={folder}",
            f"PYTHONSTARTUP={folder}/pip.py", f"PYTHONUSERBASE={folder}"]


if __name__ == "__main__":
    make(*sys.argv[1:])
    print("\n".join(environment(sys.argv[1])))
