# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bench leaves: runs/bench/NAME/bench.json, with the machine and its limits before and after. Nothing here
writes to docs/: `./lab bench publish` (publish.py) does, after it has judged the runs.

A run: {"bench": NAME, "command", "date", "commit", "modified": whether files differed from the commit,
"machine": {"kind", "processor", "cores", "flags"}, "limits": {"before", "after"}: each {"flops_per_second",
"bytes_per_second"}, "reports": {NAME: what `carryover bench --json` printed}, "values": what was measured besides}.
"""

import datetime
import hashlib
import json
import os
import platform
import shutil
import subprocess

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FLAGS = ("avx2", "avx512f", "avx512_bf16", "amx_bf16")
MOST_MOVED = 0.10  # of a limit within a run: more, and something else was using the machine
MOST_SHARE = 1.02  # of what the machine can do: more, and the limit was measured while it was busy


def kind_of(vendor, flags):
    """What decides which numbers are comparable: the maker and the widest dot products."""
    maker = {"AuthenticAMD": "amd", "GenuineIntel": "intel"}.get(vendor, "other")
    widest = next(
        (
            name
            for flag, name in (
                ("amx_bf16", "amx"),
                ("avx512_bf16", "avx512-bf16"),
                ("avx512f", "avx512"),
                ("avx2", "avx2"),
            )
            if flag in flags
        ),
        "scalar",
    )
    return f"{maker}-{widest}"


def machine():
    with open("/proc/cpuinfo") as source:
        lines = source.read().splitlines()

    def first(key):
        return next((line.split(":", 1)[1].strip() for line in lines if line.split(":")[0].strip() == key), "")

    flags = [flag for flag in FLAGS if flag in first("flags").split()]
    return {
        "kind": kind_of(first("vendor_id"), flags),
        "processor": first("model name") or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "flags": flags,
    }


def git(*arguments):
    """Nothing where there is no git: a checkout may have been carried to a machine without one."""
    try:
        done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()


def commit():
    return git("rev-parse", "--short", "HEAD") or "no commit"


def modified():
    """Whether what is built or measured differs from the commit; pages that were published since do not count."""
    return bool(git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs", ":!*.md"))


def folder_of(name, root=ROOT):
    return os.path.join(root, "runs", "bench", name)


def portable(value):
    """Without the folders of this machine: of a path, its last part."""
    if isinstance(value, dict):
        return {key: portable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [portable(each) for each in value]
    if isinstance(value, str) and value.startswith("/"):
        return os.path.basename(value.rstrip("/"))
    return value


def limits_of(report, when):
    """`when`: "limits" or "limits_after"; null where the run was stopped."""
    limits = report.get(when)
    return limits and {
        "flops_per_second": limits["best_flops_per_second"],
        "bytes_per_second": limits["bytes_per_second"],
    }


def path_without(program):
    found = shutil.which(program)
    folders = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if not found or folder != os.path.dirname(found))


def probe(program, model):
    """The machine's limits now, in fp32: what `carryover bench` measures around next to no work."""
    command = [
        program,
        "bench",
        model,
        "--json",
        "--quiet",
        "--dtype",
        "fp32",
        "--threads",
        "2",
        "--contexts",
        "64",
        "--what",
        "prefill",
        "--policies",
        "full",
        "--repeats",
        "1",
    ]
    without_peers = dict(os.environ, PATH="/usr/bin:/bin")
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=without_peers).stdout)


def write_text(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".part", "w", encoding="utf-8") as out:
        out.write(text)
    os.replace(path + ".part", path)


