#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs MPICH's own test suite natively and under `weft run`, and compares what passes.

build.sh has built the suite in WORKDIR. The lists of tests are the suite's own (testlist,
testlist.dtp), or a file of lines of them that begin with the folder. Left out is what the lists
mark as extension, as known to fail or as too large. Each test runs in an empty folder, with a limit
of time; what takes longer natively is not tried under Weft. What fails only under Weft is tried
again, with the machine to itself and more time. Native results are kept in WORKDIR and used again;
--fresh forgets them. Those under Weft are kept for --resume, which goes on where a run was
interrupted. With --shared-heap, it is `weft run --shared-heap`, whose results are kept apart; a run
in which no message was copied together has failed.
"""

import argparse
import concurrent.futures
import fcntl
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

FOLDERS = ['attr', 'coll', 'comm', 'datatype', 'errhan', 'errors', 'f77', 'f90', 'group', 'info',
           'init', 'io', 'pt2pt', 'rma', 'threads', 'topo']
LEVELS = ('l1', 'l2', 'together')  # the last are some of the second
LAST_CHANCE = 4  # times the limit
NATIVE_AGAIN = 5  # runs
LIBRARIES = ['mpich', 'openmpi', 'abi-mpich', 'abi-openmpi']  # the ABI's programs run with both
BY_LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../mpi/abi/by_library.sh')
LOOK = 1  # second, between two looks at the clock
UNDECIDED = ('not built', 'not run', 'time')  # the next run may tell


# ---- The tests ------------------------------------------------------------------------------


class Test:
    """One line of a list."""

    def __init__(self, folder, line):
        words = line.split()
        self.folder, self.program = folder, words[0]
        self.ranks = int(words[1]) if len(words) > 1 and words[1].isdigit() else 2
        options = [word.split('=', 1) for word in words[2:] if '=' in word]
        self.arguments = [value for key, value in options if key == 'arg']
        self.environment = dict(value.split('=', 1) for key, value in options if key == 'env')
        self.options = {key.lower(): value.lower() for key, value in options}
        self.name = ' '.join([f'{folder}/{self.program}', str(self.ranks), *self.arguments,
                              *(f'{key}={value}' for key, value in self.environment.items())])

    def is_left_out(self, options):
        return (self.options.get('strict') == 'false' or 'xfail' in self.options
                or 'mem' in self.options or self.ranks > options.most_ranks
                or self.folder.endswith(('spawn', 'ext', 'mpi_t', 'part')))

    def passed(self, code, output):
        if self.options.get('resulttest') == 'teststatus':
            return code != 0
        return code == 0 and re.search(r'^\s*No Errors\s*$', output, re.M | re.I) is not None


def lines_of(path):
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            for line in file:
                line = line.split('#')[0].strip()
                if line and not line.startswith('@'):
                    yield line


def tests_below(work, source, folder):
    built = os.path.join(work, folder)
    lists = [os.path.join(built, 'testlist'), os.path.join(source, folder, 'testlist')]
    chosen = next((path for path in lists if os.path.exists(path)), lists[0])
    for line in [*lines_of(chosen), *lines_of(os.path.join(built, 'testlist.dtp'))]:
        word = line.split()[0]
        if os.path.isdir(os.path.join(built, word)):
            yield from tests_below(work, source, f'{folder}/{word}')
        else:
            yield Test(folder, line)


def built_in(options, mpi):
    """The programs of the standard ABI are the same for all libraries."""
    return os.path.join(options.work, mpi.split('-')[0])


def chosen_tests(options, mpi):
    work = built_in(options, mpi)
    source = glob.glob(os.path.join(options.work, 'mpich-*', 'test', 'mpi'))[0]
    if options.selection:
        found = [Test(*line.split(None, 1)) for line in lines_of(options.selection)]
    else:
        found = [test for folder in options.folders for test in tests_below(work, source, folder)]
    unique = {test.name: test for test in found if not test.is_left_out(options)}
    return list(unique.values())


# ---- One run --------------------------------------------------------------------------------


def environment_for(options, test):
    environment = dict(os.environ, **test.environment)
    environment.update(OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1',
                       PRTE_ALLOW_RUN_AS_ROOT='1', PRTE_ALLOW_RUN_AS_ROOT_CONFIRM='1',
                       OMPI_MCA_rmaps_base_oversubscribe='1', OMPI_MCA_mpi_yield_when_idle='1',
                       PRTE_MCA_rmaps_default_mapping_policy=':oversubscribe')
    environment.setdefault('WEFT_TICKET', '256')
    # Of a few messages all would be MPI's, and of small programs little would be in the heap.
    environment.setdefault('WEFT_WAY', 'together' if options.shared_heap else 'pulled')
    environment.setdefault('WEFT_SHARED_HEAP_LEAST', '256')
    return environment


def all_output(process, limit):
    """What was written, or None after the time limit. If this script did not run for a while, the
    test did not, either: a pause of the machine is not counted."""
    while limit > 0:
        start = time.monotonic()
        try:
            return process.communicate(timeout=LOOK)[0]
        except subprocess.TimeoutExpired:
            limit -= min(time.monotonic() - start, 2 * LOOK)
    return None


def output_within(command, limit, **options):
    """The exit code and what was written; the code is None after the time limit."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors='replace', start_new_session=True, **options) as process:
        output = all_output(process, limit)
        if output is not None:
            return process.returncode, output
        os.killpg(process.pid, signal.SIGTERM)
        try:
            output, _ = process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
        return None, output


