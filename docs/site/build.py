#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: build.py FOLDER

Writes the documentation as a site of plain HTML into FOLDER: README.md is its first page, and all
that pages link to, down to sources, becomes a page of its own. Links that lead nowhere, and
documents that nothing leads to, are errors. Needs cmark-gfm, scdoc and mandoc.
"""

import html
import os
import posixpath
import re
import shutil
import sys

import links
import manual
import markdown

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

MENU = {
    'Start': ['README.md', 'docs/faq.md', 'docs/compare.md'],
    'Guides': ['docs/guide-mpi.md', 'docs/guide-library.md', 'docs/guide-nic.md',
               'docs/python.md'],
    'Tutorials': ['docs/handlers.md', 'docs/tutorial-collectives.md', 'docs/tutorial-nic.md',
                  'examples/README.md'],
    'How it works': ['docs/architecture.md', 'docs/mpi.md', 'docs/starts.md', 'docs/transfers.md',
                     'docs/strategies.md', 'docs/security.md'],
    'Simulation': ['docs/simulation.md', 'docs/simulation-nic.md', 'docs/studies/allreduce.md',
                   'docs/studies/halo.md', 'docs/studies/nic.md', 'docs/studies/scale.md',
                   'docs/studies/windows.md'],
    'Reference': ['man', 'docs/benchmarks.md', 'docs/bibliography.md', 'docs/dependencies.md',
                  'CHANGELOG.md'],
    'Take part': ['CONTRIBUTING.md', 'docs/testing.md', 'packaging/README.md', 'SECURITY.md',
                  'LICENSE'],
}
PICTURES = ('.svg', '.png')


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read()


def place_of(path):
    """Where a file of the repository is on the site."""
    if path == 'README.md':
        return 'index.html'
    if path.endswith(PICTURES):
        return path
    if path.endswith('.md'):
        return path[:-len('.md')] + '.html'
    if os.path.isdir(os.path.join(ROOT, path)):
        return posixpath.join(path, 'index.html')
    return path + '.html'


def relative(target, page):
    """The address of a place of the site on the page at another."""
    return posixpath.relpath(target, posixpath.dirname(page) or '.')


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.pages = {}     # place: body, with links of the repository replaced
        self.titles = {}    # place: title
        self.waiting = []   # paths of the repository
        self.manual = manual.Manual(os.path.join(ROOT, 'man'))

    def want(self, path):
        if place_of(path) not in self.pages and path not in self.waiting:
            self.waiting.append(path)

    def follow(self, path, address):
        """The address on the site of what a page of the repository links to."""
        if re.match(r'https?:|mailto:|#', address):
            return address
        target, hash_sign, part = address.partition('#')
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        self.want(target)
        return relative(place_of(target), place_of(path)) + hash_sign + part

    def add(self, path):
        place = place_of(path)
        whole = os.path.join(ROOT, path)
        if path == 'man':
            title, body = 'Manual pages', self.manual.index()
        elif path.endswith('.md'):
            title, body = markdown.convert(read(path))
            body = links.replace(body, lambda address: self.follow(path, address))
        elif os.path.isdir(whole):
            title, body = path, self.list_folder(path)
        else:
            title, body = path, f'<h1>{html.escape(path)}</h1><pre>{html.escape(read(path))}</pre>'
        folder = relative('man', place)
        self.pages[place] = self.manual.link(body, folder)
        self.titles[place] = title

    def list_folder(self, path):
        """Only documents and results are followed from here: the rest is read in a checkout."""
        items = []
        for name in sorted(os.listdir(os.path.join(ROOT, path))):
            item = html.escape(name)
            if name.endswith(('.md', '.out')):
                address = self.follow(posixpath.join(path, 'x'), name)
                item = f'<a href="{address}">{item}</a>'
            items.append(f'<li>{item}</li>')
        return f'<h1>{html.escape(path)}</h1><ul>{"".join(items)}</ul>'

    def collect(self):
        for paths in MENU.values():
            for path in paths:
                self.want(path)
        while self.waiting:
            path = self.waiting.pop(0)
            if path.endswith(PICTURES):
                self.copy(os.path.join(ROOT, path), path)
                self.pages[path] = None
            else:
                self.add(path)
        for name, body in self.manual.pages.items():
            place = f'man/{name}.html'
            self.pages[place], self.titles[place] = self.manual.link(body, '.'), name

    def copy(self, source, place):
        target = os.path.join(self.folder, place)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(source, target)

    def menu(self, page):
        parts = []
        for heading, paths in MENU.items():
            parts.append(f'<h2>{heading}</h2><ul>')
            for path in paths:
                place = place_of(path)
                here = ' aria-current="page"' if place == page else ''
                parts.append(f'<li><a href="{relative(place, page)}"{here}>'
                             f'{html.escape(self.titles[place])}</a></li>')
            parts.append('</ul>')
        return ''.join(parts)

    def write(self):
        with open(os.path.join(HERE, 'frame.html'), encoding='utf-8') as file:
            frame = file.read()
        self.copy(os.path.join(HERE, 'style.css'), 'style.css')
        for place, body in self.pages.items():
            if body is None:
                continue
            target = os.path.join(self.folder, place)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            text = frame
            for name, value in (('STYLE', relative('style.css', place)),
                                ('TITLE', html.escape(self.titles[place])),
                                ('MENU', self.menu(place)), ('BODY', body)):
                text = text.replace(f'@{name}@', value)
            with open(target, 'w', encoding='utf-8') as file:
                file.write(text)


def unreached(site):
    for folder, _, names in os.walk(os.path.join(ROOT, 'docs')):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), ROOT)
            if name.endswith('.md') and place_of(path) not in site.pages:
                yield f'{path}: no page leads to it'


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    site = Site(sys.argv[1])
    site.collect()
    site.write()
    complaints = list(unreached(site)) + list(links.broken(sys.argv[1]))
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f'{len(site.pages)} pages, {links.count(sys.argv[1])} links, {len(complaints)} broken')
    sys.exit(bool(complaints))


if __name__ == '__main__':
    main()
