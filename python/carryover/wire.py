# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as they travel between a program and an engine, packed and unpacked by the engine's own description of them
(`carryover-cli engine --describe`, engine/remote/wire_description.h), so that nothing of it is repeated here.

A record is a dict; fields that are left out have the engine's defaults. A list of numbers is an array, a list of
records of fixed size a structured array (enumerations in it are numbers), a map a 2-D float32 array, JSON its contents.
"""

from __future__ import annotations

import contextlib
import functools
import json
import struct
from collections.abc import Iterator
from typing import Any, Optional

import numpy as np

from .errors import WireError
from .numbers import plain

BYTE_ORDER = "<"  # connection.py refuses another one
NUMBERS = {f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)} | {"f4", "f8"}


@contextlib.contextmanager
def _inside(field: str) -> Iterator[None]:
    """Puts the field's name before what is wrong with its value."""
    try:
        yield
    except WireError as error:
        raise WireError(f"{field}: {error}") from None


class Reader:
    """Takes bytes off the front of a message; a message that is too short is damaged."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = memoryview(data), 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def take(self, size: int) -> memoryview:
        if size > self.left:
            raise WireError("a message of the engine is damaged: it ends too early")
        self._at += size
        return self._data[self._at - size : self._at]

    def count(self, least: int) -> int:
        """A number of entries that take `least` bytes each at least: no more than the message can hold."""
        (count,) = struct.unpack("<Q", self.take(8))
        if count > self.left // max(least, 1):
            raise WireError("a message of the engine is damaged: it announces more entries than it has")
        return int(count)


class Codec:
    """Packs and unpacks values of one type. dtype: of an array of them, where their size is fixed."""

    dtype: Optional[np.dtype] = None

    def read(self, reader: Reader) -> Any:
        raise NotImplementedError

    def write(self, value: Any) -> bytes:
        raise NotImplementedError

    def check(self, array: np.ndarray) -> None:
        """Refuses an array with values that the type has not."""


class Number(Codec):
    def __init__(self, name: str) -> None:
        self.dtype = np.dtype(BYTE_ORDER + name)

    def read(self, reader: Reader) -> Any:
        return np.frombuffer(reader.take(self.dtype.itemsize), self.dtype)[0].item()

    def write(self, value: Any) -> bytes:
        array = exact(value, self.dtype)
        if np.ndim(value):
            raise WireError(f"{value!r:.60} is not one number")
        return array.tobytes()


class Flag(Codec):
    dtype = np.dtype("u1")

    def read(self, reader: Reader) -> bool:
        array = np.frombuffer(reader.take(1), self.dtype)
        self.check(array)
        return bool(array[0])

    def write(self, value: Any) -> bytes:
        value = plain(value)
        if not isinstance(value, bool):
            raise WireError(f"{value!r:.60} is neither True nor False")
        return b"\1" if value else b"\0"

    def check(self, array: np.ndarray) -> None:
        if np.any(array > 1):
            raise WireError("a message of the engine is damaged: a truth value is neither 0 nor 1")


class Names(Codec):
    """An enumeration: a name; in arrays, its number."""

    dtype = np.dtype("<i4")

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def read(self, reader: Reader) -> str:
        array = np.frombuffer(reader.take(4), self.dtype)
        self.check(array)
        return self.names[int(array[0])]

    def write(self, value: Any) -> bytes:
        if value not in self.names:
            raise WireError(f"{value!r} is none of {', '.join(self.names)}")
        return struct.pack("<i", self.names.index(value))

    def check(self, array: np.ndarray) -> None:
        if np.any((array < 0) | (array >= len(self.names))):
            raise WireError("a message of the engine is damaged: it has an unknown kind")


class Text(Codec):
    def read(self, reader: Reader) -> str:
        return bytes(reader.take(reader.count(1))).decode("utf-8", "replace")

    def write(self, value: Any) -> bytes:
        data = str(value).encode()
        return struct.pack("<Q", len(data)) + data


class Json(Text):
    def read(self, reader: Reader) -> Any:
        try:
            return json.loads(super().read(reader))
        except (ValueError, RecursionError) as error:
            raise WireError(f"a message of the engine is damaged: {error}") from None

    def write(self, value: Any) -> bytes:
        try:
            return super().write(json.dumps(plain(value), allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            if isinstance(value, dict):
                for name, inner in value.items():  # says which one it is
                    with _inside(name):
                        self.write(inner)
            raise WireError(f"{value!r:.60} can't be sent: {error}") from None


class List(Codec):
    def __init__(self, item: Codec) -> None:
        self.item = item

    def read(self, reader: Reader) -> Any:
        dtype = self.item.dtype
        if dtype is None:
            return [self.item.read(reader) for _ in range(reader.count(1))]
        array = np.frombuffer(reader.take(reader.count(dtype.itemsize) * dtype.itemsize), dtype).copy()
        self.item.check(array)
        return array

    def write(self, value: Any) -> bytes:
        size = struct.pack("<Q", len(value))
        if isinstance(value, np.ndarray) and self.item.dtype is not None:
            return size + exact(value, self.item.dtype).tobytes()
        if isinstance(self.item, Number):
            return size + exact(value, self.item.dtype).tobytes()
        return size + b"".join(self.item.write(entry) for entry in value)


class Maybe(Codec):
    def __init__(self, item: Codec) -> None:
        self.item = item

    def read(self, reader: Reader) -> Any:
        return self.item.read(reader) if Flag().read(reader) else None

    def write(self, value: Any) -> bytes:
        return b"\0" if value is None else b"\1" + self.item.write(value)


class Record(Codec):
    def __init__(self, fields: dict[str, Codec], default: bytes) -> None:
        self.fields, self._default = fields, default
        dtypes = [field.dtype for field in fields.values()]
        if fields and all(dtype is not None for dtype in dtypes):
            self.dtype = np.dtype(list(zip(fields, dtypes)))

    def read(self, reader: Reader) -> dict[str, Any]:
        return {name: field.read(reader) for name, field in self.fields.items()}

    def write(self, value: Any) -> bytes:
        unknown = set(value) - set(self.fields)
        if unknown:
            raise WireError(f"{sorted(unknown)[0]!r} is unknown; there are {', '.join(self.fields)}")
        parts = []
        for name, field in self.fields.items():
            with _inside(name):
                parts.append(field.write(value[name]) if name in value else self._defaults[name])
        return b"".join(parts)

    @functools.cached_property
    def _defaults(self) -> dict[str, bytes]:
        """The bytes of each field where nothing was set."""
        reader, parts = Reader(self._default), {}
        for name, field in self.fields.items():
            before = reader.left
            field.read(reader)
            end = len(self._default) - reader.left
            parts[name] = self._default[len(self._default) - before : end]
        return parts

    def check(self, array: np.ndarray) -> None:
        for name, field in self.fields.items():
            field.check(array[name])


class Map(Record):
    """Rows, columns and values: a 2-D array."""

    dtype = None

    def read(self, reader: Reader) -> np.ndarray:
        record = super().read(reader)
        rows, columns, values = record["rows"], record["columns"], record["values"]
        if rows < 0 or columns < 0 or rows * columns != len(values):
            raise WireError("a message of the engine is damaged: a map's size is not that of its values")
        return values.reshape(rows, columns)

    def write(self, value: Any) -> bytes:
        array = np.asarray(value)
        return super().write({"rows": array.shape[0], "columns": array.shape[1], "values": array.ravel()})


def exact(value: Any, dtype: np.dtype) -> np.ndarray:
    """As an array of `dtype`; refuses integers that it can't hold, and numbers that are none."""
    try:
        array = np.asarray(value)
        if array.size == 0 or array.dtype == dtype:
            return np.ascontiguousarray(array, dtype)
        if array.dtype.names or (dtype.kind in "iu" and array.dtype.kind not in "iub"):
            raise WireError(f"{array.dtype} can't be sent as {dtype}")
        made = array.astype(dtype)
        if dtype.kind in "iu" and not np.array_equal(made, array):
            raise WireError(f"a number is too large to be sent as {dtype}")
        return made
    except (TypeError, ValueError, OverflowError) as error:
        raise WireError(f"{value!r:.60} can't be sent as {dtype}: {error}") from None


def codec(described: Any) -> Codec:
    """The codec of a type of the engine's description."""
    if isinstance(described, str):
        if described in NUMBERS:
            return Number(described)
        simple = {"bool": Flag, "string": Text, "json": Json}
        if described in simple:
            return simple[described]()
    elif isinstance(described, dict):
        if "enum" in described:
            return Names(described["enum"])
        if "list" in described:
            return List(codec(described["list"]))
        if "optional" in described:
            return Maybe(codec(described["optional"]))
        if "record" in described:
            fields = {name: codec(inner) for name, inner in described["record"]}
            made = Map if list(fields) == ["rows", "columns", "values"] else Record
            return made(fields, bytes.fromhex(described["default"]))
    raise WireError(f"the engine describes a type that is unknown here: {described!r:.60}")


def pack(codecs: list[Codec], values: tuple[Any, ...]) -> bytes:
    """The body of a message."""
    return b"".join(each.write(value) for each, value in zip(codecs, values))


def unpack(codecs: list[Codec], body: bytes) -> list[Any]:
    """The values of a body, which holds nothing else."""
    reader = Reader(body)
    values = [each.read(reader) for each in codecs]
    if reader.left:
        raise WireError("a message of the engine is longer than its fields")
    return values
