#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""exchange_by_name.py LIBRARY: what exchange.c does, by ctypes: nothing is linked with MPI."""

import ctypes
import sys
from array import array

WIDTH = 3
mpi = ctypes.CDLL(sys.argv[1])
is_open_mpi = hasattr(mpi, 'ompi_mpi_comm_world')
Handle = ctypes.c_void_p if is_open_mpi else ctypes.c_int
ignored = ctypes.c_void_p(0 if is_open_mpi else 1)


def constant(name, number):
    """A predefined handle: the address of an object, or a number."""
    if is_open_mpi:
        return Handle(ctypes.addressof(ctypes.c_char.in_dll(mpi, 'ompi_mpi_' + name)))
    return Handle(number)


world = constant('comm_world', 0x44000000)
double = constant('double', 0x4c00080b)
# Before MPI is initialised, as a table of calls is filled in.
receive, send = mpi.MPI_Recv, mpi.PMPI_Send
mpi.MPI_Init(None, None)
number = ctypes.c_int()
mpi.MPI_Comm_rank(world, ctypes.byref(number))
rank = number.value
mistakes = 0
for rows in (10, 100, 1000, 10000, 100000):
    column = Handle()
    mpi.MPI_Type_vector(rows, 1, WIDTH, double, ctypes.byref(column))
    mpi.MPI_Type_commit(ctypes.byref(column))
    value = [7.0 + i if rank == 0 else 0.0 for i in range(rows)]
    matrix = array('d', [x for i in range(rows) for x in (value[i], -1, -1)])
    memory = ctypes.c_void_p(matrix.buffer_info()[0])
    if rank == 0:
        send(memory, 1, column, 1, rows % 1000, world)
    elif rank == 1:
        receive(memory, 1, column, 0, rows % 1000, world, ignored)
        mistakes += sum(matrix[WIDTH * i] != 7.0 + i for i in range(rows))
        mistakes += sum(x != -1 for x in matrix[1::WIDTH])
    mpi.MPI_Type_free(ctypes.byref(column))
mpi.MPI_Finalize()
print(f'rank {rank}: {mistakes} mistakes')
sys.exit(mistakes != 0)
