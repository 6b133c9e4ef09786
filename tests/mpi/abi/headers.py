#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""headers.py [--own HEADER]... [--abi HEADER]... COMPILER...: our statement of MPI's standard ABI.

src/mpi/abi is held against headers of MPI libraries: calls against those with handles of their own
and those of the standard ABI, constants and types against the latter; and handles against what the
standard puts into them. TAP.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, '..'), os.path.join(HERE, '..', '..', 'support')]
sys.dont_write_bytecode = True
from checks import check, run_checks  # only now can they be found
from declared import ROOT, declarations, read

OURS = os.path.join(ROOT, 'src', 'mpi', 'abi', 'mpi.h')
TYPES = ('MPI_Aint', 'MPI_Count', 'MPI_Offset', 'MPI_Status', 'MPI_Comm', 'MPI_Datatype')
MEMBERS = ('MPI_SOURCE', 'MPI_TAG', 'MPI_ERROR')
parser = argparse.ArgumentParser()
parser.add_argument('--own', action='append', default=[])
parser.add_argument('--abi', action='append', default=[])
parser.add_argument('compiler', nargs='+')
arguments = parser.parse_args()


def compile_with(header, text, *options):
    """What the compiler writes of a program that includes the header."""
    result = subprocess.run(
        [*arguments.compiler, '-I' + os.path.dirname(header), '-I' + os.path.join(ROOT, 'src'),
         '-Wno-deprecated-declarations', *options, '-x', 'c', '-'],
        input=f'#include "{header}"\n{text}', check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


# ---- Calls -------------------------------------------------------------------------------------

def declared_in(header):
    return set(re.findall(r'\bMPI_(\w+)\s*\(', compile_with(header, '', '-E')))


@check
def calls_are_declared_as_in_headers_of_libraries():
    """A second declaration that differs is an error. Libraries with handles of their own may be
    older: they lack some calls, and of those without a datatype some were changed since."""
    for header in arguments.own + arguments.abi:
        theirs = declared_in(header)
        both = [f'{kind} MPI_{name}({parameters});' for _, kind, name, parameters in declarations()
                if name in theirs and (header in arguments.abi or 'MPI_Datatype' in parameters)]
        assert len(both) > 140, f'{header} has only {len(both)}'
        compile_with(header, '\n'.join(both), '-fsyntax-only')


def no_call_with_a_datatype_is_left_out():
    """But for those that MPICH has beyond the standard."""
    ours = {name for _, _, name, _ in declarations()} | {'Psend_init_c', 'Precv_init_c'}
    for header in arguments.abi:
        text = compile_with(header, '', '-E')
        theirs = re.findall(r'\bMPI_(\w+)\s*\(([^;{]*?MPI_Datatype\b[^;{]*)\)[^;]*;', text)
        names = {name for name, _ in theirs if not name.endswith(('_function', '_function_c'))}
        assert names and names <= ours, f'{header}: {names - ours}'


# ---- Constants and types -----------------------------------------------------------------------

def constants():
    text = read('src', 'mpi', 'abi', 'constants.h')
    return re.findall(r'^#define (MPI_\w+) ', text, re.M) + re.findall(r'^    (MPI_\w+) = ', text,
                                                                        re.M)


def values(header):
    """Of all constants, and of the sizes of types and the places of members."""
    wanted = {name: f'(long long)(intptr_t)({name})' for name in constants()}
    wanted |= {f'sizeof {name}': f'(long long)sizeof({name})' for name in TYPES}
    wanted |= {f'place of {name}': f'(long long)offsetof(MPI_Status, {name})' for name in MEMBERS}
    lines = ''.join(f'    printf("%s=%lld\\n", "{name}", {value});\n'
                    for name, value in wanted.items())
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'values')
        compile_with(header, '#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n'
                     f'int main(void)\n{{\n{lines}}}\n', '-o', program)
        output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return {name: int(value) for name, value in (line.split('=') for line in output.splitlines())}


def constants_and_types_are_those_of_libraries():
    ours = values(OURS)
    for header in arguments.abi:
        theirs = values(header)
        wrong = {name: (value, theirs[name]) for name, value in ours.items()
                 if theirs[name] != value}
        assert not wrong, f'{header}, ours and theirs: {wrong}'


def told_size(name):
    """Of a type whose name tells it: in bits those of C, in bytes those of Fortran; else None."""
    bits = re.fullmatch(r'MPI_U?INT(\d+)_T', name)
    bytes_ = re.fullmatch(r'MPI_(?:INTEGER|LOGICAL|REAL|COMPLEX)(\d+)', name)
    return int(bits[1]) // 8 if bits else int(bytes_[1]) if bytes_ else None


@check
def handles_of_types_tell_their_sizes():
    sized = {name: handle for name, handle in values(OURS).items() if told_size(name)}
    assert len(sized) > 20
    for name, handle in sized.items():
        assert 1 << (handle >> 3 & 7) == told_size(name), f'{name} is {handle:#x}'


@check
def no_handle_stands_for_two_things():
    handles = re.findall(r'^#define (MPI_\w+) \(\(MPI_\w+\)(0x\w+)\)$',
                         read('src', 'mpi', 'abi', 'constants.h'), re.M)
    assert len(handles) > 90
    names = {}
    for name, handle in handles:
        names.setdefault(int(handle, 16), []).append(name)
    several = sorted(found for found in names.values() if len(found) > 1)
    assert several == [['MPI_C_COMPLEX', 'MPI_C_FLOAT_COMPLEX'],
                       ['MPI_LONG_LONG', 'MPI_LONG_LONG_INT']], several
    assert 0 < min(names) and max(names) < 0x1000


if arguments.abi:
    check(no_call_with_a_datatype_is_left_out)
    check(constants_and_types_are_those_of_libraries)
sys.exit(run_checks())
