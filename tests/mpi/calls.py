#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""calls.py OBJECTS [--write]: what Weft does with each call of MPI that has a datatype.

The calls are those that src/mpi/abi/prototypes.h declares; what Weft does is read from the objects
of the preload library in the folder OBJECTS (libweft_mpi_abi.so.p), where each wrapper has left an
entry in the section of its kind. --write puts the table into docs/mpi.md; without it, this is a
test (TAP) that the table there is the same.
"""

import difflib
import os
import re
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
sys.dont_write_bytecode = True
from checks import check, run_checks  # only now can it be found
from declared import ROOT, declarations, read

DOCUMENT = os.path.join(ROOT, 'docs', 'mpi.md')
BEGIN, END = '<!-- tests/mpi/calls.py writes this -->\n', '<!-- to here -->\n'

ACCELERATED, PACKED, BY_CHOICE, ALWAYS, NO_DATA = WAYS = (
    'accelerated', 'packed', 'native by choice', 'native always', 'no data')

# What is done by the wrappers of a folder of src/mpi, or of one file there, which counts more.
WAY_OF = {
    'message': ACCELERATED,
    'collective': ACCELERATED,
    'layout': ACCELERATED,
    'staged': PACKED,
}
WITHOUT_DATA = {'Datatypes', 'Other calls with a datatype'}


# ---- The calls ---------------------------------------------------------------------------------

def families():
    """Names of calls with a datatype, by the headings above them."""
    found = {}
    for heading, _, name, parameters in declarations():
        if 'MPI_Datatype' in parameters:
            found.setdefault(heading, []).append(name)
    return found


# ---- The wrappers ------------------------------------------------------------------------------

def wrappers(objects):
    """Of each name: the section that its wrapper is in, and the file, as in `message/send.c`."""
    found = {}
    for name in sorted(os.listdir(objects)):
        source = re.fullmatch(r'mpi_(\w+?)_(\w+\.c)\.o', name)
        if not source:
            continue
        symbols = subprocess.run(['objdump', '-t', os.path.join(objects, name)], check=True,
                                 capture_output=True, text=True).stdout
        for entry in re.finditer(r'\bweft_(exports|counted|recorded)\s.*\bweft_export_(\w+)$',
                                 symbols, re.M):
            found[entry[2]] = entry[1], source[1] + '/' + source[2]
    return found


def without_tickets():
    """Sends whose mode keeps them from going by ticket (src/mpi/message)."""
    route = read('src', 'mpi', 'message', 'route.c')
    refused = re.search(r'else if \((args->mode == .*?)\)\n', route)
    modes = re.findall(r'mode == (WEFT_MPI_\w+)', refused[1]) if refused else []
    names = []
    for file in 'send.c', 'persistent.c':
        for call in re.finditer(r'^WEFT_MPI_BOTH_COUNTS\(\w+, (\w+), .*?(\w+)\);',
                                read('src', 'mpi', 'message', file), re.M):
            if call[2] in modes:
                names += call[1], call[1] + '_c'
    return set(names)


def in_shared_memory():
    """One-sided calls that are copied from layout to layout: all but those that compute sums."""
    source = read('src', 'mpi', 'staged', 'one_sided.c')
    names = re.findall(r'^DEFINE_ALL\(DEFINE\w*, (\w+), .*, false\)$', source, re.M)
    return {name + counts for name in names for counts in ('', '_c')}


def on_nics():
    """What steps in when MPI starts, if threads run the NICs, so that no section has it."""
    source = read('src', 'mpi', 'collective', 'nonblocking.c')
    return set(re.findall(r'^    STEP_IN\((\w+)\)', source, re.M))


def way_of_file(file):
    folder = file.split('/')[0]
    way = WAY_OF.get(file, WAY_OF.get(folder))
    if not way:
        sys.exit(f'{__file__}: what do the wrappers of src/mpi/{file} do? Say so in WAY_OF')
    return way


def ways(objects):
    """Of each call with a datatype."""
    wrapped, packed, found = wrappers(objects), without_tickets(), {}
    elsewhere = on_nics() | in_shared_memory()
    for family, names in families().items():
        for name in names:
            section, file = wrapped.get(name, (None, None))
            if family in WITHOUT_DATA:
                way = NO_DATA
            elif name in elsewhere:
                way = ACCELERATED
            elif section == 'exports':
                way = PACKED if name in packed else way_of_file(file)
            else:
                way = BY_CHOICE if section == 'counted' else ALWAYS
            found[name] = way
    return found


# ---- The table ---------------------------------------------------------------------------------

def shorten(names):
    """`Send` and `Send_c` are one entry."""
    both = {name for name in names if name + '_c' in names}
    return ', '.join(f'`{name}[_c]`' if name in both else f'`{name}`' for name in names
                     if not (name.endswith('_c') and name[:-2] in both))


def table(objects):
    way_of = ways(objects)
    counts = {way: list(way_of.values()).count(way) for way in WAYS}
    moving = len(way_of) - counts[NO_DATA]
    rows = []
    for family, names in families().items():
        for way in WAYS:
            some = [name for name in names if way_of[name] == way]
            if some:
                rows.append(f'| {family} | {way} | {len(some)} | {shorten(some)} |\n')
    by_engine = counts[ACCELERATED] + counts[PACKED]
    return (f'\nOf the {len(way_of)} calls of MPI 5 with a datatype {moving} move data. '
            f'In {by_engine} of them Weft\'s engine moves\nwhat lies apart: '
            f'{counts[ACCELERATED]} are accelerated, {counts[PACKED]} packed. '
            f'{counts[BY_CHOICE]} are native by choice and\n{counts[ALWAYS]} native always.\n\n'
            '| family | what Weft does | calls | names, without `MPI_` |\n|---|---|---|---|\n' +
            ''.join(rows) + '\n')


def parts():
    """Of the document: before the table, the table, and behind it."""
    text = read('docs', 'mpi.md')
    before, rest = text.split(BEGIN)
    inside, behind = rest.split(END)
    return before + BEGIN, inside, END + behind


def write(objects):
    before, _, behind = parts()
    with open(DOCUMENT, 'w', encoding='utf-8') as file:
        file.write(before + table(objects) + behind)


# ---- The test ----------------------------------------------------------------------------------

@check
def wrappers_are_seen():
    """Of each kind one that is known to be there."""
    way_of = ways(sys.argv[1])
    assert way_of['Send'] == way_of['Recv_c'] == way_of['Alltoallw'] == ACCELERATED
    assert way_of['Ibcast'] == way_of['Iallreduce'] == way_of['Iscan_c'] == ACCELERATED
    assert way_of['Put'] == way_of['Rget_c'] == way_of['Pack'] == ACCELERATED
    assert way_of['Accumulate'] == way_of['Bsend'] == PACKED
    assert way_of['Reduce_local'] == ALWAYS and way_of['Type_vector'] == NO_DATA
    assert len(way_of) > 300


@check
def table_is_that_of_the_source():
    told, true = parts()[1], table(sys.argv[1])
    difference = ''.join(difflib.unified_diff(told.splitlines(True), true.splitlines(True)))
    assert told == true, f'{difference}write it anew: {sys.argv[0]} {sys.argv[1]} --write'


if __name__ == '__main__':
    if sys.argv[2:] == ['--write']:
        write(sys.argv[1])
    else:
        sys.exit(run_checks())
