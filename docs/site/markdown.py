# SPDX-License-Identifier: BSD-3-Clause
"""Markdown to HTML, by GitHub's own converter, which is how the documents are read elsewhere."""

import html
import re
import subprocess

HEADING = re.compile(r'<h([1-6])>(.*?)</h\1>', re.S)
PICTURE = re.compile(r'<p>(<img [^>]*>)</p>')


def plain(text):
    return html.unescape(re.sub(r'<[^>]*>', '', text))


def identifier(heading):
    """As GitHub makes them."""
    return re.sub(r'[^\w\- ]', '', plain(heading).lower()).replace(' ', '-')


def with_identifiers(body):
    seen = {}

    def replace(match):
        name = identifier(match[2])
        number = seen[name] = seen.get(name, -1) + 1
        if number:
            name = f'{name}-{number}'
        return f'<h{match[1]} id="{name}">{match[2]}</h{match[1]}>'

    return HEADING.sub(replace, body)


def convert(text):
    """(title, body)"""
    body = subprocess.run(['cmark-gfm', '--extension', 'table', '--extension', 'autolink'],
                          input=text, capture_output=True, check=True, encoding='utf-8').stdout
    first = HEADING.search(body)
    # Tables and pictures may be wider than a telephone, and scroll by themselves then.
    body = body.replace('<table>', '<div class="wide"><table>').replace(
        '</table>', '</table></div>')
    body = PICTURE.sub(r'<p class="wide">\1</p>', body)
    return plain(first[2]) if first else '', with_identifiers(body)
