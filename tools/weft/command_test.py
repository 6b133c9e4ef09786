#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: command_test.py WEFT. Runs the command as people and scripts do. Prints TAP."""

import glob
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../tests/support'))
from checks import check, clean_environment, run_checks  # only now can it be found


def weft(*arguments, stdin='', **variables):
    command = [sys.argv[1], *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.PIPE, env=clean_environment(**variables)) as process:
        out, err = process.communicate(stdin)
    result = subprocess.CompletedProcess(command, process.returncode, out, err)
    result.leftovers = leftovers(process)
    return result


def leftovers(process):
    """The folders that a benchmark has not removed."""
    return glob.glob(f'/tmp/weft-bench-{process.pid}-*')


def read_text(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def expect(condition, result):
    if not condition:
        raise AssertionError(f'{result.args[1:]} gave {result.returncode}\n'
                             f'{result.stdout}{result.stderr}')


@check
def help_and_version_succeed():
    for arguments in ([], ['explain'], ['info'], ['trace'], ['run'], ['compare'], ['sim'],
                      ['sim', 'collective'], ['sim', 'goal'], ['sim', 'net'], ['sim', 'nic'],
                      ['bench'], ['bench', 'type'], ['bench', 'seek'], ['bench', 'commit'],
                      ['bench', 'clock'],
                      ['bench', 'put'], ['bench', 'get'], ['bench', 'copy'],
                      ['bench', 'rate'], ['bench', 'chain'], ['bench', 'match'], ['bench', 'spin'],
                      ['bench', 'ddt'],
                      ['bench', 'transfer'], ['bench', 'mpi'], ['bench', 'collective'],
                      ['bench', 'ways']):
        result = weft(*arguments, '--help')
        expect(result.returncode == 0 and 'usage:' in result.stdout, result)
        expect(weft('help', *arguments).stdout == result.stdout, result)
        expect(weft('--help', *arguments).stdout == result.stdout, result)
    expect(weft('help', '--help').stdout == weft('--help').stdout, result)
    for version in ('--version', 'version'):
        result = weft(version)
        expect(result.returncode == 0 and result.stdout.startswith('weft 0.'), result)


SMALL = 'topology=dragonfly 2 4 2'


@check
def networks_are_simulated():
    result = weft('sim', 'net', SMALL, 'slow=3%', '--permutations', '2')
    rows = [line for line in result.stdout.split('\n') if line and not line.startswith('#')]
    expect(result.returncode == 0 and len(rows) == 1, result)
    expect('#   slow = 3 %\n' in result.stdout, result)
    throughput, least, most = (float(word) for word in rows[0].split('\t')[:3])
    expect(0.4 < least < throughput < most < 0.8, result)
    again = weft('sim', 'net', SMALL, 'slow=3%', '--permutations', '2', '--json', '--jobs', '1')
    point = json.loads(again.stdout)['points'][0]
    expect(f'{point["throughput"]:.4f}' == rows[0].split('\t')[0], again)


@check
def simulations_end_with_their_command():
    """Its output is open as long as one of them runs."""
    command = [sys.argv[1], 'sim', 'net', '--permutations', '2']
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=clean_environment()) as process:
        children = f'/proc/{process.pid}/task/{process.pid}/children'
        while process.poll() is None and not read_text(children):
            time.sleep(0.01)
        process.terminate()
        process.communicate(timeout=20)
    require(process.returncode == -signal.SIGTERM, process.returncode)


@check
def models_include_others_and_are_overridden():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'own.conf')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('# ours\ninclude = sch17-again\nbuffer = 64 # flits\nslow = 2 %\n')
        result = weft('sim', 'net', '--model', path, '--keys', 'slow=5%')
        for line in ('bias = 1\n', 'decide-again = yes\n', 'buffer = 64\n', 'slow = 5 %\n'):
            expect(line in result.stdout, result)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(f'include = {path}\n')
        result = weft('sim', 'net', '--model', path)
        expect(result.returncode == 2 and 'too many' in result.stderr, result)


@check
def figures_of_networks_say_what_the_paper_says():
    result = weft('sim', 'net', '--figure', '5', SMALL, 'most=2000', 'least=2000', '--check')
    expect(result.returncode == 1 and '# not met' in result.stdout, result)
    expect(sum('8x slower\twindow\t' in line for line in result.stdout.split('\n')) == 7, result)


@check
def halos_have_windows():
    result = weft('sim', 'net', '--figure', 'halo', SMALL, 'most=3000', 'least=3000', '--json',
                  '--model', 'sch17-unbiased')
    points = {(point['panel'], point['x']): point['throughput']
              for point in json.loads(result.stdout)['points']}
    require(len(points) == 18, points)
    slow = '1 % 8x slower'
    require(points[slow, 'none'] < points[slow, '30'] < points[slow, 'measured'], points)


@check
def transfers_run_on_networks():
    """One flow for each node through one switch: requests, and replies in a window of chunks."""
    arguments = ('topology=star 8', 'least=3000', 'most=3000', 'window=16', '--json')
    sources = json.loads(weft('sim', 'net', *arguments).stdout)['points'][0]
    result = weft('sim', 'net', *arguments, 'transfers=yes', 'chunk=4')
    expect(result.returncode == 0, result)
    transfers = json.loads(result.stdout)['points'][0]
    expect(0.93 < transfers['throughput'] / sources['throughput'] <= 1, result)
    result = weft('sim', 'net', *arguments, 'transfers=yes', 'chunk=4', 'slow=100%')
    expect(0.105 < json.loads(result.stdout)['points'][0]['of_slow'] < 0.126, result)
    for wrong in 'window=measured', 'pattern=halo', 'notification=yes', 'by-flit=yes':
        result = weft('sim', 'net', 'topology=star 8', 'transfers=yes', wrong)
        expect(result.returncode == 2 and 'transfers' in result.stderr, result)
    result = weft('sim', 'net', 'transfers=yes')
    expect(result.returncode == 1 and 'at most 2048 nodes' in result.stderr, result)


def require(condition, what):
    if not condition:
        raise AssertionError(what)


def simulated(*arguments):
    result = weft('sim', 'goal', *arguments, '--json')
    expect(result.returncode == 0, result)
    expect(weft('sim', 'goal', *arguments, '--json').stdout == result.stdout, result)
    return json.loads(result.stdout)


@check
def jobs_are_simulated():
    """Ten levels of a tree: L + 2 o + 49 G by CPUs, L + m + 49 G by NICs."""
    point = simulated('--generate', 'bcast', '--ranks', '1024', 'size=50')['points'][0]
    require(point['ps'] == 51196000 and point['messages'] == 1023, point)
    point = simulated('--generate', 'bcast', '--ranks', '1024', '--model', 'dig15-hw')['points'][0]
    require(point['ps'] == 30196000 and point['handling'] == 0, point)
    points = simulated('--generate', 'allreduce', '--ranks', '4..100')['points']
    require([point['ranks'] for point in points] == [4, 8, 16, 32, 64], points)
    result = weft('sim', 'goal', '--generate', 'alltoall', '--ranks', '16', 'latency=1.5 us')
    rows = [line for line in result.stdout.split('\n') if line and not line.startswith('#')]
    expect(len(rows) == 1 and rows[0].startswith('16\t'), result)
    expect('#   latency = 1500 ns\n' in result.stdout, result)


