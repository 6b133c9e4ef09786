#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: calibrate.py WEFT shm|net [--save FOLDER | --from FOLDER]

Fits LogGP to every second size of `weft bench put`, and says how well that predicts the other
sizes, `weft bench chain` and `weft bench ddt` without HPUs; the exit code is 1 if that misses the
bars. --save keeps what was measured, as put.json, chain.json and ddt.json; --from reads them, and
measures nothing.

Half a round trip of s bytes takes L + 2o + G s, and a message of a stream g + G s. Caches make G
differ between sizes: it has a value of its own for the bytes of each class of sizes, and where
classes begin is fitted, too. Of several packets, each has its g in the G of its class. Chains are
simulated by `weft sim goal`, link by link, with the G of their size.
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile

WORLDS = {'shm': ['--world', 'shm'], 'net': ['--world', 'ofi', '--provider', 'net']}
BARS = {'shm': 0.15, 'net': 0.25}  # of every prediction
MEDIAN = 0.10
MOST_CLASSES = 5
LINKS = 64  # of a simulated chain
LAYOUT = 'vec512'  # blocks of 512 bytes


# ---- A line that bends ------------------------------------------------------------------------

def terms_of(size, bends):
    """How often the constant and each G are in the time of a size."""
    edges = [0, *bends, float('inf')]
    return [1] + [max(0, min(size, end) - begin) for begin, end in zip(edges, edges[1:])]


