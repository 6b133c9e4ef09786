#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: listings.py DOCUMENT FOLDER

Takes a tutorial in Markdown apart. A block that begins with ```c NAME is written to FOLDER/NAME.
Of a block that begins with ```console each line after a $ is a command, and what follows is what it
prints: FOLDER/steps/N.sh and FOLDER/steps/N.txt. Any other block is an error, for nobody would
notice if it became wrong.
"""

import os
import re
import sys


def blocks(text):
    """(what stands behind the opening fence, the lines between the fences)"""
    for match in re.finditer(r'^```(\S[^\n]*)?\n(.*?)^```$', text, re.S | re.M):
        yield (match.group(1) or '').split(), match.group(2)


def steps(console):
    """(command, output) for each command of a block"""
    for step in re.split(r'^\$ ', console, flags=re.M)[1:]:
        command, _, output = step.partition('\n')
        yield command, output


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def main():
    document, folder = sys.argv[1:]
    with open(document, encoding='utf-8') as file:
        text = file.read()
    number = 0
    for kind, body in blocks(text):
        if kind[:1] == ['c'] and len(kind) == 2:
            write(os.path.join(folder, kind[1]), body)
        elif kind == ['console'] and body.startswith('$ '):
            for command, output in steps(body):
                number += 1
                write(os.path.join(folder, 'steps', f'{number:02}.sh'), command + '\n')
                write(os.path.join(folder, 'steps', f'{number:02}.txt'), output)
        else:
            sys.exit(f'{document}: a block of kind {kind}, which no test runs')
    if number == 0:
        sys.exit(f'{document}: no commands')


if __name__ == '__main__':
    main()
