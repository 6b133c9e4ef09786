#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: debian.sh SUITE [TEST-SUITE...]
#        debian.sh SUITE bench [ARGUMENT...]
#        debian.sh SUITE mpich [FOLDER...] [-- OPTION...]
#        debian.sh SUITE ci
#
# Builds this checkout with the default options in a root of another release of Debian, such as
# trixie or sid, and runs some suites of tests there, or a benchmark: `bench mpi --check`. With
# `ci` it runs .ci/run there instead, which installs what it needs itself: in a new root of
# bookworm, that shows that it needs nothing else. With `mpich` it builds these folders of MPICH's
# test suite there, of the version that this machine has packages of, and compares what passes
# natively and under Weft; the options are of mpich/run.py. The root is in $WEFT_DEBIAN_ROOT or, by
# default, /var/tmp/weft-debian-SUITE. It is made if it is not there, from where this machine gets
# its own packages, and left for the next time. Wants to be called by root; the last line of tests
# is "N passed, N failed".
set -euo pipefail

if [ $# -lt 1 ] || [ "${1#-}" != "$1" ] || [ "$(id -u)" -ne 0 ]; then
    echo "usage, as root: $0 SUITE [TEST-SUITE... | bench ARGUMENT... | mpich FOLDER... | ci]" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "$here/../.." && pwd)
. "$here/../support/debian_root.sh"
own_name_space "$@"
release=$1
shift
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(unit random portals spin transfer mpirun abi)
root=${WEFT_DEBIAN_ROOT:-/var/tmp/weft-debian-$release}
packages=(g++ gcc gfortran iproute2 libc6-dev libfabric-dev libhwloc-dev libkissfft-dev
    libmpich-dev libopenmpi-dev libpmix-dev libssl-dev meson mpich nftables ninja-build
    openmpi-bin pkg-config python3 python3-mpi4py scdoc)

# The files that git knows, as they are now; what was built of the last ones stays.
copy_checkout() {
    mkdir -p "$root/weft"
    find "$root/weft" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    git -C "$checkout" ls-files -z | tar -C "$checkout" --null -T - -c | tar -C "$root/weft" -x
}

# build [TARGET]: all if none is given
build() {
    [ -e "$root/weft/build/build.ninja" ] || in_root meson setup /weft/build /weft
    in_root ninja -C /weft/build "$@"
}

run_tests() {
    in_root meson test -C /weft/build --no-rebuild --print-errorlogs --num-processes 1 \
        "${suites[@]/#/--suite=}"
}

run_benchmark() {
    # shellcheck disable=SC1091 # of this folder's neighbour
    . "$here/../support/launchers.sh"
    in_root dpkg-query -W 'libopenmpi[0-9]*' 'libmpich[0-9]*'
    in_root /weft/build/tools/weft/weft "${suites[@]}"
}

# run_mpich_suite [FOLDER...] [-- OPTION...]: a mirror need not have the sources of other releases.
run_mpich_suite() {
    local folders=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        folders+=("$1")
        shift
    done
    compgen -G "$root/mpich-suite/mpich-*/test" >/dev/null ||
        "$here/../support/fetch_source.sh" "$root/mpich-suite" mpich
    in_root /weft/tests/suites/mpich/build.sh /mpich-suite "${folders[@]}"
    [ ${#folders[@]} -eq 0 ] || folders=(--folders "${folders[@]}")
    in_root dpkg-query -W 'libopenmpi[0-9]*' 'libmpich[0-9]*'
    in_root /weft/tests/suites/mpich/run.py /mpich-suite --weft /weft/build/tools/weft/weft \
        "${folders[@]}" "${@:2}"
}

run_ci() {
    rm -rf "$root"/weft/build-ci*
    in_root /weft/.ci/run
}

make_root
mount_system
name_machine
trust_mirror
copy_checkout
if [ "${suites[0]}" = ci ]; then
    run_ci
    exit
fi
install_in_root "${packages[@]}"
if [ "${suites[0]}" = mpich ]; then
    install_in_root make
    build weft-run
    run_mpich_suite "${suites[@]:1}"
    exit
fi
if [ "${suites[0]}" = bench ]; then
    build weft-bench
    run_benchmark
    exit
fi
build
result=0
run_tests || result=$?
read -r passed failed < <("$here/count.py" "$root/weft/build/meson-logs/testlog.json")
echo "$passed passed, $failed failed"
[ "$result" -eq 0 ] && [ "$passed" -gt 0 ]
