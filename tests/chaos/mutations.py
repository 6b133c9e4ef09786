#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows that the tests notice bugs: breaks the code in a copy of the tree, one small change at a
time, and looks for the first seed of a random workload that fails; if there is none, among those
that found bugs. Workloads without seeds, those of liars and strangers, are run once, until
something fails. Takes long, so it is run by hand:

    tests/chaos/mutations.py [--seeds N] [--only WORD...] [--jobs N]

The first ones were bugs of the past. Workloads without seeds are run once without a change, too:
what fails then notices nothing. Ends with 1 if a change survives all seeds, or if it is unclear
whether it does.
"""
import argparse
import concurrent.futures
import contextlib
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 1200  # seconds for all seeds of one mutation
ATTEMPTS = 5
SURVIVES = 'SURVIVES'
UNCLEAR = 'UNCLEAR'  # neither noticed nor not: to be tried again

# What is broken, where, the text that stands there once, and what takes its place.
OF_CHAOS = [
    ('past: a failure that triggers operations loses their deadline', 'src/nic/link.c',
     '''    nic->deadline = UINT64_MAX;
    while (link != &nic->windows) {
        struct weft_nic_window *window = weft_list_object(link, struct weft_nic_window, link);
        link = link->next;
        want_step_at(nic, look_at(nic, window, time));
    }
''',
     '''    uint64_t next = UINT64_MAX;
    while (link != &nic->windows) {
        struct weft_nic_window *window = weft_list_object(link, struct weft_nic_window, link);
        link = link->next;
        uint64_t wanted = look_at(nic, window, time);
        next = wanted < next ? wanted : next;
    }
    nic->deadline = next;
'''),
    ('past: an ACK_DISABLE entry silences the answer of flow control', 'src/nic/match.c',
     '    pt->enabled = false;\n',
     '    pt->enabled = false;\n    delivery->no_ack = options & PTL_ME_ACK_DISABLE;\n'),
    ('past: a reliable world does not watch senders', 'src/world/sim/port.c',
     '!node->world.reliable || weft_sim_route(&node->world, address)', 'true'),
    ('past: PtlPTDisable is not woken by the end of a message', 'src/nic/sched.c',
     'pt->pending == 0 &&', 'pt->pending == 0 && false &&'),
    ('past: what was held when it was confirmed is waited for', 'src/nic/link.c',
     '    advances |= confirm_up_to(nic, window, first_missing(window));\n',
     '    (void)first_missing;\n'),
    ('packets that come early are taken', 'src/nic/order.c',
     'ahead > 0 && !has_header(order, packet)', 'false'),
    ('payload is taken before what it continues', 'src/nic/order.c',
     '(int32_t)(packet->head.opener - order->expected) < 0', 'true'),
    ('packets that come twice are taken twice', 'src/nic/order.c',
     'ahead >= WEFT_NIC_ORDER_WINDOW || order->arrived >> ahead & 1',
     'ahead >= WEFT_NIC_ORDER_WINDOW'),
    ('nothing is sent again when time is up', 'src/nic/link.c',
     '    window->again |= lost;\n', ''),
    ('data lies in the order of arrival', 'src/nic/sched.c',
     'take_data(nic, peer, packet, offset)', 'take_data(nic, peer, packet, inbound->received)'),
    ('replies lie in the order of arrival', 'src/nic/result.c',
     'take(operation, packet->place.offset, packet)',
     'take(operation, operation->received, packet)'),
    ('a message overtakes those that wait', 'src/nic/tx.c',
     'weft_list_is_empty(&peer->requests) && weft_list_is_empty(&peer->responses)',
     'weft_list_is_empty(&peer->responses)'),
    ('operations that wait for a dead peer end without an event', 'src/nic/tx.c',
     '''    weft_nic_tx_fail(&operation->command, PTL_NI_UNDELIVERABLE);
    weft_nic_tx_end''', '    weft_nic_tx_end'),
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

# These are for random handlers to notice.
OF_HANDLERS = [
    ('past: packets that wait for contexts are forgotten', 'src/nic/hpu.c',
     'stage->has_room ? now(nic) : next_change(nic)', 'next_change(nic)'),
    ('past: with HPUs, a dropped atomic operation has no dropped bytes', 'src/nic/activation.c',
     '''    weft_nic_payload_take(activation, &first);
    let_go''', '''    if (weft_nic_activation_is_put(activation) || is_diverted(activation))
        weft_nic_payload_take(activation, &first);
    let_go'''),
    ('payload handlers do not wait for the header handler', 'src/nic/payload.c',
     'activation->phase == WEFT_NIC_PHASE_HEADER || is_busy(activation, task->vhpu)',
     'is_busy(activation, task->vhpu)'),
    ('the completion handler does not wait for the last payload', 'src/nic/activation.c',
     'activation->has_all_packets && !activation->running &&', 'activation->has_all_packets &&'),
    ('the completion handler does not wait for the last packet', 'src/nic/activation.c',
     'activation->has_all_packets |= last', 'activation->has_all_packets |= last || true'),
    ('a virtual HPU works on several packets at a time', 'src/nic/payload.c',
     'if (weft_list_object(link, struct weft_nic_task, at_work)->vhpu == vhpu)', 'if (false)'),
    ('packets go to virtual HPUs in the order of arrival', 'src/nic/sched.c',
     'inbound->activation->packets = number_in_message(peer, offset);',
     '(void)number_in_message;'),
    ('packets go to virtual HPUs one by one', 'src/nic/payload.h',
     'activation->packets / handlers->delta_p % handlers->vhpus',
     'activation->packets % handlers->vhpus'),
    ('held packets that are dropped keep their contexts', 'src/nic/payload.c',
     '''        else
            weft_nic_hpu_release(task);
''', ''),
    ('contexts of an entry are counted up only', 'src/nic/hpu.c',
     '    pt->contexts--;\n', '    (void)pt;\n'),
    ('dropped packets are counted with the user header', 'src/nic/activation.c',
     'weft_nic_hpu_payload(activation, &task->payload).length', 'task->payload.length'),
    ('bytes that will not come are not counted as dropped', 'src/nic/activation.c',
     '''    activation->dropped += missing;
    activation->delivery.operation = 0;''',
     '''    (void)missing;
    activation->delivery.operation = 0;'''),
    ('bytes that found no context are not counted as dropped', 'src/nic/payload.c',
     '''    activation->dropped += missing;
    if (activation->flow_control)''',
     '''    (void)missing;
    if (activation->flow_control)'''),
    ('payload handlers get the user header, too', 'src/nic/hpu.h',
     'ptl_size_t skipped = header - payload.offset;', 'ptl_size_t skipped = 0;'),
    ('of several failures the last is told', 'src/nic/activation.h',
     'if (activation->delivery.fail == PTL_NI_OK)', 'if (true)'),
    ('a range that is out of bounds has no consequences', 'src/nic/activation.c',
     'weft_rare(task->fault != PTL_NI_OK)', 'false'),
    ('on the short way, a range that is out of bounds has no consequences',
     'src/nic/payload.h', 'weft_rare(run.fault != PTL_NI_OK)', 'false'),
    ('PROCEED does not keep the completion handler away', 'src/nic/activation.c',
     '->completion_handler &&\n                     !activation->is_default',
     '->completion_handler'),
    ('flow control lets the table stay enabled', 'src/nic/payload.c',
     'weft_nic_match_disable(&activation->delivery)', 'PTL_NI_PT_DISABLED'),
    ('the completion handler does not hear of flow control', 'src/nic/hpu.c',
     'flow_control = activation->flow_control', 'flow_control = 0'),
    ('a get that is dropped brings data', 'src/nic/activation.c',
     'if (activation->is_dropped || delivery->fail != PTL_NI_OK)',
     'if (delivery->fail != PTL_NI_OK)'),
    ('a failed atomic operation is executed', 'src/nic/activation.c',
     'if (is_diverted(activation) || delivery->fail != PTL_NI_OK) {',
     'if (is_diverted(activation)) {'),
    ('an entry does not come back after PENDING', 'src/nic/sched.c',
     '''    if (was_unlinked)
        weft_nic_entry_relink(entry);
''', '''    (void)was_unlinked;
'''),
    ('PENDING has an event', 'src/nic/sched.c',
     '''    if (delivery->fail != PTL_NI_OK)
        report(delivery, entry, type);''', '    report(delivery, entry, type);'),
    ('HPU memory stays in use', 'src/nic/execution.c',
     '        execution->memory->users--;\n', '        (void)execution;\n'),
    ('HPU memory is not given back', 'src/nic/execution.c',
     '    ni->nic->hpu.memory_used -= memory->length;\n', ''),
    ('an entry goes while its handlers have operations under way', 'src/nic/tx.c',
     '    md->entry->pending += (uint32_t)change;\n', ''),
    ('what handlers send from the device is read late', 'src/nic/tx.c',
     '    command->device = operation->data;\n', ''),
    ('DMA events are lost', 'src/portals/action.c',
     'result == PTL_OK && !(options & PTL_DMA_NO_EVENT)', 'false'),
]

# Peers of the job that lie: for nic_liars_test to notice.
OF_LIARS = [
    ('an answer is taken from another peer', 'src/nic/result.c',
     'operation->peer != peer || ', ''),
    ('more reply data is taken than was announced', 'src/nic/result.c',
     '''packet->place.offset == operation->received &&
                   packet->head.length <= operation->reply_length - operation->received;''',
     'packet->place.offset == operation->received;'),
    ('more reply data is taken than was announced, in any order', 'src/nic/result.c',
     '''        size > operation->reply_length - operation->received ||
        packet->place.offset > operation->reply_length - size)''',
     '        size > operation->command.length)'),
    ('more is replied than was asked for', 'src/nic/result.c',
     '''operation->is_replied ||
        packet->result.length > operation->command.length)''', 'operation->is_replied)'),
    ('the source of a packet is believed', 'src/nic/nic.c',
     'return is_other ? WEFT_PACKET_FAULT_FIELD : fault;',
     '(void)is_other;\n    return fault;'),
    ('the rank of a packet is believed', 'src/nic/sched.c',
     '''rank >= ni->map_size || ni->map[rank].phys.nid != peer->address.nid ||
        ni->map[rank].phys.pid != peer->address.pid''', 'rank >= ni->map_size'),
    ('the user of a packet is believed', 'src/nic/match.c',
     'entry->uid != delivery->ni->nic->world->uid', 'entry->uid != delivery->request.uid'),
]

# Strangers, somebody on the wire, and processes that hold the key and misbehave: for
# tcp_world_test to notice.
OF_TCP = [
    ('a tag is not compared', 'src/world/tcp/ipsec_mb.c',
     'bool is_right = !state->opens || weft_sha256_equal(right, tag, sizeof right);',
     'bool is_right = true;'),
    ('libcrypto does not compare a tag', 'src/world/tcp/libcrypto.c',
     'if (calls.EVP_CipherFinal_ex(state, rest, &done) <= 0)',
     'if (calls.EVP_CipherFinal_ex(state, rest, &done) <= 0 && !opens)'),
    ('at exit libcrypto has freed the cipher', 'src/world/tcp/libcrypto.c',
     'calls.EVP_CIPHER_fetch(context,', 'calls.EVP_CIPHER_fetch(NULL,'),
    ('a greeting without the key is believed', 'src/world/tcp/handshake.c',
     '!weft_tcp_wire_is_hello(hello, tcp->key)', 'false'),
    ('an answer without the key is believed', 'src/world/tcp/handshake.c',
     '''answer->magic != WEFT_TCP_WIRE_MAGIC ||
        !weft_tcp_wire_is_answer(answer, &line->hello, tcp->key)''',
     'answer->magic != WEFT_TCP_WIRE_MAGIC'),
    ('the first frame of the other is believed unopened', 'src/world/tcp/handshake.c',
     '''line->first.size == 0 &&
           weft_tcp_frame_seal(&line->in, &line->first, NULL)''',
     '''line->first.size == 0 &&
           (weft_tcp_frame_seal(&line->in, &line->first, NULL) || true)'''),
    ('a frame is believed that did not open', 'src/world/tcp/receive.c',
     'if (!open_frame(tcp, line, &head, bytes + sizeof head, &landed)) {',
     'if (!open_frame(tcp, line, &head, bytes + sizeof head, &landed) && line->broken) {'),
    ('a frame is believed that landed and did not open', 'src/world/tcp/receive.c',
     'weft_tcp_seal_tag(&line->in, head->tag);',
     '(weft_tcp_seal_tag(&line->in, head->tag) || true);'),
    ('another version is let in', 'src/world/tcp/handshake.c',
     'if (hello->version != WEFT_TCP_WIRE_VERSION)', 'if (false)'),
    ('who means an earlier process is let in', 'src/world/tcp/handshake.c',
     'hello->target_instance != tcp->instance ||', 'false ||'),
    ('who means another process is let in', 'src/world/tcp/handshake.c',
     '!weft_nic_address_is(weft_tcp_wire_target(hello), tcp->world.self)', 'false'),
    ('who wants less protection is let in', 'src/world/tcp/handshake.c',
     'if (hello->is_plain != tcp->is_plain)', 'if (false)'),
    ('who sends longer packets is let in', 'src/world/tcp/handshake.c',
     'if (hello->packet_size != tcp->world.packet_size)', 'if (false)'),
    ('who claims to be us is let in', 'src/world/tcp/handshake.c',
     '!tcp->nic || weft_nic_address_is(weft_tcp_wire_source(hello), tcp->world.self)',
     '!tcp->nic'),
    ('a packet of no bytes is taken', 'src/world/tcp/receive.c',
     'return head->size && head->size <=', 'return head->size <='),
    ('a packet that is too long is taken', 'src/world/tcp/receive.c',
     'return head->size && head->size <= tcp->world.packet_size;', 'return head->size;'),
    ('frames without a packet may have one', 'src/world/tcp/receive.c',
     'return head->size == 0 &&', 'return'),
    ('frames of any kind are taken', 'src/world/tcp/receive.c',
     '(head->kind == WEFT_TCP_FRAME_ALIVE || head->kind == WEFT_TCP_FRAME_BYE)', 'true'),
    ('the answer may be to any greeting', 'src/world/tcp/wire.c',
     '''    weft_sha256_mac_add(&mac, hello, sizeof *hello);
    weft_sha256_mac_add(&mac, answer, offsetof''',
     '''    (void)hello;
    weft_sha256_mac_add(&mac, answer, offsetof'''),
    ('keys do not follow from the answer', 'src/world/tcp/wire.c',
     '    weft_sha256_mac_add(&mac, answer, sizeof *answer);\n', '    (void)answer;\n'),
    ('both directions have one key', 'src/world/tcp/wire.c', '"tcpcalld"', '"tcpcallr"'),
    ('the head of a frame is not sealed', 'src/world/tcp/wire.c',
     'weft_tcp_seal_head(seal, head, offsetof(struct weft_tcp_head, tag))',
     'weft_tcp_seal_head(seal, head, 0)'),
    ('the number of a frame is not sealed', 'src/world/tcp/seal.c',
     '^= (unsigned char)(seal->count >> 8 * i);', '^= 0;'),
    ('keys are not renewed', 'src/world/tcp/seal.c',
     'seal->count && seal->count % WEFT_TCP_SEAL_RENEWAL == 0 && !renew(seal)',
     'seal->count && seal->count % WEFT_TCP_SEAL_RENEWAL == 0 && false && !renew(seal)'),
    ('the number of strangers has no limit', 'src/world/tcp/listen.c',
     'if (tcp->knocking.count > STRANGERS_MOST)', 'if (false)'),
    ('the time of strangers has no limit', 'src/world/tcp/listen.c',
     '    drop_late(tcp, &tcp->knocking);\n', ''),
    ('the time of those who were welcomed has no limit', 'src/world/tcp/listen.c',
     '    drop_late(tcp, &tcp->welcomed);\n', ''),
    ('past: who only connects displaces who was welcomed', 'src/world/tcp/listen.c',
     'if (tcp->knocking.count > STRANGERS_MOST)\n        drop_oldest(tcp, &tcp->knocking);',
     'if (tcp->knocking.count > STRANGERS_MOST)\n        drop_oldest(tcp, tcp->welcomed.count ? '
     '&tcp->welcomed : &tcp->knocking);'),
    ('past: a line is open before its caller has heard of it', 'src/world/tcp/handshake.c',
     'weft_tcp_line_open(tcp, line, WEFT_TCP_LINE_ADMITTED)',
     'weft_tcp_line_open(tcp, line, WEFT_TCP_LINE_OPEN)'),
    ('who calls again is not let in', 'src/world/tcp/handshake.c',
     'return line->state != WEFT_TCP_LINE_ADMITTED;', 'return true;'),
    ('who has called does not say that it has heard', 'src/world/tcp/handshake.c',
     '    weft_tcp_send_want(tcp, line, WEFT_TCP_FRAME_ALIVE);\n', ''),
    ('who has not heard that it is admitted is dead', 'src/world/tcp/watch.c',
     'if (line->broken && line->state == WEFT_TCP_LINE_ADMITTED)', 'if (false)'),
    ('who has gone before it said a word is called until the deadline',
     'src/world/tcp/handshake.c', 'error == ECONNREFUSED && line->calls_back', 'false'),
    ('past: a world that parks a line does not say that it leaves', 'src/world/tcp/tcp.c',
     'line->bye_out |= WEFT_TCP_BYE_LEAVE;', '(void)line;'),
    ('past: a farewell does not wait for slow listeners', 'src/world/tcp/tcp.c',
     'if (left >= left_before)', 'if (left_before || true)'),
    ('past: an interface that leads nowhere is taken', 'src/world/tcp/place.c',
     'candidate->ifa_flags & IFF_UP && candidate->ifa_flags & IFF_RUNNING;',
     'candidate->ifa_flags & IFF_UP;'),
    ('past: each line uses up a port', 'src/world/tcp/handshake.c',
     '    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);\n',
     '    (void)yes;\n'),
]

# Who notices, the seeds of it that found bugs (None: it has no seeds), and what it should notice.
WORKLOADS = [('tests/chaos/chaos', 'tests/chaos/seeds.txt', OF_CHAOS),
             ('tests/chaos/handler_chaos', 'tests/chaos/letters/seeds.txt', OF_HANDLERS),
             ('tests/nic_liars_test', None, OF_LIARS),
             ('tests/world/tcp_world_test', None, OF_TCP)]


# It must survive.
NO_MUTATION = ('nothing', None, '', '')


def not_to_copy(folder, names):
    """Builds are folders with a build.ninja; src has files that begin with the same word."""
    return [name for name in names if name in ('.git', '__pycache__') or
            pathlib.Path(folder, name, 'build.ninja').exists()]


def copy_tree(folder):
    shutil.copytree(ROOT, folder, ignore=not_to_copy)
    run(['meson', 'setup', 'build', '-Ddebug=false'], folder)


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit(f'{" ".join(command)} fails:\n{done.stdout[-3000:]}')


def run_seeds(folder, target, arguments):
    """The seed that fails first and why; None if all hold."""
    command = [f'build/{target}', '--verbose', *arguments]
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
        return '-', f'{UNCLEAR}: {PATIENCE} s do not suffice for all seeds'
    if not why and chaos.returncode:
        why = f'ends with {chaos.returncode}'
    return (seed, why) if why else None


def run_once(folder, target):
    """The first check that fails; None if all hold."""
    why, is_late = None, threading.Event()
    with subprocess.Popen([f'build/{target}'], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, start_new_session=True) as test:
        def end():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(test.pid, signal.SIGKILL)
        alarm = threading.Timer(PATIENCE, lambda: (is_late.set(), end()))
        alarm.start()
        note = ''
        for line in test.stdout:
            note = line[1:].strip() if line.startswith('#') else note
            if line.startswith('not ok'):
                why = f'{note}: {line.strip()}'
                end()
                break
        test.wait()
        alarm.cancel()
        end()
    if is_late.is_set():
        why = f'takes more than {PATIENCE} s'
    if not why and test.returncode:
        why = f'ends with {test.returncode}'
    return why


def run_test(folder, target):
    """The check that fails twice; None if all hold. On a busy machine one fails now and then, but
    hardly the same."""
    seen = []
    while len(seen) < ATTEMPTS:
        why = run_once(folder, target)
        if why is None:
            return None
        if why in seen:
            return '-', why
        seen.append(why)
    return '-', f'{UNCLEAR}: fails in another way each time, is the machine too busy?'


@contextlib.contextmanager
def broken(folder, mutation):
    _, path, old, new = mutation
    if path is None:
        yield
        return
    file = folder / path
    right = file.read_text(encoding='utf-8')
    if right.count(old) != 1:
        sys.exit(f'{path} does not hold this once, update the mutation:\n{old}')
    file.write_text(right.replace(old, new), encoding='utf-8')
    try:
        yield
    finally:
        file.write_text(right, encoding='utf-8')


def try_mutation(folder, workload, mutation, seeds):
    target, seeds_file, _ = workload
    with broken(folder, mutation):
        run(['ninja', '-C', 'build', target], folder)
        if seeds_file is None:
            return run_test(folder, target)
        return (run_seeds(folder, target, ['--count', str(seeds)]) or
                run_seeds(folder, target, ['--regressions', seeds_file]))


def is_fine(mutation, why):
    return not why.startswith(UNCLEAR) and (why == SURVIVES) == (mutation is NO_MUTATION)


def choose(words):
    """Workloads and mutations that have one of them in their names; controls come with their
    workload."""
    wanted = []
    for workload in WORKLOADS:
        target, seeds_file, mutations = workload
        chosen = [(workload, mutation) for mutation in mutations
                  if any(word in f'{target}: {mutation[0]}' for word in words)]
        control = [(workload, NO_MUTATION)] if chosen and seeds_file is None else []
        wanted += control + chosen
    return wanted


def try_all(wanted, seeds, folders):
    """What each failed with, in this order; as many at a time as there are folders."""
    free = queue.SimpleQueue()
    for folder in folders:
        copy_tree(folder)
        free.put(folder)

    def attempt(choice):
        folder = free.get()
        try:
            return try_mutation(folder, *choice, seeds) or ('-', SURVIVES)
        finally:
            free.put(folder)

    with concurrent.futures.ThreadPoolExecutor(len(folders)) as pool:
        yield from pool.map(attempt, wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seeds', type=int, default=2000, help='to try for each mutation')
    parser.add_argument('--only', nargs='+', default=[''], metavar='WORD',
                        help='mutations with one of these in the name of their workload or own')
    parser.add_argument('--jobs', type=int, default=1, help='mutations to try at a time')
    arguments = parser.parse_args()
    wanted = choose(arguments.only)
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        folders = [pathlib.Path(temporary) / str(i) / 'weft' for i in range(arguments.jobs)]
        print(f'{"mutation":64} {"seed":>5}  complaint')
        for (_, mutation), (seed, why) in zip(wanted, try_all(wanted, arguments.seeds, folders)):
            failures += not is_fine(mutation, why)
            print(f'{mutation[0]:64} {seed:>5}  {why[:90].rstrip()}', flush=True)
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
