#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: timeline.py FOLDER TRACE.json...

Draws what handlers did to the message of median duration in each trace of `weft trace`,
NAME.json, into FOLDER/strategy-NAME.svg: a row for packets that arrive, one for each HPU, and the
time along them, on one scale for all.
"""

import json
import sys
from html import escape
from pathlib import Path

from style import AXES, BLUE, EDGE, GREEN, PAPER, TITLE_SIZE, WIDTH, picture

LEFT, ROW, GAP, TOP = 130, 26, 8, 40
COLOURS = {'payload': BLUE, 'completion': GREEN}
KEYS = {'payload': 'scatters a packet', 'completion': 'ends the message'}
STEP = 20  # microseconds between marks


def end_of(event):
    return event['ts'] + event['dur']


def receiver(events):
    """Its handlers and its packets in the order of time, and the names of its HPUs."""
    handlers = [e for e in events if e['ph'] == 'X' and e['name'] in COLOURS]
    process = handlers[-1]['pid']
    names = {e['tid']: e['args']['name'] for e in events
             if e['ph'] == 'M' and e['name'] == 'thread_name' and e['pid'] == process}
    packets = [e for e in events if e['ph'] == 'i' and e['pid'] == process
               and names.get(e['tid']) == 'rx']
    hpus = {tid: name for tid, name in names.items() if name.startswith('HPU')}
    return (sorted((e for e in handlers if e['pid'] == process), key=end_of),
            sorted(packets, key=lambda e: e['ts']), hpus)


def messages(handlers, packets):
    """Handlers and packets of each message but the first, whose begin is not known."""
    ends = [e for e in handlers if e['name'] == 'completion']
    for before, end in zip(ends, ends[1:]):
        begin = end_of(before)
        yield ([e for e in handlers if begin <= e['ts'] and end_of(e) <= end_of(end)],
               [e for e in packets if begin <= e['ts'] <= end_of(end)])


def duration(message):
    handlers, packets = message
    return end_of(handlers[-1]) - packets[0]['ts']


def typical(path):
    with open(path, encoding='utf-8') as file:
        handlers, packets, hpus = receiver(json.load(file)['traceEvents'])
    found = list(messages(handlers, packets))
    most = max(len(handlers) for handlers, _ in found)
    whole = sorted((m for m in found if len(m[0]) == most), key=duration)
    return whole[len(whole) // 2], hpus


def draw_axis(y, last, scale):
    out = []
    for time in range(0, int(last) + 1, STEP):
        x = LEFT + time * scale
        out.append(f'<path d="M{x:.1f} {TOP}V{y - 16}" stroke="{AXES}" stroke-opacity="0.25"/>'
                   f'<text x="{x:.1f}" y="{y}" text-anchor="middle">{time}</text>')
    return out + [f'<text x="8" y="{y}">microseconds</text>']


def draw_key(y):
    out, x = [], LEFT
    for name, colour in COLOURS.items():
        out.append(f'<rect x="{x}" y="{y - 11}" width="12" height="12" fill="{colour}"/>'
                   f'<text x="{x + 18}" y="{y}">a handler {KEYS[name]}</text>')
        x += 220
    return out


def draw(title, message, hpus, last):
    handlers, packets = message
    first, scale = packets[0]['ts'], (WIDTH - LEFT - EDGE) / last

    def x(event):
        return LEFT + (event['ts'] - first) * scale

    rows = {tid: TOP + (ROW + GAP) * (i + 1) for i, tid in enumerate(sorted(hpus))}
    bottom = TOP + (ROW + GAP) * (len(rows) + 1) + 16
    out = [f'<text x="8" y="22" font-size="{TITLE_SIZE}">{escape(title)}</text>',
           *draw_axis(bottom, last, scale), *draw_key(bottom + 28),
           f'<text x="8" y="{TOP + 17}">packets arrive</text>']
    for event in packets:
        out.append(f'<path d="M{x(event):.1f} {TOP}v{ROW}" stroke="{AXES}"/>')
    for tid, y in rows.items():
        out.append(f'<text x="8" y="{y + 17}">{escape(hpus[tid])}</text>')
    for event in handlers:
        width = max(event['dur'] * scale, 2)
        out.append(f'<rect x="{x(event):.1f}" y="{rows[event["tid"]]}" width="{width:.1f}" '
                   f'height="{ROW}" fill="{COLOURS[event["name"]]}" stroke="{PAPER}" '
                   'stroke-width="0.5"/>')
    return picture(bottom + 40, out)


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    found = {Path(path).stem: typical(path) for path in sys.argv[2:]}
    last = max(duration(message) for message, _ in found.values())
    for name, (message, hpus) in found.items():
        title = f'{name}: one message of 256 KiB into shuffled blocks of 64 bytes'
        with open(Path(sys.argv[1], f'strategy-{name}.svg'), 'w', encoding='utf-8') as file:
            print(draw(title, message, hpus, last), file=file)
    return 0


if __name__ == '__main__':
    sys.exit(main())
