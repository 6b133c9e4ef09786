#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: trace_test.py SCENE. Looks into the timelines of runs whose numbers are known. TAP."""

import json
import os
import subprocess
import sys
import tempfile

PUTS = 20
SIZE = 10000
STAGES = {'rx', 'match', 'dma', 'event', 'tx', 'link'}

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from checks import check, clean_environment, run_checks  # only now can it be found


def expect(condition, *what):
    if not condition:
        raise AssertionError(' '.join(map(str, what)))


def run(*arguments, **variables):
    result = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, timeout=100,
                            check=False, env=clean_environment(**variables))
    expect(result.returncode == 0, arguments, result.stderr)
    return result


def check_nesting(slices):
    """One HPU does one thing at a time: a slice begins after the last, or ends before it does."""
    open_until = []
    for begin, end, name in slices:
        while open_until and open_until[-1] <= begin:
            open_until.pop()
        expect(begin <= end, 'a slice ends before it begins', name)
        expect(not open_until or end <= open_until[-1], 'slices overlap', begin, end, name)
        open_until.append(end)


class Timeline:
    """A file, as a viewer reads it."""

    def __init__(self, path):
        with open(path, encoding='utf-8') as file:
            content = json.load(file)
        self.events = content['traceEvents']
        self.processes = {p['process']: p for p in content['otherData']['processes']}
        self.names = {e['pid']: e['args']['name'] for e in self.events
                      if e['name'] == 'process_name' and e['ph'] == 'M'}
        self.tracks = {(e['pid'], e['tid']): e['args']['name'] for e in self.events
                       if e['name'] == 'thread_name' and e['ph'] == 'M'}
        self.check()

    def check(self):
        for event in self.events:
            expect(event['ph'] in ('M', 'i', 'X'), 'an event of an unknown kind', event)
            expect(event['pid'] in self.names, 'a process without a name', event)
            if event['ph'] == 'M':
                continue
            track = self.tracks.get((event['pid'], event['tid']))
            expect(track in STAGES or track.startswith('HPU '), 'a track without a name', event)
            expect(track.startswith('HPU ') == (event['ph'] == 'X'), 'what has a length?', event)
        for process, track in {(self.names[pid], name) for (pid, _), name in self.tracks.items()}:
            if track.startswith('HPU '):
                check_nesting(self.slices(process, track))
        expect(sorted(self.names.values()) == sorted(self.processes), self.names, self.processes)

    def on(self, process, track):
        """The events of one track."""
        return [e for e in self.events if e['ph'] != 'M' and self.names[e['pid']] == process
                and self.tracks[e['pid'], e['tid']] == track]

    def slices(self, process, track):
        """Begin, end and name; of those that begin together the longest first."""
        slices = [(e['ts'], round(e['ts'] + e['dur'], 3), e['name'])
                  for e in self.on(process, track)]
        return sorted(slices, key=lambda slice: (slice[0], -slice[1]))


def count(events, name):
    return sum(e['name'] == name for e in events)


def bytes_of(events):
    return sum(e['args']['bytes'] for e in events)


def check_scene(timeline, target, initiator):
    """All that must be there whatever moved the packets, if nothing was lost."""
    expect(count(timeline.on(target, 'rx'), 'PUT') == PUTS, 'puts in')
    expect(count(timeline.on(target, 'rx'), 'GET') == 1, 'gets in')
    expect(count(timeline.on(target, 'match'), 'priority list') == PUTS + 1, 'matched')
    expect(count(timeline.on(target, 'event'), 'PUT') == PUTS, 'events PUT')
    expect(count(timeline.on(target, 'event'), 'GET') == 1, 'events GET')
    expect(count(timeline.on(initiator, 'event'), 'ACK') == PUTS, 'events ACK')
    expect(count(timeline.on(initiator, 'event'), 'REPLY') == 1, 'events REPLY')
    expect(count(timeline.on(initiator, 'tx'), 'PUT') == PUTS, 'puts out')
    # Whoever ends first is gone for the other.
    link = timeline.on(target, 'link') + timeline.on(initiator, 'link')
    expect({e['name'] for e in link} <= {'failed'}, link)
    expect(bytes_of(timeline.on(initiator, 'tx')) == PUTS * SIZE, 'bytes out')
    expect(bytes_of(timeline.on(target, 'rx')) == PUTS * SIZE, 'bytes in')
    expect(bytes_of(timeline.on(initiator, 'rx')) == SIZE, 'bytes of the reply')
    expect(bytes_of(timeline.on(target, 'match')) == (PUTS + 1) * SIZE, 'bytes matched')
    for process in target, initiator:
        totals = timeline.processes[process]
        expect(totals['packets_in'] == len(timeline.on(process, 'rx')), totals)
        expect(totals['packets_out'] == len(timeline.on(process, 'tx')), totals)
        expect(totals['bytes_in'] == bytes_of(timeline.on(process, 'rx')), totals)
        expect(totals['bytes_out'] == bytes_of(timeline.on(process, 'tx')), totals)
        expect(totals['events'] == len(timeline.on(process, 'event')), totals)
        expect(totals['lost_records'] == 0 and totals['handlers'] == 0, totals)
    expect(timeline.processes[target]['matched'] == PUTS + 1, timeline.processes)


