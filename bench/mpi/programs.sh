#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: programs.sh WEFT [RUNS]
#
# What `weft compare` says of two programs of Debian's that Weft can hardly speed up: LAMMPS, which
# packs by hand, and ScaLAPACK's LU factorization of matrices of 400 to 500 rows, which makes a type
# for each of many short messages. RUNS of each (60) with and without Weft, in turns, on a machine
# that does nothing else; with WEFT_DISABLE=1, WEFT_WAY=native or WEFT_SIMD=avx2 they show what of a
# difference is not Weft's, its ways' or wide registers'. Needs the packages lammps and
# scalapack-mpi-test.
set -euo pipefail

weft=$(realpath "$1")
runs=${2:-60}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../tests/support/launchers.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Where Debian has ScaLAPACK's test of this MPI, if it is installed.
lu_of() {
    dpkg -L scalapack-mpi-test 2>/dev/null | grep "/$1-tests/xdlu\$"
}

# The program reads it from the folder that it is started in.
cat >LU.dat <<'END'
'ScaLAPACK, LU factorization'
'MPI'
'LU.out'        output file name
6               device out
6               number of problems
400 420 440 460 480 500         values of M
400 420 440 460 480 500         values of N
4               number of NB's
8 16 32 64      values of NB
1               number of NRHS's
1               values of NRHS
1               number of NBRHS's
1               values of NBRHS
1               number of process grids
1               values of P
2               values of Q
1.0             threshold
F               no condition estimates
END

# compare TITLE COMMAND...
compare() {
    echo "# $1"
    shift
    "$weft" compare -r "$runs" -- "$@"
    echo
}

compare "LAMMPS, 100 steps of 32,000 atoms, 2 processes of Open MPI" \
    mpirun.openmpi -n 2 lmp -in "$here/../../tests/mpi/programs/melt.lammps" -log none
for mpi in openmpi mpich; do
    compare "ScaLAPACK's LU, 2 processes of $mpi" "mpirun.$mpi" -n 2 "$(lu_of $mpi)"
done
