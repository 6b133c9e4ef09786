#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: paced.py CURVES >FILE.svg

Draws what `paced_test --curves CURVES` has seen of four pairs: how much has arrived when, if the
receivers pull and if the senders put.
"""

import sys
from html import escape

from style import AXES, BLUE, TITLE_SIZE, VERMILLION, picture

PANEL, HEIGHT, LEFT, TOP = 380, 220, 60, 92
PANELS = {'pairs-pulls': 'Receivers pull: nobody waits for the slow one',
          'pairs-puts': 'One put each: all wait for the slow one'}
SLOW, ONE_OF_THE_FAST = '0', '1'
LABELS = {SLOW: 'one that takes an eighth', ONE_OF_THE_FAST: 'three fast receivers'}
LABEL_WIDTH = 150


def read(path):
    curves = {}
    with open(path, encoding='utf-8') as file:
        for line in file:
            study, node, time, size = line.split()
            curves.setdefault(study, {}).setdefault(node, []).append(
                (float(time) / 1e3, int(size) / 2**20))
    return curves


def draw_label(node, colour, points, left, place):
    """Beside the line of a node: below that of the slow one, above the others if there is room."""
    x, y = place(*points[len(points) // 2 if node == SLOW else len(points) * 3 // 4])
    if node != SLOW and x - left > LABEL_WIDTH:
        x, y, anchor = x - 8, y - 4, 'end'
    else:
        x, y, anchor = x + 10, y + 14, 'start'
    return (f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">'
            f'{LABELS[node]}</text>')


def draw_panel(curves, title, left, last, most):
    def place(time, size):
        return left + time / last * PANEL, TOP + HEIGHT - size / most * HEIGHT

    def point(time, size):
        return '{:.1f} {:.1f}'.format(*place(time, size))

    out = [f'<text x="{left}" y="{TOP - 10}" font-size="{TITLE_SIZE}">{escape(title)}</text>',
           f'<path d="M{left} {TOP}v{HEIGHT}h{PANEL}" fill="none" stroke="{AXES}"/>']
    for node, points in sorted(curves.items()):
        colour = VERMILLION if node == SLOW else BLUE
        path = 'L'.join(point(*p) for p in points)
        out.append(f'<path d="M{point(points[0][0], 0)}L{path}" fill="none" stroke="{colour}" '
                   'stroke-width="2"/>')
        if node in LABELS:
            out.append(draw_label(node, colour, points, left, place))
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
    out = ['<text x="8" y="22" font-size="17">A slow receiver beside three fast ones</text>',
           '<text x="8" y="44">Four senders, one for each, through one switch: how much of 8 MiB '
           'has arrived when</text>',
           f'<text x="8" y="{TOP + 8}">{most:.0f} MiB</text>',
           f'<text x="8" y="{TOP + HEIGHT}">0</text>']
    for i, (study, title) in enumerate(PANELS.items()):
        out += draw_panel(curves[study], title, LEFT + i * (PANEL + 50), last, most)
    out.append(f'<text x="{LEFT}" y="{height - 10}">milliseconds of virtual '
               'time</text>')
    print(picture(height, out))
    return 0


if __name__ == '__main__':
    sys.exit(main())
