#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: fft.py LONGEST SHORTEST

The exchanges of parallel Fourier transforms of cubes by mpi4py-fft, there and back, as
transposes.py runs them. Each line is an exchange, the edge of the cube and microseconds. What comes
back is compared with what went.
"""

import statistics
import sys
import time

import numpy
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

SETTLING, TURNS = 100, 9
SETTLING_SECONDS, TURN_SECONDS = 2.0, 0.01
comm = MPI.COMM_WORLD


def time_of(run, times):
    """Seconds of one run, of the slowest process."""
    comm.Barrier()
    began = time.perf_counter()
    for _ in range(times):
        run()
    return comm.allreduce(time.perf_counter() - began, MPI.MAX) / times


def measure(run):
    """The median of all turns, once all is as it will stay."""
    once = settled = time_of(run, 1)
    for _ in range(0, SETTLING, 4):
        if settled < SETTLING_SECONDS:
            once = time_of(run, 4)
            settled += 4 * once
    times = max(1, int(TURN_SECONDS / once))
    return statistics.median(time_of(run, times) for _ in range(TURNS))


def exchange(edge, is_slab):
    """All exchanges of a transform, forward and back."""
    fft = PFFT(comm, (edge, edge, edge), axes=(0, 1, 2), dtype='D', slab=is_slab)
    before = newDistArray(fft, False)
    before[:] = numpy.random.RandomState(comm.rank).rand(*before.shape)
    after = fft.backward(fft.forward(before.copy())).copy()
    worst = comm.allreduce(float(numpy.abs(after - before).max()), MPI.MAX)
    assert worst < 1e-12, worst
    pairs = []
    for transfer in fft.transfer:
        there = numpy.zeros(transfer.subshapeA, transfer.dtype)
        back = numpy.zeros(transfer.subshapeB, transfer.dtype)
        there[:] = numpy.random.RandomState(comm.rank).rand(*there.shape)
        pairs.append((transfer, there, back))

    def run():
        for transfer, there, back in pairs:
            transfer.forward(there, back)
            transfer.backward(back, there)
    seconds = measure(run)
    if comm.rank == 0:
        print(f'{"slabs" if is_slab else "pencils"} {edge} {seconds * 1e6:.3f}')
    fft.destroy()


edge = int(sys.argv[2])
while edge <= int(sys.argv[1]):
    exchange(edge, True)
    exchange(edge, False)
    edge *= 2