# ---- Virtual time -------------------------------------------------------------------------


@check
def a_simulated_run_is_all_there():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'sim.json')
        sent, delivered = map(int, run('sim', path, '1', '0', '10000').stdout.split())
        timeline = Timeline(path)
    expect(set(timeline.names.items()) == {(1, 'node 0'), (2, 'node 1')}, timeline.names)
    check_scene(timeline, 'node 0', 'node 1')
    expect(sum(p['packets_out'] for p in timeline.processes.values()) == sent, sent)
    expect(sum(p['packets_in'] for p in timeline.processes.values()) == delivered, delivered)
    # A packet needs a microsecond, and the first leaves at once.
    first = min(e['ts'] for e in timeline.on('node 0', 'rx'))
    expect(1.0 <= first < 2.0, first)


@check
def equal_seeds_give_equal_files():
    with tempfile.TemporaryDirectory() as folder:
        texts = []
        for seed in ('7', '7', '8'):
            path = os.path.join(folder, 'sim.json')
            run('sim', path, seed, '50000', '10000')
            timeline = Timeline(path)
            expect(count(timeline.on('node 1', 'link'), 'resend') ==
                   timeline.processes['node 1']['resent'] > 0, 'nothing was sent again')
            with open(path, encoding='utf-8') as file:
                texts.append(file.read())
    expect(texts[0] == texts[1], 'the files differ')
    expect(texts[0] != texts[2], 'the seed changes nothing')


@check
def a_small_ring_keeps_the_end():
    with tempfile.TemporaryDirectory() as folder:
        all_of_it, end = os.path.join(folder, 'all.json'), os.path.join(folder, 'end.json')
        run('sim', all_of_it, '1', '0', '10000')
        run('sim', end, '1', '0', '64')
        long, short = Timeline(all_of_it), Timeline(end)
    moments = [e for e in short.events if e['ph'] == 'i']
    expect(len(moments) == 64, len(moments))
    expect(moments == [e for e in long.events if e['ph'] == 'i'][-64:], 'not the end')
    lost = sum(e['ph'] == 'i' for e in long.events) - 64
    expect(all(p['lost_records'] == lost for p in short.processes.values()), short.processes)


# ---- Handlers -----------------------------------------------------------------------------


@check
def handlers_are_slices_that_end():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'handlers.json')
        run('handlers', path)
        timeline = Timeline(path)
    expect(timeline.slices('node 0', 'HPU 0') ==
           [(1.0, 2.001, 'header'), (2.001, 3.5, 'payload')], timeline.slices('node 0', 'HPU 0'))
    expect(timeline.slices('node 0', 'HPU 1') ==
           [(2.002, 3.0, 'payload'), (2.5, 2.6, 'header'), (4.0, 5.0, 'completion')],
           timeline.slices('node 0', 'HPU 1'))
    expect(not timeline.on('node 0', 'HPU 3'), 'a slice without a beginning')
    returned = {e['name']: e['args'].get('returned') for e in timeline.on('node 0', 'HPU 1')}
    expect(returned == {'payload': 3, 'header': 2, 'completion': None}, returned)
    unfinished = [e for e in timeline.on('node 0', 'HPU 1') if 'unfinished' in e['args']]
    expect([e['name'] for e in unfinished] == ['completion'], unfinished)
    expect(bytes_of(timeline.on('node 0', 'HPU 0')) == 2056, 'bytes of handlers')
    expect([e['name'] for e in timeline.on('node 0', 'dma')] == ['from host', 'atomic'], 'dma')
    totals = timeline.processes['node 0']
    expect((totals['handlers'], totals['dma_bytes'], totals['lost_records']) == (5, 72, 0), totals)


# ---- Real time ----------------------------------------------------------------------------


def run_pair(folder, trace, **variables):
    """Returns what the initiator wrote to standard error."""
    setting = {'WEFT_TRACE': trace, 'WEFT_LAUNCHER': 'none',
               'WEFT_RENDEZVOUS': os.path.join(folder, 'rendezvous'), **variables}
    with subprocess.Popen([sys.argv[1], 'target'], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=clean_environment(**setting)) as target:
        expect(target.stdout.readline() == 'ready\n', 'the target does not start')
        errors = run('initiator', **setting).stderr
        expect(target.wait(timeout=60) == 0, 'the target fails', target.stderr.read())
    return errors


