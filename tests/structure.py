#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks what a compiler does not: who may include whom, what may be called, how files look.

Prints TAP. Every check lists the places that break it.
"""

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import draws

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Which folders of src a folder may include, besides itself. Those that stand on public headers
# alone need little more than base: transfer and schedule on weft.h and portals4.h, handlers on
# weft.h and portals4_spin.h, collective on weft_schedule.h.
MAY_INCLUDE = {
    'base': set(),
    'type': {'base'},
    'heap': {'base'},
    'packet': {'base'},
    'trace': {'base', 'packet'},
    'sim': {'base'},
    'riscv': {'base'},
    'job': {'base'},
    'nic': {'base', 'packet', 'trace'},
    'world': {'base', 'packet', 'trace', 'nic', 'job'},
    'portals': {'base', 'nic', 'world', 'job', 'riscv'},
    'handlers': set(),
    'device': {'type'},
    'offload': {'base', 'type', 'device'},
    'client': {'base'},
    'transfer': {'base', 'heap', 'client'},
    'schedule': {'base', 'client'},
    'collective': set(),
    'mpi': {'base', 'heap', 'transfer', 'job'},
}
# What lies below a folder, or one file of it, may include more.
MAY_INCLUDE_TOO = {
    'world/sim': {'sim'},
    'handlers/reliable.c': {'packet'},
    'offload/place.c': {'portals'},
    'portals/driver.c': {'packet', 'trace'},
    'schedule/engine.c': {'portals'},
    'schedule/trace.c': {'portals', 'trace'},
    'mpi/start/job.c': {'world'},
    'transfer/locator.c': {'job'},
    'mpi/report/slice.c': {'trace'},
}

# base and type stand on these alone: ISO C, threads, signals, time and iovec.
LIBC = {
    'assert.h', 'errno.h', 'inttypes.h', 'limits.h', 'stdarg.h', 'stdatomic.h', 'stdbool.h',
    'stddef.h', 'stdint.h', 'stdio.h', 'stdlib.h', 'string.h', 'pthread.h', 'sched.h', 'signal.h',
    'time.h', 'sys/mman.h', 'sys/uio.h', 'cpuid.h', 'immintrin.h', 'weft.h',
}

# Each with what marks its calls and how their names begin.
PUBLIC_HEADERS = {
    'include/weft.h': ('WEFT_API', 'weft_', 20),
    'include/weft_net.h': ('WEFT_API', 'weft_', 22),
    'include/weft_handlers.h': ('WEFT_API', 'weft_handler_', 25),
    'include/weft_offload.h': ('WEFT_API', 'weft_offload_', 11),
    'include/portals4_device.h': ('PTL_API', 'Ptl', 0),
    'include/weft_schedule.h': ('WEFT_API', 'weft_', 30),
    'include/weft_collective.h': ('WEFT_API', 'weft_collective_', 15),
    'include/weft_versions.h': ('WEFT_API', 'weft_versions_', 8),
    'include/portals4.h': ('PTL_API', 'Ptl', 55),
    'include/portals4_job.h': ('PTL_API', 'weft_job_', 1),
    'include/portals4_spin.h': ('PTL_API', 'Ptl', 30),
}

MAX_COLUMNS = 100
MAX_FUNCTION_LINES = 70

BANNED = ['strcpy', 'strcat', 'sprintf', 'vsprintf', 'gets', 'strtok', 'atoi', 'alloca']
PRINTERS = ['printf', 'fprintf', 'vprintf', 'vfprintf', 'puts', 'fputs', 'putchar', 'perror']

# Spelt in pieces so that this file passes its own checks.
UNFINISHED = re.compile(r'\b(TO' r'DO|FIX' r'ME|X' r'XX)\b')
EARLY_END = re.compile(r'(?<!\|)\|\s*grep -\w*q')
MACHINE_PATH = re.compile(r'(?<![\w.$}])/(work|home|root|Users|mnt)' r'/\w')

SCRIPTS = ('.py', '.sh', '.build', '.map', '.cmake', '.in', '.txt', '.css', '.html', '.ini',
           '.spec')
STANDALONE = {'.ci/run', '.clang-format'}


def walk():
    for folder, folders, names in os.walk(ROOT):
        here = os.path.relpath(folder, ROOT)
        folders[:] = sorted(f for f in folders
                            if not (f.startswith('.') and f != '.ci') and f != 'corpus'
                            and not (here == '.' and f.startswith('build')))
        for name in sorted(names):
            yield os.path.normpath(os.path.join(here, name))


FILES = list(walk())
C_FILES = [f for f in FILES if f.endswith(('.c', '.h'))]
CODE_FILES = C_FILES + [f for f in FILES if f.endswith(SCRIPTS) or f in STANDALONE]
TEXT_FILES = CODE_FILES + [f for f in FILES if f.endswith(('.md', '.scd'))]


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read()


def without_comments_and_strings(text):
    """Blanks them out but keeps the lines, so that line numbers stay true."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    return pattern.sub(lambda match: re.sub(r'[^\n]', ' ', match.group()), text)


