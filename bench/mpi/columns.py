#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: columns.py WEFT [--mpi openmpi|mpich] [--rounds N]

A column of a matrix by collectives, one-sided communication and files between two processes, as
MPI does it and under `WEFT run`, in turns; of each the median of N rounds (5). Microseconds.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

TITLES = {'openmpi': 'Open MPI', 'mpich': 'MPICH'}
HERE = os.path.dirname(os.path.abspath(__file__))


def run(command):
    """Of each call and size the time."""
    said = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout
    words = (line.split() for line in said.splitlines())
    return {(call, int(size)): float(time) for call, size, time in words}


def measure(mpi, weft, rounds, folder):
    """Of each call and size the times without Weft and with it."""
    program, times = os.path.join(folder, 'columns.' + mpi), {}
    subprocess.run([f'mpicc.{mpi}', '-O2', '-w', '-o', program, os.path.join(HERE, 'columns.c')],
                   check=True)
    job = [f'mpirun.{mpi}', '-n', '2']
    own = [program, os.path.join(folder, 'file')]
    for number in range(rounds):
        for which, command in enumerate((job + own, job + [weft, 'run'] + own)):
            print(f'\r{TITLES[mpi]}: round {number + 1} of {rounds} ', end='', file=sys.stderr)
            for cell, time in run(command).items():
                times.setdefault(cell, ([], []))[which].append(time)
    print('\r' + ' ' * 40 + '\r', end='', file=sys.stderr)
    return times


def show(mpi, times):
    """A table, with the geometric mean of all ratios at its end."""
    print(f'# {TITLES[mpi]}: a column of doubles, two processes of one host (us)')
    print(f'# {"Call":18} {"Bytes":>8} {"MPI":>10} {"Weft":>10} {"MPI/W":>7}')
    ratios = []
    for (call, size), (alone, under) in times.items():
        alone, under = statistics.median(alone), statistics.median(under)
        ratios.append(alone / under)
        print(f'{call:20} {size:8} {alone:10.2f} {under:10.2f} {ratios[-1]:7.2f}')
    print(f'# geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}\n')


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.splitlines()[0].removeprefix('usage: '),
        description=__doc__.partition('\n\n')[2], epilog='Needs mpicc.MPI and mpirun.MPI.')
    parser.add_argument('weft')
    parser.add_argument('--mpi', choices=list(TITLES), action='append')
    parser.add_argument('--rounds', type=int, default=5)
    options = parser.parse_args()
    weft = os.path.abspath(options.weft)
    for mpi in options.mpi or TITLES:
        with tempfile.TemporaryDirectory() as folder:
            show(mpi, measure(mpi, weft, options.rounds, folder))


main()
