# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the alignment bench's section of docs/results.md: between its two marks, with the machine and the date."""
import datetime
import os
import platform
import subprocess

DOCS = os.path.join(os.path.dirname(__file__), "..", "..", "docs")


def machine():
    with open("/proc/cpuinfo") as source:
        lines = source.read().splitlines()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    flags = next((line for line in lines if line.startswith("flags")), "")
    wide = [flag for flag in ("avx2", "avx512f", "avx512_bf16", "amx_bf16") if f" {flag}" in flags]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores, {' '.join(wide)}"


def commit():
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "no commit"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def write_section(name, title, command, body, page_name):
    page_path = os.path.join(DOCS, page_name)
    start, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    date = datetime.date.today().isoformat()
    section = f"{start}\n## {title}\n\n`{command}`, {date}, {machine()}, commit {commit()}\n\n{body}\n{end}"
    with open(page_path) as source:
        page = source.read()
    if start in page:
        page = page[: page.index(start)] + section + page[page.index(end) + len(end):]
    else:
        page = page.rstrip() + "\n\n" + section + "\n"
    with open(page_path, "w") as out:
        out.write(page)
    print(section)
