# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers as programs have them, Python's and NumPy's, as an engine takes them: nothing is rounded, wrapped or counted
from the end."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .errors import WireError

MOST_ID = 2**31 - 1


def place(value: Any, what: str, count: int) -> int:
    """A whole number in [0, count), for the `what` of something that has `count` of them. Raises IndexError, TypeError."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} {value!r:.60} is not a whole number") from None
    if not 0 <= number < count:
        raise IndexError(f"{what} {number} of {count}, which are counted from 0")
    return number


def token_ids(value: Any) -> np.ndarray:
    """int32 [tokens] of one text's ids: a list, a range or an array, (tokens,) or (1, tokens). Raises WireError where they
    are a batch, not whole, or too large."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise WireError("token ids are lists of different lengths; give one text's") from None
    if array.ndim == 2 and len(array) == 1:
        array = array[0]
    if array.ndim != 1:
        raise WireError(f"token ids have the shape {array.shape}; give one text's, (tokens,) or (1, tokens)")
    if array.dtype.kind not in "iuf" and array.size and not all(type(one) is int for one in array):
        raise WireError(f"token ids are of the type {array.dtype}; give whole numbers")
    for position, one in enumerate(array.tolist()):
        if not -MOST_ID - 1 <= one <= MOST_ID or one != int(one):
            raise WireError(f"token id {position} is {one!r:.60}, and ids are whole numbers of 32 bits")
    return array.astype(np.int32)


def plain(value: Any) -> Any:
    """NumPy's numbers and arrays, ranges and tuples as JSON has them, also inside lists and maps; all else as it is."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [plain(inner) for inner in value]
    return value
