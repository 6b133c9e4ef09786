#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""show.py FILE: the messages of a record, and what each waits for, without the computations.

Messages have numbers; `2~` means the beginning of 2. Tags of other communicators than
MPI_COMM_WORLD, and of collectives, are letters in the order of their appearance.
"""

import sys

sys.dont_write_bytecode = True
import goal


def resolve(steps, needs, is_begun=False):
    """(message, whether its beginning is enough) for all that is behind computations."""
    found = set()
    for number, only_begun in needs:
        if steps[number].kind == 'calc':
            found |= resolve(steps, steps[number].needs, is_begun)
        else:
            found.add((number, is_begun or only_begun))
    return {(number, begun) for number, begun in found if not begun or (number, False) not in found}


def main():
    letters = {}
    for rank, steps in enumerate(goal.read(sys.argv[1])):
        print(f'rank {rank}')
        numbers = {}
        for number, step in enumerate(steps):
            if step.kind == 'calc':
                continue
            numbers[number] = len(numbers)
            tag = step.tag
            if tag >= 1 << 31:
                tag = letters.setdefault(tag, chr(ord('a') + len(letters)))
            after = ' '.join(f'{numbers[n]}{"~" if begun else ""}'
                             for n, begun in sorted(resolve(steps, step.needs)))
            way = 'to' if step.kind == 'send' else 'from'
            print(f'{numbers[number]} {step.kind} {step.size} {way} {step.peer} tag {tag} '
                  f'after {after or "-"} {step.note}'.rstrip())


main()
