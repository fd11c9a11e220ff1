# SPDX-License-Identifier: GPL-3.0-or-later
"""`carryover serve` as a context, for the scripts of this folder that ask it."""
import re
import subprocess
from pathlib import Path


class Server:
    """Serves MODEL on a port that is free, until the context ends. `address` has no path."""

    def __init__(self, programs, model, *options):
        # Quiet, because a line for each request would fill a pipe that nobody reads behind the address.
        self.process = subprocess.Popen(
            [Path(programs) / "carryover-cli", "serve", model, "--port", "0", "--quiet", *options],
            stdout=subprocess.PIPE, text=True)
        found = (re.search(r"http://[\w.\[\]:]+:\d+", line) for line in self.process.stdout)
        address = next(filter(None, found), None)
        if not address:
            raise SystemExit("carryover serve said no address")
        self.address = address[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)
