#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""judge.py TABLE NAME STATUS RANKS FOLDER: whether a program did what the table says of its start.

The folder has what alone.sh and `weft run --report` have written. The table is that of
docs/starts.md: a line for each name, with what happens and the reason if Weft steps aside. With
WEFT_SHARED_HEAP=1 and WEFT_WAY=together, what is accelerated is copied once, where there can be a
shared heap.
"""

import json
import os
import sys

# It has as much address space as the host has memory, and memcheck has a malloc of its own.
WITHOUT_HEAP = {'valgrind', 'valgrind with a shared heap', '4 GiB of address space'}


def rows(table):
    with open(table, encoding='utf-8') as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip('|').split('|')]
            if line.startswith('|') and len(cells) == 3:
                yield cells[0], (cells[1], cells[2].strip('`'))


def read(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return ''
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


def reasons_given(report):
    return [text for counts in (report['reasons'], report['read']['fallbacks'])
            for text, count in counts.items() if count]


def must_be_together(name):
    return (os.environ.get('WEFT_SHARED_HEAP') == '1' and os.environ.get('WEFT_WAY') == 'together'
            and name not in WITHOUT_HEAP)


def complaints_about_way(name, way, reason, said, report):
    pulled = report['totals']['l2']['messages'] if report else 0
    packed = report['totals']['l1']['messages'] if report else 0
    copied_once = report['together']['messages'] if report else 0
    given = reasons_given(report) if report else []
    if way == 'accelerated' and not pulled:
        yield f'no message was pulled, {packed} were packed'
    if must_be_together(name) and way == 'accelerated' and pulled and not copied_once:
        yield f'no message was copied together, {pulled} were pulled'
    if way == 'native' and pulled:
        yield f'{pulled} messages were pulled'
    if reason and reason not in said and not any(reason in text for text in given):
        yield f'the reason "{reason}" is not given; the report has {given}'
    if way == 'native' and not reason:
        yield 'the table gives no reason'


def complaints(name, row, status, ranks, folder):
    way, reason = row
    said, left = read(folder, 'said'), read(folder, 'left')
    found = read(folder, 'status').strip()
    if found != status:
        yield f'the status is {found}, and should be {status}'
    if said.count(': 0 mistakes') != ranks:
        yield f'{said.count(": 0 mistakes")} processes found no mistake, of {ranks}'
    if left:
        yield f'left behind: {left}'
    report = read(folder, 'report.json')
    yield from complaints_about_way(name, way, reason, said,
                                    json.loads(report) if report else None)


def main():
    table, name, status, ranks, folder = sys.argv[1:]
    row = dict(rows(table)).get(name)
    found = list(complaints(name, row, status, int(ranks), folder)) if row else ['not in the table']
    for complaint in found:
        print(complaint)
    if found:
        print(read(folder, 'said')[-3000:])
    return bool(found)


if __name__ == '__main__':
    sys.exit(main())