def places(files, find, prepare=lambda text: text):
    """'file:line: what' wherever find(line) says what."""
    found = []
    for path in files:
        for number, line in enumerate(prepare(read(path)).split('\n'), 1):
            what = find(line)
            if what:
                found.append(f'{path}:{number}: {what}')
    return found


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


# ---- Includes -----------------------------------------------------------------------------


def includes(path):
    pattern = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
    for number, line in enumerate(read(path).split('\n'), 1):
        match = pattern.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def allowed_folders(path):
    parts = path.split('/')
    allowed = MAY_INCLUDE.get(parts[1], set()) | {parts[1]}
    return allowed.union(*(MAY_INCLUDE_TOO.get('/'.join(parts[1:end]), set())
                           for end in range(3, len(parts) + 1)))


def check_include_directions():
    for path in C_FILES:
        if not path.startswith('src/'):
            continue
        if path.split('/')[1] not in MAY_INCLUDE:
            yield f'{path}: its folder is not in the table of this test'
            continue
        for number, own, name in includes(path):
            if own and name.split('/')[0] not in allowed_folders(path):
                yield f'{path}:{number}: must not include "{name}"'
            if own and not os.path.exists(os.path.join(ROOT, 'src', name)):
                yield f'{path}:{number}: write the path of "{name}" from src'


def check_libc_only():
    for path in C_FILES:
        if path.startswith(('src/base/', 'src/type/')):
            for number, own, name in includes(path):
                if not own and name not in LIBC:
                    yield f'{path}:{number}: <{name}> is neither libc nor base'


# ---- Names --------------------------------------------------------------------------------

# How the names of a folder begin, after weft_ or WEFT_; of others, as the folder is called. In base
# each file is a room of its own.
PREFIXES = {'handlers': 'handler', 'transfer': 'net'}
# The folders in these are drawers of one room.
ONE_PREFIX = {'mpi', 'sim'}

# Text of kernel.c and pair.c, which nobody else includes.
PARTS = {f'src/type/{part}.h' for part in ('block_move', 'dense', 'lanes', 'transpose')}

# Headers with the names of others, for compilers without theirs.
LIBC_OF_CORES = 'src/device/libc/'

# What others have named.
FOREIGN = re.compile(r'P?MPI_|OMPI_|mpi$|offsetof$|(_S|s)tatic_assert$')

TAG = re.compile(r'\b(?:struct|union|enum)\s+(\w+)\s*\{')
MACRO = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)', re.M)
DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.M)
BODY = re.compile(r'\{[^{}]*\}')
ENUMERATORS = re.compile(r'\benum\b[^{;()]*\{([^{}]*)\}')
FUNCTION = re.compile(r'(?:^|;)[^;=(]*?\b(\w+)\s*\((?!\s*\()', re.S)
TYPEDEF = re.compile(r'\btypedef\b[^;]*?\b(\w+)\s*(?=;)|\btypedef\b[^;]*?\(\*(\w+)\)')


