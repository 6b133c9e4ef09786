#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: flood.py STREAM [COUNT [ROUNDS]]

How much of its speed a job keeps while COUNT strangers, 10000 unless told, connect to it at once
and stay. In turns, a stream over sockets runs alone and with them; half of them are silent, the
others say a little that makes no sense. Prints the messages in a second and the median of the
ratios, and fails if that is below 0.8. Run it on a quiet machine, because it takes time:

    tests/world/hosts/flood.py build/tests/world/hosts/stream
"""
import contextlib
import os
import resource
import socket
import statistics
import sys
import tempfile
import time

import strangers

SECONDS = 3
LEAST = 0.8


def raise_limit(count):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < count + 100:
        sys.exit(f'{count} strangers need more open files than the {most} that are permitted')
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 100, most))


def connect_all(ports, count, stack):
    """Does not wait for any of them."""
    crowd = []
    for number in range(count):
        stranger = stack.enter_context(socket.socket())
        stranger.setblocking(False)
        stranger.connect_ex(ports[number % len(ports)])
        crowd.append(stranger)
    for stranger in crowd[::2]:
        with contextlib.suppress(OSError):
            stranger.send(b'a little that makes no sense')


def measure(program, count):
    """Messages in a second, with so many strangers."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        go = os.path.join(folder, 'go')
        open(go, 'w', encoding='ascii').close()
        processes = [strangers.start(program, 'tcp', folder, rank) for rank in range(2)]
        ports = strangers.await_ports(processes)
        if len(ports) < 2 or processes[0].stdout.readline().strip() != 'begun':
            sys.exit('the stream does not begin')
        began = time.monotonic()
        connect_all(ports, count, stack)
        time.sleep(max(0, began + SECONDS - time.monotonic()))
        os.remove(go)
        outputs = [process.communicate(timeout=strangers.PATIENCE) for process in processes]
        took = time.monotonic() - began
    if [process.returncode for process in processes] != [0, 0]:
        sys.exit(f'the stream did not survive: {outputs}')
    return int(outputs[1][0].split()[0]) / took


def main():
    program = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    raise_limit(count)
    ratios = []
    for _ in range(rounds):
        alone, among = measure(program, 0), measure(program, count)
        ratios.append(among / alone)
        print(f'{alone:8.0f} messages/s alone, {among:8.0f} among {count} strangers', flush=True)
    kept = statistics.median(ratios)
    print(f'{kept:.2f} of the speed is kept ({min(ratios):.2f} to {max(ratios):.2f}); '
          f'at least {LEAST}')
    return kept < LEAST


if __name__ == '__main__':
    sys.exit(main())
