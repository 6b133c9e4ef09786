#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: mpirun -n N halo.py [CELLS [STEPS]]

A grid of CELLS x CELLS x CELLS for each rank, on a torus of all. In each step ranks exchange their
six faces, as types of MPI, and average over neighbouring cells, by which nothing may get lost.
"""

import sys

import mpi4py
import numpy

mpi4py.rc.threads = False  # so that it can be recorded
from mpi4py import MPI

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 48
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 100
torus = MPI.COMM_WORLD.Create_cart(MPI.Compute_dims(MPI.COMM_WORLD.size, 3), [True] * 3)
grid = numpy.random.default_rng(torus.rank).random([cells + 2] * 3)


def face(dimension, place):
    lengths, begin = [cells] * 3, [1] * 3
    lengths[dimension], begin[dimension] = 1, place
    return MPI.DOUBLE.Create_subarray(grid.shape, lengths, begin).Commit()


def total():
    own, whole = numpy.array([grid[1:-1, 1:-1, 1:-1].sum()]), numpy.empty(1)
    torus.Allreduce(own, whole)
    return whole[0]


# Where to, where from; what is sent, and where it is put.
ways = []
for axis in range(3):
    below, above = torus.Shift(axis, 1)
    ways.append((above, below, face(axis, cells), face(axis, 0)))
    ways.append((below, above, face(axis, 1), face(axis, cells + 1)))

before = total()
for step in range(steps):
    requests = [torus.Irecv([grid, 1, ghosts], source, tag)
                for tag, (_, source, _, ghosts) in enumerate(ways)]
    requests += [torus.Isend([grid, 1, own], target, tag)
                 for tag, (target, _, own, _) in enumerate(ways)]
    MPI.Request.Waitall(requests)
    grid[1:-1, 1:-1, 1:-1] = (grid[:-2, 1:-1, 1:-1] + grid[2:, 1:-1, 1:-1] +
                              grid[1:-1, :-2, 1:-1] + grid[1:-1, 2:, 1:-1] +
                              grid[1:-1, 1:-1, :-2] + grid[1:-1, 1:-1, 2:]) / 6
after = total()
sys.exit(int(abs(after / before - 1) > 1e-9))
