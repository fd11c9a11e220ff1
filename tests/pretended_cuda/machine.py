# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that pretends to have one GPU: programs of a build run on it, with LibTorch's CUDA half and our plug-in,
and tell what they asked of the GPU. See README.md."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PRETENDED = ("libcudart.so.13", "libcublas.so.13", "libcublasLt.so.13", "libcuda.so.1")
TORCH = ("libtorch_cuda.so", "libc10_cuda.so", "libcaffe2_nvrtc.so", "libtorch_nvshmem.so")
CUDA_FUNCTION = re.compile(r"(cu|nv|nccl)[A-Za-z]")
CUDA_LIBRARY = re.compile(r"lib(cu|nv|nccl)")
ANSWERS = {"cudnnGetVersion": 0}  # asked of each attention in fp32, and too old for any


def configured_torch(build):
    """The LibTorch that BUILD was configured with."""
    cache = (Path(build) / "CMakeCache.txt").read_text()
    return Path(re.search(r"^CARRYOVER_TORCH_DIR:\w+=(.*)$", cache, re.MULTILINE)[1]).resolve()


def torch_cuda(build):
    """The folder that LibTorch's CUDA half lies in, or None: the one that BUILD was configured with, or the one beside
    it that `./lab test` unpacks it into."""
    torch = configured_torch(build)
    for folder in (os.environ.get("CARRYOVER_TORCH_DIR"), torch, f"{torch}-cuda"):
        if folder and (Path(folder) / "torch/lib/libtorch_cuda.so").exists():
            return Path(folder).resolve()
    return None


def names(tool, *words):
    return subprocess.run([tool, *map(str, words)], capture_output=True, text=True, check=True).stdout


def needed(library):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", names("readelf", "-d", library))


def symbols(library, which):
    return {line.split()[-1].split("@")[0] for line in names("nm", "-D", which, library).splitlines()}


def body(function):
    """Of a function in C that nobody is to call, but for some."""
    if function in ANSWERS:
        return f"return {ANSWERS[function]};"
    not_supported = 801
    return f'pretended_cuda_missing("{function}"); return {not_supported};'


class Machine:
    """build: of the programs and the pretended libraries, where torch_cuda() found something; scratch: a folder."""

    def __init__(self, build, scratch):
        self.build, self.torch, self.scratch = Path(build).resolve(), torch_cuda(build), Path(scratch)
        self.tests = self.build / "tests/pretended_cuda"
        pretended = [self.tests / name for name in PRETENDED]
        self.preloaded = [*pretended, *self.libraries_of_nothing(pretended)]

    def libraries_of_nothing(self, pretended):
        """What else LibTorch's CUDA half is linked with (cuDNN, NCCL, …): libraries of those names, and one that has
        all their functions and tells which was called."""
        torch = [self.torch / "torch/lib" / name for name in TORCH]
        here = set().union(*(symbols(library, "--defined-only") for library in [*pretended, *torch]))
        wanted = set().union(*(symbols(library, "--undefined-only") for library in torch)) - here
        functions = sorted(name for name in wanted if CUDA_FUNCTION.match(name))
        source = self.scratch / "missing.c"
        source.write_text("void pretended_cuda_missing(const char*);\n" + "".join(
            f"long {name}(void) {{ {body(name)} }}\n" for name in functions))
        made = [self.library(self.scratch / "libpretended_missing.so", source)]
        empty = self.scratch / "empty.c"
        empty.write_text("typedef int nothing;\n")
        for name in sorted({name for library in torch for name in needed(library)} - set(PRETENDED) - set(TORCH)):
            if CUDA_LIBRARY.match(name):
                made.append(self.library(self.scratch / name, empty, "-Wl,--no-as-needed", made[0]))
        return made

    @staticmethod
    def library(path, source, *more):
        subprocess.run(["cc", "-w", "-shared", "-fPIC", f"-Wl,-soname,{path.name}", "-o", path, source, *more],
                       check=True)
        return path

    def environment(self):
        kept = {key: value for key, value in os.environ.items() if not key.startswith("CARRYOVER_")}
        return {**kept, "CARRYOVER_TORCH_DIR": str(self.torch), "LD_PRELOAD": ":".join(map(str, self.preloaded))}

    def start(self, program, *words, **more):
        """Runs a program; returns it as subprocess does, and what it told of the GPU or None where it told nothing."""
        report = self.scratch / "report.json"
        report.unlink(missing_ok=True)
        environment = {**self.environment(), "PRETENDED_CUDA_REPORT": str(report), **more}
        done = subprocess.run([program, *map(str, words)], env=environment, cwd=self.scratch, capture_output=True,
                              text=True, check=False)
        return done, json.loads(report.read_text()) if report.exists() else None


def install(build, folder):
    """Fills FOLDER with what `pip install torch` leaves of LibTorch in its site-packages, and with the pretended
    libraries in the place of NVIDIA's; a driver's libcuda comes into FOLDER/driver."""
    folder = Path(folder)
    libraries = folder / "nvidia/cu13/lib"
    for made in (libraries, folder / "driver"):
        made.mkdir(parents=True)
    cpu = configured_torch(build)
    for half in dict.fromkeys((cpu, torch_cuda(build))):  # hard links where the file system allows it
        subprocess.run(["cp", "-aln", half / "torch", folder], stderr=subprocess.DEVNULL, check=False)
        subprocess.run(["cp", "-an", half / "torch", folder], check=True)
    shutil.copy(cpu / "nvidia/cu13/lib/libcupti.so.13", libraries)
    shutil.copy(names("cc", "-print-file-name=libgomp.so.1").strip(), folder / "torch/lib")
    with tempfile.TemporaryDirectory() as scratch:
        for library in Machine(build, scratch).preloaded:
            shutil.copy(library, folder / "driver" if library.name.startswith("libcuda.") else libraries)


if __name__ == "__main__":
    install(*sys.argv[1:])
