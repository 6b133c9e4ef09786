#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: transposes.py WEFT [--mpi openmpi|mpich] [--ranks N] [--rounds N] [--longest N]
       [--shortest N] [--shared-heap] [--fft]

Transposes of a cube of numbers, of doubles and of complex ones, by MPI_Alltoallw of subarrays, by
MPI_Alltoall of vectors and packed by hand, as MPI does it and under `WEFT run`, in turns; of each
the median of N rounds (3). With --fft those of mpi4py-fft instead, with the MPI that it was built
for. Microseconds.
"""

import os
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True
from alternately import HERE, TITLES, compile_for, measure, options_of, show  # beside this file


def parse():
    parser = options_of(__doc__, rounds=3)
    parser.add_argument('--ranks', type=int, action='append', help='(2 and 4)')
    parser.add_argument('--longest', default='256', help='edge of a cube (256)')
    parser.add_argument('--shortest', default='32', help='(32)')
    parser.add_argument('--shared-heap', action='store_true')
    parser.add_argument('--fft', action='store_true')
    return parser.parse_args()


def main():
    options = parse()
    under_weft = [options.weft, 'run']
    under_weft += ['--shared-heap'] if options.shared_heap else []
    edges = [options.longest, options.shortest]
    for mpi in options.mpi or (['openmpi'] if options.fft else TITLES):
        ratios = []
        for ranks in options.ranks or (2, 4):
            title = f'{TITLES[mpi]}: transposes, {ranks} processes of one host'
            with tempfile.TemporaryDirectory() as folder:
                program = ['/usr/bin/python3', os.path.join(HERE, 'fft.py')] if options.fft else \
                    [compile_for(mpi, 'transposes.c', folder)]
                times = measure([f'mpirun.{mpi}', '-n', str(ranks)], under_weft, program + edges,
                                TITLES[mpi], options.rounds)
            ratios += show(title, ('Transpose', 'Edge'), times)
        print(f'# {TITLES[mpi]}, all: geometric mean {statistics.geometric_mean(ratios):.2f}, '
              f'least {min(ratios):.2f}\n')


main()
