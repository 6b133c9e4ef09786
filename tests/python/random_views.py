#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: random_views.py [--seed N] [--count N]

Random dtypes, arrays and slices: what the package packs, unpacks and copies against what NumPy
makes of them. Prints TAP; a failure names the seed that replays it alone.
"""

import argparse
import random
import sys
import traceback

import numpy
import weft

LEAVES = ["i1", "<i2", ">i2", "i4", ">u4", "i8", "u8", "f4", "f8", ">f8", "c8", "c16", "?", "S5",
          "U3", "V7", "M8[s]", "f2", "longdouble"]  # fmt: skip


def random_dtype(rng, depth=0):
    if depth == 2 or rng.random() < 0.6:
        return numpy.dtype(rng.choice(LEAVES))
    fields, at = [], rng.randrange(4)
    for number in range(rng.randint(1, 4)):
        item = random_dtype(rng, depth + 1)
        if rng.random() < 0.3:
            item = numpy.dtype((item, tuple(rng.randint(1, 3) for _ in range(rng.randint(1, 2)))))
        fields.append((f"f{number}", item, at))
        at += item.itemsize + rng.randrange(5)
    rng.shuffle(fields)
    names, formats, offsets = zip(*fields)
    return numpy.dtype({"names": names, "formats": formats, "offsets": offsets,
                        "itemsize": at + rng.randrange(4)})  # fmt: skip


def random_slice(rng, length):
    step = rng.choice([1, 1, 1, 2, 3, -1, -2])
    return slice(rng.randint(-length, length), rng.randint(-length, length), step)


def random_view(rng, array):
    view = array[tuple(random_slice(rng, length) for length in array.shape)]
    if rng.random() < 0.3:
        view = view.transpose(rng.sample(range(view.ndim), view.ndim))
    if view.dtype.names and rng.random() < 0.4:
        chosen = rng.sample(view.dtype.names, rng.randint(1, len(view.dtype.names)))
        view = view[chosen] if len(chosen) > 1 else view[chosen[0]]
    return view


def filled(rng, dtype, shape):
    size = int(numpy.prod(shape, dtype=int)) * dtype.itemsize
    array = numpy.frombuffer(bytearray(rng.randbytes(size)), numpy.uint8)
    return array.view(dtype).reshape(shape)


def without_padding(dtype):
    if dtype.subdtype:
        item, shape = dtype.subdtype
        return numpy.dtype((without_padding(item), shape))
    if dtype.names:
        return numpy.dtype([(name, without_padding(dtype[name])) for name in dtype.names])
    return dtype


def bytes_of(view):
    """NumPy's word: all elements in C order, without the padding of records."""
    return view.astype(without_padding(view.dtype)).tobytes()


def check_pack(rng, view, wanted):
    assert weft.pack(view).tobytes() == wanted
    begin = rng.randint(0, len(wanted))
    length = rng.randint(0, len(wanted) - begin)
    assert weft.pack(view, begin, length).tobytes() == wanted[begin : begin + length]


def check_unpack(rng, array, make, wanted):
    """Bytes in between, and those outside of the range, must stay."""
    begin = rng.randint(0, len(wanted))
    some = rng.randbytes(rng.randint(0, len(wanted) - begin))
    before = array.tobytes()
    weft.unpack(make(array), some, begin)
    expected = wanted[:begin] + some + wanted[begin + len(some) :]
    assert bytes_of(make(array)) == expected
    weft.unpack(make(array), wanted)
    assert array.tobytes() == before


def check_copy(rng, view, wanted):
    target = numpy.zeros((view.size, 3), view.dtype)[:, 1].reshape(view.shape)
    weft.copy(target, view)
    assert bytes_of(target) == wanted


def check_select(rng, array):
    rows = [rng.randint(-array.shape[0], array.shape[0] - 1) for _ in range(rng.randint(0, 6))]
    assert weft.pack(weft.select(array, rows)).tobytes() == bytes_of(array[rows])
    mask = numpy.array([rng.random() < 0.5 for _ in range(array.shape[0])])
    assert weft.pack(weft.select(array, mask)).tobytes() == bytes_of(array[mask])


def run(seed):
    rng = random.Random(seed)
    dtype = random_dtype(rng)
    shape = tuple(rng.randint(1, 7) for _ in range(rng.randint(1, 4)))
    array = filled(rng, dtype, shape)
    state = rng.getstate()

    def make(whole):
        rng.setstate(state)
        return random_view(rng, whole)

    view = make(array)
    wanted = bytes_of(view)
    check_pack(rng, view, wanted)
    check_unpack(random.Random(seed + 1), array, make, wanted)
    check_copy(rng, view, wanted)
    check_select(rng, array)


def main():
    parser = argparse.ArgumentParser(description="random views against NumPy")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100000)
    arguments = parser.parse_args()
    failed = 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        try:
            run(seed)
        except Exception as error:
            failed += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            print(f"# {where.name}: {where.line}")
            print(f"# {type(error).__name__} {error}: random_views.py --seed {seed} --count 1")
    print(f"{'not ok' if failed else 'ok'} 1 - {arguments.count} random views")
    print("1..1")
    return failed > 0


sys.exit(main())
