#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: readable.py SOURCE [WEFT]

Renders every picture of the source tree, and with WEFT those that it draws from docs/results:
fails where a text leaves the canvas or overlaps another one, where the background is not opaque, as
dark pages need it, and where letters of the first page's pictures are too small on a telephone.
"""

import copy
import functools
import itertools
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path
from xml.etree import ElementTree

SVG = '{http://www.w3.org/2000/svg}'
AROUND = 100  # pixels of canvas added on each side, to see what leaves it
LEAST_GAP = 1  # pixels between texts
TELEPHONE = 390  # pixels, which pictures are as wide as at most
LEAST_LETTERS = 8  # pixels
MOST_HEIGHT = 32000  # of what is rendered at once

ElementTree.register_namespace('', SVG[1:-1])


# ---- PNG ----------------------------------------------------------------------------------------

RGB, RGBA = 2, 6


def paeth(left, up, corner):
    estimate = left + up - corner
    return min((abs(estimate - left), 0, left), (abs(estimate - up), 1, up),
               (abs(estimate - corner), 2, corner))[2]


PREDICTIONS = (lambda left, up, corner: 0, lambda left, up, corner: left,
               lambda left, up, corner: up, lambda left, up, corner: (left + up) // 2, paeth)


def unfilter(kind, row, above):
    """A row of RGBA pixels; PNG stores differences to bytes at the left and above. Most of a row is
    transparent: only what follows the first byte that is not 0 is looked at, until all is again."""
    if row == above == bytes(len(row)):
        return row
    first = len(row) - max(len(row.lstrip(b'\0')), len(above.lstrip(b'\0'))) & ~3
    last = max(len(row.rstrip(b'\0')), len(above.rstrip(b'\0')))
    if kind == 0 or first >= last:
        return row
    predict = PREDICTIONS[kind]
    result = bytearray(row)
    for i in range(first, len(row)):
        left, corner = (result[i - 4], above[i - 4]) if i >= 4 else (0, 0)
        result[i] = row[i] + predict(left, above[i], corner) & 255
        if i >= last + 4 and not any(result[i - 3:i + 1]):
            break
    return bytes(result)


def opacities(png):
    """The rows of a picture, a byte for each pixel: 0 is transparent, 255 opaque."""
    width, height, depth, colour = struct.unpack('>IIBB', png[16:26])
    if (depth, colour) == (8, RGB):
        yield from itertools.repeat(b'\xff' * width, height)
        return
    if (depth, colour) != (8, RGBA):
        raise ValueError('a PNG file of an unexpected kind')
    data, at = b'', 8
    while at < len(png):
        size, kind = struct.unpack('>I4s', png[at:at + 8])
        if kind == b'IDAT':
            data += png[at + 8:at + 8 + size]
        at += size + 12
    data = zlib.decompress(data)
    above, stride = bytes(4 * width), 4 * width + 1
    for at in range(0, len(data), stride):
        above = unfilter(data[at], data[at + 1:at + stride], above)
        yield above[3::4]


def render(svg):
    command = ['rsvg-convert', '--format', 'png']
    return opacities(subprocess.run(command, input=ElementTree.tostring(svg), check=True,
                                    stdout=subprocess.PIPE).stdout)


# ---- Texts --------------------------------------------------------------------------------------

def chains(element, above=()):
    """Every text that says something, with the elements around it, the outermost first."""
    if element.tag == f'{SVG}text' and ''.join(element.itertext()).strip():
        yield (*above, element)
    for child in element:
        yield from chains(child, (*above, element))


def canvas(root):
    if 'viewBox' in root.attrib:
        return [float(number) for number in root.attrib['viewBox'].split()]
    return [0, 0, *(float(root.attrib[name].removesuffix('px')) for name in ('width', 'height'))]


def sheet(alone, root):
    """Pictures of single texts below each other, each on a transparent canvas that is larger than
    that of the picture on all sides."""
    x, y, width, height = canvas(root)
    width, height = width + 2 * AROUND, height + 2 * AROUND
    whole = ElementTree.Element(root.tag, width=f'{width}', height=f'{height * len(alone)}')
    whole.extend(root.iter(f'{SVG}style'))
    for i, chain in enumerate(alone):
        outer = ElementTree.SubElement(whole, root.tag, root.attrib)
        outer.attrib.update(viewBox=f'{x - AROUND} {y - AROUND} {width} {height}', x='0',
                            y=f'{i * height}', width=f'{width}', height=f'{height}')
        for element in chain[1:-1]:
            outer = ElementTree.SubElement(outer, element.tag, element.attrib)
        outer.append(copy.deepcopy(chain[-1]))
    return whole


def grown(box, y, row):
    left, right = len(row) - len(row.lstrip(b'\0')), len(row.rstrip(b'\0'))
    if box is None:
        return left, y, right, y + 1
    return min(box[0], left), box[1], max(box[2], right), y + 1


def texts_and_boxes(root):
    """Every text with left, top, right and bottom of its ink in pixels; None without ink."""
    everything = list(chains(root))
    height = int(canvas(root)[3]) + 2 * AROUND
    for first in range(0, len(everything), MOST_HEIGHT // height):
        alone = everything[first:first + MOST_HEIGHT // height]
        boxes = [None] * len(alone)
        for y, row in enumerate(render(sheet(alone, root))):
            if row.strip(b'\0'):
                boxes[y // height] = grown(boxes[y // height], y % height, row)
        for chain, box in zip(alone, boxes):
            yield ''.join(chain[-1].itertext()).strip(), box and [side - AROUND for side in box]


def overlap(one, two):
    return one[0] < two[2] + LEAST_GAP and two[0] < one[2] + LEAST_GAP and \
        one[1] < two[3] and two[1] < one[3]


def complaints(root):
    _, _, width, height = canvas(root)
    boxes = []
    for text, place in texts_and_boxes(root):
        if place is None:
            yield f"'{text}' cannot be seen"
            continue
        if place[0] < 0 or place[1] < 0 or place[2] > width or place[3] > height:
            yield f"'{text}' leaves the canvas: {place}"
        boxes.append((text, place))
    for (one, place), (two, other) in itertools.combinations(boxes, 2):
        if overlap(place, other):
            yield f"'{one}' {place} overlaps '{two}' {other}"
    if any(opacity != 255 for opacity in next(render(root))):
        yield 'its background is not opaque'


def small_letters(root):
    scale = min(1, TELEPHONE / canvas(root)[2])
    for chain in chains(root):
        size = [element.attrib['font-size'] for element in chain if 'font-size' in element.attrib]
        if float(size[-1]) * scale < LEAST_LETTERS:
            yield f"'{''.join(chain[-1].itertext()).strip()}' has letters too small for telephones"


@functools.cache
def complaints_of_text(svg):
    return tuple(complaints(ElementTree.fromstring(svg)))


def complaints_of(path):
    """Of a file; those that are drawn anew are mostly the same as those of the tree."""
    return complaints_of_text(path.read_bytes())


# ---- Pictures -----------------------------------------------------------------------------------

# What is wrong, a word of the complaint, and the picture.
BROKEN = (
    ('texts overlap', 'overlaps',
     '<text x="10" y="40">one label</text><text x="60" y="44">another</text>'),
    ('a turned text crosses another', 'overlaps',
     '<text x="10" y="20">straight</text>'
     '<text transform="translate(30,60) rotate(-90)">across it</text>'),
    ('texts touch', 'overlaps',
     '<text x="10" y="40">one</text><text x="36" y="40">two</text>'),
    ('a text leaves at the right', 'leaves', '<text x="180" y="40">too far</text>'),
    ('a text leaves at the top', 'leaves', '<text x="10" y="5">too high</text>'),
    ('a text has no ink', 'be seen', '<text x="10" y="40" opacity="0">ghost</text>'),
)
FINE = '<text x="10" y="20">one label</text><text x="10" y="40">another</text>'


def made(content, background='<rect width="200" height="80" fill="white"/>'):
    return ElementTree.fromstring(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 80" font-family="sans-serif" '
        f'font-size="14" width="200" height="80">{background}{content}</svg>')


def pictures_of(source):
    for folder, folders, files in os.walk(source):
        folders[:] = sorted(name for name in folders if not name.startswith(('.', 'build')))
        for name in sorted(files):
            if name.endswith('.svg'):
                yield Path(folder, name)


def checks(source, fresh):
    """Names, and functions that tell what is wrong."""
    def expect(word, svg, find=complaints):
        return [] if any(word in text for text in find(svg)) else ['nobody complained']

    for what, word, content in BROKEN:
        yield f'noticed: {what}', functools.partial(expect, word, made(content))
    yield 'noticed: there is no background', functools.partial(expect, 'opaque', made(FINE, ''))
    tiny = made(FINE.replace('<text', '<text font-size="7"'))
    yield 'noticed: letters are small', functools.partial(expect, 'telephones', tiny, small_letters)
    yield 'a good picture is not blamed', functools.partial(complaints, made(FINE))
    for path in pictures_of(source):
        yield str(path.relative_to(source)), functools.partial(complaints_of, path)
    for name in re.findall(r'\]\((\S+\.svg)\)', (source / 'README.md').read_text('utf-8')):
        root = ElementTree.parse(source / name).getroot()
        yield f'{name} on a telephone', functools.partial(small_letters, root)
    for path in pictures_of(fresh):
        yield f'drawn anew: {path.name}', functools.partial(complaints_of, path)


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    if not shutil.which('rsvg-convert'):
        print('1..0 # SKIP rsvg-convert is missing (package librsvg2-bin)')
        return 0
    source = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as fresh:
        if len(sys.argv) == 3 and shutil.which('gnuplot'):
            subprocess.run([source / 'docs/pictures/benchmarks.sh', sys.argv[2], fresh], check=True)
        number = failed = 0
        for number, (name, find) in enumerate(checks(source, fresh), 1):
            found = list(find())
            failed += bool(found)
            print(f'{"not ok" if found else "ok"} {number} - {name}', flush=True)
            for complaint in found:
                print(f'# {complaint}')
        print(f'1..{number}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
