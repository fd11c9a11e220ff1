#!/usr/bin/python3 -I
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes Jane Austen's six novels (public domain) from the R data of Debian's r-cran-janeaustenr, a text file each.

usage: extract_novels.py Rdata.rdb FOLDER

An Rdata.rdb is a row of blobs: a big-endian 32-bit length, then a zlib stream that inflates to that many bytes. Each
blob here is one R object in R's XDR serialisation; the novels are character vectors, a line of text an element.
"""
import hashlib
import os
import struct
import sys
import zlib

SHA256 = {
    "emma": "7c67b5985c6d0de1efaeb5d342d52cb82c38083c40e2295129e30e87ee690ebe",
    "mansfield_park": "98bc90519cdf4ef663ad7de2734bb529435ef24f7abbde6bb1a50898871dafe9",
    "northanger_abbey": "51f91bbe0517db8e65cff009b097ce0a1836124c4e0532ac19e6c0cad982abed",
    "persuasion": "8061549557aebd2fd6e353d18d9197cb707029112bd52d4d8b174583a925848a",
    "pride_and_prejudice": "dfc684d4f857fa938268f9ab9c5567b64bd0691251eca959644adeabe6287a4d",
    "sense_and_sensibility": "105e1651fe93bed7130078578efd31e0c557d68667ba672ddc876f735b30fe09",
}
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
    source, folder = sys.argv[1:]
    with open(source, "rb") as file:
        novels = [lines for lines in map(lines_of, blobs(file.read())) if lines]
    texts = {lines[0].decode().strip().lower().replace(" ", "_"): b"\n".join(lines) + b"\n" for lines in novels}
    for name, expected in SHA256.items():
        digest = hashlib.sha256(texts.get(name, b"")).hexdigest()
        if digest != expected:
            sys.exit(f"{source}: {name} has sha256 {digest}, expected {expected}; is it another version of the package?")
    for name in sorted(SHA256, key=lambda name: name == "persuasion"):  # the one that set-up looks for comes last
        path = os.path.join(folder, name + ".txt")
        with open(path + ".part", "wb") as file:
            file.write(texts[name])
        os.replace(path + ".part", path)


if __name__ == "__main__":
    main()