@check
def jobs_may_be_noisy():
    quiet = simulated('--generate', 'doubling', '--ranks', '64', 'compute=1ms')['points'][0]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'noise')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('# begin and duration\n1000 500\n20000 100\n')
        for noise in 'uniform 1 ms', 'poisson 100 us 10 us', f'recorded {path}':
            noisy = [simulated('--generate', 'doubling', '--ranks', '64', 'compute=1ms',
                               f'noise={noise}', f'seed={seed}')['points'][0]['ps']
                     for seed in (1, 2)]
            require(min(noisy) > quiet['ps'], noisy)
            require(noisy[0] != noisy[1] or 'recorded' in noise, noisy)
        with open(path, 'a', encoding='utf-8') as file:
            file.write('20050 100\n')
        result = weft('sim', 'goal', '--generate', 'ring', f'noise=recorded {path}')
        expect(result.returncode == 2 and f'{path}:4:' in result.stderr, result)


@check
def files_of_jobs_are_simulated():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'pair.goal')

        def write(text):
            with open(path, 'w', encoding='utf-8') as file:
                file.write(f'num_ranks 2\nrank 0 {{\n{text}}}\nrank 1 {{\nrecv 1b from 0\n}}\n')
        write('a: calc 1000\nb: send 1b to 1\nb requires a\n')
        require(simulated(path)['points'][0]['ps'] == 1000000 + 2700000 + 2 * 1200000, path)
        # The CPU begins what it has computed; the NIC of the other takes it.
        require(simulated(path, 'offload=yes')['points'][0]['ps'] == 1000000 + 2700000 + 1200000,
                path)
        write('send 1b at 1\n')
        result = weft('sim', 'goal', path)
        expect(result.returncode == 1 and f"{path}:3: to is wanted" in result.stderr, result)
        write('calc 1\n')
        result = weft('sim', 'goal', path)
        expect(result.returncode == 1 and "'recv 1b from 0 tag 0' of rank 1" in result.stderr,
               result)
        result = weft('sim', 'goal', os.path.join(folder, 'none'))
        expect(result.returncode == 1 and 'No such file' in result.stderr, result)


@check
def figures_of_jobs_say_what_the_paper_says():
    result = weft('sim', 'goal', '--figure', 'spin17-5a', '--check')
    expect(result.returncode == 1 and '# not met' in result.stdout, result)
    expect('# met     1.87\t8 B, discrete: sPIN is faster than Portals' in result.stdout, result)
    expect('64 KiB, discrete\tsPIN\t1024\t18.034000\n' in result.stdout, result)
    claims = simulated('--figure', 'spin17-5a')['claims']
    require(sum(claim['met'] for claim in claims) == 5, claims)


@check
def nics_are_simulated():
    host = weft('sim', 'nic', 'strategy=host', 'size=64K', 'block=128')
    expect(host.returncode == 0 and '\nhost\t128\t' in host.stdout, host)
    result = weft('sim', 'nic', '--all', 'size=64K', 'block=128', '--json')
    if result.returncode and 'install the packages clang and lld' in result.stderr:
        return
    points = {point['strategy']: point for point in json.loads(result.stdout)['points']}
    expect(len(points) == 8 and points['seek']['writes'] == 512, result)
    expect(points['seek']['gbits'] > points['ro-cp']['gbits'] > points['host']['gbits'], result)
    expect(points['seek']['nic_bytes'] < points['rw-cp']['nic_bytes'], result)
    again = weft('sim', 'nic', '--all', 'size=64K', 'block=128', '--json', '--jobs', '1')
    expect(again.stdout == result.stdout, again)
    shuffled = weft('sim', 'nic', 'size=64K', 'block=128', 'shuffled=yes', '--json')
    expect(json.loads(shuffled.stdout)['points'][0]['writes'] == 512, shuffled)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'timeline.json')
        result = weft('sim', 'nic', 'size=64K', '--trace', path)
        with open(path, encoding='utf-8') as file:
            expect(result.returncode == 0 and len(json.load(file)['traceEvents']) > 100, result)


def host_bytes(*arguments):
    result = weft('sim', 'nic', 'strategy=host', 'size=64K', 'host-cache=8M', '--json', *arguments)
    require(result.returncode == 0, result)
    return json.loads(result.stdout)['points'][0]['host_bytes']


@check
def hosts_move_lines_of_their_cache():
    # The message, its lines, and those where it goes: as many, or twice as many.
    for layout, times in (('contiguous', 3), ('vec64', 3), ('vec8', 4), ('vec4096', 3)):
        found = host_bytes('layout=' + layout)
        require(abs(found / 65536 - times) < 0.02, f'{layout}: {found}')
    require(host_bytes('block=64') == 3 * 65536, 'lines')
    small = host_bytes('layout=fft2_recv_256', 'host-cache=64K')
    require(small > 1.5 * host_bytes('layout=fft2_recv_256'), small)


@check
def layouts_of_programs_are_received():
    for layout in ('wrf_x_19x65x24_vec', 'lammps_atomic_114', 'vector(100,3,7,double)'):
        result = weft('sim', 'nic', '--all', '--json', 'size=8K', 'layout=' + layout)
        if 'install the packages clang and lld' in result.stderr:
            return
        points = {point['strategy']: point for point in json.loads(result.stdout)['points']}
        expect(len(points) >= 7 and points['seek']['nic_bytes'] > 0, result)
        expect(points['rw-cp']['writes'] == points['seek']['writes'], result)


@check
def quanta_of_memories_change_little():
    def time_of(*arguments):
        result = weft('sim', 'nic', '--model', 'pspin', 'strategy=rw-cp', 'size=256K', '--json',
                      *arguments)
        if 'install the packages clang and lld' in result.stderr:
            return 0
        return json.loads(result.stdout)['points'][0]['ns']
    times = [time_of('l2-rate=0.05', f'quantum={quantum}') for quantum in (16, 64, 256)]
    require(max(times) <= 1.02 * min(times), times)
    require(min(times) >= 1.5 * time_of('l2-rate=0'), times)


@check
def cores_are_as_many_as_the_figure_says():
    figure = weft('sim', 'nic', '--figure', 'cores', '--check')
    if 'install the packages clang and lld' in figure.stderr:
        return
    expect(figure.returncode == 0, figure)
    row = next(line for line in figure.stdout.split('\n')
               if line.startswith('0.8 GHz, all memory near\t64\tseek\t'))
    needed = math.ceil(float(row.split('\t')[-1]))
    for cores, holds in ((needed - 1, False), (needed, True)):
        result = weft('sim', 'nic', 'rate=100', 'block=64', 'size=1M', f'hpus={cores}', '--json')
        expect((json.loads(result.stdout)['points'][0]['gbits'] > 95) == holds, result)


@check
def figures_of_nics_say_what_the_paper_says():
    for figure in ('spin17-3d', 'spin17-4', 'dig19-2', 'dig19-9c', 'dig19-13c'):
        result = weft('sim', 'nic', '--figure', figure, '--check')
        if 'install the packages clang and lld' not in result.stderr:
            expect(result.returncode == 0 and '# met' in result.stdout, result)


