#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What start.c does, with mpi4py."""

import sys
from array import array

from mpi4py import MPI

WIDTH = 3
rank, size = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
left, right = (rank - 1) % size, (rank + 1) % size


def matrix(sender, rows):
    return array('d', [x for i in range(rows) for x in (1000.0 * sender + i, -1, -1)])


mistakes = 0
for rows in (20, 200, 2000, 20000):
    column = MPI.DOUBLE.Create_vector(rows, 1, WIDTH).Commit()
    out, into = matrix(rank, rows), array('d', [-1]) * (WIDTH * rows)
    requests = [MPI.COMM_WORLD.Irecv([into, 1, column], source=left),
                MPI.COMM_WORLD.Isend([out, 1, column], dest=right)]
    MPI.Request.Waitall(requests)
    mistakes += sum(a != b for a, b in zip(into, matrix(left, rows)))
    column.Free()
print(f'rank {rank}: {mistakes} mistakes', flush=True)
sys.exit(mistakes != 0)
