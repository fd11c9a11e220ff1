#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the text of Persuasion (Jane Austen, 1817; public domain) from the R data of Debian's r-cran-janeaustenr.

usage: extract_persuasion.py Rdata.rdb OUT.txt

An Rdata.rdb is a row of blobs: a big-endian 32-bit length, then a zlib stream that inflates to that many bytes. Each
blob here is one R object in R's XDR serialisation; the novels are character vectors, a line of text an element.
"""
import hashlib
import os
import struct
import sys
import zlib

TITLE = b"PERSUASION"
SHA256 = "8061549557aebd2fd6e353d18d9197cb707029112bd52d4d8b174583a925848a"
STRSXP, CHARSXP = 16, 9  # R's type codes of a character vector and of one string in it


def blobs(data):
    """Yields each inflated blob of an .rdb file."""
    at = 0
    while at + 4 < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        stream = zlib.decompressobj()
        plain = stream.decompress(data[at + 4 :]) + stream.flush()
        if len(plain) != size:
            raise ValueError(f"blob at byte {at} inflates to {len(plain)} bytes, not the {size} it announces")
        at = len(data) - len(stream.unused_data)
        yield plain


def lines_of(blob):
    """The strings of a serialised character vector, or None where the blob is another kind of R object."""
    start = blob.find(struct.pack(">I", STRSXP), 0, 64)
    if not blob.startswith(b"X\n") or start < 0:
        return None
    (count,) = struct.unpack_from(">I", blob, start + 4)
    at, lines = start + 8, []
    for _ in range(count):
        if at + 8 > len(blob):
            return None
        flags, size = struct.unpack_from(">Ii", blob, at)
        if flags & 0xFF != CHARSXP:
            return None
        size = max(size, 0)  # -1 is R's NA
        lines.append(blob[at + 8 : at + 8 + size])
        at += 8 + size
    return lines


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, target = sys.argv[1:]
    with open(source, "rb") as file:
        novels = [lines for lines in map(lines_of, blobs(file.read())) if lines]
    found = [lines for lines in novels if lines[0].strip().upper() == TITLE]
    if len(found) != 1:
        sys.exit(f"{source}: no character vector starts with the line {TITLE.decode()}; is it another version of the package?")
    text = b"\n".join(found[0]) + b"\n"
    digest = hashlib.sha256(text).hexdigest()
    if digest != SHA256:
        sys.exit(f"{source}: the text has sha256 {digest}, expected {SHA256}; is it another version of the package?")
    with open(target + ".part", "wb") as file:
        file.write(text)
    os.replace(target + ".part", target)


if __name__ == "__main__":
    main()