@check
def a_real_run_is_all_there():
    with tempfile.TemporaryDirectory() as folder:
        run_pair(folder, os.path.join(folder, 'of-%r.json'))
        target = Timeline(os.path.join(folder, 'of-1.json'))
        initiator = Timeline(os.path.join(folder, 'of-2.json'))
    both = Timeline.__new__(Timeline)
    both.events = target.events + initiator.events
    both.names = {**target.names, **initiator.names}
    both.tracks = {**target.tracks, **initiator.tracks}
    both.processes = {**target.processes, **initiator.processes}
    both.check()
    (target_name,), (initiator_name,) = target.processes, initiator.processes
    check_scene(both, target_name, initiator_name)
    # One clock: nothing arrives before it was sent.
    sent = [e['ts'] for e in initiator.on(initiator_name, 'tx')]
    arrived = [e['ts'] for e in target.on(target_name, 'rx')]
    expect(len(sent) == len(arrived) and all(s < a for s, a in zip(sent, arrived)), 'the clocks')


@check
def names_of_files_tell_processes_apart():
    with tempfile.TemporaryDirectory() as folder:
        run_pair(folder, os.path.join(folder, 'a.b', 'no.json'))
        expect(not os.path.exists(os.path.join(folder, 'a.b')), 'made a folder')
        os.mkdir(os.path.join(folder, 'a.b'))
        for name, ending in (('plain', ''), ('suffix.json', '.json'), ('.hidden', '')):
            here = os.path.join(folder, 'a.b')
            run_pair(folder, os.path.join(here, name))
            files = sorted(os.listdir(here))
            expect(len(files) == 2, files)
            stem = name[:len(name) - len(ending)]
            for file in files:
                number = file[len(stem) + 1:len(file) - len(ending)]
                expect(file == f'{stem}.{number}{ending}' and int(number) > 2, file)
                os.remove(os.path.join(here, file))
        run_pair(folder, os.path.join(folder, 'a.b', '%%%p-%r'))
        for file in os.listdir(os.path.join(folder, 'a.b')):
            pid, rank = file[1:].split('-')
            expect(file[0] == '%' and int(pid) > 2 and rank in '12', file)


@check
def what_cannot_be_written_is_a_warning():
    with tempfile.TemporaryDirectory() as folder:
        errors = run_pair(folder, os.path.join(folder, 'nowhere', 'x.json'))
        expect(errors.count('warning') == 1 and 'WEFT_TRACE=FILE' in errors, errors)
        for rank in ('1', '2'):
            os.symlink('/dev/full', os.path.join(folder, 'full-' + rank))
        errors = run_pair(folder, os.path.join(folder, 'full-%r'))
        expect(errors.count('warning') == 1 and 'No space' in errors, errors)
        errors = run_pair(folder, os.path.join(folder, 'x' * 5000))
        expect(errors.count('warning') == 1 and 'too long' in errors, errors)
        errors = run_pair(folder, os.path.join(folder, 'x'), WEFT_TRACE_RECORDS='99999999999')
        expect(errors.count('warning') == 1 and 'WEFT_TRACE_RECORDS' in errors, errors)


@check
def a_child_has_a_timeline_of_its_own():
    with tempfile.TemporaryDirectory() as folder:
        run('fork', WEFT_TRACE=os.path.join(folder, 't.json'), WEFT_LAUNCHER='none',
            WEFT_RENDEZVOUS=os.path.join(folder, 'rendezvous'))
        files = [name for name in os.listdir(folder) if name.endswith('.json')]
        expect(len(files) == 2, files)
        for name in files:
            timeline = Timeline(os.path.join(folder, name))
            (totals,) = timeline.processes.values()
            expect(name == f't.{totals["pid"]}.json', name, totals)
            # The parent opens two worlds, one after the other, and appends an entry in each.
            expect(totals['events'] in (1, 2), totals)
        expect(sum(e['name'] == 'LINK' for name in files
                   for e in Timeline(os.path.join(folder, name)).events) == 3, 'events')


@check
def a_process_that_closes_nothing_is_traced_too():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'forgotten-%r')
        run('forget', WEFT_TRACE=path, WEFT_LAUNCHER='none',
            WEFT_RENDEZVOUS=os.path.join(folder, 'rendezvous'))
        with open(os.path.join(folder, 'forgotten-1'), encoding='utf-8') as file:
            content = json.load(file)
        expect({e['ph'] for e in content['traceEvents']} == {'M'}, content)
        expect(len(content['otherData']['processes']) == 1, content)


if __name__ == '__main__':
    sys.exit(run_checks())
