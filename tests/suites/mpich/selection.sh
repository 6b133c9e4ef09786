#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# selection.sh WEFT: the tests of selection.txt, natively and under `weft run`. They are compiled
# without the suite's configure, which takes longer than they do. Where the source package cannot be
# fetched, the test is skipped.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../support/tap.sh"
. "$here/flags.sh"
weft=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$weft" --help 2>/dev/null | grep '^ *run ' >/dev/null || tap_skip_all "this weft has no 'run'"
package=$(dpkg-query -W -f '${source:Version}' libmpich12 2>/dev/null) ||
    tap_skip_all "no MPICH of Debian is installed"
timeout 60 "$here/../../support/fetch_source.sh" "$work" "mpich=$package" 2>"$work/log" ||
    tap_skip_all "the source package of MPICH $package cannot be fetched here"
suite="$work/mpich-${package%-*}/test/mpi"

# What the suite's configure would find out on any Linux.
cat >"$work/mpitestconf.h" <<'END'
#define F77_NAME_LOWER_USCORE 1
#define HAVE_DOUBLE__COMPLEX 1
#define HAVE_FLOAT__COMPLEX 1
#define HAVE_INTTYPES_H 1
#define HAVE_LONG_DOUBLE 1
#define HAVE_LONG_LONG 1
#define HAVE_MPI_WIN_CREATE 1
#define HAVE_PTHREAD_H 1
#define HAVE_STDARG_H 1
#define HAVE_STDINT_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1
#define HAVE__BOOL 1
#define POINTERINT_t long
#define STDCALL
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
#define USE_STRICT_MPI 1
END
cp "$work/mpitestconf.h" "$suite/dtpools/dtpoolsconf.h"

# compile MPI: what fails to compile with it is skipped by run.py
compile() {
    objects="$work/$1/objects"
    flags="-w -O1 -I$work -I$suite/include -I$suite/dtpools/include $removed"
    mkdir -p "$objects" "$work/$1/pt2pt" "$work/$1/datatype"
    (cd "$objects" && for source in "$suite"/dtpools/src/*.c "$suite/util/mtest.c" \
        "$suite/util/mtest_common.c" "$suite/util/mtest_single.c" "$suite/util/dtypes.c"; do
        # shellcheck disable=SC2086 # several flags
        "mpicc.$1" $flags -c "$source"
    done)
    sed '/^#/d' "$here/selection.txt" | cut -d ' ' -f 1-2 | sort -u |
        while read -r folder program; do
            # shellcheck disable=SC2086
            "mpicc.$1" $flags "$suite/$folder/$program.c" "$objects"/*.o \
                -o "$work/$1/$folder/$program"
        done
}
for mpi in mpich openmpi; do
    ! command -v "mpicc.$mpi" >/dev/null || compile "$mpi" >>"$work/log" 2>&1 || {
        tail -n 20 "$work/log" | sed 's/^/# /'
        exit 1
    }
done
"$here/run.py" "$work" --weft "$weft" --selection "$here/selection.txt" --limit 30 --tap
