# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154
#
# For scripts to source that compare runs of random MPI programs, after tap.sh and mpirun.sh; $mpi
# is openmpi or mpich.
export OMPI_MCA_mpi_yield_when_idle=1
# MPICH 4.2 takes memory for the whole of a receive that is not contiguous, which is gigabytes here,
# and Meson wants the C library to fill whatever it gives.
[ "$mpi" != mpich ] || unset MALLOC_PERTURB_

# digests FILE ARGUMENT...: leaves what the program prints at its end in FILE
digests() {
    file=$1
    shift
    timeout 120 "mpirun.$mpi" "$@" >"$folder/all" 2>&1 || {
        cat "$folder/all"
        return 1
    }
    grep '^digest' "$folder/all" >"$file"
}