@check
def handlers_match_messages_while_programs_compute():
    def run(*arguments):
        result = weft('sim', 'nic', '--model', 'spin17-dis', '--json', 'halo-dimensions=2',
                      *arguments)
        expect(result.returncode == 0, result)  # every byte is compared
        return json.loads(result.stdout)['points'][0]['ns']
    for size, least in (('768', -0.01), ('16K', 0.02)):
        host, nic = (run('strategy=' + way, 'size=' + size, 'halo-overlap=50', 'busy=20')
                     for way in ('halo-host', 'halo'))
        require(least < 1 - nic / host < 0.05, (size, host, nic))


@check
def collectives_take_as_long_as_closed_forms_say():
    arguments = ['sim', 'collective', '--processes', '2', '--processes', '64', '--check']
    result = weft(*arguments)
    expect(result.returncode == 0 and 'not met' not in result.stdout, result)
    again = json.loads(weft(*arguments, '--json').stdout)
    point = next(p for p in again['points'] if p['collective'] == 'broadcast' and
                 p['processes'] == 64 and p['nic'] == 'hardware')
    expect(again['missed'] == 0 and f'{point["simulated_us"]:.3f}' in result.stdout, result)


def is_sanitized():
    with open(sys.argv[1], 'rb') as file:
        return re.search(b'__(asan|tsan)_init', file.read())


@check
def nics_by_the_ten_thousand_are_simulated_in_little_memory():
    for collective in ('broadcast', 'allreduce, binomial'):
        result = weft('sim', 'collective', '--processes', '8K', '--nic', 'hardware',
                      '--collective', collective, '--check', '--cost', '--json')
        points = json.loads(result.stdout)['points']
        expect(result.returncode == 0 and [p['collective'] for p in points] == [collective], result)
        expect(is_sanitized() or points[0]['bytes'] < 70e3 * 8192, result)


@check
def wrong_usage_is_2_and_says_what_to_do():
    for arguments, hint in ((['expalin'], 'did you mean'), (['zzz'], '--help'), ([], 'usage:'),
                            (['explain'], 'which type'),
                            (['explain', '--count', 'x', 'int'], "'x'"),
                            (['info', 'more'], 'too many'),
                            (['info', '--bogus'], "'--bogus'; `weft info --help`"),
                            (['bench', 'pat'], 'usage:'), (['bench', 'put', 'x'], "'x'"),
                            (['bench', 'put', '--size', '0'], "'0'"),
                            (['bench', 'put', '--size', '1Q'], "'1Q'"),
                            (['bench', 'put', '--rounds'], '--rounds'),
                            (['bench', 'get', '--check'], '--check'),
                            (['bench', 'put', '--world', 'moon'], "'moon'"),
                            (['bench', 'put', '--provider', 'net'], '--world ofi'),
                            (['bench', 'rate', '--check'], '--world ofi'),
                            (['bench', 'match', '--world', 'ofi'], '--world'),
                            (['bench', 'match', '--size', '8'], '--size'),
                            (['bench', 'spin', '--world', 'moon'], "'moon'"),
                            (['bench', 'spin', 'x'], "'x'"),
                            (['bench', 'ddt', '--way', 'fly'], "'fly'"),
                            (['bench', 'transfer', '--part', 'half'], "'half'"),
                            (['bench', 'transfer', '--layout', 'vec('], "'vec('"),
                            (['bench', 'ddt', '--receive', 'vec8'], "'vec8'"),
                            (['bench', 'ddt', '--layout', 'vec(', '--quick'], "'vec('"),
                            (['bench', 'mpi', '--mpi', 'moon'], "'moon'"),
                            (['bench', 'mpi', '--hosts', 'one'], "'one'"),
                            (['bench', 'mpi', '--layout', 'vec7'], "'vec7'"),
                            (['bench', 'mpi', '--hpus', '1'], '--hpus'),
                            (['bench', 'collective', '--processes', '1'], "'1'"),
                            (['bench', 'ways', '--rounds', '0'], "'0'"),
                            (['--version', 'extra'], "'extra' is too much"),
                            (['version', 'extra'], "'extra' is too much"),
                            (['--help', 'rnu'], "did you mean 'weft run'"),
                            (['run'], 'usage:'), (['run', '--bogus', 'true'], "'--bogus'"),
                            (['run', '--report'], 'which program'),
                            (['compare'], 'it wants a command to run; `weft'),
                            (['compare', '-r', '0', 'x'], '-r'),
                            (['compare', '--runs', '401', 'x'], '--runs'),
                            (['compare', '--', 'sh', '-c', 'true'], 'put `weft run` before'),
                            (['compare', '--', 'mpirun', './typo'], 'spelled right'),
                            (['compare', '--', 'weft', 'run', 'mpirun', 'x'], 'swap the two'),
                            (['sim'], 'usage:'), (['sim', 'nat'], "no simulator 'nat'"),
                            (['sim', 'collective', '--bytes', '7'], "'7'"),
                            (['sim', 'collective', '--processes', '48'], "'48'"),
                            (['sim', 'collective', '--collective', 'dance'], "'dance'"),
                            (['sim', 'collective', '--nic', 'dance'], "'dance'"),
                            (['sim', 'net', '--figure', '2'], 'no such figure'),
                            (['sim', 'nic', '--figure', '2'], 'no such figure'),
                            (['sim', 'nic', 'hpu=2'], "did you mean 'hpus'"),
                            (['sim', 'nic', 'moon=2'], '--keys lists'),
                            (['sim', 'nic', 'hpus=1.5'], 'whole numbers'),
                            (['sim', 'nic', 'strategy=fast'], 'rw-cp'),
                            (['sim', 'nic', '--all', 'layout=fast'], 'neither a layout'),
                            (['sim', 'nic', '--all', '--trace', 'x'], 'one message'),
                            (['sim', 'net', '--model', 'moon'], 'moon'),
                            (['sim', 'net', 'slwo=1'], "did you mean 'slow'"),
                            (['sim', 'net', 'slow=101%'], "'101%'"),
                            (['sim', 'net', 'routing=fast'], 'progressive'),
                            (['sim', 'net', 'topology=torus 2 2'], 'torus 2 2'),
                            (['sim', 'net', 'topology=star 0'], "'star 0'"),
                            (['sim', 'net', 'buffer=8'], 'must fit'),
                            (['sim', 'net', '--check'], 'want a --figure'),
                            (['sim', 'net', 'pattern=halo', 'notification=yes'], 'pairs'),
                            (['sim', 'goal'], 'it wants a file'),
                            (['sim', 'goal', '--generate', 'ring', 'f.goal'], 'it wants a file'),
                            (['sim', 'goal', 'a.goal', 'b.goal'], 'one file'),
                            (['sim', 'goal', '--figure', '7'], 'no such figure'),
                            (['sim', 'goal', '--figure', 'solo', 'size=8'], 'its own jobs'),
                            (['sim', 'goal', '--generate', 'ring', '--check'], 'a --figure'),
                            (['sim', 'goal', '--generate', 'tree'], 'fft2d'),
                            (['sim', 'goal', '--ranks', '8..4'], "--ranks '8..4' is not"),
                            (['sim', 'goal', '--generate', 'ring', 'latencie=1us'], "'latency'"),
                            (['sim', 'goal', '--generate', 'ring', 'latency=1'], 'such as 250 ns'),
                            (['sim', 'goal', '--generate', 'ring', 'noise=poisson 1 ms'], 'none,'),
                            (['sim', 'goal', '--generate', 'ring', 'noise=recorded no'], 'no'),
                            (['sim', 'goal', '--model', 'moon', '--generate', 'ring'], 'moon'),
                            (['trace'], 'which command'), (['trace', '--bogus'], "'--bogus'"),
                            (['trace', '-o'], '-o wants'),
                            (['explain', '-x', 'int'], "'-x'; `weft explain --help`"),
                            (['compare', '-r'], '-r wants a value'), (['help', 'zzz'], '--help'),
                            (['trace', '--records', '1Q', 'true'], '--records'),
                            (['trace', '--summary', 'x', 'y'], 'one file')):
        result = weft(*arguments)
        expect(result.returncode == 2 and hint in result.stderr and not result.stdout, result)


