#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# run.sh WEFT: the same program in every language, under both MPIs where they are here: what it
# sends arrives, and Weft has packed the short messages and pulled the long ones; also with a shared
# heap.
. "$(dirname "$0")/../script.sh"
weft=$1

# accelerated MPI COMMAND...
accelerated() {
    mpi=$1
    shift
    WEFT_WAY=pulled timeout 60 "mpirun.$mpi" -n 2 "$weft" run --report="$folder/report.json" "$@" &&
        python3 "$here/../schedules/report.py" "$folder/report.json"
}

# shared MPI COMMAND...
shared() {
    mpi=$1
    shift
    WEFT_WAY=together timeout 60 "mpirun.$mpi" -n 2 "$weft" run --shared-heap \
        --report="$folder/report.json" "$@" &&
        python3 "$here/../schedules/report.py" "$folder/report.json"
}

# common MPI: data of a COMMON block is copied once, too
common() {
    "mpif77.$1" -w -o "$folder/common" "$here/common.f" &&
        WEFT_WAY=together timeout 60 "mpirun.$1" -n 2 "$weft" run --shared-heap \
            --report="$folder/report.json" "$folder/common" &&
        report_holds "together['messages'] > 0"
}

# streams MPI: all of them copied, and some by the sender, too
streams() {
    WEFT_WAY=together timeout 60 "mpirun.$1" -n 2 "$weft" run --shared-heap \
        --report="$folder/report.json" "$folder/stream" &&
        report_holds "together['messages'] > 20 and together['by_senders'] > 0"
}

# helped MPI: a sender learns where its receiver's memory is, though both only copy. Where both
# processes have only one processor between them for a while, it never comes to help.
helped() {
    "mpicc.$1" -w -o "$folder/stream" "$here/stream.c" &&
        { streams "$1" || streams "$1" || streams "$1"; }
}

# try MPI LANGUAGE COMPILER SOURCE [FLAG]
try() {
    name="$2 with $1"
    if ! command -v "$3.$1" >/dev/null; then
        skip "$name" "no $3.$1"
    elif "$3.$1" -w ${5:-} -o "$folder/program" "$here/$4" >"$tap_output" 2>&1; then
        check "$name" accelerated "$1" "$folder/program"
        check "$name, shared heap" shared "$1" "$folder/program"
    else
        report 1 "$name is compiled"
    fi
}

# by_name MPI: nothing is linked with it
by_name() {
    "mpicc.$1" -w -o "$folder/program" "$here/exchange.c"
    library=$(ldd "$folder/program" | awk '$1 ~ /^lib(mpich|mpi)\.so/ { print $3; exit }')
    accelerated "$1" python3 "$here/exchange_by_name.py" "$library"
}

cp "$here/exchange.c" "$folder/exchange.cpp"
for mpi in openmpi mpich; do
    command -v "mpirun.$mpi" >/dev/null || continue
    try $mpi C mpicc exchange.c
    try $mpi mpif.h mpif77 exchange.f
    try $mpi "use mpi" mpif90 exchange.F90
    try $mpi "use mpi_f08" mpif90 exchange.F90 -DF08
    check "calls by name with $mpi" by_name $mpi
    check "senders help to copy with $mpi" helped $mpi
    if command -v "mpif77.$mpi" >/dev/null; then
        check "COMMON with $mpi, shared heap" common $mpi
    fi
    if command -v "mpicxx.$mpi" >/dev/null; then
        mpicxx.$mpi -w -o "$folder/cxx" "$folder/exchange.cpp"
        check "C++ with $mpi" accelerated $mpi "$folder/cxx"
        check "C++ with $mpi, shared heap" shared $mpi "$folder/cxx"
    fi
done
if /usr/bin/python3 -c 'import mpi4py' 2>/dev/null; then
    check "mpi4py with openmpi" accelerated openmpi /usr/bin/python3 "$here/exchange.py"
    check "mpi4py with openmpi, shared heap" shared openmpi /usr/bin/python3 "$here/exchange.py"
else
    skip "mpi4py" "no mpi4py"
fi
tap_done
