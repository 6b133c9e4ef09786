# SPDX-License-Identifier: BSD-3-Clause
"""Links in pages of HTML: replaced, and checked."""

import html
import os
import re
import urllib.parse

LINK = re.compile(r'(?<=\s)(href|src)="([^"]*)"')
IDENTIFIER = re.compile(r'\sid="([^"]*)"')


def replace(text, follow):
    return LINK.sub(lambda match: f'{match[1]}="{follow(match[2])}"', text)


def pages(folder):
    for here, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith('.html'):
                path = os.path.join(here, name)
                with open(path, encoding='utf-8') as file:
                    yield path, file.read()


def count(folder):
    return sum(len(LINK.findall(text)) for _, text in pages(folder))


def broken(folder):
    """A complaint for each link to another page, or a part of one, that is not there."""
    parts = {os.path.normpath(path): set(IDENTIFIER.findall(text))
             for path, text in pages(folder)}
    for path, text in pages(folder):
        for _, address in LINK.findall(text):
            target, _, part = html.unescape(address).partition('#')
            if re.match(r'https:|mailto:', target):
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target \
                else os.path.normpath(path)
            if not os.path.isfile(target):
                yield f'{path}: {address} is not there'
            elif part and urllib.parse.unquote(part) not in parts.get(target, ()):
                yield f'{path}: {address} has no such part'