@check
def files_that_cannot_be_used_are_told():
    for arguments, hint in ((['sim', 'goal', '/'], '/: Is a directory'),
                            (['sim', 'nic', 'strategy=contiguous', '--trace', '/dev/full'],
                             'no timeline')):
        result = weft(*arguments)
        expect(result.returncode == 1 and hint in result.stderr and not result.stdout, result)
        expect('memory' not in result.stderr, result)


@check
def pictures_are_refused_before_anything_is_measured():
    for arguments in (['bench', 'spin'], ['sim', 'net', '--figure', '5']):
        result = weft(*arguments, '--plot', '/nonesuch/plot.svg')
        expect(result.returncode == 1 and 'cannot draw into /nonesuch/plot.svg' in result.stderr,
               result)
    with tempfile.TemporaryDirectory() as folder:
        plot = os.path.join(folder, 'plot.svg')
        result = weft('bench', 'ddt', '--from', '/nonesuch', '--plot', plot, PATH='')
        expect(result.returncode == 1 and 'gnuplot' in result.stderr, result)
        expect(os.listdir(folder) == [], result)


@check
def explain_shows_the_facts_and_the_picture():
    result = weft('explain', 'vector(4, 1, 2, int)')
    expect(result.returncode == 0 and '####....####....####....####' in result.stdout, result)
    for fact in ('size         16 bytes', 'extent       28 bytes', 'pieces       4,',
                 'notation     resized(0, 28, hvector(4, 1, 8, bytes(4)))', 'may overlap  no',
                 'on a NIC     seek is as fast as a handler of its shape, with 136 bytes'):
        expect(fact in result.stdout, result)
    result = weft('explain', 'contiguous(4, int)')
    expect('on a NIC     one block needs no handler' in result.stdout, result)
    result = weft('explain', 'hvector(3, 1, 0, int)')
    expect('on a NIC' not in result.stdout, result)


@check
def every_line_fits_a_terminal():
    types = ('vector(64, 3, 100, double)', 'vector(9, 2, -5, float)', 'contiguous(1000000, double)',
             'indexed_block(1, [3, 9, 17, 22, 40, 41, 77, 100, 1300, 15000, 177000], double)',
             'hvector(3, 1, 5000000000, bytes(5))', 'bytes(0)', 'hvector(3, 1, 0, int)',
             'hvector(3, 1, -3074457345618258602, bytes(7))', 'bytes(9223372036854775807)',
             'hindexed_block(1, [-4611686018427387904, 4611686018427387902], byte)')
    result = weft('explain', *types)
    expect(result.returncode == 0, result)
    for line in result.stdout.split('\n'):
        expect(len(line) <= 80, result)


@check
def explain_counts_elements():
    result = weft('explain', '--count', '2', 'resized(0, 12, bytes(8))')
    expect('########....########' in result.stdout and '16 bytes packed' in result.stdout, result)


@check
def explain_writes_json():
    result = weft('explain', '--json', '--pieces', '2', 'vector(4, 1, 2, int)', 'int')
    first, second = map(json.loads, result.stdout.splitlines())
    expect(first['size'] == 16 and first['extent'] == 28 and first['pieces'] == 4, result)
    expect(first['first_pieces'] == [{'packed_offset': 0, 'displacement': 0, 'length': 4},
                                     {'packed_offset': 4, 'displacement': 8, 'length': 4}], result)
    expect(second['contiguous'] and second['notation'] == 'bytes(4)', result)


@check
def explain_reads_standard_input():
    result = weft('explain', '-', stdin='vector(4,\n 1, 2,\tint)\n')
    expect(result.returncode == 0 and '16 bytes' in result.stdout, result)


@check
def a_caret_points_at_the_mistake():
    for text, at in (('vector(64, 3, 10O, double)', 16), ('dooble', 0),
                     ('struct(' + '1 int @ 0, ' * 40 + '1 oops @ 0)', 7 + 11 * 40 + 2)):
        result = weft('explain', text)
        _, shown, caret = result.stderr.rstrip('\n').split('\n')
        expect(result.returncode == 1 and len(shown) <= 80, result)
        column = caret.index('^')
        expect(shown[column:].startswith(text[at:at + 4].rstrip()), result)


@check
def the_manual_is_true():
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../man/weft-types.7.scd')
    with open(page, encoding='utf-8') as file:
        text = file.read()
    basics = re.findall(r'\*(\w+)\*', text.split('# BASIC TYPES')[1].split('They have')[0])
    examples = re.findall(r'^\t(.+)$', text.split('# EXAMPLES')[1], re.M)
    if len(basics) != 18 or len(examples) < 5:
        raise AssertionError(f'found {basics} and {examples}')
    for example in basics + examples:
        result = weft('explain', example)
        expect(result.returncode == 0, result)


@check
def a_bad_type_does_not_hide_the_good_ones():
    result = weft('explain', 'oops', 'int')
    expect(result.returncode == 1 and '4 bytes' in result.stdout, result)


@check
def info_shows_settings_in_force():
    result = weft('info', WEFT_SIMD='off', WEFT_TYPE_CACHE='4K')
    expect('WEFT_SIMD=off' in result.stdout and 'WEFT_TYPE_CACHE=4096' in result.stdout, result)
    expect('instruction set    portable' in result.stdout and not result.stderr, result)
    settings = {s['name']: s for s in json.loads(weft('info', '--json').stdout)['settings']}
    expect(settings['WEFT_LOG']['value'] == settings['WEFT_LOG']['default'] == 'warn', result)


@check
def info_warns_of_misspelt_variables():
    result = weft('info', WEFT_SMID='off')
    expect(result.returncode == 0 and 'WEFT_SMID' in result.stderr, result)
    result = weft('info', '--json', WEFT_SMID='off')
    expect(json.loads(result.stdout)['unknown_variables'] == ['WEFT_SMID'], result)
    expect('did you mean WEFT_SIMD?' in weft('info', WEFT_SMID='x').stderr, result)


