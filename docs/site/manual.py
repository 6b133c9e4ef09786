# SPDX-License-Identifier: BSD-3-Clause
"""Manual pages as HTML, and links to them from wherever they are mentioned."""

import glob
import html
import os
import posixpath
import re
import subprocess

# In manual pages names are bold, in documents they are code, in either of two ways.
MENTIONS = [
    re.compile(r'<b>(?P<name>[\w-]+)</b>\((?P<section>[1-8])\)'),
    re.compile(r'<code>(?P<name>[\w-]+)\((?P<section>[1-8])\)</code>'),
    re.compile(r'<code>man (?P<section>[1-8]) (?P<name>[\w-]+)</code>'),
]


def page_of(path):
    """The body of a page, without the lines above and below it."""
    with open(path, encoding='utf-8') as file:
        roff = subprocess.run(['scdoc'], stdin=file, capture_output=True, check=True).stdout
    body = subprocess.run(['mandoc', '-T', 'html', '-O', 'fragment'], input=roff,
                          capture_output=True, check=True).stdout.decode()
    return re.sub(r'<table class="(head|foot)">.*?</table>', '', body, flags=re.S)


def names_of(path):
    """(the names that a page is about, what it says of them)"""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    names, _, what = re.search(r'^# NAME\n\n(.*?)\n\n', text, re.S | re.M)[1].replace(
        '\n', ' ').partition(' - ')
    return re.split(r',\s*', names.replace('\\', '')), what


class Manual:
    def __init__(self, folder):
        self.pages = {}     # weft-run.1: body
        self.about = {}     # weft-run.1: (names, what)
        self.page_of = {}   # PtlGet.3: PtlPut.3
        for path in sorted(glob.glob(os.path.join(folder, '*.scd'))):
            page = os.path.basename(path)[:-len('.scd')]
            names, what = names_of(path)
            self.about[page] = (names, what)
            self.pages[page] = f'<h1>{page[:-2]}({page[-1]})</h1>' + page_of(path)
            for name in names:
                self.page_of[f'{name}.{page[-1]}'] = page

    def link(self, body, folder):
        """Makes links of all pages that a body mentions, which are in the folder."""
        def replace(match):
            page = self.page_of.get(f'{match["name"]}.{match["section"]}')
            if not page:
                return match[0]
            address = posixpath.normpath(posixpath.join(folder, page + '.html'))
            return f'<a href="{address}">{match[0]}</a>'

        for pattern in MENTIONS:
            body = pattern.sub(replace, body)
        return body

    def index(self):
        rows = []
        for section, heading in (('1', 'Commands'), ('7', 'Overviews'), ('3', 'Calls')):
            rows.append(f'<h2>{heading}</h2><dl>')
            for page, (names, what) in self.about.items():
                if page.endswith(section):
                    rows.append(f'<dt><a href="{page}.html">{html.escape(", ".join(names))}</a>'
                                f'</dt><dd>{html.escape(what.replace(chr(92), ""))}</dd>')
            rows.append('</dl>')
        return '<h1>Manual pages</h1>' + ''.join(rows)
