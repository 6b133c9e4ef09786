#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: exchange.py

Two processes of a job send, receive, put and get views, and are told of their mistakes. Process 0
prints TAP.
"""

import ctypes
import gc
import sys
import threading

import numpy
import weft

RECORD = numpy.dtype(
    {"names": ["x", "id"], "formats": ["f8", "i4"], "offsets": [4, 0], "itemsize": 16}
)
failed = False
checks = 0


def check(what, is_right):
    global checks, failed
    checks += 1
    failed = failed or not is_right
    if net.rank == 0:
        print(f"{'ok' if is_right else 'not ok'} {checks} - {what}", flush=True)


def raises(kind, call):
    try:
        call()
    except kind:
        return True
    return False


def from_zero(what, send, receive):
    """The check is made by process 1, which tells process 0."""
    right = numpy.zeros(1, "i4")
    if net.rank == 0:
        send()
        net.recv(right, 1, 99)
    else:
        right[0] = receive()
        net.send(right, 0, 99)
    check(what, bool(right[0]))


def grid():
    return numpy.arange(48.0).reshape(6, 8)


def square():
    return numpy.arange(1048576.0).reshape(1024, 1024)


def column_to_row():
    into = numpy.zeros((3, 6))
    status = net.recv(into[1], 0, 5)
    is_right = (into[1] == grid()[:, 2]).all() and not into[0].any() and not into[2].any()
    return is_right and (status.source, status.tag, status.bytes) == (0, 5, 48)


def records():
    into = numpy.zeros(9, RECORD)
    net.recv(into[::-3], weft.ANY_SOURCE, weft.ANY_TAG)
    return (into[[8, 5, 2]]["id"] == [1, 2, 3]).all() and not into[[0, 1, 3]]["id"].any()


def send_records():
    sent = numpy.zeros(3, RECORD)
    sent["id"] = [1, 2, 3]
    net.send(sent, 1)


def listed_rows():
    into = numpy.zeros((6, 8))
    net.recv(weft.select(into, [5, 0, -2]), 0)
    return (into[[5, 0, 4]] == grid()[:3]).all() and not into[1:4].any()


def long_view():
    into = numpy.zeros((1024, 1024))
    net.recv(into.T, 0)
    return (into.T == square()).all()


def short_message():
    into = numpy.zeros(10, "i4")
    status = net.recv(into, 0)
    return status.bytes == 8 and (into == [7, 7] + [0] * 8).all()


def too_long_message():
    into = numpy.zeros(1, "i4")
    try:
        net.recv(into, 0)
    except weft.Error as error:
        return error.name == "WEFT_ERR_TRUNCATED" and into[0] == 7
    return False


def forgotten_request():
    """What is under way is kept, though nobody holds the request or the array."""
    net.irecv(numpy.zeros((64, 64))[:, ::2], 0, 7)
    gc.collect()
    net.send(numpy.zeros(1), 0, 8)
    answer = numpy.zeros(1)
    net.recv(answer, 0, 9)
    return answer[0] == 1


def feed_forgotten():
    net.recv(numpy.zeros(1), 1, 8)
    net.send(numpy.ones((64, 32)), 1, 7)
    net.send(numpy.ones(1), 1, 9)


def test_regions():
    shared = numpy.zeros((4, 4))
    key = numpy.zeros(1, "u8")
    if net.rank == 1:
        key[0] = net.expose(shared[:, 1])
        net.send(key, 0)
        net.recv(key, 0)
        check("a put reaches the layout of its target", (shared[:, 1] == [0, 5, 6, 0]).all())
        net.withdraw(int(key[0]))
    else:
        net.recv(key, 1)
        net.put(numpy.array([5.0, 6.0]), 1, int(key[0]), 8)
        back = numpy.zeros(8)[::2]
        net.get(back, 1, int(key[0]))
        check("a put reaches the layout of its target", (back == [0, 5, 6, 0]).all())
        net.send(key, 1)


def test_mistakes():
    frozen = numpy.zeros(4)
    frozen.flags.writeable = False
    same = numpy.broadcast_to(numpy.zeros(1), (3,)).copy()
    same = numpy.lib.stride_tricks.as_strided(same, (3,), (0,))
    check("references to objects are refused",
          raises(TypeError, lambda: net.send(numpy.array([[], None], object), 0)))  # fmt: skip
    check("lists are refused", raises(TypeError, lambda: net.send([1, 2], 0)))
    check("read-only arrays receive nothing", raises(ValueError, lambda: net.irecv(frozen)))
    check("nor do those that have a byte twice", raises(ValueError, lambda: net.irecv(same)))
    check("sizes must agree", raises(ValueError, lambda: weft.copy(numpy.zeros(2), numpy.zeros(3))))
    whole = numpy.zeros(8)
    check("memory is not copied into itself",
          raises(ValueError, lambda: weft.copy(whole[1:5], whole[2:6])))  # fmt: skip
    weft.copy(whole[::2], whole[1::2])
    turned = numpy.arange(16.0).reshape(4, 4)
    weft.unpack(turned.T, turned)
    check("but may be unpacked there",
          (turned.T == numpy.arange(16.0).reshape(4, 4)).all())  # fmt: skip
    check("ranges must be there", raises(ValueError, lambda: weft.pack(whole, 60, 5)))
    check("indices must be there", raises(IndexError, lambda: weft.select(whole, [8])))
    check("nor are they rounded", raises(IndexError, lambda: weft.select(whole, [1.5])))
    check("masks must fit", raises(IndexError, lambda: weft.select(whole, [True, False])))
    check("ranks have 32 bits",
          raises(ctypes.ArgumentError, lambda: net.send(whole, 2**32 + net.rank)))  # fmt: skip
    check("a rank must be there", raises(weft.Error, lambda: net.send(whole, 2)))


def test_waiting():
    nothing = net.irecv(numpy.zeros(1), net.rank, 77)
    check("what has not ended is told so", nothing.test() is None)
    check("a wait has an end", raises(TimeoutError, lambda: nothing.wait(0.01)))
    nothing.cancel()
    check("a receive can be cancelled", raises(weft.Error, nothing.wait))
    check("what has failed has failed, however often one asks", raises(weft.Error, nothing.wait))
    late = net.irecv(numpy.zeros(1), net.rank, 77)
    sender = threading.Timer(0.2, lambda: net.send(numpy.zeros(1), net.rank, 77))
    sender.start()
    check("a wait may be as long as one likes", late.wait(2**32 / 1000).bytes == 8)
    sender.join()  # or it would still use the net that is about to be closed


with weft.open() as net:
    from_zero("a column becomes a row", lambda: net.send(grid()[:, 2], 1, 5), column_to_row)
    from_zero("records arrive without their padding", send_records, records)
    from_zero("rows arrive where a list says", lambda: net.send(grid()[:3], 1), listed_rows)
    from_zero("a long view arrives transposed", lambda: net.send(square(), 1), long_view)
    from_zero("a message may be short", lambda: net.send(numpy.full(2, 7, "i4"), 1), short_message)
    from_zero("a message that is too long is told", lambda: net.send(numpy.full(2, 7, "i4"), 1),
              too_long_message)  # fmt: skip
    from_zero("forgotten requests are kept", feed_forgotten, forgotten_request)
    test_regions()
    test_mistakes()
    test_waiting()
    rank = net.rank
checks += 1
is_told = raises(ValueError, lambda: net.send(numpy.zeros(1), 0))
if rank == 0:
    print(f"{'ok' if is_told else 'not ok'} {checks} - a net that was closed is not used")
    print(f"1..{checks}")
sys.exit(failed or not is_told)
