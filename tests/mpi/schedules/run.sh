#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# run.sh MPI PROGRAM WEFT SCHEDULES: random MPI programs, by themselves and under `weft run` with
# settings that each rank draws for itself, some of them with shared heaps, or all with
# WEFT_SHARED_HEAP=1: nothing goes wrong, and every rank receives the same and hears of the same
# errors. MPI is openmpi or mpich.
. "$(dirname "$0")/../script.sh"
mpi=$1 program=$2 weft=$(realpath "$3") schedules=$4

command -v "mpirun.$mpi" >/dev/null || tap_skip_all "no mpirun.$mpi"
. "$here/digests.sh"

# both_ways SEED RANKS ARGUMENT...
both_ways() {
    seed=$1 ranks=$2
    shift 2
    digests "$folder/native" -n "$ranks" "$program" --seed "$seed" "$@" &&
        digests "$folder/weft" -n "$ranks" "$here/ability.py" "$seed" "$weft" \
            --report="$folder/report.$seed.json" "$program" --seed "$seed" "$@" &&
        diff "$folder/native" "$folder/weft"
}

# batches RANKS PERCENT ARGUMENT...: so many of all schedules, in jobs of at most 50
batches() {
    ranks=$1 left=$((schedules * $2 / 100))
    shift 2
    while [ "$left" -gt 0 ]; do
        seed=$((seed + 1)) count=$((left < 50 ? left : 50))
        left=$((left - count))
        set -- --count "$count" --handler $((seed % 2)) "$@"
        check "$ranks ranks: --seed $seed $*" both_ways "$seed" "$ranks" "$@"
        shift 4
    done
}

# Even what is small, so that all of a program's memory is.
share_heaps() {
    export WEFT_SHARED_HEAP=1 WEFT_SHARED_HEAP_LEAST=256
}

[ "${WEFT_SHARED_HEAP:-0}" != 1 ] || share_heaps
# With more ranks than processors MPI is slow.
seed=100
batches 1 10
batches 2 35
batches 2 10 --around 2000
batches 2 10 --threads 2
batches 3 20
batches 5 10
batches 7 5
share_heaps
batches 2 10
batches 2 5 --threads 2
batches 3 5
check "Weft has packed, pulled and copied" \
    python3 "$here/report.py" --together "$folder"/report.*.json
sed 's/^/# /' "$tap_output"
tap_done
