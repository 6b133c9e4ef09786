#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""report.py [--together] FILE...: adds up the reports of `weft run`; fails if a level has sent no
message, or none was copied together. Says, too, in how many of them there were some."""

import json
import sys


def main():
    names = sys.argv[1:]
    sums = {'l1': [0, 0, 0], 'l2': [0, 0, 0]}
    if names[0] == '--together':
        sums['together'] = [0, 0, 0]
        names.pop(0)
    for name in names:
        with open(name, encoding='utf-8') as file:
            report = json.load(file)
        totals = {**report['totals'], 'together': report['together']}
        for level, sum_of in sums.items():
            sum_of[0] += totals[level]['messages']
            sum_of[1] += totals[level]['bytes']
            sum_of[2] += totals[level]['messages'] > 0
    for level, (messages, size, reports) in sums.items():
        print(f'{level}: {messages} messages, {size} bytes, in {reports} of {len(names)} reports')
    return int(any(messages == 0 for messages, *_ in sums.values()))


if __name__ == '__main__':
    sys.exit(main())