PUBLIC_NAMES = {name for path in C_FILES if path.startswith('include/')
                for name in re.findall(r'\w+', without_comments_and_strings(read(path)))}


def prefix_of(path):
    parts = path.split('/')
    if parts[1] == 'base':
        return os.path.splitext(parts[2])[0]
    folder = parts[1] if parts[1] in ONE_PREFIX else parts[-2]
    return PREFIXES.get(folder, folder)


def declared_names(path):
    """What a header declares outside of functions, structs and arguments."""
    text = without_comments_and_strings(read(path))
    yield from (name for name in MACRO.findall(text) if not name.endswith('_H'))
    text = DIRECTIVE.sub('', text)
    yield from TAG.findall(text)
    for body in ENUMERATORS.findall(text):
        yield from re.findall(r'(?:^|,)\s*(\w+)\s*(?=[,=]|$)', body)
    while BODY.search(text):
        text = BODY.sub(';', text)
    text = re.sub(r'__attribute__\s*\(\(.*?\)\)', '', text)
    yield from (name or pointer for name, pointer in TYPEDEF.findall(text))
    yield from FUNCTION.findall(re.sub(r'\btypedef\b[^;]*;', '', text))


def shared_names(path):
    """What other files may use: all that a header declares, and structs that it only names."""
    if path.endswith('.h'):
        return declared_names(path)
    return (tag for tag in TAG.findall(without_comments_and_strings(read(path)))
            if tag.startswith('weft_'))


def check_prefixes():
    for path in C_FILES:
        if not path.startswith('src/') or path in PARTS or path.startswith(LIBC_OF_CORES):
            continue
        prefix = prefix_of(path)
        own = re.compile(rf'weft_{prefix}(_|$)|WEFT_{prefix.upper()}(_|$)')
        for name in shared_names(path):
            if not own.match(name) and not FOREIGN.match(name) and name not in PUBLIC_NAMES:
                yield f'{path}: {name} does not begin with weft_{prefix}'


def check_tags_are_unique():
    homes = {}
    for path in C_FILES:
        if path.startswith(('src/', 'include/')):
            for tag in set(TAG.findall(without_comments_and_strings(read(path)))):
                homes.setdefault(tag, []).append(path)
    for tag, paths in sorted(homes.items()):
        if len(paths) > 1:
            yield f'{tag} is defined in {" and ".join(paths)}'


# ---- Compilers ----------------------------------------------------------------------------

WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Werror']

# Headers of the kernels that use these compile only for the processors that have them.
X86_VECTORS = re.compile(r'\b__m(128|256|512|mask)')
X86_FLAGS = ['-mavx512f', '-mavx512bw', '-mavx512vl', '-mavx2', '-mbmi2']


def complaint(result):
    lines = result.stderr.strip().split('\n')
    errors = [line for line in lines if 'error' in line]
    return (errors or lines)[0] or f'exit code {result.returncode}'


def compile_header(path, *command):
    # Through a file that includes it, twice: this also tests the include guard.
    with tempfile.NamedTemporaryFile('w', suffix='.c') as source:
        source.write(f'#include "{os.path.join(ROOT, path)}"\n' * 2 + 'extern int something;\n')
        source.flush()
        result = run(*command, '-fsyntax-only', *WARNINGS, '-Iinclude', '-Isrc',
                     '-I' + os.path.dirname(path), source.name)
    if result.returncode:
        yield f'{path}: {complaint(result)}'


def check_public_headers(*command):
    for path in PUBLIC_HEADERS:
        yield from compile_header(path, *command)


