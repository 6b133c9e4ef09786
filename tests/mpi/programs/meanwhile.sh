#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# meanwhile.sh WEFT [SEED [TURNS]]: collectives with a request give the same with schedules on the
# NICs as without, and are left to MPI where a process has no threads that run them.
. "$(dirname "$0")/../script.sh"
weft=$(realpath "$1")
seed=${2:-1}
turns=${3:-200}
# Each takes some seconds, and a minute when the processors are not ours alone: all poll.
limit=240

# among RANKS COMMAND...: on one processor if there are fewer than ranks. MPICH's launcher gives
# each rank a session, and Linux divides processors among sessions (sched_autogroup_enabled): where
# one has threads on several of them, and all poll, some do not run for up to a minute.
among() {
    ranks=$1
    shift
    if [ "$(nproc)" -ge "$ranks" ]; then
        "$@"
    else
        taskset -c "$(taskset -cp $$ | sed 's/.*[^0-9]//')" "$@"
    fi
}

# with MPI RANKS HPUS WAY CONDITION [TURNS]
with() {
    WEFT_HPUS=$3 WEFT_WAY=$4 among "$2" timeout $limit "mpirun.$1" -n "$2" "$weft" run \
        --report="$folder/report.json" "$folder/meanwhile.$1" "$seed" "${6:-$turns}" &&
        report_holds "$5"
}

# outlasted MPI: a call that is over but not waited for holds up none of thousands behind it
outlasted() {
    WEFT_HPUS=1 WEFT_WAY=pulled timeout $limit "mpirun.$1" -n 2 "$weft" run \
        --report="$folder/report.json" "$folder/meanwhile.$1" "$seed" 4 4200 &&
        report_holds 'offloaded > 2 * 4096'
}

# unequal MPI: only one of them has such threads
unequal() {
    timeout $limit "mpirun.$1" -n 1 env WEFT_HPUS=1 WEFT_WAY=pulled "$weft" run \
        --report="$folder/report.json" "$folder/meanwhile.$1" "$seed" "$turns" : \
        -n 1 env WEFT_WAY=pulled "$weft" run --report="$folder/report.json" \
        "$folder/meanwhile.$1" "$seed" "$turns" &&
        report_holds 'offloaded == 0'
}

for mpi in openmpi mpich; do
    command -v "mpicc.$mpi" >/dev/null || continue
    "mpicc.$mpi" -w -O1 -o "$folder/meanwhile.$mpi" "$here/meanwhile.c"
    check "by themselves with $mpi" timeout $limit "mpirun.$mpi" -n 3 "$folder/meanwhile.$mpi" \
        "$seed" "$turns"
    for processes in 2 3 5; do
        check "$processes processes by schedules with $mpi" \
            with $mpi $processes 1 pulled 'offloaded > 100'
    done
    check "communicators that come and go with $mpi" with $mpi 2 1 pulled 'offloaded == 80' 0
    check "one that is waited for last with $mpi" outlasted $mpi
    check "by whoever is faster with $mpi" with $mpi 2 1 auto 'offloaded > 0'
    check "no thread to run the NIC with $mpi" with $mpi 2 0 pulled 'offloaded == 0'
    check "one process with a thread with $mpi" unequal $mpi
done
tap_done
