# SPDX-License-Identifier: BSD-3-Clause
"""Reads what `weft run --record` writes, more strictly than the language is."""

import re

STEP = re.compile(r'l(\d+): (calc|send|recv) (\d+)(?:b (?:to|from) (-?\d+) tag (-?\d+))?'
                  r'(?: // (.*))?')
NEED = re.compile(r'l(\d+) (i?)requires l(\d+)')


class Step:
    def __init__(self, rank, match):
        self.rank = rank
        self.kind = match[2]
        self.size = int(match[3])
        self.peer = None if self.kind == 'calc' else int(match[4])
        self.tag = None if self.kind == 'calc' else int(match[5])
        self.note = match[6] or ''
        self.needs = []  # (number, whether its beginning is enough)

    def is_collective(self):
        return re.match(r'MPI_[A-Z][a-z]', self.note) is not None

    def ends(self):
        return (self.rank, self.peer) if self.kind == 'send' else (self.peer, self.rank)


def read(path):
    """The steps of each rank."""
    ranks, size = [], None
    with open(path, encoding='utf-8') as file:
        for line in file.read().splitlines():
            if line.startswith('//') or line == '}':
                continue
            if line.startswith('num_ranks '):
                size = int(line.split()[1])
            elif line == f'rank {len(ranks)} {{':
                ranks.append([])
            elif match := STEP.fullmatch(line):
                assert int(match[1]) == len(ranks[-1]), line
                ranks[-1].append(Step(len(ranks) - 1, match))
            else:
                match = NEED.fullmatch(line)
                assert match and int(match[1]) == len(ranks[-1]) - 1, line
                ranks[-1][-1].needs.append((int(match[3]), bool(match[2])))
    assert len(ranks) == size
    return ranks