# What a header includes of others: the pkg-config package that has it. Without the package, the
# header is not built either.
STRANGERS = {'#include <pmix.h>': 'pmix', '#include <rdma/': 'libfabric'}


# All of a folder needs one of these.
STRANGERS_OF_FOLDERS = {'src/mpi/': ('ompi-c', 'mpich')}


def flags_of_folder(path):
    for folder, packages in STRANGERS_OF_FOLDERS.items():
        if path.startswith(folder):
            return next((result.stdout.split() for result in
                         (run('pkg-config', '--cflags', package) for package in packages)
                         if not result.returncode), None)
    return []


def flags_of_strangers(path):
    """The flags for the packages that a header needs; None if one is not here."""
    flags = flags_of_folder(path)
    if flags is None:
        return None
    for line, package in STRANGERS.items():
        if line in read(path):
            result = run('pkg-config', '--cflags', package)
            if result.returncode:
                return None
            flags += [flag.replace('-I', '-isystem', 1) for flag in result.stdout.split()]
    return flags


def check_internal_headers(*command):
    for path in C_FILES:
        if not path.endswith('.h') or not path.startswith('src/'):
            continue
        flags = flags_of_strangers(path)
        if flags is None:
            continue
        if flags:
            yield from compile_header(path, *command, *flags)
        elif not X86_VECTORS.search(read(path)):
            yield from compile_header(path, *command)
        elif platform.machine() == 'x86_64':
            yield from compile_header(path, *command, *X86_FLAGS)


def check_freestanding(compiler):
    """No libc header, and no symbol but those that every freestanding compiler may assume."""
    flags = ['-std=c11', '-O2', '-ffreestanding', '-nostdlib', '-Iinclude', '-Isrc']
    source = 'src/type/walk.c'
    with tempfile.TemporaryDirectory() as folder:
        walk_object = os.path.join(folder, 'walk.o')
        result = run(compiler, *flags, '-c', source, '-o', walk_object)
        if result.returncode:
            yield f'{source}: {complaint(result)}'
            return
        for line in run('nm', '-u', walk_object).stdout.split('\n'):
            if line.strip() and line.split()[-1] not in ('memcpy', 'memset', 'memmove'):
                yield f'{source}: needs {line.split()[-1]}'
    for line in run(compiler, *flags, '-H', '-fsyntax-only', source).stderr.split('\n'):
        if re.match(r'\.+ /usr/include', line):
            yield f'{source}: includes {line.split()[1]}'


def check_riscv(compiler):
    """The traversal, and images, whose layout must be that of the host."""
    result = run(compiler, '--target=riscv32-unknown-elf', '-march=rv32imac', '-std=c11', '-O2',
                 '-ffreestanding', '-nostdlib', '-Iinclude', '-Isrc', '-include',
                 'offload/image.h', '-c', 'src/type/walk.c', '-o', os.devnull)
    if result.returncode:
        yield f'src/type/walk.c: {complaint(result)}'


def has_riscv(compiler):
    return bool(shutil.which(compiler)) and 'riscv32' in run(compiler, '--print-targets').stdout


# ---- Calls --------------------------------------------------------------------------------


def calls(names):
    pattern = re.compile(r'(?<![\w.>])(' + '|'.join(names) + r')\s*\(')

    def find(line):
        match = pattern.search(line)
        return match and f'{match.group(1)} is banned here'

    return find


def check_banned_calls():
    return places(C_FILES, calls(BANNED), without_comments_and_strings)


def check_getenv():
    files = [f for f in C_FILES if f.startswith(('src/', 'tools/')) and f != 'src/base/setting.c']
    return places(files, calls(['getenv', 'secure_getenv']), without_comments_and_strings)


def check_library_is_silent():
    # The report is what the user asked for.
    speakers = {'src/base/log.c', 'src/mpi/report/json.c', 'src/mpi/report/table.c'}
    files = [f for f in C_FILES if f.startswith('src/') and f not in speakers]
    return places(files, calls(PRINTERS), without_comments_and_strings)