def totals_of(report):
    try:
        with open(report, encoding='utf-8') as file:
            whole = json.load(file)
        totals = {**whole['totals'], 'together': whole['together']}
        return {level: [totals[level]['messages'], totals[level]['bytes']] for level in LEVELS}
    except (OSError, ValueError, KeyError):
        return {level: [0, 0] for level in LEVELS}


def abi_library(name):
    """Where Debian has that MPI library's build of the standard ABI; '' if it is not there."""
    return next(iter(glob.glob(f'/usr/lib/*/libmpi_abi_{name}.so.1.0.0')), '')


def launcher(mpi):
    """The first words of a command that starts programs with that library."""
    kind, _, library = mpi.rpartition('-')
    mpirun = [f'mpirun.{library}']
    return [BY_LIBRARY, abi_library(library), *mpirun] if kind else mpirun


def is_there(options, mpi):
    return os.path.isdir(built_in(options, mpi)) and all(launcher(mpi))


def run_test(options, mpi, test, weft, patience=1):
    program = os.path.join(built_in(options, mpi), test.folder, test.program)
    if not os.access(program, os.X_OK):
        return {'result': 'not built'}
    folder = tempfile.mkdtemp(prefix='mpich-suite-')
    report = os.path.join(folder, 'report.json')
    heap = ['--shared-heap'] if options.shared_heap else []
    wrapped = [weft, 'run', *heap, f'--report={report}'] if weft else []
    command = [*launcher(mpi), '-n', str(test.ranks), *wrapped, program, *test.arguments]
    try:
        code, output = output_within(command, patience * options.limit, cwd=folder,
                                     env=environment_for(options, test))
        result = 'time' if code is None else 'pass' if test.passed(code, output) else 'fail'
        return {'result': result, 'code': code, 'output': output[-2000:],
                'totals': totals_of(report)}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# ---- All of them ----------------------------------------------------------------------------


def run_all(options, mpi, tests, weft, known, keep):
    """Results by name; `known` ones are not run again. `keep` is called now and then."""
    todo = [test for test in tests if test.name not in known]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = {pool.submit(run_test, options, mpi, test, weft): test for test in todo}
        for done, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            known[jobs[job].name] = job.result()
            if done % 20 == 0 or done == len(todo):
                print(f'{mpi} {"weft" if weft else "native"}: {done} of {len(todo)}',
                      file=sys.stderr)
                keep()
    return known


def results_path(options, mpi, weft):
    way = 'native' if not weft else 'heap' if options.shared_heap else 'weft'
    return os.path.join(options.work, f'{way}-{mpi}.json')


def keep_results(path, results):
    with open(path + '.new', 'w', encoding='utf-8') as file:
        json.dump(results, file)
    os.replace(path + '.new', path)


def earlier_results(options, path, weft):
    if not os.path.exists(path) or (not options.resume if weft else options.fresh):
        return {}
    with open(path, encoding='utf-8') as file:
        return {name: result for name, result in json.load(file).items()
                if result['result'] not in UNDECIDED
                or (options.resume and result['result'] == 'time')}


def kept_results(options, mpi, tests, weft, native=None):
    """As run_all; the results are known from an earlier run, unless they are to be forgotten."""
    path = results_path(options, mpi, weft)
    known = earlier_results(options, path, weft)
    if native:
        known.update((test.name, {'result': 'not run'}) for test in tests
                     if native[test.name]['result'] == 'time')
    return run_all(options, mpi, tests, weft, known, lambda: keep_results(path, known))


def fails_natively_too(options, mpi, test):
    """Some tests fail only now and then, or when the machine has other work to do."""
    return any(run_test(options, mpi, test, None, LAST_CHANCE)['result'] != 'pass'
               for _ in range(NATIVE_AGAIN))


def differences(options, mpi, tests, native, weft):
    """Tests that pass natively but not under Weft; one more chance, with the machine to itself and
    more time."""
    found = []
    for test in tests:
        if native[test.name]['result'] != 'pass' or weft[test.name]['result'] == 'pass':
            continue
        first = weft[test.name]
        weft[test.name] = run_test(options, mpi, test, options.weft, LAST_CHANCE)
        if weft[test.name]['result'] == 'pass':
            weft[test.name]['first'] = first
            continue
        if fails_natively_too(options, mpi, test):
            native[test.name] = {'result': 'unsteady'}
        else:
            found.append((test, weft[test.name]))
    return found


