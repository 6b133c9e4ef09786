#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: hindsight.py WEFT [OPTION OF weft bench mpi]...

Was each kind of message sent the best way, as it is known afterwards? Measures all cells with the
way chosen by Weft, and with each way forced (WEFT_WAY), and prints for each cell how many times as
long the chosen way takes as the fastest single one. Each run measures MPI beside Weft, in turns,
and only ratios to MPI are compared, so a machine that changes between the runs matters little.

What a message takes is a median, without trials. What these cost is in choice_test, exactly.
"""

import json
import math
import os
import subprocess
import sys

BAR = 1.02
FORCED = ('native', 'packed', 'pulled')
FIRST_COURSES = ('one_way', 'exchange')


def measure(weft, options, way):
    """Weft's time by MPI's, by MPI, cell and size."""
    result = subprocess.run([weft, 'bench', 'mpi', '--json', '--one-way', *options],
                            env=dict(os.environ, WEFT_WAY=way), stdout=subprocess.PIPE, check=True)
    ratios = {}
    for mpi in json.loads(result.stdout)['mpis']:
        for cell in mpi['cells']:
            name = (mpi['mpi'], cell['part'], cell['send'], cell['bytes'])
            times = next(cell['mpi'][course] for course in FIRST_COURSES if course in cell['mpi'])
            ratios[name] = 1 / times['to_weft']
    return ratios


def regrets(chosen, forced):
    """How many times as long as the fastest single way, and which that is."""
    for name, ratio in chosen.items():
        best = min(FORCED, key=lambda way, name=name: forced[way][name])
        yield name, best, ratio / forced[best][name]


def main():
    if '--help' in sys.argv:
        print(__doc__, end='')
        return 0
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        print(__doc__.split('\n', maxsplit=1)[0], file=sys.stderr)
        return 2
    weft, *options = sys.argv[1:]
    chosen = measure(weft, options, 'auto')
    forced = {way: measure(weft, options, way) for way in FORCED}
    found = list(regrets(chosen, forced))
    print(f'# {"mpi":8} {"part":11} {"layout":24} {"bytes":>9} {"best":>8} {"chosen/best":>12}')
    for (mpi, part, layout, size), best, regret in found:
        print(f'{mpi:10} {part:11} {layout:24} {size:9} {best:>8} {regret:12.3f}')
    mean = math.exp(sum(math.log(regret) for *_, regret in found) / len(found))
    name, _, most = max(found, key=lambda entry: entry[2])
    verdict = 'holds ' if most <= BAR else 'missed'
    print(f'\n{verdict}   chosen / best, most: {most:.3f} (the bar: at most {BAR}), '
          f'{name[2]} of {name[3]} bytes with {name[0]}; mean {mean:.3f}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
