#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: start_up.py WEFT [RANKS...]

What Weft costs each process of an MPI program that has started, and sent one column to its
neighbour: memory of its own and time of MPI_Init, without Weft and with it, by turns. Prints means
of all ranks and of three turns. Needs Open MPI and mpi4py.
"""

import os
import re
import statistics
import subprocess
import sys
import time

TURNS = 3
DEFAULT_RANKS = (2, 4, 8, 16, 32, 64)
LIMIT = 300


def be_rank():
    import mpi4py
    mpi4py.rc.initialize = mpi4py.rc.threads = False
    from mpi4py import MPI
    begin = time.monotonic()
    MPI.Init()
    seconds = time.monotonic() - begin
    world = MPI.COMM_WORLD
    rows = 4096
    column = MPI.DOUBLE.Create_vector(rows, 1, 2).Commit()
    out, arriving = bytearray(16 * rows), bytearray(16 * rows)
    world.Sendrecv([out, 1, column], (world.rank + 1) % world.size, 0, [arriving, 1, column],
                   (world.rank - 1) % world.size, 0)
    with open('/proc/self/status', encoding='ascii') as file:
        status = file.read()
    own = int(re.search(r'RssAnon:\s+(\d+) kB', status)[1])
    all_of_it = world.gather((own, seconds))
    if world.rank == 0:
        print(*(statistics.mean(column) for column in zip(*all_of_it)))
    MPI.Finalize()


def run(ranks, prefix):
    environment = dict(os.environ, OMPI_MCA_mpi_yield_when_idle='1',
                       OMPI_MCA_rmaps_base_oversubscribe='1', WEFT_TICKET='256')
    result = subprocess.run(['mpirun.openmpi', '-n', str(ranks), *prefix, sys.executable, __file__],
                            env=environment, stdout=subprocess.PIPE, text=True, timeout=LIMIT,
                            check=True)
    return [float(word) for word in result.stdout.split()]


def main():
    weft = os.path.abspath(sys.argv[1])
    print('# ranks    KiB without    with    more   ms without    with')
    for ranks in [int(word) for word in sys.argv[2:]] or DEFAULT_RANKS:
        turns = [(run(ranks, []), run(ranks, [weft, 'run'])) for _ in range(TURNS)]
        without, with_it = ([statistics.mean(column) for column in zip(*part)]
                            for part in zip(*turns))
        print(f'{ranks:7} {without[0]:14.0f} {with_it[0]:7.0f} {with_it[0] - without[0]:7.0f} '
              f'{1e3 * without[1]:12.0f} {1e3 * with_it[1]:7.0f}', flush=True)


if 'OMPI_COMM_WORLD_RANK' in os.environ:
    be_rank()
elif len(sys.argv) < 2:
    sys.exit(__doc__)
else:
    main()
