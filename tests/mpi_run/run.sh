#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# run.sh MPI PROGRAM WEFT SCHEDULES: random MPI programs, by themselves and under `weft run`:
# nothing goes wrong, and every rank receives the same. MPI is openmpi or mpich.
set -eu

. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/mpirun.sh"
mpi=$1 program=$2 weft=$3 schedules=$4

command -v "mpirun.$mpi" >/dev/null || tap_skip_all "no mpirun.$mpi"
export OMPI_MCA_mpi_yield_when_idle=1 WEFT_TICKET=256

# digests RANKS FILE COMMAND...: leaves what the program prints at its end in FILE
digests() {
    ranks=$1 file=$2
    shift 2
    timeout 200 "mpirun.$mpi" -n "$ranks" "$@" >"$folder/all" 2>&1 || {
        cat "$folder/all"
        return 1
    }
    grep '^digest' "$folder/all" >"$file"
}

# both_ways NAME RANKS ARGUMENT...
both_ways() {
    name=$1 ranks=$2
    shift 2
    check "$name, natively" digests "$ranks" "$folder/native" "$program" "$@"
    check "$name, under weft run" digests "$ranks" "$folder/weft" \
        "$weft" run --report="$folder/report.json" "$program" "$@"
    check "$name: the same is received" cmp "$folder/native" "$folder/weft"
    check "$name: Weft has packed and pulled" python3 "$(dirname "$0")/report.py" \
        "$folder/report.json"
}

# With more ranks than processors MPI is slow.
both_ways "2 ranks" 2 --count $((schedules * 50 / 100))
both_ways "3 ranks" 3 --count $((schedules * 12 / 100)) --seed 2
both_ways "4 ranks" 4 --count $((schedules * 3 / 100)) --seed 5
both_ways "5 ranks" 5 --count $((schedules * 3 / 100)) --seed 4
both_ways "6 ranks" 6 --count $((schedules * 2 / 100)) --seed 6
both_ways "2 ranks of 2 threads" 2 --count $((schedules * 10 / 100)) --seed 3 --threads 2
# By default little is as long as that, and what is shorter is sent along with its announcement; and
# no list is as long as that, so that all types are prepared at once.
export WEFT_EAGER=2000 WEFT_LONG_LIST=6
both_ways "2 ranks that pull more and prepare less" 2 --count $((schedules * 20 / 100)) --seed 7
tap_done
