#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# crowd.sh WEFT [RANKS]: many ranks on one host go through Weft; more than WEFT_SHM_PEERS go
# natively, with a reason, and end as well.
. "$(dirname "$0")/../script.sh"
weft=$1 ranks=${2:-64}
export WEFT_WAY="$by_ticket"

# run MPI RANKS
run() {
    timeout 250 "mpirun.$1" -n "$2" "$weft" run --report="$folder/report.json" "$folder/crowd.$1"
}

accelerated() {
    run "$1" "$ranks" && report_holds "totals['l2']['messages'] > 0"
}

too_many() {
    WEFT_SHM_PEERS=4 run "$1" 6 >"$folder/said" 2>&1 || {
        cat "$folder/said"
        return 1
    }
    cat "$folder/said"
    [ "$(grep -c "6 processes of the job are on this host" "$folder/said")" -eq 1 ] &&
        report_holds "totals['l2']['messages'] == 0"
}

for mpi in openmpi mpich; do
    command -v "mpirun.$mpi" >/dev/null || continue
    "mpicc.$mpi" -w -o "$folder/crowd.$mpi" "$here/crowd.c"
    check "more ranks than WEFT_SHM_PEERS, $mpi" too_many $mpi
    check "$ranks ranks on one host, $mpi" accelerated $mpi
done
tap_done
