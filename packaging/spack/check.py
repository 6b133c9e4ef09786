#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs package.py with stand-ins for what Spack gives it: each variant must end in options that
meson_options.txt has, and in dependencies that are conditional on variants that there are. Prints
TAP."""

import itertools
import os
import re
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
VARIANTS, CONDITIONS = [], []


class Spec:
    def __init__(self, chosen):
        self.chosen = chosen

    def satisfies(self, condition):
        assert condition.startswith('+') and condition[1:] in VARIANTS, condition
        return condition[1:] in self.chosen


def load_package():
    module = types.ModuleType('spack.package')
    module.MesonPackage = object
    module.license = module.version = lambda *_, **__: None
    module.variant = lambda name, **_: VARIANTS.append(name)
    module.depends_on = lambda _, type=None, when=None: CONDITIONS.append(when)
    sys.modules['spack'] = types.ModuleType('spack')
    sys.modules['spack.package'] = module
    names = {}
    with open(os.path.join(HERE, 'package.py'), encoding='utf-8') as file:
        exec(compile(file.read(), 'package.py', 'exec'), names)
    return names['Weft']


def options():
    """Name: type, of those of Meson"""
    with open(os.path.join(ROOT, 'meson_options.txt'), encoding='utf-8') as file:
        return dict(re.findall(r"^option\('(\w+)', type: '(\w+)'", file.read(), re.M))


def wrong_options(package):
    known = options()
    values = {'boolean': ('true', 'false'), 'feature': ('enabled', 'disabled')}
    for count in range(len(VARIANTS) + 1):
        for chosen in itertools.combinations(VARIANTS, count):
            package.spec, package.run_tests = Spec(chosen), False
            for option in package.meson_args(package):
                name, value = re.fullmatch(r'-D(\w+)=(\w+)', option).groups()
                if value not in values.get(known.get(name), ()):
                    yield f'{chosen}: {option}'


def forgotten_features(package):
    """Left to Meson, they would be there or not, by what happens to be installed."""
    package.spec, package.run_tests = Spec(VARIANTS), False
    told = {option[2:].split('=')[0] for option in package.meson_args(package)}
    of_examples = {'kissfft'}
    for name, kind in options().items():
        if kind == 'feature' and name not in told | of_examples:
            yield f'-D{name} is left to chance'


def wrong_conditions():
    for condition in CONDITIONS:
        if condition is not None and condition[1:] not in VARIANTS:
            yield f'no variant {condition}'


def main():
    package = load_package()
    failed = False
    checks = {'options are those of Meson': wrong_options(package),
              'features are chosen': forgotten_features(package),
              'conditions are variants': wrong_conditions(),
              'there are variants': [] if len(VARIANTS) >= 8 else ['too few']}
    for number, (name, complaints) in enumerate(checks.items(), 1):
        complaints = list(complaints)
        failed = failed or bool(complaints)
        print(f'{"not " if complaints else ""}ok {number} - {name}')
        for complaint in complaints:
            print(f'# {complaint}')
    print(f'1..{len(checks)}')
    sys.exit(failed)


if __name__ == '__main__':
    main()
