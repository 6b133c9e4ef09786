#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# faults.sh MPI PROGRAM WEFT LIBRARY POINTS RANK: random MPI programs under `weft run`, while one of
# two ranks is denied what Weft asks of the system, at some of all points. LIBRARY is the preload
# library of tests/faults. Prints TAP.
. "$(dirname "$0")/../script.sh"
mpi=$1 program=$2 weft=$3 library=$4 points=$5 denied=$6

command -v "mpirun.$mpi" >/dev/null || tap_skip_all "no mpirun.$mpi"
case $mpi in
openmpi) rank=OMPI_COMM_WORLD_RANK ;;
mpich) rank=PMI_RANK ;;
esac
# Short messages, too, go by ticket.
export OMPI_MCA_mpi_yield_when_idle=1 WEFT_TICKET=256
"$here/../../faults/faults.py" "$library" --points "$points" --where "$rank=$denied" -- \
    "mpirun.$mpi" -n 2 "$weft" run "$program" --count 3 --seed 5
