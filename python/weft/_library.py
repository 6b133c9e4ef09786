# SPDX-License-Identifier: BSD-3-Clause
"""The calls of libweft and libweft_net that this package makes."""

import ctypes
import functools
import operator
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_ssize_t, c_uint64, c_void_p
from typing import Any

_TYPE = c_void_p
_OUT = POINTER(c_void_p)
_SIZES = POINTER(c_size_t)
_PLACES = POINTER(c_ssize_t)


class Status(ctypes.Structure):
    """How a transfer ended: who sent the message, with which tag, and how many bytes came."""

    error: int
    source: int
    tag: int
    bytes: int
    _fields_ = [("error", c_int), ("source", c_int), ("tag", c_int), ("bytes", c_size_t)]

    def __repr__(self) -> str:
        return f"Status(source={self.source}, tag={self.tag}, bytes={self.bytes})"


class _Int:
    """Any integer, NumPy's too, that fits: ctypes would drop the bits that do not."""

    @classmethod
    def from_param(cls, value: Any) -> c_int:
        number = operator.index(value)
        if c_int(number).value != number:
            raise OverflowError(f"{number} is no int of C")
        return c_int(number)


# Name: result, arguments. Those whose result is c_int answer with an error of Weft.
_TYPE_CALLS: dict[str, tuple[Any, list[Any]]] = {
    "weft_version": (c_char_p, []),
    "weft_error_name": (c_char_p, [c_int]),
    "weft_error_text": (c_char_p, [c_int]),
    "weft_basic": (_TYPE, [c_int]),
    "weft_type_contiguous": (c_int, [c_size_t, _TYPE, _OUT]),
    "weft_type_hvector": (c_int, [c_size_t, c_size_t, c_ssize_t, _TYPE, _OUT]),
    "weft_type_hindexed_block": (c_int, [c_size_t, c_size_t, _PLACES, _TYPE, _OUT]),
    "weft_type_struct": (c_int, [c_size_t, _SIZES, _PLACES, _OUT, _OUT]),
    "weft_type_resized": (c_int, [_TYPE, c_ssize_t, c_ssize_t, _OUT]),
    "weft_type_commit": (c_int, [_TYPE]),
    "weft_type_free": (None, [_TYPE]),
    "weft_type_size": (c_size_t, [_TYPE]),
    "weft_type_describe": (c_ssize_t, [_TYPE, c_char_p, c_size_t]),
    "weft_type_query": (c_int, [_TYPE, c_void_p, c_size_t]),
    "weft_pack": (c_int, [_TYPE, c_size_t, c_void_p, c_size_t, c_void_p, c_size_t]),
    "weft_unpack": (c_int, [_TYPE, c_size_t, c_void_p, c_size_t, c_void_p, c_size_t]),
    "weft_copy": (
        c_int,
        [_TYPE, c_size_t, c_void_p, _TYPE, c_size_t, c_void_p, c_size_t, c_size_t],
    ),
}
_MEMORY = [c_void_p, _TYPE, c_size_t, c_void_p]
_NET_CALLS: dict[str, tuple[Any, list[Any]]] = {
    "weft_open": (c_int, [_OUT]),
    "weft_close": (None, [c_void_p]),
    "weft_rank": (c_int, [c_void_p]),
    "weft_size": (c_int, [c_void_p]),
    "weft_isend": (c_int, [*_MEMORY, _Int, _Int, _OUT]),
    "weft_irecv": (c_int, [*_MEMORY, _Int, _Int, _OUT]),
    "weft_iput": (c_int, [*_MEMORY, _Int, c_uint64, c_size_t, _OUT]),
    "weft_iget": (c_int, [*_MEMORY, _Int, c_uint64, c_size_t, _OUT]),
    "weft_expose": (c_int, [*_MEMORY, POINTER(c_uint64)]),
    "weft_withdraw": (c_int, [c_void_p, c_uint64]),
    "weft_wait": (c_int, [_OUT, c_int, POINTER(Status)]),
    "weft_test": (c_int, [_OUT, POINTER(Status)]),
    "weft_cancel": (c_int, [c_void_p]),
}


class Error(Exception):
    """An error of Weft: `code` is its number, `name` that of weft.h."""

    def __init__(self, code: int) -> None:
        library = types()
        self.code = code
        self.name: str = library.weft_error_name(code).decode()
        super().__init__(f"{self.name}: {library.weft_error_text(code).decode()}")


TIMEOUT = -15
"""The code of WEFT_ERR_TIMEOUT."""


def check(code: int) -> None:
    """Raises what a call has answered with, unless it is well."""
    if code != 0:
        raise Error(code)


def _load(name: str, calls: dict[str, tuple[Any, list[Any]]]) -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(name)
    except OSError as reason:
        raise ImportError(
            f"{name} cannot be loaded ({reason}): install Weft, and run ldconfig or name the "
            "folder of its libraries in LD_LIBRARY_PATH"
        ) from None
    for call, (result, arguments) in calls.items():
        function = getattr(library, call)
        function.restype = result
        function.argtypes = arguments
    return library


@functools.cache
def types() -> ctypes.CDLL:
    """libweft, which every program needs."""
    return _load("libweft.so.0", _TYPE_CALLS)


@functools.cache
def network() -> ctypes.CDLL:
    """libweft_net, which is only loaded by programs that open a net."""
    return _load("libweft_net.so.0", _NET_CALLS)


def version() -> str:
    """The version of the library that is loaded."""
    answer: str = types().weft_version().decode()
    return answer
