#!/usr/bin/python3 -I
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a wheel of the Python package with carryover-cli inside.

    python_wheel.py TREE SOURCES FOLDER

TREE is what `cmake --install` wrote, SOURCES the folder python/, FOLDER where the wheel goes. The program's libraries
lie beside it, as in the portable archive (portable.py), but LibTorch is that of the torch wheel, which the wheel
requires in the version that the engine was built with. Prints the wheel's path.
"""
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # which python3 -I leaves out
import portable

TAG = f"py3-none-manylinux_{'_'.join(map(str, portable.MOST['GLIBC']))}_{platform.machine()}"
TORCH_BESIDE = "$ORIGIN/../../../../torch/lib"  # from carryover/native/lib/carryover in site-packages
KEPT = ("bin/carryover-cli", "lib/carryover", "share/carryover", "share/doc/carryover/licences",
        "share/doc/carryover/bundled.txt", "share/doc/carryover/copyright")


def torch_requirement():
    """Of the torch whose LibTorch the engine is built with."""
    wheels = (Path(__file__).resolve().parent / "wheels.txt").read_text(encoding="utf-8")
    return next(line.split()[0] for line in wheels.splitlines() if line.startswith("torch=="))


def without_window(tree):
    """The command line program and what it needs, without the window, the plug-in for CUDA and LibTorch."""
    libraries = tree / "lib/carryover"
    (tree / "bin/carryover").unlink()
    (libraries / "libcarryover_cuda.so").unlink(missing_ok=True)
    shutil.rmtree(libraries / "scripts", ignore_errors=True)  # of setup-cuda
    copied = portable.copy_libraries(tree, libraries)
    openmp = libraries / "libgomp.so.1"  # torch brings its own
    openmp.unlink()
    del copied[openmp]
    for folder in ("torch", "nvidia"):
        shutil.rmtree(libraries / folder)
        shutil.rmtree(tree / "share/doc/carryover/licences" / folder)
    portable.set_search_paths(copied, libraries)
    portable.run("patchelf", "--set-rpath", f"$ORIGIN:{TORCH_BESIDE}", libraries / "libcarryover_engine.so")
    portable.write_licences(tree, copied.values())


def copy_kept(tree, native):
    for name in KEPT:
        source, target = tree / name, native / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy2(source, target)


def add_lines(path, lines):
    """Puts fields at the end of a file of mail headers, whose body begins after the first empty line."""
    head, empty, body = path.read_text(encoding="utf-8").partition("\n\n")
    path.write_text("\n".join([head, *lines]) + (empty + body if body else "\n"), encoding="utf-8")


def finish(unpacked):
    """Makes a wheel of Python alone one of this machine, with a program."""
    info = next(unpacked.glob("*.dist-info"))
    add_lines(info / "METADATA", [f"Requires-Dist: {torch_requirement()}"])
    wheel = (info / "WHEEL").read_text(encoding="utf-8")
    wheel = wheel.replace("Root-Is-Purelib: true", "Root-Is-Purelib: false").replace("Tag: py3-none-any", f"Tag: {TAG}")
    (info / "WHEEL").write_text(wheel, encoding="utf-8")
    (info / "entry_points.txt").write_text("[console_scripts]\ncarryover-cli = carryover.program:main\n")


def make(tree, sources, folder):
    with tempfile.TemporaryDirectory() as scratch:
        pure, unpacked = Path(scratch) / "pure", Path(scratch) / "unpacked"
        copied = shutil.copytree(sources, Path(scratch) / "python")  # setuptools writes beside them
        portable.run(sys.executable, "-I", "-m", "venv", "--system-site-packages", Path(scratch) / "venv")  # brings pip

        def python(*words):
            portable.run(Path(scratch) / "venv/bin/python", "-I", "-m", *words)

        python("pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "-w", pure, copied)
        python("wheel", "unpack", "-d", unpacked, next(pure.glob("*.whl")))
        place = next(unpacked.iterdir())
        copy_kept(tree, place / "carryover/native")
        finish(place)
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("carryover-*.whl"):
            old.unlink()
        python("wheel", "pack", "-d", folder, place)
    return next(folder.glob("carryover-*.whl"))


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    tree, sources, folder = (Path(word).resolve() for word in sys.argv[1:])
    without_window(tree)
    portable.check(tree, portable.MOST, {"libtorch_cpu.so", "libc10.so", "libgomp.so.1"})
    print(make(tree, sources, folder))


if __name__ == "__main__":
    main()
