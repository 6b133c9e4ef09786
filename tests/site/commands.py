#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: commands.py WEFT. Sees that WEFT understands every command that a page shows.

Those that take long, or want a program of the reader's, are not run to their end: simulations are
asked for their --keys instead, which takes names of figures and models and all keys into account,
benchmarks for their --help, and of what runs programs the options are looked up there. Prints TAP.
"""

import glob
import os
import re
import shlex
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support'))
from checks import clean_environment  # only now can it be found

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = ('README.md', 'CONTRIBUTING.md', 'docs/*.md', 'docs/studies/*.md', 'examples/README.md',
         'packaging/README.md', 'man/*.scd')
BLOCK = re.compile(r'^```[^\n]*\n(.*?)^```$', re.S | re.M)
# At the begin of a command; not the name of a folder, and not a word of what a program prints.
WEFT = re.compile(r'^(?:\$ )?((?:\w+=\S* |mpirun .*?|srun .*?)*)weft (?=[a-z-])(.*)')
ENDS = re.compile(r'\s+#.*| [|>&;].*')
RUNS_PROGRAMS = ('run', 'compare', 'trace')


def commands(page):
    """The words behind `weft` of every command in blocks of a page."""
    with open(page, encoding='utf-8') as file:
        text = file.read()
    for block in BLOCK.findall(text):
        for line in block.replace('\\\n', ' ').split('\n'):
            match = WEFT.match(line.strip())
            if match:
                yield shlex.split(ENDS.sub('', match[2]))


def weft(*words):
    return subprocess.run([sys.argv[1], *words], capture_output=True, text=True, timeout=60,
                          env=clean_environment(), check=False)


def as_run(words):
    """What is run in the place of a command."""
    if words[0] in ('sim', 'bench') and len(words) > 1:
        is_simulated = words[0] == 'sim' and words[1] not in ('collective', '--help')
        files = [word for word in words if word.endswith('.goal')]
        return [word for word in words if word not in files] + [
            '--keys' if is_simulated else '--help']
    return words


def options_are_known(words):
    """Up to the program that is run, which has options of its own."""
    help_text = weft(words[0], '--help').stdout
    for word in words[1:]:
        if word in ('--', 'mpirun', 'srun', 'weft') or word.startswith('./'):
            break
        option = word.partition('=')[0]
        if option.startswith('-') and not re.search(
                rf'(?<![\w-]){re.escape(option)}(?![\w-])', help_text):
            return f'`weft {words[0]} --help` knows no {option}'
    return ''


def complaint_of(words):
    if words[0] in RUNS_PROGRAMS:
        return options_are_known(words)
    result = weft(*as_run(words))
    return '' if result.returncode == 0 else result.stderr.strip()


def main():
    number = failed = 0
    for pattern in PAGES:
        for page in sorted(glob.glob(os.path.join(ROOT, pattern))):
            for words in commands(page):
                if '...' in words or any('$' in word for word in words):
                    continue
                number += 1
                complaint = complaint_of(words)
                failed += bool(complaint)
                print(f'{"not ok" if complaint else "ok"} {number} - '
                      f'{os.path.relpath(page, ROOT)}: weft {" ".join(words)}'.replace('#', ''))
                if complaint:
                    print('# ' + complaint.replace('\n', '\n# '))
    print(f'1..{number}')
    return 1 if failed or number < 50 else 0


if __name__ == '__main__':
    sys.exit(main())
