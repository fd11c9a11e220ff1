#!/usr/bin/python3 -I
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a package is made of, as SPDX 2.3 in JSON: the program, the wheels whose libraries it brings, the Debian
packages whose libraries its programs open, and those that it was compiled with.

    sbom.py BUILD OUT.json

BUILD is a build folder; its programs are asked for their libraries, and dpkg for whose they are. The same build on the
same machine gives the same bytes: the date is that of SOURCE_DATE_EPOCH, else of the last commit.
"""
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHEEL = re.compile(r"([\w.-]+)==([\w.]+)\s+--hash=sha256:([0-9a-f]{64})")
LICENCES = {"torch": "BSD-3-Clause"}  # of a wheel; NVIDIA's have one of their own, which lies beside the package


def said(*command):
    """What a command prints; nothing where it is not there or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


def version():
    return re.search(r"project\(\w+ VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def created():
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or said("git", "-C", str(ROOT), "log", "-1", "--format=%ct").strip()
    time = datetime.datetime.fromtimestamp(int(seconds or 0), datetime.timezone.utc)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def package(name, number, **more):
    return {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": number,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", **more}


def purl(kind, name, number):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
             "referenceLocator": f"pkg:{kind}/{name}@{number}"}]


def wheels():
    """Of scripts/wheels.txt: LibTorch's CPU half and what it needs lie in the package."""
    for name, number, digest in WHEEL.findall((ROOT / "scripts/wheels.txt").read_text()):
        yield package(name, number, checksums=[{"algorithm": "SHA256", "checksumValue": digest}],
                      licenseDeclared=LICENCES.get(name, "NOASSERTION"), externalRefs=purl("pypi", name, number))


def debian(names):
    """Debian packages that are installed here, sorted by name."""
    fields = "${db:Status-Status} ${Package} ${Version}\n"  # one that is not installed has no version
    shown = said("dpkg-query", "-W", "-f", fields, *sorted(names)) if names else ""
    found = {}
    for line in shown.splitlines():
        status, name, *number = line.split()
        if status == "installed":
            found[name] = package(name, *number, externalRefs=purl("deb/debian", name, *number))
    return [found[name] for name in sorted(found)]


def linked(build):
    """Names of the packages whose libraries the programs open."""
    programs = [path for path in (*(build / "bin").glob("carryover*"), *(build / "lib").glob("libcarryover_*.so"))
                if path.is_file()]
    libraries = set()
    for program in sorted(programs):
        libraries.update(re.findall(r"=> (/\S+)", said("ldd", str(program))))
    names = set()
    for library in sorted(libraries):
        for path in {library, os.path.realpath(library), re.sub(r"^/usr(?=/lib)", "", os.path.realpath(library))}:
            names.update(line.split(":")[0] for line in said("dpkg-query", "-S", path).splitlines())
    return names


def compiled_with():
    lines = (ROOT / "scripts/packages.txt").read_text().splitlines()
    return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


def document(build):
    own = package("carryover", version(), licenseDeclared="GPL-3.0-or-later",
                  supplier="Organization: The Carryover authors")
    brought, opened = list(wheels()), debian(linked(build))
    tools = [one for one in debian(compiled_with()) if one["SPDXID"] not in {two["SPDXID"] for two in opened}]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    relations += [(own["SPDXID"], "CONTAINS", one["SPDXID"]) for one in brought]
    relations += [(own["SPDXID"], "DEPENDS_ON", one["SPDXID"]) for one in opened]
    relations += [(one["SPDXID"], "BUILD_DEPENDENCY_OF", own["SPDXID"]) for one in tools]
    content = {
        "packages": [own, *brought, *opened, *tools],
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                          for a, kind, b in relations],
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"carryover-{version()}",
        "documentNamespace": f"https://spdx.org/spdxdocs/carryover-{version()}-{digest}",
        "creationInfo": {"created": created(), "creators": ["Organization: The Carryover authors", "Tool: sbom.py"]},
        **content,
    }


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Path(sys.argv[2]).write_text(json.dumps(document(Path(sys.argv[1])), indent=1) + "\n")


if __name__ == "__main__":
    main()
