#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: neighbours.py WEFT [--mpi openmpi|mpich] [--rounds N]

Exchanges of 2 to 1,000 columns of doubles at once between two processes (MPI_Irecv, MPI_Isend,
MPI_Waitall), as MPI does them and under `WEFT run`, in turns; of each the median of N rounds (5).
Microseconds for a message.
"""

import sys
import tempfile

sys.dont_write_bytecode = True
from alternately import TITLES, compile_for, measure, options_of, show  # beside this file


def main():
    options = options_of(__doc__, rounds=5).parse_args()
    for mpi in options.mpi or TITLES:
        with tempfile.TemporaryDirectory() as folder:
            program = [compile_for(mpi, 'neighbours.c', folder)]
            times = measure([f'mpirun.{mpi}', '-n', '2'], [options.weft, 'run'], program,
                            TITLES[mpi], options.rounds)
        show(f'{TITLES[mpi]}: pieces of 8 bytes, two processes of one host', ('Messages', 'Bytes'),
             times)


main()
