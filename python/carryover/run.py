# SPDX-License-Identifier: GPL-3.0-or-later
"""A run as arrays: of a folder (run_folder.py), or of an engine (engine.py)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from .numbers import place

KINDS = ("anchor", "expanded", "padding")  # by number, as in `kind` of SLOT
PADDING = KINDS.index("padding")

#: A slot of a retrieved prefix, as `carryover export --data hits` writes it.
SLOT = np.dtype(
    [
        ("segment", "<i8"),
        ("layer", "<i4"),
        ("head", "<i4"),
        ("slot", "<i4"),
        ("position", "<i8"),
        ("kind", "u1"),
        ("score", "<f4"),
        ("anchor", "<i8"),
        ("summary", "<i4"),
    ]
)
#: A slot as an engine sends it.
HIT = np.dtype([("position", "<i8"), ("kind", "<i4"), ("score", "<f4"), ("anchor", "<i8"), ("summary", "<i4")])

#: The loss of a target, as `carryover export --data nll` writes it.
LOSS = np.dtype([("position", "<i8"), ("segment", "<i8"), ("nll", "<f4")])


@dataclass(frozen=True)
class HeadHits:
    """What a head of a layer reads before a segment: hits [slots], ascending positions. Shared: what all readers read;
    layer and head are those of the first head that searches."""

    segment: int
    layer: int
    head: int
    hits: np.ndarray  # of HIT
    shared: bool = False


def slot_table(lists: Iterable[HeadHits]) -> np.ndarray:
    """The lists one after the other, as an array of SLOT [slots]. The score of padding is NaN."""
    lists = list(lists)
    table = np.empty(sum(len(one.hits) for one in lists), SLOT)
    begin = 0
    for one in lists:
        rows = table[begin : begin + len(one.hits)]
        begin += len(one.hits)
        rows["segment"], rows["layer"], rows["head"] = one.segment, one.layer, one.head
        rows["slot"] = np.arange(len(rows))
        for name in ("position", "kind", "anchor", "summary"):
            rows[name] = one.hits[name]
        rows["score"] = np.where(one.hits["kind"] == PADDING, np.float32(np.nan), one.hits["score"])
    return table


def segment_table(records: Iterable[Mapping[str, Any]]) -> np.ndarray:
    """Lines of segments.jsonl as a structured array [segments], with the columns of `carryover export --data segments`:
    numbers of `memory`, `time` and `sinks` as memory_weights, time_projections, sink_text_mass and so on."""
    rows = [_flat(record) for record in records]
    columns: dict[str, str] = {} if rows else dict.fromkeys(("index", "first_token", "length", "targets"), "<i8")
    for row in rows:
        for name in row:
            columns.setdefault(name, "<f8" if name.startswith(("time_", "sink_")) or name in FRACTIONS else "<i8")
    table = np.zeros(len(rows), list(columns.items()))
    for name, kind in columns.items():
        table[name] = [row.get(name, math.nan if kind == "<f8" else 0) for row in rows]
    return table


FRACTIONS = ("nll_sum", "seconds")
PARTS = {"memory": "memory_", "time": "time_", "sinks": "sink_"}


def _flat(record: Mapping[str, Any]) -> dict[str, float]:
    row: dict[str, float] = {}
    for name, value in record.items():
        if name in PARTS:
            row.update({PARTS[name] + part: number for part, number in (value or {}).items()})
        else:
            row["near_ties" if name == "close_cuts" else name] = value
    return row


class Run:
    """A text that was run in segments. Both kinds of runs have the same members.

    tokens    int32 [tokens]: the ids that were run, BOS included
    segments  structured [segments]: index, first_token, length, targets, nll_sum (nats), seconds, … (segment_table)
    nll       float32 [targets]: the loss of each target in nats; empty where it was not kept
    lists     what each head read, by segment, layer and head
    slots     the same as one array of SLOT [slots]
    config    the settings by field; policy: what attention saw
    model     name, path, weights_hash, dtype and adapter ("" without one)
    layers    of the model; heads: query heads of a layer
    summary   tokens, targets, segments, nll_sum, …; None where the run broke off
    sinks     float32 [segments, layers, 8] or None; the guide has the columns
    carry_maps float32 [segments, 3, layers, carry_length] or None: norms of keys, of values, drift
    """

    tokens: np.ndarray
    segments: np.ndarray
    nll: np.ndarray
    lists: list[HeadHits]
    slots: np.ndarray
    config: dict[str, Any]
    policy: str
    model: dict[str, Any]
    layers: int
    heads: int
    summary: Optional[dict[str, Any]]
    sinks: Optional[np.ndarray]
    carry_maps: Optional[np.ndarray]
    forced: bool = False  #: hits were given and not searched

    @property
    def nll_mean(self) -> float:
        """Nats a target over all targets; NaN without targets."""
        targets = int(self.segments["targets"].sum()) if len(self.segments) else 0
        return float(self.segments["nll_sum"].sum()) / targets if targets else math.nan

    @property
    def ppl(self) -> float:
        """Perplexity: e to the mean loss."""
        return math.exp(self.nll_mean)

    @property
    def losses(self) -> np.ndarray:
        """Array of LOSS [targets]: position of the predicted token, segment that predicted it, loss in nats."""
        table = np.empty(len(self.nll), LOSS)
        begin = 0
        for segment in self.segments:
            rows = table[begin : begin + int(segment["targets"])]
            begin += len(rows)
            rows["position"] = segment["first_token"] + 1 + np.arange(len(rows))
            rows["segment"] = segment["index"]
        table["nll"] = self.nll
        return table

    def segment_nll(self, segment: int) -> np.ndarray:
        """float32 [targets of the segment]: entry j is the loss of token first_token + j + 1."""
        segment = place(segment, "segment", len(self.segments))
        ends = np.cumsum(self.segments["targets"])
        end = int(ends[segment])
        return self.nll[end - int(self.segments["targets"][segment]) : end]

    def hits(
        self, layer: Optional[int] = None, head: Optional[int] = None, segment: Optional[int] = None
    ) -> np.ndarray:
        """The slots of one layer, head or segment, or of all: array of SLOT [slots]. Lists that all readers share stand
        under the first head that searches. Raises IndexError for one that the run has not."""
        keep = np.ones(len(self.slots), bool)
        wanted = (("layer", layer, self.layers), ("head", head, self.heads), ("segment", segment, len(self.segments)))
        for name, value, count in wanted:
            if value is not None:
                keep &= self.slots[name] == place(value, name, count)
        return self.slots[keep]

    def distances(self, layer: Optional[int] = None, head: Optional[int] = None) -> np.ndarray:
        """int64 [hits without padding]: tokens from a hit to the start of the segment that reads it."""
        found = self.hits(layer, head)
        found = found[found["kind"] != PADDING]
        return self.segments["first_token"][found["segment"]] - found["position"]
