# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of the recall texts, and the byte-level BPE tokenizer in which each of them, with the space before it, is
one token. Other text falls apart into bytes and the beginnings of these words, and comes back exactly."""

FIRST_NAMES = ("Ada Amy Ann Abe Ben Bea Bob Cal Dan Dot Eva Eve Gus Ian Ida Ivy "
               "Jan Jim Joe Kim Leo Liz Max May Mia Ned Pam Pat Ray Sam Tom Zoe").split()
SURNAMES = ("Bell Bond Cole Cook Dale Dove Ford Fox Gray Hall Hill Hope Hunt King Lamb Lane "
            "Lark Long Mann Mill Moon Nash Page Park Reed Rose Shaw Snow Wade West Wolf Wren").split()
FILLERS = ["The sea was calm.", "It rained all day.", "We mended the nets.", "A ship came.",
           "The fog was thick.", "We drank our tea.", "The tide went out.", "It rained."]
MEETING, QUESTION = "Here comes", "Who is"

VOCABULARY, BOS, EOS = 512, "<|begin|>", "<|end|>"
SPARE = "and old harbour letter lamp salt key with of from".split()  # common words for the places left over


def byte_characters():
    """Byte-level BPE spells each byte as one printable character: itself where it prints, else from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [b for b in range(256) if b not in printable]
    return {b: chr(b) for b in printable} | {b: chr(256 + i) for i, b in enumerate(others)}


def merges():
    """Each word is built letter by letter from its left, so words share the merges of what they begin with."""
    spelled = byte_characters()
    space, newline = spelled[0x20], spelled[0x0A]
    phrases = FILLERS + [MEETING, QUESTION]
    words = FIRST_NAMES + SURNAMES + [word.strip(".") for phrase in phrases for word in phrase.split()]
    found = {(".", newline): None}
    for word in words + SPARE:
        left = space
        for letter in word:
            if len(found) == VOCABULARY - 256 - 2:
                return list(found)
            found.setdefault((left, letter))
            left += letter
    raise ValueError("more places than words")


def tokenizer():
    vocabulary = {character: i for i, character in enumerate(byte_characters()[b] for b in range(256))}
    for left, right in merges():
        vocabulary[left + right] = len(vocabulary)
    special = [{"id": VOCABULARY - 2 + i, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
                "normalized": False, "special": True} for i, content in enumerate([BOS, EOS])]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special, "normalizer": None,
        "pre_tokenizer": {"type": "Sequence",
                          "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level]},
        "post_processor": None, "decoder": byte_level,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                  "vocab": vocabulary, "merges": [f"{left} {right}" for left, right in merges()]},
    }
