#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: costs.py COUNT_HANDLERS [NAME...]

Counts with valgrind's callgrind what the handlers of each strategy take for a packet of 2 KiB, for
the layouts whose names begin with a NAME (those of ddtbench, if there is none), and prints a table
and TAP. On a NIC, copying is the work of the DMA engine; here seek copies in its kernels and the
others call memcpy, so what these take without it is said too.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

DDTBENCH = ['wrf_x_', 'wrf_y_', 'milc_', 'lu_', 'mg_', 'fft2_', 'specfem_', 'lammps_']
VECTOR = 'vec64'
MOST_OF_SPECIALIZED = 1.3
MOST_OF_IN_ORDER = 1.1
STRATEGIES = ['seek', 'specialized', 'hpu-local', 'ro-cp', 'rw-cp']


class Case:
    def __init__(self, line, profile):
        self.layout, self.strategy, self.order, *numbers = line.split('\t')
        self.packets, self.size, self.image, self.head = (int(n) for n in numbers[:4])
        total, copied = costs(profile)
        self.each = total / self.packets if self.packets else None
        self.bare = (total - copied) / self.packets if self.packets else None


def costs(profile):
    """All instructions, and those of memcpy."""
    total = copied = 0
    function = ''
    is_call = False
    for line in profile.split('\n'):
        if line.startswith('fn='):
            function = line[3:]
        elif line.startswith('calls='):
            is_call = True
        elif re.match(r'[\d+*-]', line):
            if not is_call:
                cost = int(line.split()[-1])
                total += cost
                if re.search('mem(cpy|move)', function):
                    copied += cost
            is_call = False
    return total, copied


def measure(program, names):
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            ['valgrind', '--tool=callgrind', f'--callgrind-out-file={folder}/out',
             '--compress-strings=no', '--toggle-collect=handle_one_packet',
             '--dump-after=case_is_over', program, *names],
            capture_output=True, text=True, check=False,
            env=dict(os.environ, LD_BIND_NOW='1'))  # or the first memcpy costs a thousand
        if result.returncode:
            raise RuntimeError(result.stderr)
        cases = {}
        for number, line in enumerate(result.stdout.splitlines(), 1):
            with open(os.path.join(folder, f'out.{number}'), encoding='utf-8') as file:
                case = Case(line, file.read())
            cases.setdefault(case.layout, {})[case.strategy, case.order] = case
        return cases


def number(value):
    return '-' if value is None else f'{value:.0f}'


def print_instructions(cases):
    print('# instructions of a packet of 2 KiB (in brackets: without memcpy), in order')
    print('# ' + f'{"layout":25}' + ''.join(f'{name:>17}' for name in STRATEGIES))
    for layout, of in cases.items():
        row = ''
        for name in STRATEGIES:
            case = of[name, 'in order']
            bare = '' if name == 'seek' or case.each is None else f' ({case.bare:.0f})'
            row += f'{number(case.each) + bare:>17}'
        print(f'# {layout:25}{row}')


def print_arrival(cases):
    print('# shuffled packets, by the instructions of packets in order')
    print('# ' + f'{"layout":25}' + ''.join(f'{name:>17}' for name in STRATEGIES))
    for layout, of in cases.items():
        row = ''
        for name in STRATEGIES:
            each, shuffled = of[name, 'in order'].each, of[name, 'shuffled'].each
            row += f'{shuffled / each:>17.3f}' if each else f'{"-":>17}'
        print(f'# {layout:25}{row}')


def print_memory(cases):
    print('# bytes of NIC memory: shared by all receives of the type + for each receive')
    print('# ' + f'{"layout":25}{"message":>10}' + ''.join(f'{name:>17}' for name in STRATEGIES))
    for layout, of in cases.items():
        row = f'{of["seek", "in order"].size:>10}'
        for name in STRATEGIES:
            case = of[name, 'in order']
            needs = '-' if case.each is None else f'{case.image} + {case.head}'
            row += f'{needs:>17}'
        print(f'# {layout:25}{row}')


def memory(case):
    return case.image + case.head


def checks(cases):
    """What must hold, and where it does not."""
    bench = {layout: of for layout, of in cases.items() if layout != VECTOR}
    if VECTOR in cases:
        of = cases[VECTOR]
        ratio = of['seek', 'in order'].each / of['specialized', 'in order'].each
        yield (f'{VECTOR}: seek takes {ratio:.2f} of specialized, at most {MOST_OF_SPECIALIZED}',
               [] if ratio <= MOST_OF_SPECIALIZED else [VECTOR])
    yield (f'seek takes fewer instructions than rw-cp: {len(bench)} layouts',
           [layout for layout, of in bench.items()
            if of['seek', 'in order'].each >= of['rw-cp', 'in order'].each])
    yield (f'seek takes less NIC memory than rw-cp: {len(bench)} layouts',
           [layout for layout, of in bench.items()
            if memory(of['seek', 'in order']) >= memory(of['rw-cp', 'in order'])])
    yield (f'seek: shuffled packets take at most {MOST_OF_IN_ORDER} of those in order',
           [layout for layout, of in cases.items()
            if of['seek', 'shuffled'].each > MOST_OF_IN_ORDER * of['seek', 'in order'].each])


def main():
    if not shutil.which('valgrind'):
        print('1..0 # SKIP valgrind is not installed')
        return 0
    cases = measure(sys.argv[1], sys.argv[2:] or [VECTOR, *DDTBENCH])
    print_instructions(cases)
    print_arrival(cases)
    print_memory(cases)
    failed = False
    made = list(checks(cases))
    print(f'1..{len(made)}')
    for position, (what, exceptions) in enumerate(made, 1):
        print(f'{"not ok" if exceptions else "ok"} {position} - {what}')
        for layout in exceptions:
            print(f'# not so: {layout}')
        failed |= bool(exceptions)
    return failed


if __name__ == '__main__':
    sys.exit(main())
