# SPDX-License-Identifier: BSD-3-Clause
"""Types of Weft for what NumPy knows of arrays."""

import ctypes
import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from ._library import check, types

# Enumerators of weft.h, by kind and size of NumPy's.
_BASIC = {
    "i1": 2, "i2": 3, "i4": 4, "i8": 5, "u1": 6, "u2": 7, "u4": 8, "u8": 9,
    "f4": 13, "f8": 14, "f16": 15, "c8": 16, "c16": 17,
}  # fmt: skip
_BYTE = 0


class Type:
    """A type of Weft, which is freed when nobody has it any more."""

    def __init__(self, make: Callable[[ctypes.c_void_p], Any]) -> None:
        self._handle = ctypes.c_void_p()
        check(make(self._handle))
        # Not at the end of the program, when the library may be gone.
        weakref.finalize(self, types().weft_type_free, self._handle).atexit = False

    @property
    def handle(self) -> ctypes.c_void_p:
        return self._handle

    @property
    def size(self) -> int:
        size: int = types().weft_type_size(self._handle)
        return size

    def commit(self) -> "Type":
        check(types().weft_type_commit(self._handle))
        return self


class _Basic(Type):
    """These live as long as the process."""

    def __init__(self, kind: int) -> None:
        self._handle = ctypes.c_void_p(types().weft_basic(kind))


def contiguous(count: int, old: Type) -> Type:
    return Type(lambda out: types().weft_type_contiguous(count, old.handle, ctypes.byref(out)))


def spaced(count: int, stride: int, old: Type) -> Type:
    """So many elements, which lie `stride` bytes apart."""
    return Type(
        lambda out: types().weft_type_hvector(count, 1, stride, old.handle, ctypes.byref(out))
    )


def placed(places: Sequence[int], old: Type) -> Type:
    """An element at each of these bytes."""
    count = len(places)
    where = (ctypes.c_ssize_t * count)(*places)
    return Type(
        lambda out: types().weft_type_hindexed_block(
            count, 1, where, old.handle, ctypes.byref(out)
        )
    )


def _record(parts: list[tuple[int, Type]], extent: int) -> Type:
    count = len(parts)
    ones = (ctypes.c_size_t * count)(*[1] * count)
    where = (ctypes.c_ssize_t * count)(*[place for place, _ in parts])
    handles = (ctypes.c_void_p * count)(*[part.handle.value for _, part in parts])
    whole = Type(
        lambda out: types().weft_type_struct(count, ones, where, handles, ctypes.byref(out))
    )
    return Type(
        lambda out: types().weft_type_resized(whole.handle, 0, extent, ctypes.byref(out))
    )


@functools.lru_cache(maxsize=256)
def of_dtype(dtype: "numpy.dtype[numpy.generic]") -> Type:
    """One element of an array. Raises TypeError for references to Python's objects, which mean
    nothing elsewhere."""
    if dtype.hasobject:
        raise TypeError(f"{dtype} holds references to objects: only plain data can be moved")
    if dtype.subdtype is not None:
        item, shape = dtype.subdtype
        return contiguous(int(numpy.prod(shape, dtype=int)), of_dtype(item))
    if dtype.fields is not None:
        fields = [dtype.fields[name] for name in dtype.names or ()]
        return _record([(field[1], of_dtype(field[0])) for field in fields], dtype.itemsize)
    if dtype.isnative and f"{dtype.kind}{dtype.itemsize}" in _BASIC:
        return _Basic(_BASIC[f"{dtype.kind}{dtype.itemsize}"])
    return contiguous(dtype.itemsize, _Basic(_BYTE))


@functools.lru_cache(maxsize=256)
def of_view(
    dtype: "numpy.dtype[numpy.generic]", shape: tuple[int, ...], strides: tuple[int, ...]
) -> Type:
    """All elements of a view, in C order, from the address of its first one."""
    whole = of_dtype(dtype)
    for count, stride in zip(reversed(shape), reversed(strides)):
        whole = spaced(count, stride, whole)
    if whole is of_dtype(dtype):
        whole = contiguous(1, whole)
    return whole.commit()