def compare(options, mpi):
    tests = chosen_tests(options, mpi)
    native = kept_results(options, mpi, tests, None)
    weft = kept_results(options, mpi, tests, options.weft, native) if options.weft else None
    bad = []
    if weft:
        bad = differences(options, mpi, tests, native, weft)
        keep_results(results_path(options, mpi, None), native)
        keep_results(results_path(options, mpi, options.weft), weft)
    return tests, native, weft, bad


# ---- What is said ---------------------------------------------------------------------------


def count(tests, results, wanted):
    return sum(results[test.name]['result'] in wanted for test in tests) if results else '-'


def sums_of(level, results):
    return [sum(result.get('totals', {}).get(level, [0, 0])[i] for result in results.values())
            for i in (0, 1)]


def table(mpi, tests, native, weft, bad):
    yield f'{mpi:11} {"folder":10} {"tests":>5} {"built":>5} {"native":>6} {"weft":>6} {"lost":>4}'
    for folder in [*dict.fromkeys(test.folder.split('/')[0] for test in tests), 'all']:
        these = [test for test in tests if folder in ('all', test.folder.split('/')[0])]
        lost = sum(test in these for test, _ in bad)
        yield (f'{"":11} {folder:10} {len(these):5} '
               f'{len(these) - count(these, native, ["not built"]):5} '
               f'{count(these, native, ["pass"]):6} {count(these, weft, ["pass"]):>6} {lost:4}')
    if weft:
        for level in LEVELS:
            sums = sums_of(level, weft)
            yield f'{"":11} {level}: {sums[0]} messages, {sums[1]} bytes'
    if count(tests, native, ['time']):
        yield f'{"":11} too slow natively: {count(tests, native, ["time"])} tests'
    for test in tests:
        if native[test.name]['result'] == 'unsteady':
            yield f'{"":11} unsteady natively: {test.name}'
    for test in tests:
        if weft and 'first' in weft[test.name]:
            first = weft[test.name]['first']['result']
            yield f'{"":11} passed the second time: {test.name} (first: {first})'
    for test, result in bad:
        yield f'{"":11} lost: {test.name} ({result["result"]})'


def tap(mpi, tests, native, weft, number):
    for test in tests:
        before = native[test.name]['result']
        after = weft[test.name] if weft else None
        if before != 'pass' or not after:
            reason = f'natively: {before}' if before != 'pass' else 'no weft run'
            yield f'ok {number} - {mpi} {test.name} # SKIP {reason}'
        elif after['result'] == 'pass':
            yield f'ok {number} - {mpi} {test.name}'
        else:
            yield f'not ok {number} - {mpi} {test.name}: {after["result"]}'
            yield from ('# ' + line for line in after['output'].splitlines()[-10:])
        number += 1


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('work', metavar='WORKDIR', type=os.path.abspath)
    parser.add_argument('--weft', type=os.path.abspath, help='the weft command')
    parser.add_argument('--shared-heap', action='store_true', help='give it to weft run',
                        default=os.environ.get('WEFT_SHARED_HEAP') == '1')
    parser.add_argument('--mpi', action='append', choices=LIBRARIES)
    parser.add_argument('--folders', nargs='+', default=FOLDERS)
    parser.add_argument('--selection', help='a file of tests, each line beginning with its folder')
    parser.add_argument('--most-ranks', type=int, default=10)
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--limit', type=float, default=60, help='seconds for each test')
    parser.add_argument('--fresh', action='store_true', help='run the native tests again')
    parser.add_argument('--resume', action='store_true',
                        help='take up results under Weft of a run that was interrupted')
    parser.add_argument('--tap', action='store_true', help='one TAP line for each test')
    parser.add_argument('--outputs', help='a file for what the lost tests printed')
    options = parser.parse_args()
    options.mpi = [mpi for mpi in options.mpi or LIBRARIES if is_there(options, mpi)]
    return options


def lock(work):
    """A second run would take the results and the time of the first."""
    file = open(os.path.join(work, 'lock'), 'w', encoding='utf-8')
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f'{sys.argv[0]}: another run uses {work}')
    return file


def main():
    options = read_arguments()
    with lock(options.work):
        return run(options)


def run(options):
    lost = number = 0
    for mpi in options.mpi:
        tests, native, weft, bad = compare(options, mpi)
        lines = tap(mpi, tests, native, weft, number + 1) if options.tap else \
            table(mpi, tests, native, weft, bad)
        print('\n'.join(lines), flush=True)
        if tests and not count(tests, native, ['pass']):
            sys.exit(f'{sys.argv[0]}: none of these tests passes natively with {mpi}')
        number += len(tests)
        lost += len(bad)
        if weft and options.shared_heap and not sums_of('together', weft)[0]:
            print(f'{sys.argv[0]}: no message was copied together with {mpi}', file=sys.stderr)
            lost += 1
        if options.outputs:
            with open(options.outputs, 'a', encoding='utf-8') as file:
                for test, result in bad:
                    file.write(f'==== {mpi} {test.name}: {result["result"]}\n{result["output"]}\n')
    if options.tap:
        print(f'1..{number}')
    return int(lost > 0)


if __name__ == '__main__':
    sys.exit(main())
