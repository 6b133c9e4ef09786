#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""judge.py FILE DESCRIPTION: a record of a random program has all of its messages.

DESCRIPTION is what fuzz_mpi --describe 1 wrote: who sent how much to whom, by any call. Every send
of the record meets one receive of the same tag, of as many bytes unless it was too short.
"""

import collections
import re
import sys

sys.dont_write_bytecode = True
import goal

MESSAGE = re.compile(r'message \d+: (\d+) to (\d+), tag \d+ on communicator \d+, .* of (\d+), '
                     r'.* for (\d+) of unit \d+ of (\d+) bytes')


def expected(path):
    """(ends, bytes sent, bytes received at most) of each message between two ranks."""
    with open(path, encoding='utf-8') as file:
        for match in MESSAGE.finditer(file.read()):
            source, target, units, room, size = map(int, match.groups())
            yield (source, target), units * size, min(units, room) * size


def main():
    path, description = sys.argv[1:]
    sent, received = collections.Counter(), collections.Counter()
    lines = collections.defaultdict(lambda: [[], []])
    for steps in goal.read(path):
        for step in steps:
            if step.kind == 'calc':
                continue
            lines[step.ends(), step.tag][step.kind == 'recv'].append(step)
            if not step.is_collective():
                count = sent if step.kind == 'send' else received
                count[step.ends(), step.size] += 1
    wanted = list(expected(description))
    assert wanted, 'no messages are described'
    problems = [f'{name}: {difference}' for name, difference in (
        ('sent, but not recorded', collections.Counter((e, s) for e, s, _ in wanted) - sent),
        ('recorded, but not sent', sent - collections.Counter((e, s) for e, s, _ in wanted)),
        ('received, but not recorded',
         collections.Counter((e, r) for e, s, r in wanted if s == r) - received)) if difference]
    problems += [f'{key}: {len(sends)} sends, {len(receives)} receives'
                 for key, (sends, receives) in lines.items() if len(sends) != len(receives)]
    for problem in problems:
        print(problem)
    print(f'{sum(sent.values())} messages, {len(lines)} tags')
    return 1 if problems else 0


sys.exit(main())
