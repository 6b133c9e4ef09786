# SPDX-License-Identifier: BSD-3-Clause
"""Moving bytes within a process."""

import ctypes
from typing import Optional

import numpy

from ._layout import Array, Layout, Movable, layout
from ._library import check, types

Bytes = numpy.typing.NDArray[numpy.uint8]


def _range(whole: Layout, offset: int, length: Optional[int]) -> tuple[int, int]:
    length = whole.nbytes - offset if length is None else length
    if offset < 0 or length < 0 or offset + length > whole.nbytes:
        raise ValueError(f"bytes {offset} to {offset + length} of a layout of {whole.nbytes}")
    return offset, length


def pack(source: Movable, offset: int = 0, length: Optional[int] = None) -> Bytes:
    """The bytes of an array one after another, as a new array. With `offset` and `length` only
    those of them: any range may be asked for, and costs no more than its own bytes."""
    whole = layout(source)
    offset, length = _range(whole, offset, length)
    packed = numpy.empty(length, numpy.uint8)
    check(
        types().weft_pack(whole.handle, 1, whole.address, offset, packed.ctypes.data, length)
    )
    return packed


def unpack(
    target: Movable, packed: "Array | bytes | bytearray | memoryview", offset: int = 0
) -> None:
    """Puts bytes into an array that `pack` took out of one of as many: all, or those from
    `offset` on."""
    whole = layout(target).require_writable()
    if isinstance(packed, numpy.ndarray):
        some = numpy.ascontiguousarray(packed).reshape(-1).view(numpy.uint8)
    else:
        some = numpy.frombuffer(packed, numpy.uint8)
    offset, length = _range(whole, offset, some.size)
    if numpy.may_share_memory(whole._array, some):
        some = some.copy()
    check(types().weft_unpack(whole.handle, 1, whole.address, offset, some.ctypes.data, length))


def copy(target: Movable, source: Movable) -> None:
    """Copies the bytes of one layout straight into another, which must have as many. Their memory
    must not overlap."""
    to, of = layout(target).require_writable(), layout(source)
    if to.nbytes != of.nbytes:
        raise ValueError(f"the source has {of.nbytes} bytes, the target {to.nbytes}")
    if numpy.may_share_memory(to._array, of._array) and _may_meet(to, of):
        raise ValueError("source and target may share memory: copy one of them first")
    check(
        types().weft_copy(
            to.handle, 1, to.address, of.handle, 1, of.address, 0, to.nbytes
        )
    )


def _may_meet(to: Layout, of: Layout) -> bool:
    """Columns of one array lie between each other, and do not meet. Where that is too hard to
    find out, they may."""
    try:
        return bool(numpy.shares_memory(to._array, of._array, max_work=100000))
    except numpy.TooHardError:
        return True


def explain(source: Movable) -> str:
    """What Weft makes of a layout, for people: its normal form and what copies it."""
    whole = layout(source)
    length = types().weft_type_describe(whole.handle, None, 0)
    text = ctypes.create_string_buffer(length + 1)
    types().weft_type_describe(whole.handle, text, length + 1)
    return text.value.decode()