def check_order_of_draws():
    """A seed means the same with every compiler."""
    for statement in draws.misjudged():
        yield f'tests/draws.py misjudges {statement}'
    for folder in 'tests/', 'bench/':
        texts = {path: without_comments_and_strings(read(path)) for path in C_FILES
                 if path.startswith((folder, 'src/base/random.h'))}
        for place in draws.unsequenced(texts):
            yield f'{place}: the compiler chooses which of several numbers is drawn first'


# ---- Versions ---------------------------------------------------------------------------------

# Where the version of Weft is told; a part of it will do.
VERSIONS = {
    'CHANGELOG.md': r'^## (\S+),',
    'README.md': r'^Version (\S+) has',
    'examples/CMakeLists.txt': r'find_package\(weft (\S+) ',
    'include/weft.h': r'MAJOR (\d+)\n.*MINOR (\d+)\n.*PATCH (\d+)\n',
    'man/weft_error_text.3.scd': r'loaded, such as "([0-9.]+)"',
    'packaging/debian/changelog': r'^weft \((\S+)-',
    'packaging/rpm/weft.spec': r'^Version: +(\S+)',
    'packaging/spack/package.py': r'^    version\("(\S+)"',
}


def check_versions():
    version = re.search(r"^  version: '(.*)'", read('meson.build'), re.M)[1]
    for path, pattern in VERSIONS.items():
        told = re.search(pattern, read(path), re.M)
        if not told or not f'{version}.'.startswith('.'.join(told.groups()) + '.'):
            yield f'{path}: does not tell version {version}, which meson.build has'


def check_versions_of_symbols():
    """A package that needs a call asks for the version that Debian's symbols files name."""
    released = re.findall(r'^weft \((\S+)-', read('packaging/debian/changelog'), re.M)
    for path in FILES:
        if path.startswith('packaging/debian/') and path.endswith('.symbols'):
            for number, line in enumerate(read(path).splitlines()[1:], 2):
                if line.split()[-1] not in released:
                    yield f'{path}:{number}: no version of debian/changelog'


# ---- How files look -----------------------------------------------------------------------


def check_licence():
    for path in CODE_FILES:
        lines = read(path).split('\n')
        first = lines[1] if lines[0].startswith(('#!', '<!DOCTYPE')) else lines[0]
        if 'SPDX-License-Identifier: BSD-3-Clause' not in first:
            yield f'{path}:1: no SPDX line'


def check_columns():
    return places([f for f in TEXT_FILES if not f.endswith('.md')],
                  lambda line: len(line) > MAX_COLUMNS and f'{len(line)} columns')


def function_lengths(path):
    """A function ends with } in column 0; it begins where the lines before its { do."""
    lines = read(path).split('\n')
    start = 0
    for number, line in enumerate(lines):
        if line == '{':
            start = number
            while start and lines[start - 1].strip() and not lines[start - 1].startswith('#') \
                    and not lines[start - 1].rstrip().endswith((';', '}', '*/')):
                start -= 1
        elif line == '}' and start:
            yield start + 1, number - start + 1
            start = 0


def check_function_lengths():
    for path in C_FILES:
        for number, length in function_lengths(path):
            if length > MAX_FUNCTION_LINES:
                yield f'{path}:{number}: a function of {length} lines'


def check_unfinished():
    return places(TEXT_FILES, lambda line: UNFINISHED.search(line) and 'unfinished work')


def check_no_early_ends():
    """grep -q ends before its writer, who then may die of a signal: with pipefail, that fails."""
    return places([f for f in CODE_FILES if f.endswith('.sh') or f in STANDALONE],
                  lambda line: EARLY_END.search(line) and 'grep -q behind a pipe')


