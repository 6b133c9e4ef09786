#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: instructions.py RECEIVE_PACKETS

Counts the instructions that the NIC takes to receive a packet, without those that copy the
payload, with valgrind's callgrind. What N packets take is subtracted from what 2 N take, so that
what happens once is not counted. Prints TAP.
"""

import re
import shutil
import subprocess
import sys
import tempfile

MOST = 400
MOST_FOR_HANDLER = 150
COUNT = 500
ENTRY = 'weft_nic_receive'
COPIERS = ('weft_nic_sched_put', 'weft_nic_sched_data')

CASES = {
    'put-event': 'an 8-byte put that matches an exact entry and posts an event',
    'put-counter': 'an 8-byte put that matches an exact entry and is counted',
    'data': 'a packet that continues a long put',
}
# An empty payload handler, beside the same packet without it.
HANDLED = {
    'handled-put': ('put-event', 'a payload handler of an 8-byte put'),
    'handled-data': ('data', 'a payload handler of a packet that continues a long put'),
}


def costs(profile):
    """The instructions of all that ENTRY called and of of the copies in COPIERS."""
    names = {}
    caller = callee = None
    total = copied = 0
    is_call = False

    def name_of(text):
        number, name = re.match(r'\((\d+)\)(?: (.*))?', text).groups()
        if name:
            names[number] = name
        return names[number]

    for line in profile.split('\n'):
        if line.startswith('fn='):
            caller = name_of(line[3:])
        elif line.startswith('cfn='):
            callee = name_of(line[4:])
        elif line.startswith('calls='):
            is_call = True
        elif re.match(r'[\d+*-]', line):
            cost = int(line.split()[-1])
            if not is_call:
                total += cost
            elif caller in COPIERS and re.search('mem(cpy|move)', callee):
                copied += cost
            is_call = False
    return total, copied


def count(program, case, packets):
    with tempfile.NamedTemporaryFile('r') as output:
        result = subprocess.run(
            ['valgrind', '--tool=callgrind', f'--callgrind-out-file={output.name}',
             f'--toggle-collect={ENTRY}', program, case, str(packets)],
            capture_output=True, text=True, check=False)
        if result.returncode:
            raise RuntimeError(result.stderr)
        return costs(output.read())


def instructions(program, case):
    once, twice = count(program, case, COUNT), count(program, case, 2 * COUNT)
    if twice[1] <= once[1] and case not in HANDLED:
        raise RuntimeError('found no copy of the payload')
    copied = (twice[1] - once[1]) / COUNT
    return (twice[0] - once[0]) / COUNT - copied, copied


def main():
    if not shutil.which('valgrind'):
        print('1..0 # SKIP valgrind is not installed')
        return 0
    counts = {}
    failed = False
    print(f'1..{len(CASES) + len(HANDLED)}')
    for number, (case, what) in enumerate(CASES.items(), 1):
        failed |= not check(number, what, MOST, lambda: measure(case, counts))
    for number, (case, (plain, what)) in enumerate(HANDLED.items(), len(CASES) + 1):
        failed |= not check(number, what, MOST_FOR_HANDLER,
                            lambda: measure(case, counts) - counts[plain])
    return failed


def measure(case, counts):
    own, copied = instructions(sys.argv[1], case)
    print(f'# {case}: {own:.1f} instructions, and {copied:.1f} that copy the payload')
    counts[case] = own
    return own


def check(number, what, most, measured):
    try:
        holds = measured() <= most
    except (KeyError, RuntimeError) as problem:
        holds = False
        print('\n'.join('# ' + line for line in str(problem).split('\n')))
    print(f'{"ok" if holds else "not ok"} {number} - {what}: at most {most} instructions',
          flush=True)
    return holds


if __name__ == '__main__':
    sys.exit(main())
