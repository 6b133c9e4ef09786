#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# build.sh WORKDIR [FOLDER...]: fetches the source package of the installed MPICH, unless WORKDIR
# has one already, and builds its test suite, or these folders of it, against each MPI library there
# is: in WORKDIR/mpich, WORKDIR/openmpi and, if Open MPI knows the standard ABI of MPI, WORKDIR/abi.
# What does not build with one of them is left out: run.py counts it.
set -eu

if [ $# -lt 1 ]; then
    echo "usage: $0 WORKDIR [FOLDER...]" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] ||
    set -- attr coll comm datatype errhan errors f77 f90 group info init io pt2pt rma \
        threads topo

# suite: where it is, if it is there
suite() {
    find "$work" -maxdepth 4 -path "$work/mpich-*/test/mpi/configure" -printf '%h\n'
}

if [ -z "$(suite)" ]; then
    package=$(dpkg-query -W -f '${source:Version}' libmpich12) || {
        echo "$0: no MPICH is installed (packages: mpich libmpich-dev)" >&2
        exit 1
    }
    "$here/../../support/fetch_source.sh" "$work" "mpich=$package"
fi
suite=$(suite)

fortran="-w -fallow-argument-mismatch -fallow-invalid-boz"
. "$here/flags.sh"

# abi_compiler FILE: makes one, of Open MPI's header and library of the standard ABI. MPICH's own
# would link MPICH statically in Debian, where the link to its library leads nowhere.
abi_compiler() {
    headers=$(pkg-config --variable=includedir ompi-c 2>/dev/null)/standard_abi
    library=$(pkg-config --variable=libdir ompi-c 2>/dev/null)/libmpi_abi.so
    [ -e "$headers/mpi.h" ] && [ -e "$library" ] || return 1
    printf '#!/bin/sh\nexec gcc -DBY_STANDARD_ABI -I%s "$@" %s\n' "$headers" "$library" >"$1"
    chmod +x "$1"
}

# compiler MPI: the command, if there is one
compiler() {
    case $1 in
    abi) abi_compiler "$work/abi-cc" && echo "$work/abi-cc" ;;
    *) command -v "mpicc.$1" ;;
    esac
}

# log_of FOLDER: of one below another, too
log_of() {
    echo "make-$(echo "$1" | tr / -).log"
}

for mpi in mpich openmpi abi; do
    cc=$(compiler $mpi) || continue
    languages=f77,f90
    { command -v gfortran && command -v mpif77.$mpi; } >/dev/null || languages=none
    mkdir -p "$work/$mpi"
    cd "$work/$mpi"
    [ -e Makefile ] || "$suite/configure" MPICC="$cc" MPIF77=mpif77.$mpi MPIFC=mpif90.$mpi \
        CC="$cc" F77=mpif77.$mpi FC=mpif90.$mpi FFLAGS="$fortran" FCFLAGS="$fortran" \
        --disable-cxx --enable-strictmpi --enable-threads=multiple \
        --enable-fortran=$languages >configure.log 2>&1 || {
        tail -n 20 configure.log >&2
        exit 1
    }
    for folder in dtpools util "$@"; do
        [ ! -d "$folder" ] ||
            make -k -j2 -C "$folder" CFLAGS="-O1 -g -w $removed" >"$(log_of "$folder")" 2>&1 || true
    done
    echo "$mpi: built in $work/$mpi"
done
