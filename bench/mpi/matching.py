#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: matching.py WEFT [--ranks N] [KEY=VALUE...]

What would NICs that match messages save these programs? Table 5c of [sPIN17], with programs that
everybody has: LAMMPS, ScaLAPACK and Quantum ESPRESSO of Debian (lammps, scalapack-mpi-test,
quantum-espresso and its data), those that are installed, and a halo exchange. Each is recorded
(weft run --record) and its record simulated (weft sim goal, model spin17-int-costs, with the keys
that are given here):

cost      the part of the time that is left over if messages cost nothing
matching  faster by, if NICs take the messages between two ranks, as in the paper
all       faster by, if NICs also do collectives, and begin what waits for no computation

Needs Open MPI, and an idle host: computations are measured by the time that they had a processor,
but on a busy one that is longer, and messages cost less beside it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, '../../tests/mpi/programs')
SCALAPACK = '/usr/lib/x86_64-linux-gnu/scalapack/openmpi-tests'
PSEUDOPOTENTIAL = 'Si.pz-vbc.UPF'
FREE = [key + '=0' for key in ('latency', 'overhead', 'gap', 'gap-per-byte', 'matching')]
LIMIT = 600  # seconds of a program

# Of the paper: ranks, per cent of the time in messages between two, messages, faster by per cent.
PAPER = (('MILC', 64, 5.5, 5743212, 3.6), ('POP', 64, 3.1, 772063149, 0.7),
         ('coMD', 72, 6.1, 5337575, 3.7), ('Cloverleaf', 72, 5.2, 2677705, 2.8))

# A message between two ranks; the comment of others names their collective.
BETWEEN_TWO = re.compile(r'^(l\d+: )send (\d+b to \d+ tag -?\d+\b)(?! // MPI_[A-Z][a-z])', re.M)


def espresso(folder):
    listed = subprocess.run(['dpkg', '-L', 'quantum-espresso-data'], capture_output=True, text=True,
                            check=False).stdout.split()
    found = [path for path in listed if os.path.basename(path).startswith(PSEUDOPOTENTIAL)]
    if not shutil.which('pw.x') or not found:
        return None
    with open(os.path.join(folder, PSEUDOPOTENTIAL), 'wb') as out:
        reader = 'zcat' if found[0].endswith('.gz') else 'cat'
        subprocess.run([reader, found[0]], stdout=out, check=True)
    return ['pw.x', '-in', os.path.join(PROGRAMS, 'silicon.in')]


def programs(folder, ranks):
    """Name, ranks, folder and command of each that is there."""
    if shutil.which('lmp'):
        yield ('LAMMPS', ranks, folder,
               ['lmp', '-in', os.path.join(PROGRAMS, 'melt.lammps'), '-log', 'none'])
    for test in ('xdlu', 'xdqr'):  # their files have grids of four
        if os.path.exists(os.path.join(SCALAPACK, test)):
            yield 'ScaLAPACK ' + test, 4, SCALAPACK, ['./' + test]
    command = espresso(folder)
    if command:
        yield 'Quantum ESPRESSO', 4, folder, command
    yield 'halo', ranks, folder, ['/usr/bin/python3', os.path.join(HERE, 'halo.py')]


def record(weft, path, ranks, folder, command):
    environment = dict(os.environ, OMPI_MCA_mpi_yield_when_idle='1',
                       OMPI_MCA_rmaps_base_oversubscribe='1', OMP_NUM_THREADS='1',
                       WEFT_RECORD_CLOCK='processor')
    subprocess.run(['mpirun.openmpi', '-n', str(ranks), weft, 'run', '--record', path, *command],
                   cwd=folder, env=environment, timeout=LIMIT, check=True,
                   stdout=subprocess.DEVNULL)


def match_by_nics(path, changed):
    """Returns how many messages there are between two ranks."""
    with open(path, encoding='utf-8') as file:
        text, count = BETWEEN_TWO.subn(r'\1put \2', file.read())
    with open(changed, 'w', encoding='utf-8') as file:
        file.write(text)
    return count


def simulate(weft, path, keys):
    result = subprocess.run([weft, 'sim', 'goal', path, '--model', 'spin17-int-costs', '--json',
                             *keys], stdout=subprocess.PIPE, check=True)
    return json.loads(result.stdout)['points'][0]


def faster(before, after):
    return 100 * (before['us'] / after['us'] - 1)


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0].startswith('-'):
        sys.exit(__doc__)
    weft, keys, ranks = os.path.abspath(arguments[0]), arguments[1:], 16
    if keys[:1] == ['--ranks']:
        ranks, keys = int(keys[1]), keys[2:]
    print('# program           ranks  seconds  cost %  messages    events  matching %   all %')
    with tempfile.TemporaryDirectory() as folder:
        path, changed = os.path.join(folder, 'goal'), os.path.join(folder, 'matched')
        for name, count, place, command in programs(folder, ranks):
            record(weft, path, count, place, command)
            if not os.path.exists(path):
                continue  # Weft has said why
            messages = match_by_nics(path, changed)
            cpus, free = simulate(weft, path, keys), simulate(weft, path, FREE)
            nics = simulate(weft, changed, keys)
            alone = simulate(weft, path, [*keys, 'offload=yes'])
            print(f'{name:18} {count:6} {cpus["us"] / 1e6:8.3f} '
                  f'{100 * (1 - free["us"] / cpus["us"]):7.2f} {messages:9} {cpus["events"]:9} '
                  f'{faster(cpus, nics):11.2f} {faster(cpus, alone):7.2f}', flush=True)
            os.remove(path)
    for name, count, cost, messages, gain in PAPER:
        print(f'{name + ", paper":18} {count:6} {"":8} {cost:7.2f} {messages:9} {"":9} '
              f'{gain:11.2f}')


main()
