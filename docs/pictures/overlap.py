#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: overlap.py OUTPUT TRACE.json TITLE [OUTPUT TRACE.json TITLE] >FILE.svg

Draws timelines of the receiver of overlap_test, from what it prints and its WEFT_TRACE: when it
computed, and when the packets of its message came.
"""

import json
import re
import sys
from html import escape

from style import BLUE, EDGE, GREEN, PAPER, TITLE_SIZE, WIDTH, picture

LEFT, ROW, GAP, TOP, PANEL = 90, 26, 8, 62, 116
DATA = {'REPLY', 'REPLY_DATA'}


def read(output, trace):
    """Begin and end of the computation, and the times of the packets since its begin."""
    with open(output, encoding='utf-8') as file:
        begin, end = map(float, re.search(r'from ([\d.]+) to ([\d.]+) us', file.read()).groups())
    with open(trace, encoding='utf-8') as file:
        events = json.load(file)['traceEvents']
    names = {e['tid']: e['args']['name'] for e in events
             if e['ph'] == 'M' and e['name'] == 'thread_name'}
    times = [e['ts'] - begin for e in events if e['ph'] == 'i' and e['name'] in DATA
             and names.get(e['tid']) == 'rx' and e['ts'] >= begin]
    return end - begin, sorted(times)


def draw_panel(computed, times, title, top, scale):
    rows = [top + 24, top + 24 + ROW + GAP]
    inside = sum(1 for time in times if time <= computed) / len(times)
    says = f'{title}: {inside:.0%} of the packets come while it computes'
    out = [f'<text x="{LEFT}" y="{top + 14}" font-size="{TITLE_SIZE}">{escape(says)}</text>',
           f'<text x="8" y="{rows[0] + 17}">program</text>',
           f'<text x="8" y="{rows[1] + 17}">packets</text>',
           f'<rect x="{LEFT}" y="{rows[0]}" width="{computed * scale:.1f}" height="{ROW}" '
           f'fill="{GREEN}"/>',
           f'<text x="{LEFT + 8}" y="{rows[0] + 17}" fill="{PAPER}">computes</text>']
    places = sorted({round(LEFT + time * scale, 1) for time in times})
    ticks = ''.join(f'M{place} {rows[1]}v{ROW}' for place in places)
    return out + [f'<path d="{ticks}" stroke="{BLUE}" stroke-width="0.6"/>']


def main():
    if len(sys.argv) not in (4, 7):
        print(__doc__, file=sys.stderr)
        return 2
    panels = [(*read(*sys.argv[i:i + 2]), sys.argv[i + 2]) for i in range(1, len(sys.argv), 3)]
    last = max(max(computed, times[-1]) for computed, times, _ in panels)
    scale = (WIDTH - LEFT - EDGE) / last
    height = TOP + PANEL * len(panels) + 10
    out = [f'<text x="8" y="22" font-size="{TITLE_SIZE}">A message of 16 MiB to a program that '
           'computes, and makes no call of Weft meanwhile</text>',
           '<text x="8" y="42">It computes until it sees all of the data in its memory, or for '
           '50 ms; then it calls weft_wait.</text>']
    for i, panel in enumerate(panels):
        out += draw_panel(*panel, TOP + i * PANEL, scale)
    out.append(f'<text x="{LEFT}" y="{height - 10}">0</text><text x="{WIDTH - EDGE}" '
               f'y="{height - 10}" text-anchor="end">{last / 1e3:.1f} ms</text>')
    print(picture(height, out))
    return 0


if __name__ == '__main__':
    sys.exit(main())
