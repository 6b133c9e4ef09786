#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""count.py TESTLOG.JSON: how many points of all tests have passed and how many have failed.

A test without TAP is one point, and so is one that failed without saying which point did. What is
known of the failures goes to stderr: Meson leaves out the points and what was said about them."""

import json
import re
import sys

MOST_POINTS = 5


def count(test):
    points = re.findall(r'^(not )?ok\b(.*)$', test.get('stdout') or '', re.M)
    passed = sum(1 for wrong, rest in points if not wrong and '# SKIP' not in rest)
    failed = sum(1 for wrong, _ in points if wrong)
    if test['result'] not in ('OK', 'SKIP', 'EXPECTEDFAIL'):
        failed = max(failed, 1)
    elif test['result'] == 'OK' and not points:
        passed = 1
    return passed, failed


def tell(test):
    print(f"{test['name']}: {test['result']}", file=sys.stderr)
    for point in re.findall(r'^not ok\b.*(?:\n#.*)*', test.get('stdout') or '',
                            re.M)[:MOST_POINTS]:
        print(point, file=sys.stderr)


def main():
    all_passed = all_failed = 0
    with open(sys.argv[1], encoding='utf-8') as file:
        for line in file:
            test = json.loads(line)
            passed, failed = count(test)
            all_passed += passed
            all_failed += failed
            if failed:
                tell(test)
    print(all_passed, all_failed)


if __name__ == '__main__':
    main()
