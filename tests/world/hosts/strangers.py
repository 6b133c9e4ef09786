#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: strangers.py STREAM PROVIDER COUNT [write]

PROVIDER is one of libfabric, or "tcp": sockets without libfabric. While two processes of a job
exchange messages, COUNT connections are made to the
ports they listen on, and bytes that make no sense are sent; with the word, a remote write of no
bytes and a number, in the words of the provider "net", which nobody has asked for. Every message
must still arrive whole. Prints TAP.
"""
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import time

PATIENCE = 120


def start(program, provider, folder, rank):
    settings = {'WEFT_WORLD': 'tcp' if provider == 'tcp' else 'ofi',
                'WEFT_OFI_PROVIDER': provider, 'WEFT_RANK': str(rank),
                'WEFT_SIZE': '2', 'WEFT_RENDEZVOUS': os.path.join(folder, 'job'),
                'WEFT_LAUNCHER': 'file', 'WEFT_OFI_INTERFACE': 'lo'}
    return subprocess.Popen([program, os.path.join(folder, 'go')], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env={**os.environ, **settings})


def sockets_of(process):
    """The inodes of the sockets that a process has open."""
    folder = f'/proc/{process.pid}/fd'
    found = set()
    for name in os.listdir(folder):
        try:
            link = os.readlink(os.path.join(folder, name))
        except OSError:
            continue
        if link.startswith('socket:['):
            found.add(link[8:-1])
    return found


def listeners():
    """Address, port and inode of every TCP socket that listens."""
    for path in ('/proc/net/tcp', '/proc/net/tcp6'):
        for line in open(path, encoding='ascii').read().splitlines()[1:]:
            fields = line.split()
            if fields[3] == '0A':
                address, port = fields[1].split(':')
                yield address, int(port, 16), fields[9]


def ports_of(processes):
    sockets = set().union(*(sockets_of(process) for process in processes))
    found = []
    for address, port, inode in listeners():
        if inode in sockets and len(address) == 8:
            found.append((socket.inet_ntoa(struct.pack('<I', int(address, 16))), port))
    return found


def await_ports(processes):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = ports_of(processes)
        if len(found) >= len(processes):
            return found
        time.sleep(0.05)
    return []


def molest(port, generator):
    """One stranger: some say nothing, some a little, some much; some hang up without a word."""
    with socket.socket() as stranger:
        stranger.settimeout(1)
        try:
            stranger.connect(port)
            stranger.sendall(generator.randbytes(generator.choice((0, 1, 16, 64, 300, 5000))))
            if generator.random() < 0.2:
                stranger.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        except OSError:
            return 0
    return 1


# libfabric's provider "net": how a connection begins, and the head of a message.
GREETING = struct.Struct('<BB2sIQQQ')
GREETING_DATA = struct.Struct('!BBHI')
MESSAGE = struct.Struct('<BBHBBBBQ')
PROTOCOL, ADDRESS_VERSION = 3, 1
REMOTE_WRITE, HAS_NUMBER = 4, 1


def read_whole(stranger, size):
    read = b''
    while len(read) < size:
        piece = stranger.recv(size - len(read))
        if not piece:
            raise OSError('hung up')
        read += piece
    return read


def write_unasked(port, generator):
    """One stranger that libfabric takes for a process of ours: it checks nothing."""
    own = GREETING_DATA.pack(ADDRESS_VERSION, 0, generator.randrange(1, 1024),
                             generator.randrange(1 << 32))
    greeting = GREETING.pack(PROTOCOL, 0, struct.pack('!H', len(own)), 0, 0, 0, 1)
    number = struct.pack('<Q', generator.randrange(1 << 64))
    size = MESSAGE.size + len(number)
    with socket.socket() as stranger:
        stranger.settimeout(5)
        try:
            stranger.connect(port)
            stranger.sendall(greeting + own)
            read_whole(stranger, GREETING.size)
            stranger.sendall(MESSAGE.pack(PROTOCOL, REMOTE_WRITE, HAS_NUMBER, 0, 0, size, 0, size)
                             + number)
            time.sleep(0.05)
        except OSError:
            return 0
    return 1


def main():
    program, provider, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    annoy = write_unasked if sys.argv[4:] == ['write'] else molest
    generator = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        go = os.path.join(folder, 'go')
        open(go, 'w', encoding='ascii').close()
        processes = [start(program, provider, folder, rank) for rank in range(2)]
        ports = await_ports(processes)
        connected = 0
        for _ in range(count if ports else 0):
            connected += annoy(generator.choice(ports), generator)
        alive = all(process.poll() is None for process in processes)
        os.remove(go)
        outputs = [process.communicate(timeout=PATIENCE) for process in processes]
    results = [process.returncode for process in processes]
    messages = int((outputs[1][0].split() or ['0'])[0])
    checks = {'both listen': len(ports) >= 2,
              f'{connected} of {count} strangers got through': connected > count // 2,
              'the job went on meanwhile': alive,
              'both processes ended well': results == [0, 0],
              f'{messages} messages arrived whole': messages > 0}
    for number, (name, fine) in enumerate(checks.items(), 1):
        print(f'{"ok" if fine else "not ok"} {number} - {name}')
    for _, errors in outputs:
        for line in errors.splitlines()[:20]:
            print('#', line)
    print(f'1..{len(checks)}')
    return 0 if all(checks.values()) else 1


if __name__ == '__main__':
    sys.exit(main())
