# SPDX-License-Identifier: BSD-3-Clause
"""The calls that src/mpi/abi/prototypes.h declares."""

import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')


def read(*path):
    with open(os.path.join(ROOT, *path), encoding='utf-8') as file:
        return file.read()


def declarations():
    """Each as heading above it, type, name without MPI_, and parameters."""
    heading = None
    for line in re.finditer(r'^/\* ---- (.+?) -+ \*/$|'
                            r'^WEFT_MPI_CALL(?:_OF\((\w+), |\()(\w+), ([^;]*)\);',
                            read('src', 'mpi', 'abi', 'prototypes.h'), re.M):
        heading = line[1] or heading
        if line[3]:
            yield heading, line[2] or 'int', line[3], ' '.join(line[4].split())
