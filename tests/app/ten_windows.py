#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""ten_windows.py CARRYOVER DEMO: ten windows in which nothing is done, two that are killed, and a disk that is full.

Says of each what was computed or typed in it and what is left, and ends with 1 where something is gone. The windows
are processes of the program with folders of their own and without a display.
"""
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PATIENCE_S = 120
JOURNAL_BYTES = 40_000  # less than a run of the demo takes

program, demo = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
home = Path(tempfile.mkdtemp(prefix="carryover-windows-"))
sessions = home / "data/carryover/sessions"
gone = []


def start(*arguments, limit=None):
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", XDG_DATA_HOME=str(home / "data"),
                       XDG_CONFIG_HOME=str(home / "config"), CARRYOVER_CACHE=str(home / "cache"))

    def before():
        if limit:  # files that grow past it are refused, as a full disk refuses them
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    return subprocess.Popen([program, "--no-fetch", *map(str, arguments)], env=environment, cwd=home,
                            preexec_fn=before, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    sys.exit(f"{what}: not within {PATIENCE_S} s")


def state(folder):
    try:
        return json.loads((folder / "session.json").read_text())
    except (OSError, ValueError):
        return None


def folders():
    return sorted(sessions.iterdir()) if sessions.is_dir() else []


def ran(folder):
    """The whole runs that a session lists, once there is one."""
    kept = state(folder)
    runs = [run for run in (kept or {}).get("runs", []) if run["kind"] == "run" and not run["partial"]]
    return [folder / run["place"] for run in runs]


def new_folder(before):
    return wait_for("a new session", lambda: next((each for each in folders() if each not in before), None))


def end(process, how):
    process.send_signal(how)
    process.wait(PATIENCE_S)


def expect(kept, what):
    print(f"  {'kept' if kept else 'GONE'}: {what}")
    if not kept:
        gone.append(what)


print("two windows with work, killed")
before = folders()
first = start(demo, demo / "text.txt", "--tokens", 512)
one = new_folder(before)
wait_for("a run", lambda: ran(one))
second = start(demo, demo / "text.txt", "--tokens", 768)
two = new_folder(before + [one])
wait_for("another run", lambda: ran(two))
journals = {path: path.read_bytes() for folder in (one, two) for path in ran(folder)}
end(first, signal.SIGKILL)
end(second, signal.SIGKILL)

print("ten windows in which nothing is done, ended and killed in turn")
untouched = []
for i in range(10):
    before = folders()
    window = start("--fresh")
    folder = new_folder(before)
    wait_for("the demo", lambda: ran(folder))
    time.sleep(0.3)
    untouched.append(folder)
    end(window, signal.SIGKILL if i % 2 else signal.SIGTERM)
expect(one.is_dir() and two.is_dir(), "the sessions of the two windows that were killed")
for path, contents in journals.items():
    expect(path.is_file() and path.read_bytes() == contents, f"the run {path.relative_to(sessions)}")

print("the next start")
window = start()
wait_for("a session that comes back", lambda: any((state(each) or {}).get("closed") is False for each in folders()))
time.sleep(3)
end(window, signal.SIGTERM)
left = [each for each in folders() if each in untouched]
print(f"  sessions of windows in which nothing was done: {len(left)}")
expect(not left, "room in the history for sessions with work alone")
expect(one.is_dir() and two.is_dir(), "both sessions, one of them to be brought back")

print("a window whose disk has no room for its run, for a while")
before = folders()
window = start(demo, demo / "text.txt", "--tokens", 1024, limit=JOURNAL_BYTES)
folder = new_folder(before)
time.sleep(1)
wait_for("the run", lambda: ran(folder) or not window.poll() is None)
expect(window.poll() is None, "the window")
resource.prlimit(window.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
end_of_wait = time.monotonic() + 20
whole = 0
while time.monotonic() < end_of_wait and whole <= JOURNAL_BYTES:
    time.sleep(0.2)
    whole = max([path.stat().st_size for path in ran(folder) if path.is_file()], default=0)
end(window, signal.SIGKILL)
expect(whole > JOURNAL_BYTES, "the run that was computed while there was no room")

if gone:
    sys.exit(f"{len(gone)} gone")
print("nothing is gone")