def write(path, run):
    write_text(path, json.dumps(run, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


def read(folder):
    with open(os.path.join(folder, "bench.json")) as source:
        return json.load(source)


def save(name, command, limits, reports=None, values=None, measured_on=None, root=ROOT):
    """The run as it was written. `measured_on`: the machine that measured, where it is not this one."""
    run = portable(
        {
            "bench": name,
            "command": command,
            "date": datetime.date.today().isoformat(),
            "commit": commit(),
            "modified": modified(),
            "machine": measured_on or machine(),
            "limits": limits,
            "reports": reports or {},
            "values": values or {},
        }
    )
    for report in run["reports"].values():
        report.get("environment", {}).pop("processor_flags", None)  # the ones that matter are in "machine"
    write(os.path.join(folder_of(name, root), "bench.json"), run)
    return run


def moved(before, after):
    """How far a limit went, as a share: 0.1 is a tenth up or down."""
    if not (before and after and before > 0 and after > 0):
        return None
    return max(before / after, after / before) - 1


def judge_limits(where, before, after):
    if not before or not after:
        return [f"{where}: the machine's limits were not measured at the beginning and at the end"]
    problems = []
    for key, name in (("flops_per_second", "matmul rate"), ("bytes_per_second", "memory bandwidth")):
        change = moved(before.get(key), after.get(key))
        if change is None or not change <= MOST_MOVED:
            told = "are not known" if change is None else f"moved by {100 * change:.0f} %"
            problems.append(
                f"{where}: the machine's {name} {told} between beginning and end " f"(at most {100 * MOST_MOVED:.0f} %)"
            )
    return problems


def judge_report(name, report):
    problems = judge_limits(name, limits_of(report, "limits"), limits_of(report, "limits_after"))
    if report.get("interrupted") is not False:
        problems.append(f"{name}: it was interrupted")
    known = {subject["who"] for subject in report.get("subjects", [])}
    for row in report.get("measurements", []):
        place = f"{name}: {row['what']} of {row['tokens']} tokens by {row['who']}"
        share = row.get("bandwidth_share" if row["what"] == "decode" else "gemm_share")
        if share is None or not 0 < share <= MOST_SHARE:
            problems.append(
                f"{place}: a share of {share if share is None else f'{share:.2f}'} of what the machine can do "
                f"(at most {MOST_SHARE})"
            )
        if row["who"] not in known:
            problems.append(f"{place}: its weights, tokens and dtype were not recorded")
    if not report.get("measurements"):
        problems.append(f"{name}: nothing was measured")
    return problems


def judge(run):
    """Why a run may not be published, a line each; nothing where it may."""
    missing = [
        key
        for key in ("bench", "command", "date", "commit", "machine", "limits", "reports", "values")
        if key not in run
    ]
    if missing:
        return [f"it lacks {', '.join(missing)}"]
    problems = []
    if run["values"] or not run["reports"]:  # a report is judged by its own limits, measured right before and after it
        problems = judge_limits("the run", run["limits"].get("before"), run["limits"].get("after"))
    for name, report in sorted(run["reports"].items()):
        problems += judge_report(name, report)
    if not run["reports"] and not run["values"]:
        problems.append("nothing was measured")
    return problems


def made_here(found):
    """Whether it is of this commit and this machine."""
    return not modified() and found["commit"] == commit() and found["machine"] == machine()


def kept_path(command, root):
    key = hashlib.sha256("\0".join(portable(command)).encode()).hexdigest()[:16]
    return os.path.join(root, "runs", "bench", ".kept", f"{key}.json")


def keep(command, report, root=ROOT):
    """For a later run at this commit on this machine, which then repeats only what was spoiled."""
    if not modified():
        write(kept_path(command, root), {"commit": commit(), "machine": machine(), "report": report})


def kept(command, root=ROOT):
    """The report of the same command that `keep` put away; None where there is none of this commit and machine."""
    try:
        with open(kept_path(command, root), encoding="utf-8") as source:
            found = json.load(source)
    except (OSError, ValueError):
        return None
    return found["report"] if made_here(found) else None


def measured_already(name, root=ROOT):
    """Whether this commit has a run of this machine that may be published."""
    try:
        run = read(folder_of(name, root))
    except (OSError, ValueError):
        return False
    return not judge(run) and not run["modified"] and made_here(run)
