#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rename_in_elf.py FROM TO OLD NEW...: a copy of a library in which names are others.

The new name may not be longer. Tables of hashes stay, so that nobody finds a symbol that is
renamed, neither by its old name nor by its new one; the name of the library is not hashed.
"""

import sys


def main():
    source, target, *names = sys.argv[1:]
    with open(source, 'rb') as file:
        content = file.read()
    for old, new in zip(names[::2], names[1::2]):
        whole = b'\0' + old.encode() + b'\0'
        if whole not in content or len(new) > len(old):
            sys.exit(f'cannot rename {old} to {new}')
        content = content.replace(whole, b'\0' + new.encode().ljust(len(old), b'\0') + b'\0')
    with open(target, 'wb') as file:
        file.write(content)


if __name__ == '__main__':
    main()
