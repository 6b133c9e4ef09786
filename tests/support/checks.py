# SPDX-License-Identifier: BSD-3-Clause
"""For test scripts: functions marked by @check, each of which is a TAP point."""

import os
import shlex
import stat
import sys

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def clean_environment(**variables):
    """Without settings of whoever runs the test, but with these."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith('WEFT_')}
    return {**kept, **variables}


def startable(program, folder):
    """The program, or, where it is for another processor, a script in the folder that starts it in
    the emulator: Meson tells of that to scripts, which start programs themselves."""
    emulator = os.environ.get('MESON_EXE_WRAPPER')
    if not emulator:
        return program
    path = os.path.join(folder, os.path.basename(program))
    with open(path, 'w', encoding='utf-8') as script:
        script.write(f'#!/bin/sh\nexec {emulator} {shlex.quote(program)} "$@"\n')
    os.chmod(path, stat.S_IRWXU)
    return path


def run_checks():
    """Prints TAP, and says whether a check has failed."""
    failed = False
    print(f'1..{len(CHECKS)}')
    for number, function in enumerate(CHECKS, 1):
        name = function.__name__.replace('_', ' ')
        try:
            function()
            print(f'ok {number} - {name}')
        except Exception as problem:  # whatever it is, the next check must run
            failed = True
            print(f'not ok {number} - {name}')
            text = str(problem) if isinstance(problem, AssertionError) else repr(problem)
            print('\n'.join('# ' + line for line in text.split('\n')))
        sys.stdout.flush()
    return failed
