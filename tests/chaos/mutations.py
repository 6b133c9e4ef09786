#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows that the random workloads notice bugs: breaks the NIC in a copy of the tree, one small
change at a time, and looks for the first seed that fails; if there is none, among those of
seeds.txt. Takes some minutes, so it is run by hand:

    tests/chaos/mutations.py [--seeds N] [--only WORD]

The first ones were bugs of the past. Ends with 1 if a change survives all seeds.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = 'tests/chaos/chaos'
PATIENCE = 1200  # seconds for all seeds of one mutation

# What is broken, where, the text that stands there once, and what takes its place.
MUTATIONS = [
    ('past: a failure that triggers operations loses their deadline', 'src/nic/link.c',
     '''    nic->deadline = UINT64_MAX;
    while (link != &nic->windows) {
        struct weft_window *window = weft_list_object(link, struct weft_window, link);
        link = link->next;
        want_step_at(nic, look_at(nic, window, time));
    }
''',
     '''    uint64_t next = UINT64_MAX;
    while (link != &nic->windows) {
        struct weft_window *window = weft_list_object(link, struct weft_window, link);
        link = link->next;
        uint64_t wanted = look_at(nic, window, time);
        next = wanted < next ? wanted : next;
    }
    nic->deadline = next;
'''),
    ('past: an ACK_DISABLE entry silences the answer of flow control', 'src/nic/match.c',
     '    pt->enabled = false;\n',
     '    pt->enabled = false;\n    delivery->no_ack = options & PTL_ME_ACK_DISABLE;\n'),
    ('past: a reliable world does not watch senders', 'src/world/sim/link.c',
     '!world->reliable || weft_sim_route(world, packet->source->world.self)', 'true'),
    ('past: PtlPTDisable is not woken by the end of a message', 'src/nic/sched.c',
     'pt->pending == 0 &&', 'pt->pending == 0 && false &&'),
    ('packets that come early are taken', 'src/nic/link.c',
     'packet->head.sequence != window->expected', 'packet->head.sequence < window->expected'),
    ('packets that come twice are taken twice', 'src/nic/link.c',
     'packet->head.sequence != window->expected', 'packet->head.sequence > window->expected'),
    ('nothing is sent again when time is up', 'src/nic/link.c',
     '    window->unsent = window->oldest;\n', ''),
    ('a message overtakes those that wait', 'src/nic/tx.c',
     'weft_list_is_empty(&peer->requests) && weft_list_is_empty(&peer->responses)',
     'weft_list_is_empty(&peer->responses)'),
    ('operations that wait for a dead peer end without an event', 'src/nic/tx.c',
     '''        weft_tx_fail(&operation->command, PTL_NI_UNDELIVERABLE);
        weft_tx_end''', '        weft_tx_end'),
    ('volatile data is read late', 'src/nic/tx.c',
     '        save_volatile(operation);\n', '        (void)save_volatile;\n'),
    ('wild entries are found before older ones', 'src/nic/match.c',
     'if (best && best->order < entry->order)', 'if (false)'),
    ('a locally managed offset stays', 'src/nic/match.c',
     'entry->local_offset += delivery->length', 'entry->local_offset += 0'),
    ('promised room for events is not given back', 'src/nic/sched.c',
     '-delivery->promised', '0'),
    ('an unexpected message is handed over before all of it is there', 'src/nic/header.c',
     'if (!header->arriving)', 'if (true)'),
    ('an entry goes while unexpected messages lie in it', 'src/nic/entry.c',
     'entry->pending || entry->headers || entry->awaits_trigger',
     'entry->pending || entry->awaits_trigger'),
    ('triggers fire one count late', 'src/nic/trigger.c', 'threshold <= count',
     'threshold < count'),
    ('triggers fire in the order of issue', 'src/nic/trigger.c',
     'a->threshold != b->threshold ? a->threshold < b->threshold : a->order < b->order',
     'a->order < b->order'),
]


def copy_tree(folder):
    ignore = shutil.ignore_patterns('build*', '.git', '__pycache__')
    shutil.copytree(ROOT, folder, ignore=ignore)
    run(['meson', 'setup', 'build'], folder)


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit(f'{" ".join(command)} fails:\n{done.stdout[-3000:]}')


def run_seeds(folder, arguments):
    """The seed that fails first and why; None if all hold."""
    command = [f'build/{TARGET}', '--verbose', *arguments]
    seed, why, is_late = None, None, threading.Event()
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as chaos:
        alarm = threading.Timer(PATIENCE, lambda: (is_late.set(), chaos.kill()))
        alarm.start()
        for line in chaos.stdout:
            begun = re.match(r'# seed (\d+): ', line)
            failed = re.match(r'# seed (\d+) fails: (.*)', line)
            if begun:
                seed = begun[1]
            if failed:
                why = failed[2]
                chaos.kill()
                break
        alarm.cancel()
    if is_late.is_set():
        sys.exit(f'{" ".join(command)} takes more than {PATIENCE} s')
    if not why and chaos.returncode:
        why = f'ends with {chaos.returncode}'
    return (seed, why) if why else None


def try_mutation(folder, path, old, new, seeds):
    file = folder / path
    right = file.read_text(encoding='utf-8')
    if right.count(old) != 1:
        sys.exit(f'{path} does not hold this once, update the mutation:\n{old}')
    file.write_text(right.replace(old, new), encoding='utf-8')
    try:
        run(['ninja', '-C', 'build', TARGET], folder)
        return (run_seeds(folder, ['--count', str(seeds)]) or
                run_seeds(folder, ['--regressions', 'tests/chaos/seeds.txt']))
    finally:
        file.write_text(right, encoding='utf-8')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seeds', type=int, default=2000, help='to try for each mutation')
    parser.add_argument('--only', default='', help='mutations with this word in their name')
    arguments = parser.parse_args()
    survivors = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / 'weft'
        copy_tree(folder)
        print(f'{"mutation":64} {"seed":>5}  complaint')
        for name, path, old, new in MUTATIONS:
            if arguments.only not in name:
                continue
            seed, why = try_mutation(folder, path, old, new, arguments.seeds) or ('-', 'SURVIVES')
            survivors += why == 'SURVIVES'
            print(f'{name:64} {seed:>5}  {why[:90]}', flush=True)
    return survivors > 0


if __name__ == '__main__':
    sys.exit(main())
