#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""hindsight_test.py HINDSIGHT: the best way is found behind ratios of several runs. TAP."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from checks import check, run_checks  # only now can it be found

# Stands for `weft`. A way may take another time in each turn.
STAND_IN = '''#!/usr/bin/env python3
import json, os, sys
asked = ['bench', 'mpi', '--json', '--one-way', '--ways', '--part', 'small']
assert sys.argv[1:] == asked, sys.argv
with open(__file__ + '.turns', 'a') as file:
    turn = file.tell()
    file.write('.')
def at(times):
    return times[turn] if isinstance(times, list) else times
def cell(part, name, course, times):
    senders = {way: {course: {'to_weft': at(times[way]) / at(times['auto'])}} for way in times}
    senders['mpi'], senders['mpi_again'] = {course: {'to_weft': 3}}, {course: {'to_weft': 3.3}}
    return {'part': part, 'send': name, 'bytes': 1024, **senders}
cells = [cell(*asked) for asked in json.loads(os.environ['CELLS'])]
print(json.dumps({'mpis': [{'mpi': 'mpich', 'cells': cells}]}))
'''


def hindsight(*cells):
    with tempfile.TemporaryDirectory() as folder:
        weft = os.path.join(folder, 'weft')
        with open(weft, 'w', encoding='ascii') as file:
            file.write(STAND_IN)
        os.chmod(weft, 0o755)
        result = subprocess.run([sys.executable, sys.argv[1], weft, '--part', 'small'], check=False,
                                env=dict(os.environ, CELLS=json.dumps(cells)),
                                capture_output=True, text=True)
        assert result.returncode == ('\nmissed' in result.stdout), result
        return result.stdout


GOOD = ('small', 'vec8', 'one_way', {'auto': 5, 'native': 10, 'packed': 5, 'pulled': 7})
BAD = ('exchange', 'halo', 'exchange', {'auto': 8, 'native': 10, 'packed': 8, 'pulled': 4})


@check
def good_choices_hold():
    said = hindsight(GOOD)
    row = next(line for line in said.split('\n') if 'vec8' in line)
    assert row.split()[-5:] == ['packed', '1.000', '1.000', '1.000', '1.100'], said
    assert '\nholds' in said, said


@check
def a_bad_choice_is_named():
    said = hindsight(GOOD, BAD)
    row = next(line for line in said.split('\n') if 'halo' in line)
    assert row.split()[-5:] == ['pulled', '2.000', '2.000', '2.000', '1.100'], said
    assert '\nmissed' in said and 'most: 2.000, halo of 1024 bytes' in said, said
    assert 'mean: 1.414' in said and 'above the bar 1 of 2 cells, 1 in every turn' in said, said


@check
def one_bad_turn_is_noise():
    said = hindsight(('small', 'vec64', 'one_way',
                      {'auto': [5, 9, 5], 'native': [10, 4, 10], 'packed': 5, 'pulled': 7}))
    row = next(line for line in said.split('\n') if 'vec64' in line)
    assert row.split()[-5:] == ['packed', '1.000', '1.000', '1.800', '1.100'], said
    assert '\nholds' in said and 'above the bar 0 of 1 cells, 0 in every turn' in said, said


if __name__ == '__main__':
    sys.exit(run_checks())
