#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: halo.py [WIDTH [ROUNDS]]

Two processes, each with half of a grid, exchange the columns at its edge, WIDTH of them: once as
Weft sends views, once through buffers by hand. Prints both times. Start it by

    mpirun -n 2 python3 halo.py
"""

import sys
import time

import numpy
import weft

width = int(sys.argv[1]) if len(sys.argv) > 1 else 2
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 200
with weft.open() as net:
    other = 1 - net.rank
    grid = numpy.full((4096, 4096), float(net.rank))
    if net.rank == 0:
        inner, halo = grid[:, -2 * width : -width], grid[:, -width:]
    else:
        inner, halo = grid[:, width : 2 * width], grid[:, :width]
    buffer = numpy.empty(halo.shape)

    def by_views():
        arriving = net.irecv(halo, other)
        net.send(inner, other)
        arriving.wait()

    def by_hand():
        arriving = net.irecv(buffer, other)
        net.send(numpy.ascontiguousarray(inner), other)
        arriving.wait()
        halo[:] = buffer

    best = {by_views: float("inf"), by_hand: float("inf")}
    for _ in range(rounds):
        for exchange in best:
            halo[:] = -1
            began = time.perf_counter()
            exchange()
            best[exchange] = min(best[exchange], time.perf_counter() - began)
            assert (halo == other).all()
    if net.rank == 0:
        views, hand = best[by_views] * 1e6, best[by_hand] * 1e6
        print(f"views {views:.1f} us, by hand {hand:.1f} us: {hand / views:.2f} times as fast")
