# SPDX-License-Identifier: BSD-3-Clause
"""A program without Weft and under `weft run`, in turns. Each line that it prints is what it has
done, a number such as a size, and microseconds."""

import argparse
import os
import shutil
import statistics
import subprocess
import sys

TITLES = {'openmpi': 'Open MPI', 'mpich': 'MPICH'}
HERE = os.path.dirname(os.path.abspath(__file__))


def options_of(text, rounds):
    """A parser of the options that all such benchmarks have; the text is that of their head."""
    usage, _, description = text.partition('\n\n')
    parser = argparse.ArgumentParser(usage=usage.removeprefix('usage: '), description=description,
                                     epilog='Needs mpicc.MPI and mpirun.MPI.')
    parser.add_argument('weft', type=lambda name: os.path.abspath(shutil.which(name) or name))
    parser.add_argument('--mpi', choices=list(TITLES), action='append')
    parser.add_argument('--rounds', type=int, default=rounds)
    return parser


def compile_for(mpi, source, folder):
    """The path of a program of this folder."""
    program = os.path.join(folder, f'{source.removesuffix(".c")}.{mpi}')
    subprocess.run([f'mpicc.{mpi}', '-O2', '-w', '-o', program, os.path.join(HERE, source)],
                   check=True)
    return program


def run(command):
    """Of each cell the time."""
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True,
                          timeout=1200).stdout
    words = (line.split() for line in said.splitlines())
    return {(what, int(size)): float(time) for what, size, time in words}


def measure(job, under_weft, program, title, rounds):
    """Of each cell the times without Weft and with it. All commands are lists of words."""
    times = {}
    for number in range(rounds):
        for which, command in enumerate((job + program, job + under_weft + program)):
            print(f'\r{title}: round {number + 1} of {rounds} ', end='', file=sys.stderr)
            for cell, time in run(command).items():
                times.setdefault(cell, ([], []))[which].append(time)
    print('\r' + ' ' * 60 + '\r', end='', file=sys.stderr)
    return times


def show(title, heads, times):
    """A table, with the geometric mean of all ratios at its end, which are returned."""
    print(f'# {title} (us)')
    print(f'# {heads[0]:26} {heads[1]:>8} {"MPI":>12} {"Weft":>12} {"MPI/W":>7}')
    ratios = []
    for (what, size), (alone, under) in times.items():
        alone, under = statistics.median(alone), statistics.median(under)
        ratios.append(alone / under)
        print(f'{what:28} {size:8} {alone:12.2f} {under:12.2f} {ratios[-1]:7.2f}')
    print(f'# geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}\n')
    return ratios
