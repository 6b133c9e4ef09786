#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: neighbours.py WEFT [--mpi openmpi|mpich] [--rounds N]

Exchanges of 2 to 1,000 columns of doubles at once between two processes (MPI_Irecv, MPI_Isend,
MPI_Waitall), as MPI does them and under `WEFT run`, in turns; of each the median of N rounds (5).
Microseconds for a message.
"""

import argparse
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
from alternately import TITLES, compile_for, measure, show  # beside this file


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.splitlines()[0].removeprefix('usage: '),
        description=__doc__.partition('\n\n')[2], epilog='Needs mpicc.MPI and mpirun.MPI.')
    parser.add_argument('weft')
    parser.add_argument('--mpi', choices=list(TITLES), action='append')
    parser.add_argument('--rounds', type=int, default=5)
    options = parser.parse_args()
    weft = os.path.abspath(shutil.which(options.weft) or options.weft)
    for mpi in options.mpi or TITLES:
        with tempfile.TemporaryDirectory() as folder:
            program = [compile_for(mpi, 'neighbours.c', folder)]
            times = measure([f'mpirun.{mpi}', '-n', '2'], [weft, 'run'], program, TITLES[mpi],
                            options.rounds)
        show(f'{TITLES[mpi]}: pieces of 8 bytes, two processes of one host', ('Messages', 'Bytes'),
             times)


main()
