# SPDX-License-Identifier: GPL-3.0-or-later
"""Run folders: what `carryover run --out` and the window write. docs/guide.md has the formats.

Files are checked as they are read: sizes, ranges and what belongs together. Nothing in them is executed.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from tokenize import TokenError  # of numpy's reader, where a header's brackets are left open
from typing import Any, Optional, Union

import numpy as np

from .errors import RunFolderError
from .run import HIT, KINDS, HeadHits, Run, segment_table, slot_table

SEGMENT_FIELDS = ("index", "first_token", "length", "targets")


def open_run(folder: Union[str, os.PathLike[str]]) -> FolderRun:
    """The run of a folder, finished or broken off. Arrays of .npy files are mapped, not read. Raises RunFolderError."""
    return FolderRun(Path(folder))


class FolderRun(Run):
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        config = _object(folder / "config.json")
        self.description = config
        try:
            model = config["model"]
            self.config, self.policy = dict(config["config"]), str(config["policy"])
            self.forced = bool(config["force_hits"]) or config["prefix"] not in ("search", "off")
            self.model = {
                "name": str(model["name"]),
                "path": str(model["path"]),
                "weights_hash": str(model["weights_hash"]),
                "dtype": str(config["dtype"]),
                "adapter": str(model.get("adapter", "")),
            }
            self.layers, self.heads = int(model["layers"]), int(model["heads"])
        except (KeyError, TypeError, ValueError) as error:
            raise RunFolderError(folder / "config.json", f"lacks what a run's has: {error!r}") from None
        self.tokens = _array(folder / "ids.npy", "<i4", 1)
        self.segments = self._read_segments()
        summary = folder / "summary.json"
        self.summary = _object(summary) if summary.exists() else None
        self.sinks = self._map("sinks.npy", 3)
        self.carry_maps = self._map("carry_maps.npy", 4)

    def _read_segments(self) -> np.ndarray:
        path, records, next_token = self.folder / "segments.jsonl", [], 0
        for where, record in _lines(path):
            whole = all(type(record.get(name)) is int for name in SEGMENT_FIELDS)
            if not whole or not isinstance(record.get("nll_sum"), (int, float)):
                raise RunFolderError(where, f"lacks one of {', '.join(SEGMENT_FIELDS)}, nll_sum")
            follows = record["index"] == len(records) and record["first_token"] == next_token
            inside = 0 < record["length"] <= len(self.tokens) - next_token
            if not follows or not inside or not 0 <= record["targets"] <= record["length"]:
                raise RunFolderError(where, "is a segment that doesn't follow the one before it inside the text")
            next_token += record["length"]
            records.append(record)
        try:
            return segment_table(records)
        except (TypeError, ValueError, OverflowError, AttributeError) as error:
            raise RunFolderError(path, f"has numbers that are none: {error}") from None

    def _map(self, name: str, dimensions: int) -> Optional[np.ndarray]:
        path = self.folder / name
        if not path.exists():
            return None
        array = _array(path, "<f4", dimensions)
        if len(array) < len(self.segments):
            raise RunFolderError(path, f"has {len(array)} rows for {len(self.segments)} segments")
        return array[: len(self.segments)]

    @functools.cached_property
    def nll(self) -> np.ndarray:  # type: ignore[override]
        path = self.folder / "nll.json"
        values = _json(path)
        try:
            nll = np.array([np.nan if value is None else value for value in values], np.float32)
        except (TypeError, ValueError) as error:
            raise RunFolderError(path, f"is not an array of numbers: {error}") from None
        targets = int(self.segments["targets"].sum()) if len(self.segments) else 0
        if len(nll) not in (0, targets) and len(nll) < targets:
            raise RunFolderError(path, f"has {len(nll)} losses, and the segments {targets} targets")
        return nll[:targets]  # one more segment's where the run broke off

    @functools.cached_property
    def lists(self) -> list[HeadHits]:  # type: ignore[override]
        path = self.folder / "hits.jsonl"
        lists = (self._head_hits(line, where) for where, line in _lines(path))
        return [one for one in lists if one.segment < len(self.segments)]

    @functools.cached_property
    def slots(self) -> np.ndarray:  # type: ignore[override]
        return slot_table(self.lists)

    def _head_hits(self, line: dict[str, Any], where: str) -> HeadHits:
        try:
            positions = np.array(line["positions"], np.int64)
            hits = np.empty(len(positions), HIT)
            hits["position"] = positions
            hits["kind"] = [KINDS.index(kind) for kind in line.get("kind", ["anchor"] * len(hits))]
            hits["score"] = [0 if score is None else score for score in line.get("score", [0] * len(hits))]
            hits["anchor"] = line.get("anchor", [-1] * len(hits))
            hits["summary"] = line.get("summary", [-1] * len(hits))
            place = [line[name] for name in ("segment", "layer", "head")]
            if any(type(number) is not int for number in place) or positions.ndim != 1:
                raise ValueError("segment, layer, head and positions are whole numbers")
            shared = line.get("shared", False) is True
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise RunFolderError(where, f"is not a list of hits: {error}") from None
        segment, layer, head = place
        if not (0 <= layer < self.layers and 0 <= head < self.heads and segment >= 0):
            raise RunFolderError(where, f"names layer {layer}, head {head}, which the model has not")
        before = self.segments["first_token"][segment] if segment < len(self.segments) else len(self.tokens)
        if len(hits) and (positions[0] < 0 or positions[-1] >= before or np.any(np.diff(positions) <= 0)):
            raise RunFolderError(where, "has positions that don't ascend, or are not before the segment")
        return HeadHits(segment, layer, head, hits, shared)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise RunFolderError(path, f"can't be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise RunFolderError(path, f"is not JSON: {error}") from None


def _object(path: Path) -> dict[str, Any]:
    value = _json(path)
    if not isinstance(value, dict):
        raise RunFolderError(path, "is not a JSON object")
    return value


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each line's place and object. A last line without its end is one that was being written."""
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                where = f"{path}:{number}"
                if not line.endswith(b"\n"):
                    return
                try:
                    value = json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise RunFolderError(where, f"is not JSON: {error}") from None
                if not isinstance(value, dict):
                    raise RunFolderError(where, "is not a JSON object")
                yield where, value
    except OSError as error:
        raise RunFolderError(path, f"can't be read: {error.strerror}") from None


def _array(path: Path, dtype: str, dimensions: int) -> np.ndarray:
    """A mapped array; a file whose type, shape or size is another is refused."""
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise RunFolderError(path, f"can't be read: {error}") from None
    except (ValueError, EOFError, TypeError, SyntaxError, TokenError) as error:
        raise RunFolderError(path, f"is not a .npy file: {error}") from None
    if not isinstance(array, np.ndarray) or array.dtype != np.dtype(dtype) or array.ndim != dimensions:
        raise RunFolderError(path, f"is no {dimensions}-dimensional array of {dtype}")
    return array
