#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""calibrate_test.py CALIBRATE: times that follow its model are fitted and predicted. TAP."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from checks import check, run_checks  # only now can it be found

PACKET = 8192
SIZES = [8 << i for i in range(20)]


def latency(size):
    """L + 2o = 1.5 us, g = 0.25 us, G = 0.1 ns, packet by packet."""
    rest = list(range(PACKET, size, PACKET))
    time = 1.5 + 0.0002 * min(size, PACKET)
    return time + sum(0.25 + 0.0001 * min(PACKET, size - at) for at in rest)


def stream(size):
    return sum(0.25 + 0.0001 * min(PACKET, size - at) for at in range(0, size, PACKET))


def calibrate(factor):
    """What it says of such times, the last of which is longer by a factor."""
    put = {'packet': PACKET}
    for kind, model in (('latency', latency), ('stream', stream)):
        put[kind] = [{'size': size, 'weft': {'us': model(size)}} for size in SIZES]
    put['stream'][-1]['weft']['us'] *= factor
    with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
        json.dump(put, file)
        file.flush()
        return subprocess.run([sys.executable, sys.argv[1], 'none', 'shm', file.name], check=True,
                              capture_output=True, text=True).stdout


@check
def parameters_are_found():
    assert calibrate(1).startswith('shm: L + 2o 1.500 us, g 0.250 us, G 0.1000 ns a byte\n')


@check
def bars_are_met_by_the_model_alone():
    assert '\nmet: median 0% of at most 10%, worst 0% of at most 15%' in calibrate(1)
    assert '\nnot met: median 0% of at most 10%, worst 50% of at most 15%' in calibrate(2)


sys.exit(run_checks())
