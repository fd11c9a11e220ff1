# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of a bench (runs.py) as a section of docs/benchmarks.md. Pure: the same run gives the same text."""

import cpu_sections
import window_sections
from tables import wrapped

KINDS = {"amd-avx512-bf16": "AMD with AVX512-BF16", "intel-amx": "Intel with AMX", "amd-avx2": "AMD with AVX2 alone"}
# By bench: its title, its command, its text. The order is the page's.
SECTIONS = {
    "cpu-llama": ("Against llama.cpp", "./lab bench cpu llama", cpu_sections.llama),
    "cpu-llama-decode": ("Decoding against llama.cpp", "./lab bench cpu llama-decode", cpu_sections.llama_decode),
    "cpu-prefill": ("Prefill on the CPU", "./lab bench cpu prefill", cpu_sections.prefill),
    "cpu-decode": ("Decoding on the CPU", "./lab bench cpu decode", cpu_sections.decode),
    "cpu-train": ("Training on the CPU", "./lab bench cpu train", cpu_sections.train),
    "cpu-full": ("Segmented against full attention on the CPU", "./lab bench cpu full", cpu_sections.full),
    "cpu-growth": ("From 8K to 128K tokens on the CPU", "./lab bench cpu growth", cpu_sections.growth),
    "cpu-pool": ("Keys of the pool in fewer bits", "./lab bench cpu pool", cpu_sections.pool),
    "cpu-search": ("A search of the pool on the CPU", "./lab bench cpu search", cpu_sections.search),
    "cpu-start": ("Start on the CPU", "./lab bench cpu start", cpu_sections.start),
    "cpu-company": ("Beside other processes", "./lab bench cpu company", cpu_sections.company),
    "gui": ("The window's event loop, and the engine's speed beside it", "./lab bench gui", window_sections.gui),
    "scale": ("A million tokens in the window", "./lab bench scale", window_sections.scale),
    "gpu": ("On a GPU", "./lab bench --gpu", window_sections.gpu),
}


def where(run):
    """The line that each figure stands under."""
    machine = run["machine"]
    return (
        f"`{run['command']}`, {run['date']}, {machine['processor']}, {machine['cores']} cores, "
        f"{' '.join(machine['flags'])}, commit {run['commit']}{' with local changes' if run.get('modified') else ''}"
    )


def section(runs):
    """Of one bench's runs, one for each kind of machine."""
    title = SECTIONS[runs[0]["bench"]][0]
    parts = [f"## {title}"]
    for run in runs:
        if len(runs) > 1:
            parts.append(f"### {KINDS.get(run['machine']['kind'], run['machine']['kind'])}")
        parts += [where(run), SECTIONS[run["bench"]][2](run)]
    return wrapped("\n\n".join(parts)) + "\n"
