# SPDX-License-Identifier: BSD-3-Clause
"""Moving bytes between the processes of a job."""

import ctypes
from types import TracebackType
from typing import Any, Optional

from ._layout import Layout, Movable, layout
from ._library import TIMEOUT, Status, check, network

ANY_SOURCE = -1
ANY_TAG = -1
_LONGEST = 2e6  # seconds of a wait: an int of milliseconds has no room for many more


class Request:
    """A transfer under way, whose array must be left alone until it has ended. It is kept until
    then, even if nobody else does."""

    def __init__(self, net: "Net", handle: ctypes.c_void_p, held: Layout) -> None:
        self._net = net
        self._handle = handle
        self._held = held
        self._code: Optional[int] = None
        self._status = Status()
        net._pending.add(self)

    def wait(self, seconds: Optional[float] = None) -> Status:
        """How it ended; raises TimeoutError if it has not after so many seconds."""
        milliseconds = -1 if seconds is None else max(0, round(min(seconds, _LONGEST) * 1000))
        status = self._end(lambda request, end: network().weft_wait(request, milliseconds, end))
        if status is None:
            raise TimeoutError(f"the transfer has not ended within {seconds} s")
        return status

    def test(self) -> Optional[Status]:
        """How it ended, or None if it has not yet."""
        return self._end(lambda request, end: network().weft_test(request, end))

    def cancel(self) -> None:
        """Ends a receive that no message has come for, or a send that has not left. It is still to
        be waited for."""
        self._net._require_open()
        check(network().weft_cancel(self._handle))

    def _end(self, ask: Any) -> Optional[Status]:
        if self._code is None:
            self._net._require_open()
            code = ask(ctypes.byref(self._handle), ctypes.byref(self._status))
            if code == TIMEOUT and self._handle:
                return None
            self._net._pending.discard(self)
            self._code = code
        check(self._code)
        return self._status


class Net:
    """The job of which this process is one. Use it in a `with` statement, or close it."""

    def __init__(self) -> None:
        self._handle = ctypes.c_void_p()
        self._pending: set[Request] = set()
        self._exposed: dict[int, Layout] = {}
        check(network().weft_open(ctypes.byref(self._handle)))
        _open.add(self)

    @property
    def rank(self) -> int:
        """The number of this process, from 0."""
        return int(network().weft_rank(self._require_open()))

    @property
    def size(self) -> int:
        """How many processes there are."""
        return int(network().weft_size(self._require_open()))

    def isend(self, source: Movable, to: int, tag: int = 0) -> Request:
        """Begins to send."""
        return self._begin("weft_isend", layout(source), to, tag)

    def irecv(
        self, target: Movable, source: int = ANY_SOURCE, tag: int = ANY_TAG
    ) -> Request:
        """Begins to receive."""
        return self._begin("weft_irecv", layout(target).require_writable(), source, tag)

    def send(self, source: Movable, to: int, tag: int = 0) -> None:
        """Sends, and returns when the array may be used again."""
        self.isend(source, to, tag).wait()

    def recv(self, target: Movable, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Status:
        """Receives the first message that fits; it may be shorter than the array."""
        return self.irecv(target, source, tag).wait()

    def expose(self, array: Movable) -> int:
        """Lets others put and get; they need the key that is returned. The array is kept until
        `withdraw`."""
        whole = layout(array).require_writable()
        key = ctypes.c_uint64()
        check(
            network().weft_expose(
                self._require_open(), whole.handle, 1, whole.address, ctypes.byref(key)
            )
        )
        self._exposed[key.value] = whole
        return key.value

    def withdraw(self, key: int) -> None:
        """From now on nobody touches the array."""
        check(network().weft_withdraw(self._require_open(), key))
        self._exposed.pop(key, None)

    def put(self, source: Movable, target: int, key: int, offset: int = 0) -> None:
        """Puts an array into bytes of a layout that another process exposes, from `offset` on."""
        self._begin("weft_iput", layout(source), target, key, offset).wait()

    def get(self, into: Movable, target: int, key: int, offset: int = 0) -> None:
        """Gets as many bytes as the array has."""
        self._begin("weft_iget", layout(into).require_writable(), target, key, offset).wait()

    def close(self) -> None:
        """Leaves the job. Messages that were sent are delivered first; all else ends."""
        handle, self._handle = self._handle, ctypes.c_void_p()
        network().weft_close(handle)
        self._pending.clear()
        self._exposed.clear()
        _open.discard(self)

    def __enter__(self) -> "Net":
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def _require_open(self) -> ctypes.c_void_p:
        if not self._handle:
            raise ValueError("the net is closed")
        return self._handle

    def _begin(self, call: str, whole: Layout, *where: int) -> Request:
        request = ctypes.c_void_p()
        check(
            getattr(network(), call)(
                self._require_open(), whole.handle, 1, whole.address, *where,
                ctypes.byref(request),
            )  # fmt: skip
        )
        return Request(self, request, whole)


# The arrays of transfers live as long as a net is open, though nobody may have it any more.
_open: set[Net] = set()


def open() -> Net:
    """Joins the job that a launcher, or WEFT_RANK and WEFT_SIZE, have made this process a part of;
    returns when all its processes have."""
    return Net()
