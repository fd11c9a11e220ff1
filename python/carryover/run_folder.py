# SPDX-License-Identifier: GPL-3.0-or-later
"""Run folders: what `carryover run --out` and the window write. docs/guide.md has the formats.

Files are checked as they are read: sizes, ranges and what belongs together. Nothing in them is executed.
"""

from __future__ import annotations

import functools
import json
import math
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from tokenize import TokenError  # of numpy's reader, where a header's brackets are left open
from typing import Any, BinaryIO, Optional, Union

import numpy as np

from .errors import RunFolderError
from .run import HIT, KINDS, HeadHits, Run, segment_table, slot_table

MOST_NUMBER = 1 << 62  # of any number: integer columns hold 64 bits
MOST_SIZE = 1 << 16  # layers, or heads
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
            self.config, self.policy = dict(config["config"]), _text(config["policy"])
            self.forced = bool(config["force_hits"]) or config["prefix"] not in ("search", "off")
            self.model = {
                "name": _text(model["name"]),
                "path": _text(model["path"]),
                "weights_hash": _text(model["weights_hash"]),
                "dtype": _text(config["dtype"]),
                "adapter": _text(model.get("adapter") or ""),
            }
            self.layers, self.heads = _size(model["layers"]), _size(model["heads"])
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise RunFolderError(folder / "config.json", f"lacks what a run's has: {error!r}") from None
        self.tokens = _array(folder / "ids.npy", "<i4", 1)
        self.segments = self._read_segments()
        summary = folder / "summary.json"
        self.summary = _object(summary) if _is_there(summary) else None
        self.sinks = self._map("sinks.npy", 3)
        self.carry_maps = self._map("carry_maps.npy", 4)

    def _read_segments(self) -> np.ndarray:
        path, records, next_token = self.folder / "segments.jsonl", [], 0
        for where, record in _lines(path):
            whole = all(type(record.get(name)) is int for name in SEGMENT_FIELDS)
            if not whole or not _is_number(record.get("nll_sum")) or not _has_numbers(record):
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
        if not _is_there(path):
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
            with np.errstate(over="ignore"):  # it becomes infinite, and is refused below
                nll = np.array([np.nan if value is None else value for value in values], np.float32)
        except (OverflowError, TypeError, ValueError) as error:
            raise RunFolderError(path, f"is not an array of numbers: {error}") from None
        if nll.ndim != 1 or np.any(np.isinf(nll)):
            raise RunFolderError(path, "is not an array of finite numbers")
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
            positions = _whole(line["positions"])
            hits = np.empty(len(positions), HIT)
            hits["position"] = positions
            hits["kind"] = [KINDS.index(kind) for kind in line.get("kind", ["anchor"] * len(hits))]
            hits["score"] = [0 if score is None else score for score in line.get("score", [0] * len(hits))]
            hits["anchor"] = _whole(line.get("anchor", [-1] * len(hits)))
            hits["summary"] = _whole(line.get("summary", [-1] * len(hits)), np.int32)
            place = [line[name] for name in ("segment", "layer", "head")]
            if any(type(number) is not int for number in place) or positions.ndim != 1:
                raise ValueError("segment, layer, head and positions are whole numbers")
            shared = line.get("shared", False) is True
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
            raise RunFolderError(where, f"is not a list of hits: {error}") from None
        segment, layer, head = place
        if not (0 <= layer < self.layers and 0 <= head < self.heads and segment >= 0):
            raise RunFolderError(where, f"names layer {layer}, head {head}, which the model has not")
        before = self.segments["first_token"][segment] if segment < len(self.segments) else len(self.tokens)
        if len(hits) and (positions[0] < 0 or positions[-1] >= before or np.any(np.diff(positions) <= 0)):
            raise RunFolderError(where, "has positions that don't ascend, or are not before the segment")
        return HeadHits(segment, layer, head, hits, shared)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < MOST_NUMBER


def _has_numbers(record: dict[str, Any]) -> bool:
    """And nothing else, but flags, what was not measured, and groups of these."""
    parts = [value for value in record.values() if isinstance(value, dict)]
    return all(
        _is_number(value) or value is None or isinstance(value, bool)
        for group in (record, *parts)
        for value in group.values()
        if group is not record or not isinstance(value, dict)
    )


def _size(value: Any) -> int:
    """Of layers or heads."""
    if type(value) is not int or not 0 < value <= MOST_SIZE:
        raise ValueError(f"{value!r:.60} is no number of layers or heads")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.60} is no text")
    return value


def _whole(values: Any, dtype: type = np.int64) -> np.ndarray:
    found, limits = np.array(values), np.iinfo(dtype)
    if found.size and (found.dtype.kind not in "iu" or found.min() < limits.min or found.max() > limits.max):
        raise ValueError("a number is not whole, or too large")
    return found.astype(dtype)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError) as error:
        raise RunFolderError(path, f"can't be read: {error}") from None


def _open(path: Path) -> BinaryIO:
    """A regular file. Whatever else has the name, such as a FIFO that nobody writes to, is not waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise RunFolderError(path, "is not a regular file")
        return os.fdopen(descriptor, "rb")
    except OSError as error:
        raise RunFolderError(path, f"can't be read: {error.strerror}") from None
    except ValueError as error:  # a path with a zero byte
        raise RunFolderError(path, f"can't be read: {error}") from None


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def _number(word: str) -> float:
    """Of a fraction, or an exponent."""
    value = float(word)
    if not math.isfinite(value):
        raise ValueError(f"{word[:60]} is beyond all numbers")
    return value


def _parse(text: bytes, where: Union[str, Path]) -> Any:
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_number)
    except (ValueError, RecursionError, MemoryError) as error:
        raise RunFolderError(where, f"is not JSON: {error}") from None


def _json(path: Path) -> Any:
    with _open(path) as file:
        try:
            text = file.read()
        except OSError as error:
            raise RunFolderError(path, f"can't be read: {error.strerror}") from None
    return _parse(text, path)


def _object(path: Path) -> dict[str, Any]:
    value = _json(path)
    if not isinstance(value, dict):
        raise RunFolderError(path, "is not a JSON object")
    return value


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each line's place and object. A last line without its end is one that was being written."""
    try:
        with _open(path) as file:
            for number, line in enumerate(file, 1):
                where = f"{path}:{number}"
                if not line.endswith(b"\n"):
                    return
                value = _parse(line, where)
                if not isinstance(value, dict):
                    raise RunFolderError(where, "is not a JSON object")
                yield where, value
    except OSError as error:
        raise RunFolderError(path, f"can't be read: {error.strerror}") from None


def _array(path: Path, dtype: str, dimensions: int) -> np.ndarray:
    """A mapped array; a file whose type, shape or size is another is refused."""
    _open(path).close()
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise RunFolderError(path, f"can't be read: {error}") from None
    except (ValueError, EOFError, TypeError, SyntaxError, TokenError, OverflowError, MemoryError) as error:
        raise RunFolderError(path, f"is not a .npy file: {error}") from None
    if not isinstance(array, np.ndarray) or array.dtype != np.dtype(dtype) or array.ndim != dimensions:
        raise RunFolderError(path, f"is no {dimensions}-dimensional array of {dtype}")
    return array
