#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes calls to the system fail under programs as they are, by the preload library of this folder.

    faults.py LIBRARY [--kinds memory,open,...] [--points N] [--seed S] [--all]
              [--objects NAMES] [--where VARIABLE=VALUE] [--seconds S] -- COMMAND...

First runs the command to count the calls of Weft; then once for each selected call, of each kind N
at most, and each way to fail: this call alone, or it and all that follow. A run may fail, if it
says why; it must not end by a signal, hang, or complain of wrong data or memory. What the options
mean is in preload.h. Prints TAP.
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile

KINDS = ['memory', 'open', 'mmap', 'memfd', 'pidfd', 'socket', 'connect', 'send', 'thread']

# What programs, launchers and sanitizers print when more is wrong than that something was refused.
WRONG = re.compile(r'wrong|differs|Sanitizer|runtime error|[Ss]egmentation fault'
                   r'|signal (4|6|7|8|11)\b|Aborted|no end of schedule|SIG(SEGV|ABRT|BUS|FPE)')
MOST_FAILURES = 10


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument('library')
    parser.add_argument('--kinds', default=','.join(KINDS))
    parser.add_argument('--points', type=int, default=100)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--objects', default='libweft,libportals')
    parser.add_argument('--where', default='')
    parser.add_argument('--seconds', type=float, default=60)
    parser.add_argument('command', nargs='+')
    return parser.parse_args()


def environment(options, **more):
    preload = [os.path.abspath(options.library)] + os.environ.get('LD_PRELOAD', '').split()
    ours = {'LD_PRELOAD': ' '.join(preload), 'FAULT_OBJECTS': options.objects}
    if options.where:
        ours['FAULT_WHERE'] = options.where
    return {**os.environ, **ours, **more}


def run(options, **more):
    """What it printed, and how it ended; None if it did not."""
    process = subprocess.Popen(options.command, env=environment(options, **more),
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               stdin=subprocess.DEVNULL, text=True, errors='replace',
                               start_new_session=True)
    try:
        text, _ = process.communicate(timeout=options.seconds)
        return text, process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        text, _ = process.communicate()
        return text, None


def count_calls(options):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, 'calls')
        text, result = run(options, FAULT_REPORT=report)
        if result != 0:
            sys.exit(f'Bail out! without faults the command ends with {result}:\n{text}')
        if not os.path.exists(report):
            sys.exit('Bail out! no process has reported its calls: do --where and --objects fit?')
        with open(report, encoding='utf-8') as file:
            lines = [line.split() for line in file]
    # A process that has become another program by exec does not report; of several, the busiest.
    busiest = max(lines, key=lambda words: int(words[1]))
    return dict(zip(busiest[::2], map(int, busiest[1::2])))


def judge(text, result):
    """Why a run must not have ended like this; or None."""
    if result is None:
        return 'it hangs'
    if result < 0:
        return f'it dies of signal {-result}'
    found = WRONG.search(text)
    return f'it says "{found.group()}"' if found else None


def try_point(options, kind, nth, forever):
    fault = {'FAULT_KIND': kind, 'FAULT_NTH': str(nth)}
    if forever:
        fault['FAULT_FOREVER'] = '1'
    text, result = run(options, **fault)
    why = judge(text, result)
    if why:
        settings = ' '.join(f'{name}={value}' for name, value in fault.items())
        print(f'# {settings}: {why}')
        print('\n'.join('#   ' + line for line in text.splitlines()[-15:]))
    return why is None


def selected(options, count):
    """Of each kind as many: where memory is asked for often, what is asked once is tried, too."""
    numbers = range(1, count + 1)
    if options.all or count <= options.points:
        return numbers
    return random.Random(options.seed).sample(numbers, options.points)


def main():
    options = arguments()
    calls = count_calls(options)
    found = sum(calls.get(kind, 0) for kind in options.kinds.split(','))
    points = [(kind, nth) for kind in options.kinds.split(',')
              for nth in selected(options, calls.get(kind, 0))]
    runs = failures = 0
    for kind, nth in points:
        for forever in (False, True):
            if failures < MOST_FAILURES:
                runs += 1
                failures += not try_point(options, kind, nth, forever)
    print(f'# {runs} runs at {len(points)} of {found} points, seed {options.seed}')
    print('not ' * (not found) + 'ok 1 - some points were found')
    print('not ' * (failures > 0) + 'ok 2 - all points hold')
    print('1..2')
    return failures > 0 or not found


if __name__ == '__main__':
    sys.exit(main())
