#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# run.sh MPI SMALL RANDOM WEFT PROGRAMS ABSENT [COLLECTIVES]: records of MPI programs say what they
# did, and can be simulated. SMALL is small.c; RANDOM is fuzz_mpi, of which so many programs are
# run; ABSENT is absent.c; COLLECTIVES is collectives.c, if MPI has large counts. MPI is openmpi or
# mpich.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
support=$here/../../support
. "$support/tap.sh"
. "$support/mpirun.sh"
mpi=$1 small=$2 random=$3 weft=$(realpath "$4") programs=$5 absent=$6 collectives=${7-}

command -v "mpirun.$mpi" >/dev/null || tap_skip_all "no mpirun.$mpi"

record() {
    ranks=$1
    shift
    timeout 120 "mpirun.$mpi" -n "$ranks" "$weft" run --record "$folder/goal" "$@"
}

simulate() {
    "$weft" sim goal "$folder/goal" latency=1us overhead=100ns eager=1G "$@"
}

is_small() {
    "$here/show.py" "$folder/goal" >"$folder/shown" &&
        grep -v '^#' "$here/small.txt" | diff - "$folder/shown"
}

shows() {
    record 3 "$small" 2>"$folder/said" && is_small && ! grep incomplete "$folder/said"
}

tells_absent() {
    record 2 "$absent" 2>"$folder/said" && grep -q 'incomplete: 20 calls' "$folder/said" &&
        grep '^// not recorded' "$folder/goal" | sort | uniq -c >"$folder/shown" &&
        grep -v '^#' "$here/absent.txt" | diff - "$folder/shown" && simulate
}

# show_collectives WHICH: in the names of those with counts of type int
show_collectives() {
    record 3 "$collectives" "$1" 2>"$folder/said" && ! grep incomplete "$folder/said" &&
        "$here/show.py" "$folder/goal" | sed 's/_c$//'
}

records_large_counts() {
    show_collectives int >"$folder/ints" && show_collectives large >"$folder/large" &&
        [ "$(grep -o 'MPI_.*' "$folder/ints" | sort -u | wc -l)" -eq 32 ] &&
        diff "$folder/ints" "$folder/large"
}

replays() {
    record "$2" "$random" --seed "$1" --count "$programs" --describe 1 2>"$folder/described" &&
        "$here/judge.py" "$folder/goal" "$folder/described" && simulate
}

refuses_threads() {
    record 2 "$random" --threads 2 --count 1 2>&1 |
        grep 'no record.*threads' >/dev/null
}

refuses_folder() {
    timeout 120 "mpirun.$mpi" -n 2 "$weft" run --record "$folder/none/goal" "$random" --count 1 \
        2>&1 | grep 'cannot write the record' >/dev/null
}

traces_too() {
    record 3 "$weft" run --trace "$folder/t.json" "$small" && is_small &&
        grep -q MPI_Waitall "$folder/t.0.json"
}

check "a small program" shows
check "it can be simulated" simulate
check "calls that are not recorded are told" tells_absent
check "it can be simulated with NICs that do all" simulate offload=yes
if [ "$collectives" ]; then
    check "collectives with large counts" records_large_counts
fi
for seed in 1 2; do
    check "random programs of two ranks, seed $seed" replays $seed 2
    check "random programs of three ranks, seed $seed" replays $seed 3
done
check "a record and a timeline at once" traces_too
check "no record of threads" refuses_threads
check "no record without its folder" refuses_folder
tap_done
