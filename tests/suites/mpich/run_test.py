#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What run.py promises of time and of its folder."""

import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(HERE, '../../support')]
import run  # only now can it be found
from checks import check, run_checks

TIME_OF_TEST = "import run; print(run.output_within(['sleep', '2'], {}))"


def start(limit):
    return subprocess.Popen([sys.executable, '-c', TIME_OF_TEST.format(limit)], text=True,
                            stdout=subprocess.PIPE, env={**os.environ, 'PYTHONPATH': HERE})


@check
def what_ends_in_time_has_an_exit_code():
    assert run.output_within(['echo', 'told'], 30) == (0, 'told\n')


@check
def what_takes_too_long_has_none():
    with start(0.5) as process:
        output, _ = process.communicate(timeout=60)
    assert output.startswith('(None'), output


@check
def a_pause_of_the_machine_is_not_counted():
    with start(4) as process:
        time.sleep(1)
        process.send_signal(signal.SIGSTOP)
        time.sleep(5)
        process.send_signal(signal.SIGCONT)
        output, _ = process.communicate(timeout=60)
    assert output.startswith('(0'), output


@check
def a_second_run_does_not_begin():
    with tempfile.TemporaryDirectory() as folder, run.lock(folder):
        second = subprocess.run([sys.executable, os.path.join(HERE, 'run.py'), folder], text=True,
                                capture_output=True, check=False)
        assert second.returncode != 0 and 'another run' in second.stderr, second.stderr


@check
def the_next_run_does():
    with tempfile.TemporaryDirectory() as folder:
        with run.lock(folder):
            pass
        assert subprocess.run([sys.executable, os.path.join(HERE, 'run.py'), folder],
                              check=False).returncode == 0


@check
def where_nothing_was_built_nothing_is_kept():
    with tempfile.TemporaryDirectory() as folder:
        for part in ('mpich/attr', 'mpich-0/test/mpi/attr'):
            os.makedirs(os.path.join(folder, part))
        with open(os.path.join(folder, 'mpich/attr/testlist'), 'w', encoding='utf-8') as file:
            file.write('attrt 2\n')
        found = subprocess.run([sys.executable, os.path.join(HERE, 'run.py'), folder, '--folders',
                                'attr'], text=True, capture_output=True, check=False)
        assert found.returncode != 0 and 'none of these' in found.stderr, found.stderr


if __name__ == '__main__':
    sys.exit(run_checks())