def check_white_space():
    found = places(TEXT_FILES, lambda line: line != line.rstrip() and 'white space at the end')
    found += [f'{path}: must end with one newline' for path in TEXT_FILES
              if not read(path).endswith('\n') or read(path).endswith('\n\n')]
    return found + places(C_FILES, lambda line: '\t' in line and 'a tab')


def check_machine_paths():
    return places(TEXT_FILES, lambda line: MACHINE_PATH.search(line) and 'a path of one machine')


# ---- Nothing forgotten --------------------------------------------------------------------


def check_sources_are_built():
    listed = read('src/meson.build')
    for path in C_FILES:
        if path.startswith('src/') and path.endswith('.c') and path[len('src/'):] not in listed:
            yield f'{path}: not in src/meson.build'


def one_line(text):
    return re.sub(r'\s+', ' ', text)


def check_calls_are_documented():
    listed = read('man/meson.build')
    pages = one_line(''.join(read(f) for f in FILES if f.endswith('.3.scd')))
    for path, (mark, prefix, fewest) in PUBLIC_HEADERS.items():
        header = without_comments_and_strings(read(path))
        calls = re.findall(rf'{mark} ([^;(]*?\b({prefix}\w+)\([^;]*;)', header)
        if len(calls) < fewest:
            yield f'{path}: found only {len(calls)} calls'
        for prototype, name in calls:
            if f"'{name}'" not in listed and f"'{name}.3'" not in listed:
                yield f'man/meson.build: no page or link for {name}'
            if one_line(prototype) not in pages:
                yield f'man: no synopsis of {name}, or not as {path} declares it'


def check_manual_has_no_tables():
    """They need a preprocessor, which scdoc does not ask for."""
    return places([f for f in FILES if f.endswith('.scd')],
                  lambda line: re.match(r'[][|][][<>=-]', line) and 'a table')


def check_settings_are_documented():
    names = re.findall(r'\bX\((\w+), (?:CHOICE|SIZE|TEXT)', read('src/base/setting.h'))
    if not names:
        yield 'src/base/setting.h: found no settings'
    page = read('man/weft.1.scd')
    for name in names:
        if f'*WEFT_{name}*' not in page:
            yield f'man/weft.1.scd: does not mention WEFT_{name}'


def check_links():
    pattern = re.compile(r'\]\((?!https?:|#)([^)#\s]+)')
    for path in FILES:
        if path.endswith('.md'):
            for target in pattern.findall(read(path)):
                if not os.path.exists(os.path.join(ROOT, os.path.dirname(path), target)):
                    yield f'{path}: links to {target}, which does not exist'


def check_map_of_folders():
    """What is what: every folder and public header is there, and nothing that is not."""
    page = 'docs/architecture.md'
    table = read(page).split('## Folders')[1].split('**')[0]
    named = set(re.findall(r'`([^`]+)`', ' '.join(re.findall(r'^\| (`.*?) \|', table, re.M))))
    for name in sorted(named):
        if not os.path.exists(os.path.join(ROOT, name)):
            yield f'{page}: there is no {name}'
    folders = {f'src/{name}' for name in MAY_INCLUDE}
    folders |= {path.split('/')[0] for path in FILES if '/' in path} - {'.ci'}
    headers = {path for path in FILES if path.startswith('include/')}
    for name in sorted(folders | headers):
        if not any(f'{other}/'.startswith(f'{name}/') for other in named):
            yield f'{page}: does not say what {name} is'


def check_map_of_tests():
    """Which suites to run for which folder: all folders are there, and no suites that are not."""
    page = 'CONTRIBUTING.md'
    rows = re.findall(r'^\| (`.*?) \| (.*) \|$', read(page).split('## How to add')[0], re.M)
    folders = ' '.join(row[0] for row in rows)
    for folder in MAY_INCLUDE:
        if f'`src/{folder}`' not in folders:
            yield f'{page}: does not say what to run for src/{folder}'
    builds = ''.join(read(f) for f in FILES if os.path.basename(f) == 'meson.build')
    named = '\n'.join(row[1] for row in rows)
    for suite in re.findall(r'(?<![`\w])([a-z]+)(?=,|;|$| \()', named, re.M):
        if not re.search(rf"suite: (?:\[[^]]*)?'{suite}'", builds):
            yield f'{page}: there is no suite {suite}'


