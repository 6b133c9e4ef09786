#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Where pkg-config knows no MPI, the build finds it by its compiler. Prints TAP.
set -uo pipefail

root=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$root/tests/support/tap.sh"
tap_output=$work/output

# configure FOLDER: pkg-config finds nothing
configure() {
    PKG_CONFIG_LIBDIR=$work/nothing meson setup "$work/$1" "$root" -Dtests=false \
        -Dbenchmarks=false -Dexamples=false -Dman=disabled >"$work/$1.txt" ||
        { cat "$work/$1.txt"; return 1; }
}

# runs_for FOLDER MPIS: what the summary says
runs_for() {
    grep -E '^ *weft run for' "$work/$1.txt" | tee "$work/line" | grep -E ": $2\$" >/dev/null ||
        { cat "$work/line"; return 1; }
}

both_by_their_names() {
    configure both && runs_for both 'abi, openmpi, mpich'
}

# compiles FOLDER MPI: one file of those that include mpi.h
compiles() {
    ninja -C "$work/$1" "src/libweft_mpi_$2.so.p/mpi_layout_type.c.o"
}

# The machine's own mpicc is of one MPI, and the others have no compiler here.
one_by_the_common_name() {
    mkdir "$work/bin" && find /usr/bin/ ! -type d -exec ln -s -t "$work/bin" {} + &&
        rm "$work"/bin/mpicc* &&
        ln -s "$(command -v mpicc.mpich)" "$work/bin/mpicc" &&
        PATH=$work/bin configure one && runs_for one 'abi, mpich'
}

for program in mpicc.openmpi mpicc.mpich; do
    command -v "$program" >/dev/null || tap_skip_all "$program is not installed"
done
check "both MPIs are found by their compilers" both_by_their_names
check "and Open MPI's headers" compiles both openmpi
check "and MPICH's" compiles both mpich
check "mpicc of the machine is asked which MPI it is of" one_by_the_common_name
tap_done
