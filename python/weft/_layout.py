# SPDX-License-Identifier: BSD-3-Clause
"""Memory of an array, and which bytes of it in which order."""

import ctypes
from typing import Union

import numpy
import numpy.typing

from . import _type
from ._library import types

Array = numpy.typing.NDArray[numpy.generic]


class _Info(ctypes.Structure):
    """struct weft_type_info, as far as it is asked for."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("lb", ctypes.c_ssize_t),
        ("extent", ctypes.c_ssize_t),
        ("true_lb", ctypes.c_ssize_t),
        ("true_extent", ctypes.c_ssize_t),
        ("pieces", ctypes.c_size_t),
        ("memory", ctypes.c_size_t),
        ("depth", ctypes.c_uint),
        ("committed", ctypes.c_bool),
        ("contiguous", ctypes.c_bool),
        ("may_overlap", ctypes.c_bool),
    ]


class Layout:
    """What `layout` and `select` make, and all other calls take: the bytes of an array that are
    to be moved. It holds the array."""

    def __init__(self, array: Array, type: _type.Type) -> None:
        self._array = array
        self._type = type

    @property
    def nbytes(self) -> int:
        """How many bytes it has, without padding."""
        return self._type.size

    @property
    def pieces(self) -> int:
        """In how many pieces of memory they lie."""
        return int(self._info().pieces)

    @property
    def address(self) -> int:
        """Of the first element of the array."""
        return int(self._array.ctypes.data)

    @property
    def handle(self) -> ctypes.c_void_p:
        """The type of Weft."""
        return self._type.handle

    def require_writable(self) -> "Layout":
        """Itself, if bytes may be put there: raises ValueError for arrays that are read-only, and
        for those that have a byte twice, as broadcast ones do."""
        if not self._array.flags.writeable:
            raise ValueError("the array is read-only")
        if self._info().may_overlap:
            raise ValueError("some bytes of the layout are the same: nothing can be put there")
        return self

    def _info(self) -> _Info:
        info = _Info()
        types().weft_type_query(self.handle, ctypes.byref(info), ctypes.sizeof(info))
        return info

    def __repr__(self) -> str:
        return f"Layout({self.nbytes} bytes in {self.pieces} pieces of a {self._array.dtype} array)"


Movable = Union[Array, Layout]
"""What can be moved: an array, any view of one, or a layout."""


def layout(array: Movable) -> Layout:
    """The layout of a view. Calls that move arrays make it themselves; who moves many times may
    keep it."""
    if isinstance(array, Layout):
        return array
    if not isinstance(array, numpy.ndarray):
        raise TypeError(f"an array of NumPy is wanted, not a {type(array).__name__}")
    return Layout(array, _type.of_view(array.dtype, array.shape, array.strides))


def select(array: Array, indices: "numpy.typing.ArrayLike") -> Layout:
    """The layout of `array[indices]`, a list of elements of the first axis or a mask of it, which
    NumPy would copy."""
    chosen = numpy.asarray(indices)
    if array.ndim == 0 or chosen.ndim != 1:
        raise ValueError("a list of indices for the first axis of an array is wanted")
    length = array.shape[0]
    if chosen.dtype.kind == "b" and chosen.size != length:
        raise IndexError(f"a mask of {chosen.size} for an axis of {length}")
    if chosen.dtype.kind == "b":
        chosen = numpy.flatnonzero(chosen)
    if chosen.size and chosen.dtype.kind not in "iu":
        raise IndexError(f"indices are integers or booleans, not {chosen.dtype}")
    if chosen.size and (chosen.min() < -length or chosen.max() >= length):
        raise IndexError(f"an index is out of bounds for an axis of {length}")
    chosen = chosen.astype(numpy.intp)
    one = _type.of_view(array.dtype, array.shape[1:], array.strides[1:])
    places = numpy.where(chosen < 0, chosen + length, chosen) * array.strides[0]
    return Layout(array, _type.placed(places.tolist(), one).commit())