# ---- Running ------------------------------------------------------------------------------


def check_mutations():
    """The text that a mutation changes stands once where it looks for it."""
    spec = importlib.util.spec_from_file_location(
        'mutations', os.path.join(ROOT, 'tests/chaos/mutations.py'))
    mutations = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(mutations)
    for what, path, text, _ in (mutation for workload in mutations.WORKLOADS
                                for mutation in workload[2]):
        count = read(path).count(text)
        if count != 1:
            yield f'{path} has {count} times what is changed for "{what}"'


def checks():
    """(name, whether it can run here, check, arguments)"""
    yield 'folders include only what lies below them', True, check_include_directions, ()
    yield 'base and type stand on libc alone', True, check_libc_only, ()
    yield 'a name shows its folder', True, check_prefixes, ()
    yield 'no two structs have one name', True, check_tags_are_unique, ()
    for c in ('gcc', 'clang'):
        yield (f'public headers compile alone with {c}', shutil.which(c), check_public_headers,
               (c, '-std=c11'))
        yield (f'internal headers compile alone with {c}', shutil.which(c),
               check_internal_headers, (c, '-std=c11', '-D_GNU_SOURCE'))
        yield f'the traversal is freestanding with {c}', shutil.which(c), check_freestanding, (c,)
    for cxx in ('g++', 'clang++'):
        yield (f'public headers compile alone with {cxx}', shutil.which(cxx),
               check_public_headers, (cxx, '-std=c++11', '-x', 'c++'))
    yield 'the traversal compiles for 32-bit RISC-V', has_riscv('clang'), check_riscv, ('clang',)
    yield 'no banned calls', True, check_banned_calls, ()
    yield 'getenv only in src/base/setting.c', True, check_getenv, ()
    yield 'the library prints only through its log', True, check_library_is_silent, ()
    yield 'random numbers are drawn in one order', True, check_order_of_draws, ()
    yield 'files agree on the version', True, check_versions, ()
    yield 'symbols of packages are of a version that there was', True, check_versions_of_symbols, ()
    yield 'every file names its licence first', True, check_licence, ()
    yield f'lines have at most {MAX_COLUMNS} columns', True, check_columns, ()
    yield f'functions have at most {MAX_FUNCTION_LINES} lines', True, check_function_lengths, ()
    yield 'nothing is left unfinished', True, check_unfinished, ()
    yield 'no script pipes into grep -q', True, check_no_early_ends, ()
    yield 'white space is tidy', True, check_white_space, ()
    yield 'no path of one machine', True, check_machine_paths, ()
    yield 'every source is built', True, check_sources_are_built, ()
    yield 'every call has a manual page', True, check_calls_are_documented, ()
    yield 'no manual page has a table', True, check_manual_has_no_tables, ()
    yield 'every mutation finds its place', True, check_mutations, ()
    yield 'every setting is in weft(1)', True, check_settings_are_documented, ()
    yield 'links in documents lead somewhere', True, check_links, ()
    yield 'the map of folders is right', True, check_map_of_folders, ()
    yield 'the map of tests is right', True, check_map_of_tests, ()


def main():
    failed = 0
    number = 0
    for number, (name, possible, check, arguments) in enumerate(checks(), 1):
        if not possible:
            print(f'ok {number} - {name} # SKIP the compiler is not here', flush=True)
            continue
        found = list(check(*arguments))
        print(f'{"not ok" if found else "ok"} {number} - {name}')
        for place in found:
            print(f'# {place}')
        sys.stdout.flush()
        failed += bool(found)
    print(f'1..{number}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