@check
def info_lists_mpi_libraries():
    result = weft('info', '--json')
    for library in json.loads(result.stdout)['mpi']:
        expect(library['flavour'] in ('openmpi', 'mpich', 'abi') and library['version'], result)
        expect(os.path.exists(library['path']), result)
        expect(not library['preload'] or library['flavour'] in library['preload'], result)
        expect(library['path'] in weft('info').stdout, result)
    result = weft('info', LD_LIBRARY_PATH='/nowhere')
    expect(result.returncode == 0 and 'MPI libraries:' in result.stdout, result)


@check
def the_library_warns_of_misspelt_variables():
    result = weft(*SHORT_PUT, WEFT_SMID='off')
    expect(result.returncode == 0 and 'WEFT_SMID' in result.stderr, result)


@check
def info_shows_texts():
    result = weft('info', WEFT_RENDEZVOUS='/no/such/file')
    expect('WEFT_RENDEZVOUS=/no/such/file\n    text: path' in result.stdout, result)


@check
def info_shows_worlds_limits_and_memory():
    result = weft('info')
    for word in ('shm', 'usable here, in force', 'max_entries', 'idle', 'connected'):
        expect(word in result.stdout, result)
    result = weft('info', '--json')
    facts = json.loads(result.stdout)
    worlds = {world['name']: world for world in facts['worlds']}
    choices = {s['name']: s['choices'] for s in facts['settings']}['WEFT_WORLD'].split('|')
    expect(set(choices) <= set(worlds) and worlds['shm']['usable'], result)
    expect(re.search('(ofi|tcp) between hosts$', worlds['auto']['help']), result)
    expect(', ofi between hosts;' in weft('info', WEFT_OFI_PROVIDER='net').stdout, result)
    expect(0 < facts['bytes_per_idle_peer'] <= 32, result)
    memory = facts['bytes_per_connected_peer']
    expect(memory['all'] == memory['nic'] + memory['world'] + memory['ring'], result)
    expect(facts['shm']['most_processes'] == 512, result)
    expect(memory['ring'] < facts['shm']['most_bytes'] < 40e6, result)
    expect(facts['limits']['max_pt_index'] >= 63, result)
    if worlds['tcp']['usable']:
        cipher = worlds['tcp']['cipher']
        expect(cipher in ('libcrypto.so.3', 'libIPSec_MB.so.1'), result)
        expect(f'sealed by {cipher}\n' in weft('info').stdout, result)
        expect(f'by {cipher}\n' in weft('info', WEFT_LOG='info').stderr, result)
        narrow = weft('info', WEFT_LOG='info', WEFT_SIMD='avx2')
        expect('by libcrypto.so.3\n' in narrow.stderr, narrow)


@check
def info_shows_providers():
    result = weft('info', '--json')
    providers = json.loads(result.stdout)['providers']
    if not has_libfabric():
        expect(not any(provider['chosen'] for provider in providers), result)
        return
    chosen = [provider for provider in providers if provider['chosen']]
    expect(len(chosen) == 1 and chosen[0]['interface'] in chosen[0]['interfaces'], result)
    expect(all(provider['why'] for provider in providers), result)
    names = [provider['name'] for provider in providers]
    expect(len(set(names)) == len(names) > 0, result)
    last = names[-1]
    result = weft('info', WEFT_OFI_PROVIDER=last)
    expect(re.search(rf'^  {last} +chosen, on', result.stdout, re.M), result)
    result = weft('info', WEFT_OFI_PROVIDER='moon')
    expect(result.stderr.count("'moon'") == 1 and ' chosen, on' not in result.stdout, result)
    several = ','.join(2 * [chosen[0]['interface']])
    result = weft('info', WEFT_OFI_PROVIDER=chosen[0]['name'], WEFT_OFI_INTERFACE=several)
    expect(f' chosen, on {several}:' in result.stdout and not result.stderr, result)


@check
def info_says_if_a_world_cannot_be_used():
    result = weft('info', WEFT_PACKET_SIZE='8')
    expect('not usable here' in result.stdout and 'WEFT_PACKET_SIZE' in result.stderr, result)


# ---- Benchmarks between two processes: whether they run, not how fast ----------------------

SHORT = ('--quick', '--rounds', '1')
SHORT_PUT = ('bench', 'put', *SHORT, '--size', '8', '--size', '100K', '--no-ucx')


@check
def bench_put_prints_both_tables():
    result = weft(*SHORT_PUT)
    expect(result.returncode == 0 and not result.stderr, result)
    expect(re.search(r'^# Size +Latency \(us\)', result.stdout, re.M), result)
    expect(re.search(r'^# Size +Bandwidth \(MB/s\) +Messages/s', result.stdout, re.M), result)
    expect(len(re.findall(r'^8 +\d', result.stdout, re.M)) == 2, result)
    expect(len(re.findall(r'^102400 +\d', result.stdout, re.M)) == 2, result)
    expect(not result.leftovers, result)


@check
def benchmarks_write_json():
    result = weft(*SHORT_PUT, '--latency', '--json')
    report = json.loads(result.stdout)
    expect([row['size'] for row in report['latency']] == [8, 102400], result)
    expect('stream' not in report, result)
    for row in report['latency']:
        expect(0 < row['weft']['min_us'] <= row['weft']['us'] and row['bare']['ratio'] > 0, result)
    result = weft('bench', 'get', *SHORT, '--size', '1M', '--no-ucx', '--json')
    expect(json.loads(result.stdout)['latency'][0]['weft']['us'] > 0, result)
    result = weft('bench', 'rate', *SHORT, '--no-ucx', '--json')
    rows = json.loads(result.stdout)['stream']
    expect([row['told_by'] for row in rows] == ['events', 'counters'], result)
    result = weft('bench', 'chain', *SHORT, '--size', '8', '--size', '1M', '--json')
    rows = json.loads(result.stdout)['chain']
    expect([row['size'] for row in rows] == [8, 1 << 20], result)
    expect(0 < rows[0]['weft']['us'] < rows[1]['weft']['us'], result)


SPIN_CASES = ['put', 'ping-pong', 'accumulate', 'broadcast', 'parity']


@check
def bench_spin_does_every_case_and_draws():
    with tempfile.TemporaryDirectory() as folder:
        plot = os.path.join(folder, "it's.svg")
        drawn = shutil.which('gnuplot') is not None
        result = weft('bench', 'spin', '--quick', '--world', 'shm', '--json',
                      *(('--plot', plot) if drawn else ()))
        rows = json.loads(result.stdout)['rows']
        expect([row['case'] for row in rows] == SPIN_CASES, result)
        for row in rows:
            expect(row['handlers_us'] > 0 and row['program_us'] > 0 and row['gain'] > 0, result)
        if drawn:
            with open(plot, encoding='utf-8') as file:
                expect('<svg' in file.read(), result)
        expect(not result.leftovers, result)


DASHED = 'stroke-dasharray'  # the line at 1


