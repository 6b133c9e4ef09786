# SPDX-License-Identifier: BSD-3-Clause
"""What the pictures of these scripts have in common. Colours are those of bench/harness/plot.c,
which colour-blind people can tell apart; the background is opaque for dark pages.
"""

WIDTH, EDGE = 900, 20
BLUE, VERMILLION, GREEN = '#0072b2', '#d55e00', '#007a5a'
INK, PAPER, AXES = '#222222', '#ffffff', '#777777'
TITLE_SIZE = 15


def picture(height, elements):
    return '\n'.join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="12" fill="{INK}">',
        f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>', *elements, '</svg>'])
