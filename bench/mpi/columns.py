#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: columns.py WEFT [--mpi openmpi|mpich] [--rounds N] [--columns N] [--calls TEXT]

A column of a matrix of doubles, or N that lie beside one another (up to 32), by collectives,
one-sided communication and files between two processes, as MPI does it and under `WEFT run`, in
turns; of each the median of N rounds (5). Microseconds. TEXT: only calls whose names have it.
"""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
from alternately import TITLES, compile_for, measure, options_of, show  # beside this file


def main():
    parser = options_of(__doc__, rounds=5)
    parser.add_argument('--columns', type=int, default=1)
    parser.add_argument('--calls', default='')
    options = parser.parse_args()
    for mpi in options.mpi or TITLES:
        with tempfile.TemporaryDirectory() as folder:
            program = [compile_for(mpi, 'columns.c', folder), os.path.join(folder, 'file'),
                       str(options.columns), options.calls]
            times = measure([f'mpirun.{mpi}', '-n', '2'], [options.weft, 'run'], program,
                            TITLES[mpi], options.rounds)
        pieces = 8 * options.columns
        show(f'{TITLES[mpi]}: pieces of {pieces} bytes, two processes of one host',
             ('Call', 'Bytes'), times)


main()
