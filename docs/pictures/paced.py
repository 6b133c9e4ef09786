#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: paced.py CURVES >FILE.svg

Draws what `paced_test --curves CURVES` has seen of four pairs: how much has arrived when, if the
receivers pull and if the senders put.
"""

import sys
from html import escape

WIDTH, PANEL, HEIGHT, LEFT, TOP = 900, 380, 220, 60, 50
PANELS = {'pairs-pulls': 'receivers pull in chunks', 'pairs-puts': 'one put each'}
SLOW = '0'


def read(path):
    curves = {}
    with open(path, encoding='utf-8') as file:
        for line in file:
            study, node, time, size = line.split()
            curves.setdefault(study, {}).setdefault(node, []).append(
                (float(time) / 1e3, int(size) / 2**20))
    return curves


def draw_panel(curves, title, left, last, most):
    def point(time, size):
        return f'{left + time / last * PANEL:.1f} {TOP + HEIGHT - size / most * HEIGHT:.1f}'

    out = [f'<text x="{left}" y="{TOP - 10}" font-size="14">{escape(title)}</text>',
           f'<path d="M{left} {TOP}v{HEIGHT}h{PANEL}" fill="none" stroke="#444444"/>']
    for node, points in sorted(curves.items()):
        colour = '#b5543c' if node == SLOW else '#3a6ea5'
        path = 'L'.join(point(*p) for p in points)
        out.append(f'<path d="M{point(points[0][0], 0)}L{path}" fill="none" stroke="{colour}" '
                   'stroke-width="2"/>')
    for time in range(0, int(last) + 1):
        out.append(f'<text x="{left + time / last * PANEL:.0f}" y="{TOP + HEIGHT + 16}" '
                   f'text-anchor="middle">{time}</text>')
    return out


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    curves = read(sys.argv[1])
    points = [p for study in PANELS for line in curves[study].values() for p in line]
    last, most = max(p[0] for p in points), max(p[1] for p in points)
    height = TOP + HEIGHT + 50
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
           'font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
           f'<text x="8" y="{TOP + 8}">{most:.0f} MiB</text>',
           f'<text x="8" y="{TOP + HEIGHT}">0</text>']
    for i, (study, title) in enumerate(PANELS.items()):
        out += draw_panel(curves[study], title, LEFT + i * (PANEL + 50), last, most)
    out.append(f'<text x="{LEFT}" y="{height - 10}">milliseconds of virtual time; '
               '<tspan fill="#3a6ea5">three fast receivers</tspan>, '
               '<tspan fill="#b5543c">one that takes an eighth</tspan></text>')
    print('\n'.join(out + ['</svg>']))
    return 0


if __name__ == '__main__':
    sys.exit(main())
