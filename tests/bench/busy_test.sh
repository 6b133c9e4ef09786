#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: busy_test.sh SOURCE MPIRUN RUNNER
#
# A turn of `weft bench mpi` ends soon where each message waits for long: all 1000, with the words
# before and after them, would take half a minute. Prints TAP.
set -u
. "$1/tests/support/launchers.sh"
. "$1/tests/support/tap.sh"
mpirun=$2 runner=$3
tap_output=$(mktemp)
trap 'rm -f "$tap_output"' EXIT

turn_ends() {
    timeout 20 "$mpirun" -n 2 "$runner" <<<"turn vec64 vec64 65536 derived oneway 1000" |
        grep '^turn bytes=65536 '
}

check "a turn on a busy machine ends" turn_ends
tap_done
