#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""queues_test.py WEFT SORTED

SORTED is the same command on another queue of events. What comes out must not depend on the queue
at all, and on the quantum by which shared memories are simulated by less than 2 %. TAP.
"""

import json
import os
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from checks import check, run_checks, startable  # only now can it be found

FOLDER = tempfile.TemporaryDirectory()  # removed at the end of the process
WEFT, SORTED = (startable(program, FOLDER.name) for program in sys.argv[1:3])
NO_COMPILER = 'install the packages clang and lld'
MOST_DIFFERENCE = 0.02


def run(command, *arguments):
    return subprocess.run([command, 'sim', *arguments], capture_output=True, text=True, check=False)


def require_equal(*arguments):
    ours, other = run(WEFT, *arguments), run(SORTED, *arguments)
    if NO_COMPILER in ours.stderr:
        return
    assert ours.returncode == 0 and len(ours.stdout.split('\n')) > 3, ours
    assert ours.stdout == other.stdout, (arguments, ours.stdout, other.stdout)


def seconds(*arguments):
    result = run(WEFT, 'nic', '--json', 'size=256K', *arguments)
    if NO_COMPILER in result.stderr:
        return 1
    assert result.returncode == 0, result
    return json.loads(result.stdout)['points'][0]['ns']


@check
def the_queue_of_events_changes_nothing_of_a_nic():
    require_equal('nic', '--all', 'size=128K', 'block=64')
    require_equal('nic', '--all', 'size=128K', 'block=64', 'shuffled=yes')
    require_equal('nic', '--model', 'pspin', 'strategy=rw-cp', 'size=128K', 'l2-rate=0.1')
    require_equal('nic', 'strategy=raid-host', 'size=64K')


@check
def the_queue_of_events_changes_nothing_of_collectives():
    require_equal('collective', '--processes', '16')


@check
def the_quantum_changes_little():
    for strategy in ('seek', 'rw-cp'):
        for order in ('shuffled=no', 'shuffled=yes'):
            times = [seconds('--model', 'pspin', 'strategy=' + strategy, order, 'l2-rate=0.05',
                             f'quantum={quantum}') for quantum in (8, 64, 512)]
            assert max(times) <= (1 + MOST_DIFFERENCE) * min(times), (strategy, order, times)


sys.exit(run_checks())
