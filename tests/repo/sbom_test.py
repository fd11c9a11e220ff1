#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts/sbom.py says of a build: SPDX 2.3 that names the program, each wheel with the hash of the list, and only
what is there; the same twice."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class SbomTest(unittest.TestCase):
    def document(self, build):
        out = build / "sbom.json"
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
        subprocess.run([sys.executable, "-I", ROOT / "scripts/sbom.py", build, out], env=environment, check=True)
        return out.read_text()

    def test_a_document(self):
        with tempfile.TemporaryDirectory() as scratch:
            build = Path(scratch)
            for folder in ("bin", "lib"):
                (build / folder).mkdir()
            (build / "bin/carryover-cli").symlink_to("/bin/sh")  # any program with libraries
            text = self.document(build)
            self.assertEqual(self.document(build), text)
        found = json.loads(text)
        self.assertEqual((found["spdxVersion"], found["dataLicense"]), ("SPDX-2.3", "CC0-1.0"))
        self.assertEqual(found["creationInfo"]["created"], "2023-11-14T22:13:20Z")
        packages = {one["SPDXID"]: one for one in found["packages"]}
        self.assertEqual(len(packages), len(found["packages"]), "an id twice")
        for one in found["packages"]:
            self.assertRegex(one["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            self.assertTrue(one["versionInfo"])
            self.assertEqual(one["downloadLocation"], "NOASSERTION")
        wheels = re.findall(r"^([\w-]+)==(\S+) --hash=sha256:(\w+)", (ROOT / "scripts/wheels.txt").read_text(), re.M)
        for name, version, digest in wheels:
            one = packages[f"SPDXRef-{name}"]
            self.assertEqual((one["versionInfo"], one["checksums"][0]["checksumValue"]), (version, digest))
        relations = [(one["spdxElementId"], one["relationshipType"], one["relatedSpdxElement"])
                     for one in found["relationships"]]
        self.assertIn(("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-carryover"), relations)
        self.assertEqual({two for _, kind, two in relations if kind == "CONTAINS"},
                         {f"SPDXRef-{name}" for name, _, _ in wheels})
        self.assertEqual({one for relation in relations for one in relation[::2]}, {*packages, "SPDXRef-DOCUMENT"})


if __name__ == "__main__":
    unittest.main()
