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
COUNT = 500
ENTRY = 'weft_nic_receive'
COPIERS = ('weft_sched_put', 'weft_sched_data')

CASES = {
    'put-event': 'an 8-byte put that matches an exact entry and posts an event',
    'put-counter': 'an 8-byte put that matches an exact entry and is counted',
    'data': 'a packet that continues a long put',
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
    if twice[1] <= once[1]:
        raise RuntimeError(f'found no copy of the payload')
    copied = (twice[1] - once[1]) / COUNT
    return (twice[0] - once[0]) / COUNT - copied, copied


def main():
    if not shutil.which('valgrind'):
        print('1..0 # SKIP valgrind is not installed')
        return 0
    failed = False
    print(f'1..{len(CASES)}')
    for number, (case, what) in enumerate(CASES.items(), 1):
        try:
            own, copied = instructions(sys.argv[1], case)
            holds = own <= MOST
            print(f'# {case}: {own:.1f} instructions, and {copied:.1f} that copy the payload')
        except RuntimeError as problem:
            holds = False
            print('\n'.join('# ' + line for line in str(problem).split('\n')))
        failed |= not holds
        print(f'{"ok" if holds else "not ok"} {number} - {what}: at most {MOST} instructions',
              flush=True)
    return failed


if __name__ == '__main__':
    sys.exit(main())
