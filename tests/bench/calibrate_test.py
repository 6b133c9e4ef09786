#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""calibrate_test.py CALIBRATE WEFT: times that follow its model are fitted and predicted. TAP."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from checks import check, run_checks, startable  # only now can it be found

SIZES = [8 << i for i in range(20)]
CALIBRATE, WEFT = sys.argv[1:3]


def latency(size):
    """L + 2o = 1.5 us; G = 0.2 ns up to 8 KiB, and then 0.1 ns."""
    return 1.5 + 0.0002 * min(size, 8192) + 0.0001 * max(0, size - 8192)


def stream(size):
    """g = 0.25 us, and one G."""
    return 0.25 + 0.0001 * size


def table(model):
    return [{'size': size, 'weft': {'us': model(size)}} for size in SIZES]


def calibrate(factor):
    """What it says of such times, the last of which is longer by a factor."""
    put = {'latency': table(latency), 'stream': table(stream)}
    put['stream'][-1]['weft']['us'] *= factor
    cells = [{'bytes': 1 << 20, 'ways': [{'way': 'seek', 'us': latency(1 << 20)}]}]
    reports = {'put': put, 'chain': {'chain': table(latency)}, 'ddt': {'cells': cells}}
    with tempfile.TemporaryDirectory() as folder:
        for name, report in reports.items():
            with open(os.path.join(folder, name + '.json'), 'w', encoding='utf-8') as file:
                json.dump(report, file)
        result = subprocess.run(
            [sys.executable, CALIBRATE, startable(WEFT, folder), 'shm', '--from', folder],
            check=False, capture_output=True, text=True)
        assert result.returncode == ('\nmet: ' not in result.stdout), result
        return result.stdout


@check
def parameters_are_found():
    lines = calibrate(1).splitlines()
    assert lines[0] == 'shm: L + 2o 1.500 us, G in ns a byte: 0.200 from 0, 0.100 from 8192'
    assert lines[1].startswith('shm: g 0.250 us, G in ns a byte: 0.100 from 0'), lines


@check
def chains_and_layouts_are_predicted():
    said = calibrate(1)
    assert said.count('\nchain ') == len(SIZES) and '\nddt seek 1048576 ' in said, said


@check
def bars_are_met_by_the_model_alone():
    assert '\nmet: median 0% of at most 10%, worst 0% of at most 15%; 41 of 41' in calibrate(1)
    assert '\nnot met: median 0% of at most 10%, worst 50% of at most 15%; 40 of' in calibrate(2)


sys.exit(run_checks())
