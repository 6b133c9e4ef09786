#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: timeline.py TRACE.json TITLE >FILE.svg

Draws the handlers of the last message in a trace of `weft trace`: a row for packets that arrive,
one for each HPU, and the time along them.
"""

import json
import sys
from html import escape

from style import AXES, BLUE, EDGE, GREEN, PAPER, TITLE_SIZE, VERMILLION, WIDTH, picture

LEFT, ROW, GAP, TOP = 80, 26, 8, 40
COLOURS = {'header': VERMILLION, 'payload': BLUE, 'completion': GREEN}


def last_message(events):
    """The process that ran handlers, its rows, and what belongs to its last message."""
    slices = [e for e in events if e['ph'] == 'X' and e['name'] in COLOURS]
    process = slices[-1]['pid']
    slices = sorted((e for e in slices if e['pid'] == process), key=lambda e: e['ts'])
    ends = [e for e in slices if e['name'] == 'completion']
    begin = ends[-2]['ts'] + ends[-2]['dur'] if len(ends) > 1 else slices[0]['ts']
    end = ends[-1]['ts'] + ends[-1]['dur']
    slices = [e for e in slices if begin <= e['ts'] <= end]
    names = {e['tid']: e['args']['name'] for e in events
             if e['ph'] == 'M' and e['name'] == 'thread_name' and e['pid'] == process}
    arrivals = [e for e in events if e['ph'] == 'i' and e['pid'] == process
                and names.get(e['tid']) == 'rx' and begin <= e['ts'] <= end]
    return slices, arrivals, names


def draw(slices, arrivals, names, title):
    first = min(e['ts'] for e in slices + arrivals)
    last = max(e['ts'] + e.get('dur', 0) for e in slices)
    scale = (WIDTH - LEFT - EDGE) / (last - first)

    def x(time):
        return LEFT + (time - first) * scale

    hpus = sorted({e['tid'] for e in slices})
    rows = {tid: TOP + (ROW + GAP) * (i + 1) for i, tid in enumerate(hpus)}
    height = TOP + (ROW + GAP) * (len(hpus) + 1) + 40
    out = [f'<text x="{LEFT}" y="22" font-size="{TITLE_SIZE}">{escape(title)}</text>',
           f'<text x="8" y="{TOP + 17}">packets</text>']
    for event in arrivals:
        out.append(f'<path d="M{x(event["ts"]):.1f} {TOP}v{ROW}" stroke="{AXES}"/>')
    for tid, y in rows.items():
        out.append(f'<text x="8" y="{y + 17}">{escape(names[tid])}</text>')
    for event in slices:
        width = max(event['dur'] * scale, 0.5)
        out.append(f'<rect x="{x(event["ts"]):.1f}" y="{rows[event["tid"]]}" width="{width:.1f}" '
                   f'height="{ROW}" fill="{COLOURS[event["name"]]}" stroke="{PAPER}" '
                   'stroke-width="0.5"/>')
    out.append(f'<text x="{LEFT}" y="{height - 12}">0</text>')
    out.append(f'<text x="{WIDTH - EDGE}" y="{height - 12}" text-anchor="end">'
               f'{last - first:.0f} µs</text>')
    key = LEFT + 120
    for name, colour in COLOURS.items():
        out.append(f'<rect x="{key}" y="{height - 23}" width="12" height="12" fill="{colour}"/>'
                   f'<text x="{key + 18}" y="{height - 12}">{name}</text>')
        key += 110
    return picture(height, out)


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    with open(sys.argv[1], encoding='utf-8') as file:
        events = json.load(file)['traceEvents']
    print(draw(*last_message(events), sys.argv[2]))
    return 0


if __name__ == '__main__':
    sys.exit(main())
