#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: hindsight.py WEFT [--turns N] [OPTION OF weft bench mpi]...

Was each kind of message sent the best way, as it is known afterwards? Measures all cells with the
way chosen by Weft, and with each way forced (WEFT_WAY), N times in turns (3), and prints for each
cell how many times as long the chosen way takes as the fastest single one: the median of the
turns, the least and the most of them. Each run measures MPI beside Weft, in turns, and only ratios
to MPI are compared, so a machine that changes between the runs matters little.

What a message takes is a median, without trials. What these cost is in choice_test, exactly.

Which way is the fastest is told by the medians of all turns; a least of several noisy times would
be a regret that nobody has. A cell is missed if its median is above the bar, and missed for
certain if all its turns are.
"""

import json
import math
import os
import statistics
import subprocess
import sys

BAR = 1.02
TURNS = 3
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


def measure_in_turns(weft, options, turns):
    """The ratios of all turns, by way."""
    ratios = {way: [] for way in ('auto', *FORCED)}
    for turn in range(turns):
        for way, found in ratios.items():
            print(f'turn {turn + 1} of {turns}: {way}', file=sys.stderr)
            found.append(measure(weft, options, way))
    return ratios


def regrets(ratios):
    """For each cell the way that was fastest, and the chosen way's times by its, one a turn."""
    for name in ratios['auto'][0]:
        of_way = {way: [turn[name] for turn in ratios[way]] for way in ratios}
        best = min(FORCED, key=lambda way, of_way=of_way: statistics.median(of_way[way]))
        yield name, best, [chosen / fastest
                           for chosen, fastest in zip(of_way['auto'], of_way[best], strict=True)]


def show(found):
    print(f'# {"mpi":8} {"part":11} {"layout":24} {"bytes":>9} {"best":>8} {"chosen/best":>12} '
          f'{"least":>7} {"most":>7}')
    for (mpi, part, layout, size), best, turns in found:
        print(f'{mpi:10} {part:11} {layout:24} {size:9} {best:>8} '
              f'{statistics.median(turns):12.3f} {min(turns):7.3f} {max(turns):7.3f}')


def judge(found):
    medians = [statistics.median(turns) for *_, turns in found]
    mean = math.exp(statistics.fmean(math.log(median) for median in medians))
    (mpi, _, layout, size), _, worst = max(found, key=lambda cell: statistics.median(cell[2]))
    missed = sum(median > BAR for median in medians)
    certain = sum(min(turns) > BAR for *_, turns in found)
    print(f'\n{"missed" if missed else "holds "}   chosen / best, most: '
          f'{statistics.median(worst):.3f} (the bar: at most {BAR}), {layout} of {size} bytes with '
          f'{mpi}; mean {mean:.3f}; above the bar {missed} of {len(found)} cells, '
          f'{certain} in every turn')


def main():
    if '--help' in sys.argv:
        print(__doc__, end='')
        return 0
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        print(__doc__.split('\n', maxsplit=1)[0], file=sys.stderr)
        return 2
    weft, *options = sys.argv[1:]
    turns = TURNS
    if options[:1] == ['--turns']:
        turns, options = int(options[1]), options[2:]
    found = list(regrets(measure_in_turns(weft, options, turns)))
    show(found)
    judge(found)
    return 0


if __name__ == '__main__':
    sys.exit(main())