def solve(matrix, right):
    """Gauss and Jordan; None if there is no one solution."""
    rows = [row + [value] for row, value in zip(matrix, right)]
    for i, _ in enumerate(rows):
        pivot = max(range(i, len(rows)), key=lambda r, i=i: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        if abs(rows[i][i]) < 1e-30:
            return None
        for r, row in enumerate(rows):
            if r != i:
                factor = row[i] / rows[i][i]
                rows[r] = [x - factor * y for x, y in zip(row, rows[i])]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def least_squares(points, bends):
    """Of relative errors. Bytes never take less than no time: then it is no line of ours."""
    rows = [(terms_of(size, bends), time) for size, time in points]
    columns = range(len(bends) + 2)
    matrix = [[sum(a[i] * a[j] / t ** 2 for a, t in rows) for j in columns] for i in columns]
    line = solve(matrix, [sum(a[i] / t for a, t in rows) for i in columns])
    return line if line and min(line) >= 0 else None


def time_of(line, bends, size):
    return sum(x * y for x, y in zip(line, terms_of(size, bends)))


def surprise(points, bends):
    """How far points are from what is fitted to all others, but for the first and the last."""
    errors = []
    for i in range(1, len(points) - 1):
        line = least_squares(points[:i] + points[i + 1:], bends)
        if not line:
            return float('inf')
        size, time = points[i]
        errors.append((time_of(line, bends, size) / time - 1) ** 2)
    return statistics.mean(errors)


def fit(points):
    """The classes that surprise the least, no more of them than that takes, and their line."""
    inner = [size for size, _ in points[1:-1]]
    choices = [list(bends) for count in range(MOST_CLASSES)
               for bends in itertools.combinations(inner, count)]
    bends = min((b for b in choices if least_squares(points, b)),
                key=lambda b: (round(surprise(points, b), 6), len(b)))
    return least_squares(points, bends), bends


# ---- What is measured --------------------------------------------------------------------------

def measure(weft, *arguments):
    result = subprocess.run([weft, 'bench', *arguments, '--json'], check=True, text=True,
                            stdout=subprocess.PIPE)
    return json.loads(result.stdout)


def measure_all(weft, world):
    where = WORLDS[world]
    return {'put': measure(weft, 'put', '--no-ucx', *where),
            'chain': measure(weft, 'chain', *where),
            'ddt': measure(weft, 'ddt', *where, '--way', 'seek', '--layout', LAYOUT)}


def path_of(folder, name):
    return os.path.join(folder, name + '.json')


def read(folder):
    found = {}
    for name in ('put', 'chain', 'ddt'):
        with open(path_of(folder, name), encoding='utf-8') as file:
            found[name] = json.load(file)
    return found


def save(folder, found):
    os.makedirs(folder, exist_ok=True)
    for name, report in found.items():
        with open(path_of(folder, name), 'w', encoding='utf-8') as file:
            json.dump(report, file, indent=1)


def rows_of(table):
    return [(row['size'], row['weft']['us']) for row in table]


# ---- Predictions -------------------------------------------------------------------------------

def write_chain(file, size):
    """In the GOAL language: each message is sent when the one before it has come."""
    ranks = [[], []]
    for link in range(LINKS):
        sender = link % 2
        if link:
            ranks[sender].append(f's{link} requires r{link - 1}')
        ranks[sender].insert(0, f's{link}: send {size}b to {1 - sender} tag {link}')
        ranks[1 - sender].insert(0, f'r{link}: recv {size}b from {sender} tag {link}')
    print('num_ranks 2', file=file)
    for rank, lines in enumerate(ranks):
        print(f'rank {rank} {{', *lines, '}', sep='\n', file=file)


def chain_time(weft, line, bends, size):
    """Microseconds of a link, in virtual time."""
    slope = 0 if size < 2 else (time_of(line, bends, size) - line[0]) / (size - 1)
    with tempfile.NamedTemporaryFile('w', suffix='.goal') as file:
        write_chain(file, size)
        file.flush()
        result = subprocess.run(
            [weft, 'sim', 'goal', file.name, '--json', f'latency={round(line[0] * 1e6)}ps',
             f'gap-per-byte={round(slope * 1e6)}ps', 'offload=yes', f'eager={size}'],
            check=True, text=True, stdout=subprocess.PIPE)
    return json.loads(result.stdout)['points'][0]['us'] / LINKS


def predictions(weft, found, latency, stream):
    """Name, microseconds that were measured and that were predicted."""
    put = found['put']
    for kind, (line, bends) in (('latency', latency), ('stream', stream)):
        for size, time in rows_of(put[kind])[1::2]:
            yield f'{kind} {size}', time, time_of(line, bends, size)
    for size, time in rows_of(found['chain']['chain']):
        yield f'chain {size}', time, chain_time(weft, *latency, size)
    for cell in found['ddt']['cells']:
        for way in cell['ways']:
            yield f'ddt {way["way"]} {cell["bytes"]}', way['us'], time_of(*latency, cell['bytes'])


# ---- For people --------------------------------------------------------------------------------

def describe(name, line, bends):
    begins = [0, *bends]
    classes = ', '.join(f'{1000 * slope:.3f} from {begin}'
                        for slope, begin in zip(line[1:], begins))
    print(f'{name} {line[0]:.3f} us, G in ns a byte: {classes}')


def judge(world, errors):
    median, worst = statistics.median(errors), max(errors)
    is_met = worst <= BARS[world] and median <= MEDIAN
    within = sum(error <= BARS[world] for error in errors)
    print(f'{"met" if is_met else "not met"}: median {median:.0%} of at most {MEDIAN:.0%}, '
          f'worst {worst:.0%} of at most {BARS[world]:.0%}; '
          f'{within} of {len(errors)} predictions are within')
    return is_met


def main():
    parser = argparse.ArgumentParser(description='How well does LogGP predict this machine?')
    parser.add_argument('weft')
    parser.add_argument('world', choices=WORLDS)
    which = parser.add_mutually_exclusive_group()
    which.add_argument('--save', metavar='FOLDER', help='keep what was measured')
    which.add_argument('--from', dest='folder', metavar='FOLDER', help='measure nothing')
    asked = parser.parse_args()
    found = read(asked.folder) if asked.folder else measure_all(asked.weft, asked.world)
    if asked.save:
        save(asked.save, found)
    latency, stream = (fit(rows_of(found['put'][kind])[::2]) for kind in ('latency', 'stream'))
    describe(f'{asked.world}: L + 2o', *latency)
    describe(f'{asked.world}: g', *stream)
    errors = []
    for name, time, predicted in predictions(asked.weft, found, latency, stream):
        errors.append(abs(predicted / time - 1))
        print(f'{name:24} {time:10.3f} us, predicted {predicted:10.3f}, '
              f'{predicted / time - 1:+.0%}')
    return 0 if judge(asked.world, errors) else 1


if __name__ == '__main__':
    sys.exit(main())
