#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""carryover.wire by the description of the built engine: every message's values keep their bytes, the engine's defaults
are what a record without fields is, and damaged bytes give a WireError and nothing else."""

import json
import random
import struct
import unittest

from support import carryover, cli, np
from carryover import wire
from carryover.connection import Protocol

DESCRIBED = json.loads(cli("engine", "--describe"))
PROTOCOL = Protocol(DESCRIBED)
BODIES = [each for message in PROTOCOL.by_kind for each in (message.body, message.answer) if each is not None]


def any_value(codec, chance):
    """A value of a codec's type, with lists of 0 to 3 entries."""
    if isinstance(codec, wire.Map):
        return np.array([[chance.random() for _ in range(3)] for _ in range(2)], np.float32)
    if isinstance(codec, wire.Record):
        return {name: any_value(field, chance) for name, field in codec.fields.items()}
    if isinstance(codec, wire.List):
        values = [any_value(codec.item, chance) for _ in range(chance.randrange(4))]
        return np.array(values, codec.item.dtype) if isinstance(codec.item, (wire.Number, wire.Flag)) else values
    if isinstance(codec, wire.Maybe):
        return any_value(codec.item, chance) if chance.random() < 0.5 else None
    if isinstance(codec, wire.Json):
        return {"list": [1, 2.5, None], "text": "Grüße"}
    if isinstance(codec, wire.Text):
        return "Bücher"[: chance.randrange(7)]
    if isinstance(codec, wire.Names):
        return chance.choice(codec.names)
    if isinstance(codec, wire.Flag):
        return chance.random() < 0.5
    if codec.dtype.kind == "f":
        return np.float32(chance.gauss(0, 1)).item()
    bits = 8 * codec.dtype.itemsize
    return chance.getrandbits(bits) - (1 << (bits - 1) if codec.dtype.kind == "i" else 0)


class WireTest(unittest.TestCase):
    def test_the_description_has_every_message(self):
        names = [message["name"] for message in DESCRIBED["messages"]]
        self.assertEqual(len(set(names)), len(names))
        for name in ("Open", "Run", "WhatIf", "Inspect", "Segment", "Outcome", "Done", "Failed"):
            self.assertIn(name, names)
        self.assertGreater(len(BODIES), 40)

    def test_values_keep_their_bytes(self):
        for seed in range(20):
            chance = random.Random(seed)
            for body in BODIES:
                packed = wire.pack(body, [any_value(codec, chance) for codec in body])
                self.assertEqual(wire.pack(body, wire.unpack(body, packed)), packed)

    def test_fields_that_are_left_out_have_the_engine_s_defaults(self):
        request = PROTOCOL.by_name["Run"].body
        number, values = wire.unpack(request, wire.pack(request, [7, {"ids": [1, 2, 3]}]))
        self.assertEqual((number, values["policy"], values["latch_segment"]), (7, "segmented", -1))
        self.assertEqual(values["ids"].tolist(), [1, 2, 3])
        self.assertTrue(values["loss"] and values["capture"]["hits"])
        self.assertGreater(values["config"]["segment_length"], 0)

    def test_damage_is_refused(self):
        chance, refused = random.Random(3), 0
        for body in BODIES:
            packed = wire.pack(body, [any_value(codec, chance) for codec in body])
            with self.assertRaises(carryover.WireError):
                wire.unpack(body, packed + b"x")
            for size in range(len(packed)):
                with self.assertRaises(carryover.WireError):
                    wire.unpack(body, packed[:size])
            for _ in range(30 if packed else 0):
                damaged = bytearray(packed)
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
                try:
                    wire.unpack(body, bytes(damaged))
                except carryover.WireError:
                    refused += 1
        self.assertGreater(refused, 50)

    def test_a_list_that_claims_more_than_there_is_takes_no_memory(self):
        claim = struct.pack("<Q", 1 << 60)
        for described in ({"list": "f8"}, {"list": {"list": "f4"}}, "string", "json"):
            with self.assertRaisesRegex(carryover.WireError, "more entries"):
                wire.unpack([wire.codec(described)], claim)

    def test_what_can_t_be_sent_exactly_is_refused(self):
        run = PROTOCOL.by_name["Run"].body
        for request in (
            {"ids": [1 << 40]},
            {"ids": [0.5]},
            {"ids": np.array([1.0])},
            {"ids": ["a"]},
            {"loss": True, "polcy": "full"},
            {"config": {"segment_length": float("nan")}},
            {"config": {"segment_length": {1, 2}}},
            {"capture": {"states": "false"}},
            {"capture": {"carry_maps": 1}},
        ):
            with self.subTest(request=request), self.assertRaises(carryover.WireError) as caught:
                wire.pack(run, [1, request])
            self.assertIn("polcy" if "polcy" in request else next(iter(request)), str(caught.exception))
        with self.assertRaises(carryover.WireError):
            wire.pack(PROTOCOL.by_name["Open"].body, [1, {"dtype": "fp8"}])
        with self.assertRaisesRegex(carryover.WireError, r"threads: \[1, 2\] is not one number"):
            wire.pack(PROTOCOL.by_name["Open"].body, [1, {"threads": [1, 2]}])


if __name__ == "__main__":
    unittest.main()
