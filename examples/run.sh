#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: run.sh README EXAMPLE...
#
# Starts each example with as many processes as README says, without HPUs and with two, and
# compares what it prints with the line that README promises. Prints TAP.
set -uo pipefail

readme=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../tests/support/tap.sh"
tap_output=$work/output

# processes NAME: the number in the line "mpirun -n N ./NAME"
processes() {
    sed -n "s,^mpirun -n \([0-9]*\) \./$1\$,\1,p" "$readme"
}

# promised NAME: the line after that one
promised() {
    sed -n "/^mpirun -n [0-9]* \.\/$1\$/{n;p;}" "$readme"
}

# keeps_promise EXAMPLE HPUS
keeps_promise() {
    local name count rank pids=() result=0
    name=$(basename "$1")
    count=$(processes "$name")
    for ((rank = 0; rank < count; rank++)); do
        WEFT_HPUS=$2 WEFT_RANK=$rank WEFT_SIZE=$count WEFT_RENDEZVOUS=$work/job \
            timeout 60 "$1" &
        pids+=($!)
    done >"$work/lines"
    for rank in "${pids[@]}"; do
        wait "$rank" || result=1
    done
    promised "$name" | diff - "$work/lines" && [ "$count" ] && return "$result"
}

unset WEFT_RANK WEFT_SIZE WEFT_RENDEZVOUS WEFT_LAUNCHER
for example in "$@"; do
    check "$(basename "$example")" keeps_promise "$example" 0
    check "$(basename "$example") with HPUs" keeps_promise "$example" 2
done
tap_done
