#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: hindsight.py WEFT [--turns N] [OPTION OF weft bench mpi]...

Was each kind of message sent the best way, as it is known afterwards? Measures all cells with the
way chosen by Weft, and beside it, in turns of milliseconds, with each way forced (--ways), N times
in new processes (3), and prints for each cell how many times as long the chosen way takes as the
fastest single one: the median of the N, the least and the most of them. New processes, because
where their pages lie makes some cells faster or slower by a factor of up to 1.7, MPI's own too: so
the column "noise" has the same ratio of MPI natively, in two jobs, the greater by the less.

What a message takes is a median, without trials. What these cost is in choice_test, exactly.

Which way is the fastest is told for each of the N by the medians of the others: the least of
several noisy times, held against itself, would be a regret that nobody has. A cell is missed if its
median is above the bar, and missed for certain if all N are. The exit code is 1 if the mean of all
cells is above the bar, or a cell is for certain.
"""

import json
import statistics
import subprocess
import sys

BAR = 1.02
TURNS = 3
WAYS = ('native', 'packed', 'pulled', 'together')
FIRST_COURSES = ('one_way', 'exchange')


def to_weft(times):
    return next(times[course]['to_weft'] for course in FIRST_COURSES if course in times)


def measure(weft, options):
    """By MPI, cell and size: how many times as long as Weft each way takes, and noise."""
    result = subprocess.run([weft, 'bench', 'mpi', '--json', '--one-way', '--ways', *options],
                            stdout=subprocess.PIPE, check=True)
    found = {}
    for mpi in json.loads(result.stdout)['mpis']:
        for cell in mpi['cells']:
            name = (mpi['mpi'], cell['part'], cell['send'], cell['bytes'])
            ratio = to_weft(cell['mpi']) / to_weft(cell['mpi_again'])
            found[name] = ({way: to_weft(cell[way]) for way in WAYS if way in cell},
                           max(ratio, 1 / ratio))
    return found


def measure_in_turns(weft, options, turns):
    found = []
    for turn in range(turns):
        print(f'turn {turn + 1} of {turns}', file=sys.stderr)
        found.append(measure(weft, options))
    return found


def best_of(turns):
    return min(turns[0], key=lambda way: statistics.median(turn[way] for turn in turns))


def regrets(found):
    """For each cell the way that was fastest, the chosen way's times by its, and noise."""
    for name in found[0]:
        turns = [turn[name][0] for turn in found]
        of_others = [best_of(turns[:i] + turns[i + 1:] or turns) for i in range(len(turns))]
        noise = statistics.median(turn[name][1] for turn in found)
        yield (name, best_of(turns),
               [1 / turn[best] for turn, best in zip(turns, of_others, strict=True)], noise)


def show(found):
    print(f'# {"mpi":8} {"part":11} {"layout":24} {"bytes":>9} {"best":>8} {"chosen/best":>12} '
          f'{"least":>7} {"most":>7} {"noise":>7}')
    for (mpi, part, layout, size), best, turns, noise in found:
        print(f'{mpi:10} {part:11} {layout:24} {size:9} {best:>8} '
              f'{statistics.median(turns):12.3f} {min(turns):7.3f} {max(turns):7.3f} '
              f'{noise:7.3f}')


def judge(found):
    """Says whether the bar holds."""
    medians = [statistics.median(turns) for *_, turns, _ in found]
    mean = statistics.geometric_mean(medians)
    (mpi, _, layout, size), _, worst, _ = max(found, key=lambda cell: statistics.median(cell[2]))
    missed = sum(median > BAR for median in medians)
    certain = sum(min(turns) > BAR for *_, turns, _ in found)
    holds = mean <= BAR and certain == 0
    print(f'\n{"holds " if holds else "missed"}   chosen / best, mean: {mean:.3f} (the bar: at '
          f'most {BAR}); above the bar {missed} of {len(found)} cells, {certain} in every turn; '
          f'most: {statistics.median(worst):.3f}, {layout} of {size} bytes with {mpi}; noise in '
          f'the mean {statistics.geometric_mean([noise for *_, noise in found]):.3f}')
    return holds


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
    return 0 if judge(found) else 1


if __name__ == '__main__':
    sys.exit(main())