def drawing_of(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        plot = os.path.join(folder, 'plot.svg')
        result = weft('sim', *arguments, '--plot', plot)
        expect(result.returncode == 0, result)
        with open(plot, encoding='utf-8') as file:
            return result, file.read()


@check
def only_what_is_compared_has_a_line_at_1():
    if not shutil.which('gnuplot'):
        return
    result, drawn = drawing_of('nic', '--figure', 'dig19-2')
    expect('>ns<' in drawn and DASHED not in drawn, result)


@check
def values_below_0_are_drawn():
    if not shutil.which('gnuplot'):
        return
    result, drawn = drawing_of('nic', '--figure', 'spin17-5c')
    points = re.findall(r"use xlink:href='#gpPt[46]'", drawn)
    expect(len(points) == 2 * 2 * 4, result)  # panels, ways, programs


def colours_of(series, drawn):
    return set(re.findall(rf'fill="([^"]+)"[^>]*>\s*<text>{series}<', drawn))


@check
def a_series_has_one_colour_in_all_figures():
    if not shutil.which('gnuplot'):
        return
    small = 'topology=dragonfly 1 2 1'
    (result, one), (_, other) = (drawing_of('net', '--figure', figure, small) for figure in '45')
    for series in 'baseline', 'FECN/BECN', 'aggressive':
        expect(len(colours_of(series, one) | colours_of(series, other)) == 1, result)


def store_results(folder):
    stored = os.path.join(folder, 'stored')
    with open(stored, 'w', encoding='utf-8') as file:
        file.write('# vec8 into vec8, 65536 bytes, shm; medians of 7 alternating turns\n'
                   '# Way          One way (us)   / contiguous\n'
                   'contiguous            11.06           1.00\n'
                   'seek                  12.83           1.18\n')
    return stored


@check
def pictures_are_drawn_from_stored_results():
    if not shutil.which('gnuplot'):
        return
    with tempfile.TemporaryDirectory() as folder:
        stored, plot = store_results(folder), os.path.join(folder, 'plot.svg')
        result = weft('bench', 'ddt', '--from', stored, '--plot', plot)
        with open(plot, encoding='utf-8') as file:
            drawn = file.read()
        expect(result.returncode == 0 and '>seek<' in drawn and '>64 KiB<' in drawn, result)
        expect('>contiguous<' not in drawn and DASHED in drawn, result)
        for arguments, hint in ((('--from', stored), '--plot'),
                                (('--from', folder + '/none', '--plot', plot), 'none'),
                                (('--from', plot, '--plot', plot), 'nothing')):
            result = weft('bench', 'ddt', *arguments)
            expect(result.returncode == 1 and hint in result.stderr, result)


@check
def a_pipe_gets_the_whole_picture():
    if not shutil.which('gnuplot'):
        return
    with tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, 'pipe')
        os.mkfifo(pipe)
        with subprocess.Popen(['timeout', '60', 'cat', pipe], stdout=subprocess.PIPE,
                              text=True) as reader, \
             subprocess.Popen(['timeout', '60', sys.argv[1], 'bench', 'ddt', '--from',
                               store_results(folder), '--plot', pipe]) as writer:
            picture = reader.communicate()[0]
            writer.wait()
        expect(writer.returncode == 0 and picture.rstrip().endswith('</svg>'),
               subprocess.CompletedProcess(writer.args, writer.returncode, picture, ''))


DDT_WAYS = ['contiguous', 'seek', 'specialized', 'hpu-local', 'ro-cp', 'rw-cp', 'host', 'iovec',
            'pack']


@check
def bench_ddt_sends_by_every_way():
    result = weft('bench', 'ddt', '--quick', '--rounds', '1', '--layout', 'vec64',
                  '--layout', 'vector(512, 1, 2, double)', '--receive', 'vec512', '--json')
    cells = json.loads(result.stdout)['cells']
    expect([cell['receive'] for cell in cells] == ['vec64', 'vec512'], result)
    for cell in cells:
        expect([way['way'] for way in cell['ways']] == DDT_WAYS, result)
        expect(all(way['us'] > 0 for way in cell['ways']), result)
    expect(not result.leftovers, result)


@check
def bench_transfer_measures_every_part():
    result = weft('bench', 'transfer', '--quick', '--rounds', '1', '--json')
    tables = json.loads(result.stdout)['tables']
    expect(len(tables) == 8, result)
    for table in tables:
        for line in table['lines']:
            expect(all(cell['us'] > 0 for cell in line['cells']), result)
    new, again, before = tables[-1]['lines']
    expect(new['cells'][0]['layout_bytes'] == 0, result)
    expect(new['cells'][1]['layout_bytes'] > 4096, result)
    for line in (again, before):
        expect(all(cell['layout_bytes'] == 0 for cell in line['cells']), result)
    expect(not result.leftovers, result)


def has_libfabric():
    worlds = json.loads(weft('info', '--json').stdout)['worlds']
    return any(world['name'] == 'ofi' and world['usable'] for world in worlds)


@check
def benchmarks_run_over_libfabric():
    if not has_libfabric():
        result = weft('bench', 'rate', '--world', 'ofi')
        expect(result.returncode != 0 and 'libfabric' in result.stderr, result)
        return
    ofi = (*SHORT, '--world', 'ofi', '--provider', 'net', '--no-ucx')
    result = weft('bench', 'put', *ofi, '--size', '8', '--size', '100K', '--json')
    report = json.loads(result.stdout)
    expect((report['world'], report['provider']) == ('ofi', 'net'), result)
    for row in report['latency'] + report['stream']:
        expect(row['weft']['us'] > 0 and row['bare']['ratio'] > 0, result)
    result = weft('bench', 'get', *ofi, '--size', '1M', '--json')
    expect(json.loads(result.stdout)['latency'][0]['bare']['us'] > 0, result)
    result = weft('bench', 'rate', *ofi)
    expect(result.returncode == 0 and "libfabric's net" in result.stdout, result)
    expect(not result.leftovers, result)


@check
def benchmarks_run_over_sockets():
    worlds = json.loads(weft('info', '--json').stdout)['worlds']
    tcp = (*SHORT, '--world', 'tcp', '--no-ucx')
    if not any(world['name'] == 'tcp' and world['usable'] for world in worlds):
        result = weft('bench', 'put', *tcp)
        expect(result.returncode != 0 and 'libcrypto' in result.stderr, result)
        return
    result = weft('bench', 'put', *tcp, '--size', '8', '--size', '100K', '--json')
    report = json.loads(result.stdout)
    expect(report['world'] == 'tcp', result)
    for row in report['latency'] + report['stream']:
        expect(row['weft']['us'] > 0 and row['bare']['ratio'] > 0, result)
    result = weft('bench', 'get', *tcp, '--size', '1M', '--json')
    expect(json.loads(result.stdout)['latency'][0]['bare']['us'] > 0, result)
    result = weft('bench', 'rate', *tcp)
    expect(result.returncode == 0 and ', sockets, ' in result.stdout, result)
    expect(not result.leftovers, result)
    result = weft('bench', 'put', *tcp, '--stream', '--size', '100K', '--check', '--json')
    bars = json.loads(result.stdout)['bars']
    expect([bar['verdict'] for bar in bars[:4]] == ['skipped'] * 4 and len(bars) == 5, result)
    expect(bars[4]['verdict'] != 'skipped' and bars[4]['at_least'] == 0.95, result)
    result = weft('bench', 'ddt', *SHORT, '--world', 'tcp', '--layout', 'vec64', '--way', 'seek',
                  '--check', '--json')
    bars = json.loads(result.stdout)['bars']
    expect([bar['at_most'] for bar in bars] == [1.3], result)
    expect(not result.leftovers, result)


