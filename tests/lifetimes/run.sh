#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# run.sh LIFETIMES UNLOADED LIBRARY [ofi]: exit handlers, exits without a word, children and a
# library that is unloaded, in jobs of every launcher. Nobody crashes or hangs, launchers are told
# of the end, and nothing is left behind.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
support=$here/../support
. "$support/tap.sh"
. "$support/mpirun.sh"
# Whoever looks at memory that was freed sees it at once.
export MALLOC_PERTURB_=165
lifetimes=$1 unloaded=$2 library=$3
unset WEFT_RANK WEFT_SIZE WEFT_RENDEZVOUS WEFT_LAUNCHER

openmpi() {
    timeout 90 mpirun.openmpi --oversubscribe -n 5 "$@"
}

mpich() {
    timeout 90 mpirun.mpich -n 5 "$@"
}

# The file that the processes meet in goes with the last one.
by_hand() {
    pids= result=0
    for rank in 0 1 2 3 4; do
        WEFT_RANK=$rank WEFT_SIZE=5 WEFT_RENDEZVOUS=$folder/job timeout 90 "$@" &
        pids="$pids $!"
    done
    for pid in $pids; do
        wait "$pid" || result=1
    done
    [ ! -e "$folder/job" ] && [ "$result" -eq 0 ]
}

by_libfabric() {
    WEFT_WORLD=ofi WEFT_OFI_INTERFACE=lo by_hand "$@"
}

jobs=by_hand
command -v mpirun.openmpi >/dev/null && jobs="$jobs openmpi"
command -v mpirun.mpich >/dev/null && jobs="$jobs mpich"
[ "${4:-}" = ofi ] && jobs="$jobs by_libfabric"
for job in $jobs; do
    check "an exit handler talks and opens a net again, $job" "$job" "$lifetimes" handler
    check "a process ends with an open net, $job" "$job" "$lifetimes" exit
    check "children end in every way, $job" "$job" "$lifetimes" children
    check "the library is unloaded and loaded again, $job" "$job" "$unloaded" "$library"
done
tap_done
