#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: traffic.py RECEIVE_LAYOUT [--all | LAYOUT...]

How much a receive of 4 MiB moves between the last cache and the memory, in lines, with valgrind's
cachegrind and a cache of 2 MiB: scattered by handlers as it arrives, and contiguous and then
unpacked by the host. What one message takes is subtracted from what two take. Prints a table in
comments and TAP.
"""

import math
import re
import shutil
import subprocess
import sys

BYTES = 4 << 20
CACHE = '2097152,16,64'
LEAST = 1.8

# One of each program of ddtbench, as far as CI has time.
USUAL = ['vec64', 'wrf_y_32x65x52_sa', 'milc_16x16x32x32', 'lu_y_162', 'mg_x_130x66x66',
         'fft2_send_512', 'specfem_oc_3225', 'lammps_full_3062']
ALL = re.compile(r'(wrf_[xy]_|milc_|lu_|mg_|fft2_|specfem_|lammps_)')


def lines(program, way, layout, count):
    result = subprocess.run(
        ['valgrind', '--tool=cachegrind', '--cache-sim=yes', f'--LL={CACHE}',
         '--cachegrind-out-file=/dev/null', program, way, layout, str(BYTES), str(count)],
        capture_output=True, text=True, check=False)
    found = re.search(r'LLd misses:\s+([\d,]+)', result.stderr)
    if result.returncode or not found:
        raise RuntimeError(f'{layout}, {way}: {result.stderr[-400:]}')
    return int(found.group(1).replace(',', ''))


def of_one(program, way, layout):
    return lines(program, way, layout, 2) - lines(program, way, layout, 1)


def main():
    if not shutil.which('valgrind'):
        print('1..0 # SKIP valgrind is not installed')
        return 0
    program, names = sys.argv[1], sys.argv[2:] or USUAL
    if names == ['--all']:
        listed = subprocess.run([program, '--list'], capture_output=True, text=True, check=True)
        names = [name for name in listed.stdout.split() if ALL.match(name)]
    print(f'# {"layout":30} {"host":>10} {"handlers":>10} {"times less":>11}')
    gains = []
    for name in names:
        host, seek = of_one(program, 'host', name), of_one(program, 'seek', name)
        gains.append(host / seek)
        print(f'# {name:30} {host:10} {seek:10} {host / seek:11.2f}', flush=True)
    mean = math.exp(sum(map(math.log, gains)) / len(gains))
    holds = mean >= LEAST
    print(f'# geometric mean {mean:.2f}')
    print('1..1')
    print(f'{"ok" if holds else "not ok"} 1 - handlers move {LEAST} times fewer lines than a '
          'contiguous receive and an unpack by the host')
    return not holds


if __name__ == '__main__':
    sys.exit(main())