@check
def bars_over_libfabric_are_reported():
    if not has_libfabric():
        return
    bench = ('bench', 'put', *SHORT, '--stream', '--world', 'ofi', '--no-ucx', '--check', '--json')
    for provider, verdicts in (('net', {'holds', 'missed'}), ('tcp;ofi_rxm', {'skipped'})):
        result = weft(*bench, '--size', '100K', '--provider', provider)
        bars = json.loads(result.stdout)['bars']
        expect([bar['verdict'] for bar in bars[:2]] == ['skipped'] * 2, result)
        expect(bars[2]['verdict'] in verdicts and len(bars) == 3, result)
        expect(result.returncode == ('missed' in result.stdout), result)


@check
def a_provider_that_is_not_there_is_a_failure():
    if not has_libfabric():
        return
    result = weft('bench', 'rate', *SHORT, '--world', 'ofi', '--provider', 'moon')
    expect(result.returncode == 1 and "'moon'" in result.stderr, result)
    expect(not result.leftovers, result)


@check
def bench_match_measures_long_lists():
    result = weft('bench', 'match', *SHORT, '--json')
    report = json.loads(result.stdout)
    expect(len(report['entries']) == 9 and len(report['unexpected']) == 3, result)
    expect(all(row['us'] > 0 for row in report['entries'] + report['unexpected']), result)


@check
def bars_that_cannot_be_measured_are_skipped():
    result = weft(*SHORT_PUT, '--check')
    expect(result.returncode == 0, result)
    expect(result.stdout.count('skipped') == 4 and 'holds' not in result.stdout, result)


@check
def without_ucx_there_is_a_note():
    result = weft('bench', 'put', *SHORT, '--size', '8', '--check', '--json', PATH='/nowhere')
    expect(result.returncode == 0 and 'ucx-utils' in result.stderr, result)
    bars = json.loads(result.stdout)['bars']
    expect([bar['verdict'] for bar in bars] == ['skipped'] * 4, result)


@check
def a_world_that_does_not_open_is_a_failure():
    result = weft(*SHORT_PUT, WEFT_PACKET_SIZE='8')
    expect(result.returncode == 1 and 'WEFT_PACKET_SIZE' in result.stderr, result)
    expect('ended before it was done' in result.stderr and not result.leftovers, result)


@check
def an_interrupted_benchmark_leaves_nothing():
    with subprocess.Popen([sys.argv[1], 'bench', 'put', '--no-ucx'], stdout=subprocess.PIPE,
                          text=True) as process:
        line = process.stdout.readline()  # it is written when the processes are started
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    if process.returncode != -signal.SIGINT or leftovers(process):
        raise AssertionError(f'{line}exit code {process.returncode}, {leftovers(process)}')


# Open MPI's launcher wants to be told that root may use it.
AS_ROOT = {f'{launcher}_ALLOW_RUN_AS_ROOT{confirm}': '1'
           for launcher in ('OMPI', 'PRTE') for confirm in ('', '_CONFIRM')}


def bench_mpi(*arguments):
    """None if Weft was built without an MPI."""
    result = weft('bench', 'mpi', *arguments, **AS_ROOT)
    return None if 'built without' in result.stderr else result


@check
def bench_mpi_moves_the_right_bytes():
    for mpi, title in (('openmpi', 'Open MPI'), ('mpich', 'MPICH')):
        result = bench_mpi('--mpi', mpi, '--verify', '--quick')
        if result:
            expect(result.returncode == 0 and not result.stderr, result)
            expect(result.stdout.startswith(f'{title}: 30 pairs of layouts, 0 messages'), result)


@check
def bench_mpi_measures_all_ways():
    result = bench_mpi('--rounds', '1', '--quick', '--layout', 'vec8', '--receive', 'contiguous',
                       '--size', '64K', '--check', '--json')
    if not result:
        return
    report = json.loads(result.stdout)
    for mpi in report['mpis']:
        [cell] = mpi['cells']
        expect(cell['bytes'] == 65536 and cell['receive'] == 'contiguous', result)
        for sender in ('mpi', 'mpi_again', 'hand', 'contiguous', 'weft'):
            for course in ('one_way', 'ping_pong'):
                expect(cell[sender][course]['message'] > 0, result)
        expect(cell['hand']['one_way']['pack'] > 0, result)
        expect(len(mpi['means']) == 1, result)
    missed = sum(bar['verdict'] == 'missed' for bar in report['bars'])
    expect(len(report['bars']) == 10 * len(report['mpis']), result)
    expect(result.returncode == (missed > 0), result)


@check
def bench_mpi_has_other_bars_with_shared_heaps():
    result = bench_mpi('--mpi', 'openmpi', '--rounds', '1', '--quick', '--one-way', '--shared-heap',
                       '--part', 'contiguous', '--check', '--json')
    if not result:
        return
    bars = {bar['what']: bar for bar in json.loads(result.stdout)['bars']}
    expect(len(bars) == 12, result)
    [together] = [bar for what, bar in bars.items() if ' together, ' in what]
    expect(together['at_least'] == 2 and together['figure'] > 0, result)
    expect(bars['Open MPI, layouts, mean of MPI / Weft']['at_least'] == 3, result)


@check
def bench_mpi_exchanges():
    result = bench_mpi('--mpi', 'openmpi', '--exchange', '--rounds', '1', '--quick', '--json')
    if not result:
        return
    for cell in json.loads(result.stdout)['mpis'][0]['cells']:
        expect(cell['part'] == 'exchange', result)
        for sender in ('mpi', 'mpi_again', 'hand', 'contiguous', 'weft'):
            for course in ('exchange', 'sendrecv', 'persistent'):
                expect(cell[sender][course]['message'] > 0, result)


@check
def layouts_of_different_sizes_are_a_failure():
    result = bench_mpi('--quick', '--layout', 'vec8', '--receive', 'vec64', '--size', '100')
    if result:
        expect(result.returncode == 1 and 'the same size' in result.stderr, result)


TRACED = ('bench', 'put', *SHORT, '--size', '100K', '--no-ucx', '--latency', '--json')


def read_timeline(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)


@check
def trace_puts_all_processes_into_one_file():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, '100%r.json')
        result = weft('trace', '-o', path, '--records', '1M', sys.argv[1], *TRACED)
        expect(result.returncode == 0 and 'latency' in json.loads(result.stdout), result)
        timeline = read_timeline(path)
        expect(os.listdir(folder) == ['100%r.json'], result)
        summary = weft('trace', '--summary', path)
    one, other = timeline['otherData']['processes']
    for process in one, other:
        expect(process['lost_records'] == 0 and process['matched'] > 0, result)
        packets = [e for e in timeline['traceEvents']
                   if e['pid'] == process['pid'] and 'from' in e.get('args', {})]
        expect(len(packets) == process['packets_in'] + process['matched'], result)
        expect(re.search(rf'^{process["process"]} +{process["packets_in"]} ', summary.stdout, re.M),
               summary)
    expect((one['packets_in'], one['bytes_in']) == (other['packets_out'], other['bytes_out']),
           result)
    expect((other['packets_in'], other['bytes_in']) == (one['packets_out'], one['bytes_out']),
           result)
    expect(summary.returncode == 0 and summary.stdout in result.stderr, result)


