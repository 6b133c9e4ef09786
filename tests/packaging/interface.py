#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: interface.py calls|constants HEADER...

Prints a C program by which tools see what headers promise. "calls": each call, as it is declared,
with an empty body; what the compiler tells debuggers of that is the interface of the library.
"constants": prints, when it runs, an assertion on the value of each macro and enumerator."""

import os
import re
import subprocess
import sys

CALL = re.compile(r"^(?:WEFT|PTL)_API [^;{]*\);", re.M)
# Versions are to be others.
MACRO = re.compile(r"^#define ((?:WEFT|PTL)_(?!API\b|VERSION_)\w+) +(?!.*Ptl)\S", re.M)
ENUM = re.compile(r"\benum\b[^;{(]*\{([^}]*)\}")
ENUMERATOR = re.compile(r"(?:^|,)\s*((?:WEFT|PTL)_\w+)")

BEGIN = """#include <stdio.h>
#define PRINT(name) printf("_Static_assert((long long)(" #name ") == %lldll, \\"\\");\\n", \\
                           (long long)(name))
int main(void)
{"""


def expanded(header):
    compiler = os.environ.get("CC", "cc").split()
    return subprocess.check_output([*compiler, "-E", "-P", "-I.", header], text=True)


def print_calls(texts):
    for call in CALL.findall(texts):
        print(f"{call[:-1]} {{ __builtin_unreachable(); }}")


def print_constants(texts, expansions):
    print(BEGIN)
    names = MACRO.findall(texts)
    for body in ENUM.findall(expansions):
        names += ENUMERATOR.findall(body)
    for name in dict.fromkeys(names):
        print(f"    PRINT({name});")
    print("}")


def main():
    what, headers = sys.argv[1], sys.argv[2:]
    texts = ""
    for header in headers:
        print(f'#include "{os.path.abspath(header)}"')
        with open(header, encoding="utf-8") as file:
            texts += file.read()
    if what == "calls":
        print_calls(texts)
    else:
        print_constants(texts, "".join(map(expanded, headers)))


if __name__ == "__main__":
    main()
