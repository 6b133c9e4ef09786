#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What exchange.c does, with mpi4py."""

import sys
from array import array

from mpi4py import MPI

WIDTH = 3
rank = MPI.COMM_WORLD.rank
mistakes = 0
for rows in (10, 100, 1000, 10000, 100000):
    column = MPI.DOUBLE.Create_vector(rows, 1, WIDTH).Commit()
    value = [7.0 + i if rank == 0 else 0.0 for i in range(rows)]
    matrix = array('d', [x for i in range(rows) for x in (value[i], -1, -1)])
    if rank == 0:
        MPI.COMM_WORLD.Send([matrix, 1, column], dest=1, tag=rows % 1000)
    elif rank == 1:
        MPI.COMM_WORLD.Recv([matrix, 1, column], source=0, tag=rows % 1000)
        mistakes += sum(matrix[WIDTH * i] != 7.0 + i for i in range(rows))
        mistakes += sum(x != -1 for x in matrix[1::WIDTH])
    column.Free()
print(f'rank {rank}: {mistakes} mistakes')
sys.exit(mistakes != 0)
