#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: barriers_test.py PROGRAM HEADER CASES

Without any one __syncthreads() of a kernel's HEADER, ThreadSanitizer reports a race in it, whatever the values; with
all of them it reports none. PROGRAM is emulated_kernel.cpp for that kernel, on threads; it runs CASES cases.
"""
import os
import subprocess
import sys
from pathlib import Path

RACE = 66  # ThreadSanitizer's exit code


def run(program, *arguments):
    options = os.environ.get("TSAN_OPTIONS", "") + f":halt_on_error=1:exitcode={RACE}"
    environment = {**os.environ, "TSAN_OPTIONS": options}
    return subprocess.run([program, *arguments], capture_output=True, text=True, env=environment, timeout=250)


def main(program, header, cases):
    lines = Path(header).read_text().splitlines()
    barriers = [number for number, line in enumerate(lines, 1) if "__syncthreads();" in line]
    if not barriers:
        sys.exit(f"{header} has no barrier")
    complete = run(program, cases)
    if complete.returncode != 0:
        sys.exit(f"with all barriers:\n{complete.stdout}{complete.stderr}")
    unnoticed = []
    for line in barriers:
        result = run(program, cases, str(line))
        noticed = result.returncode == RACE and "ThreadSanitizer: data race" in result.stderr
        noticed = noticed and Path(header).name in result.stderr
        print(f"without the barrier of line {line}: {'a race' if noticed else 'NO RACE'}")
        if not noticed:
            unnoticed.append(line)
            print(result.stdout + result.stderr)
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
