#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ability.py SEED WEFT OPTION... PROGRAM...: becomes `weft run` of the program, as one rank of a
job in which each has settings of its own: they follow from the seed and the rank. So what one side
sends by ticket the other would have packed, and now and then a rank is without Weft. What the
caller has set stays as it is."""

import os
import random
import sys

SETTINGS = {
    'WEFT_CHUNK': ['1000', '16K', '256K'],
    'WEFT_CHUNKS': ['1', '4'],
    'WEFT_DIRECT': ['0', '64', '64K'],
    'WEFT_LONG_LIST': ['0', '6', '256'],
    'WEFT_REQUESTS': ['1', '4', '8192'],
    'WEFT_TICKET': ['64', '256', '256', '1000', '8K'],
    'WEFT_UNEXPECTED': ['0', '4K', '4M'],
    'WEFT_WAY': ['auto', 'native', 'packed', 'pulled', 'random', 'random'],
}
# All must have the same.
EAGER = ['0', '500', '2000', '64K']
# Where there are shared heaps, most is to be copied there.
WITH_HEAPS = {
    'WEFT_LONG_LIST': ['256', '1M'],
    'WEFT_REQUESTS': ['16', '8192'],
    'WEFT_TICKET': ['64', '256'],
    'WEFT_TOGETHER_LEAST': ['0', '0', '128K'],
    'WEFT_WAY': ['auto', 'random', 'together', 'together', 'together'],
}
ONE_IN_WITHOUT = 16


def rank_of(environment):
    names = ('OMPI_COMM_WORLD_RANK', 'PMI_RANK')
    return int(next(environment[name] for name in names if name in environment))


def main():
    seed, weft, *rest = sys.argv[1:]
    os.environ.setdefault('WEFT_EAGER', random.Random(seed).choice(EAGER))
    draw = random.Random(f'{seed} {rank_of(os.environ)}')
    has_heap = os.environ.get('WEFT_SHARED_HEAP') == '1'
    for name, values in {**SETTINGS, **(WITH_HEAPS if has_heap else {})}.items():
        os.environ.setdefault(name, draw.choice(values))
    if draw.randrange(ONE_IN_WITHOUT) == 0:
        os.environ.setdefault('WEFT_DISABLE', '1')
    os.execv(weft, [weft, 'run', *rest])


if __name__ == '__main__':
    main()