@check
def trace_tells_of_lost_records():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 't.json')
        result = weft('trace', '-o', path, '--records', '100', sys.argv[1], *TRACED)
        expect(result.returncode == 0 and 'Records are lost' in result.stderr, result)
        moments = [e for e in read_timeline(path)['traceEvents'] if e['ph'] == 'i']
        expect(len(moments) == 2 * 128, result)


@check
def trace_ends_as_its_command_does():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 't.json')
        for command, code, hint in ((['sh', '-c', 'exit 7'], 7, 'no process'),
                                    (['sh', '-c', 'kill -9 $$'], 137, 'no process'),
                                    (['true'], 1, 'no process'),
                                    (['./nothing'], 127, 'cannot start ./nothing')):
            result = weft('trace', '-o', path, *command)
            expect(result.returncode == code and hint in result.stderr, result)
            expect(os.listdir(folder) == ['t.json'], result)
        result = weft('trace', '-o', os.path.join(folder, 'x', 't.json'), 'echo', 'hello')
        expect(result.returncode == 1 and not result.stdout, result)
        expect(f'there is no folder {folder}/x;' in result.stderr, result)
        result = weft('trace', '-o', path, 'sh', '-c', 'echo "{" >$(dirname $WEFT_TRACE)/1-1')
        expect(result.returncode == 1 and 'not whole' in result.stderr, result)
        for text, hint in (('{}', 'not a timeline'), (None, 'cannot read')):
            os.remove(path)
            if text:
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(text)
            result = weft('trace', '--summary', path)
            expect(result.returncode == 1 and hint in result.stderr, result)
            open(path, 'a', encoding='utf-8').close()


@check
def run_passes_everything_through():
    result = weft('run', 'sh', '-c', 'echo $1 $LD_PRELOAD; exit 7', 'sh', '--report')
    expect(result.returncode == 7 and result.stdout == '--report\n', result)
    expect('runs without Weft' in result.stderr, result)
    result = weft('run', 'sh', '-c', 'echo $LD_PRELOAD', OMPI_COMM_WORLD_SIZE='2')
    expect('libweft_mpi_openmpi.so' in result.stdout + result.stderr, result)
    expect('libweft_heap.so' not in result.stdout, result)
    result = weft('run', '--shared-heap', 'sh', '-c', 'echo $LD_PRELOAD $WEFT_SHARED_HEAP',
                  OMPI_COMM_WORLD_SIZE='2')
    expect('libweft_heap.so:' in result.stdout or 'runs without' in result.stderr, result)
    expect(result.stdout.endswith('1\n'), result)
    result = weft('run', '--off', 'sh', '-c', 'echo $LD_PRELOAD', OMPI_COMM_WORLD_SIZE='2')
    expect(result.stdout == '\n' and not result.stderr, result)
    result = weft('run', '--trace', 'a/b.json', 'sh', '-c', 'echo $WEFT_TRACE')
    expect(result.stdout == 'a/b.json\n', result)
    result = weft('run', './nothing')
    expect(result.returncode == 127 and result.stderr.count('\n') == 1, result)
    expect('cannot run ./nothing: No such file' in result.stderr, result)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'mpirun')
        with open(path, 'w', encoding='ascii') as file:
            file.write('#!/bin/sh\necho "ran $*"\n')
        os.chmod(path, 0o755)
        result = weft('run', path, '-n', '2', 'x')
        expect(result.stdout == 'ran -n 2 x\n' and 'swap the two' in result.stderr, result)


@check
def compare_takes_turns_and_judges():
    # This mpirun ends at once without Weft; on a loaded machine that takes a tenth of a second.
    arguments = ('mpirun', sys.argv[1], 'run', 'sh', '-c', 'sleep 0.4; echo said')
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'mpirun'), 'w', encoding='ascii') as file:
            file.write('#!/bin/sh\necho "$@" >>$LOG\ncase "$*" in *--off*) exec true; esac\n'
                       'exec "$@"\n')
        os.chmod(file.name, 0o755)
        log = os.path.join(folder, 'log')
        variables = {'PATH': folder + ':' + os.environ['PATH'], 'LOG': log}
        result = weft('compare', '-r', '6', '--json', '--', *arguments, **variables)
        expect(result.returncode == 0, result)
        report = json.loads(result.stdout)
        expect(report['verdict'] == 'slower' and report['ratio_low'] > 1, result)
        expect(report['without']['command'][2:4] == ['run', '--off'], result)
        expect(report['with']['command'] == list(arguments), result)
        for way in ('with', 'without'):
            times = report[way]
            expect(len(times['seconds']) == 6 and times['least'] <= times['lower_quartile'] <=
                   times['median'] <= times['upper_quartile'] <= times['greatest'], result)
        with open(log, encoding='ascii') as file:
            turns = ''.join('-' if '--off' in line else '+' for line in file)
        expect(turns == '+--++--++--+', result)
        expect(result.stderr.count(' s\n') == 12, result)
        result = weft('compare', '-r', '6', '--', *arguments, **variables)
        expect('slower by' in result.stdout and 'confidence' in result.stdout, result)
        result = weft('compare', '-r', '1', '--', *arguments, **variables)
        expect('no difference that 1 run of each can show' in result.stdout, result)
        expect('\nsaid' not in result.stdout, result)


@check
def compare_tells_the_time_of_processors():
    count = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'
    command = (sys.argv[1], 'run', 'sh', '-c', f'({count}) & {count}; wait')
    result = weft('compare', '-r', '6', '--json', '--', *command)
    report = json.loads(result.stdout)['processor_time']
    expect(0.5 < report['ratio'] < 2 and report['ratio_low'] <= report['ratio_high'], result)
    for way in ('with', 'without'):
        expect(len(report[way]['seconds']) == 6 and report[way]['least'] > 0, result)
    result = weft('compare', '-r', '1', '--', *command)
    expect('processor time: ' in result.stdout and ' s without Weft' in result.stdout, result)
    result = weft('compare', '-r', '1', '--', sys.argv[1], 'run', 'sleep', '2')
    expect('processor time: not known' in result.stdout, result)


@check
def compare_passes_failures_on():
    for command, code in ((['sh', '-c', 'exit 7'], 7), (['sh', '-c', 'kill -9 $$'], 137),
                          (['./nothing'], 127)):
        result = weft('compare', '--', sys.argv[1], 'run', *command)
        expect(result.returncode == code and not result.stdout, result)
        expect(f'the run with Weft failed with exit code {code}' in result.stderr, result)


@check
def lost_output_is_a_failure():
    with open('/dev/full', 'w', encoding='ascii') as full:
        result = subprocess.run([sys.argv[1], 'info'], stdout=full, stderr=subprocess.PIPE,
                                text=True, check=False)
    if result.returncode != 1 or 'cannot write' not in result.stderr:
        raise AssertionError(f'exit code {result.returncode}: {result.stderr}')


if __name__ == '__main__':
    sys.exit(run_checks())
