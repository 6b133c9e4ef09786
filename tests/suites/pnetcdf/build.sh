#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# build.sh WORKDIR: fetches Debian's source package of PnetCDF and builds the library and its own
# tests against each MPI library there is: in WORKDIR/openmpi and WORKDIR/mpich. Wants autoconf,
# automake, libtool and m4.
set -eu

if [ $# -ne 1 ]; then
    echo "usage: $0 WORKDIR" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
. "$here/folders.sh"

version=$(apt-cache policy libpnetcdf-dev | sed -n 's/ *Candidate: //p')
source="$work/pnetcdf-${version%-*}"
[ -d "$source" ] || "$here/../../support/fetch_source.sh" "$work" "pnetcdf=$version"
if [ ! -e "$work/generated" ]; then
    (cd "$source" && autoreconf -fi >"$work/autoreconf.log" 2>&1)
    touch "$work/generated"
fi

for mpi in openmpi mpich; do
    command -v mpicc.$mpi >/dev/null || continue
    mkdir -p "$work/$mpi"
    cd "$work/$mpi"
    [ -e Makefile ] || "$source/configure" MPICC=mpicc.$mpi --disable-fortran --disable-cxx \
        --disable-shared CFLAGS="-O1 -w" >configure.log 2>&1 || {
        tail -n 20 configure.log >&2
        exit 1
    }
    make -j2 >make.log 2>&1
    for folder in common $folders; do
        # Builds the programs and runs none of them.
        make -k -j2 -C "test/$folder" check TESTS= >"make-$folder.log" 2>&1
    done
    echo "$mpi: built in $work/$mpi"
done
