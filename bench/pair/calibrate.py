#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: calibrate.py WEFT shm|net [PUT.json]

Fits L + 2o, g and G of LogGP to every second size of `weft bench put`, and says how well they
predict the other sizes, and `weft bench ddt` without HPUs. PUT.json is what an earlier run of
`weft bench put --json` printed; then nothing is measured and only sizes are predicted.

A packet of b bytes occupies each side for g + G b; those of a message follow one another through
both sides. So half a round trip takes L + 2o + 2 G b for the first packet, and g + G b for each
other one; a message of a stream takes g + G b for each of its packets.
"""

import json
import statistics
import subprocess
import sys

WORLDS = {'shm': ['--world', 'shm'], 'net': ['--world', 'ofi', '--provider', 'net']}
BARS = {'shm': 0.15, 'net': 0.25}  # of every prediction
MEDIAN = 0.10
LAYOUT = 'vec512'  # blocks of 512 bytes


def latency(size, packet):
    """How often each parameter is in a half round trip: L + 2o, g, G."""
    first = min(size, packet)
    return [1, -(-size // packet) - 1, first + size]


def stream(size, packet):
    return [0, -(-size // packet), size]


def solve(matrix, right):
    """Gauss and Jordan."""
    rows = [row + [value] for row, value in zip(matrix, right)]
    for i, _ in enumerate(rows):
        pivot = max(range(i, len(rows)), key=lambda r, i=i: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r, row in enumerate(rows):
            if r != i:
                factor = row[i] / rows[i][i]
                rows[r] = [x - factor * y for x, y in zip(row, rows[i])]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def fit(points):
    """The parameters with the least squares of relative errors."""
    terms = range(len(points[0][0]))
    matrix = [[sum(a[i] * a[j] / t ** 2 for a, t in points) for j in terms] for i in terms]
    return solve(matrix, [sum(a[i] / t for a, t in points) for i in terms])


def predict(parameters, terms):
    return sum(x * y for x, y in zip(parameters, terms))


def measure(weft, *arguments):
    result = subprocess.run([weft, 'bench', *arguments, '--json'], check=True, text=True,
                            stdout=subprocess.PIPE)
    return json.loads(result.stdout)


def points_of(put):
    """Name, terms, microseconds; those to fit first, then those to predict."""
    packet = put['packet']
    kinds = (('latency', latency), ('stream', stream))
    lists = [[(f'{kind} {cell["size"]}', terms(cell['size'], packet), cell['weft']['us'])
              for cell in put[kind]] for kind, terms in kinds]
    return [p for cells in lists for p in cells[::2]], [p for cells in lists for p in cells[1::2]]


def ddt_points(weft, world, packet):
    cells = measure(weft, 'ddt', *WORLDS[world], '--way', 'seek', '--layout', LAYOUT)['cells']
    return [(f'ddt {way["way"]} {cell["bytes"]}', latency(cell['bytes'], packet), way['us'])
            for cell in cells for way in cell['ways']]


def main():
    weft, world = sys.argv[1:3]
    if len(sys.argv) > 3:
        with open(sys.argv[3], encoding='utf-8') as file:
            put = json.load(file)
    else:
        put = measure(weft, 'put', '--no-ucx', *WORLDS[world])
    known, unknown = points_of(put)
    parameters = fit([(terms, time) for _, terms, time in known])
    if len(sys.argv) == 3:
        unknown += ddt_points(weft, world, put['packet'])
    print(f'{world}: L + 2o {parameters[0]:.3f} us, g {parameters[1]:.3f} us, '
          f'G {1000 * parameters[2]:.4f} ns a byte')
    errors = []
    for name, terms, time in unknown:
        predicted = predict(parameters, terms)
        errors.append(abs(predicted / time - 1))
        print(f'{name:24} {time:10.3f} us, predicted {predicted:10.3f}, '
              f'{predicted / time - 1:+.0%}')
    median, worst = statistics.median(errors), max(errors)
    is_met = worst <= BARS[world] and median <= MEDIAN
    print(f'{"met" if is_met else "not met"}: median {median:.0%} of at most {MEDIAN:.0%}, '
          f'worst {worst:.0%} of at most {BARS[world]:.0%}')


if __name__ == '__main__':
    main()
