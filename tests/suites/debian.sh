#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: debian.sh SUITE [TEST-SUITE...]
#        debian.sh SUITE bench [ARGUMENT...]
#        debian.sh SUITE ci
#
# Builds this checkout with the default options in a root of another release of Debian, such as
# trixie or sid, and runs some suites of tests there, or a benchmark: `bench mpi --check`. With `ci`
# it runs .ci/run there instead, which installs what it needs itself: in a new root of bookworm,
# that shows that it needs nothing else. The root is in $WEFT_DEBIAN_ROOT or, by default,
# /var/tmp/weft-debian-SUITE. It is made if it is not there, from where this machine gets its own
# packages, and left for the next time. Wants to be called by root; the last line of tests is
# "N passed, N failed".
set -euo pipefail

if [ $# -lt 1 ] || [ "$(id -u)" -ne 0 ]; then
    echo "usage, as root: $0 SUITE [TEST-SUITE... | bench ARGUMENT... | ci]" >&2
    exit 2
fi
# A name space of its own takes all mounts along when this process ends, however it ends. Weft would
# warn of the two variables, which are not settings of its own.
if [ "${WEFT_DEBIAN_INSIDE:-}" != $$ ]; then
    export WEFT_DEBIAN_INSIDE=$$
    exec unshare --mount "$0" "$@"
fi

here=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "$here/../.." && pwd)
release=$1
shift
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(unit random portals spin transfer mpirun abi)
root=${WEFT_DEBIAN_ROOT:-/var/tmp/weft-debian-$release}
packages=(g++ gcc gfortran iproute2 libc6-dev libfabric-dev libhwloc-dev libkissfft-dev
    libmpich-dev libopenmpi-dev libpmix-dev libssl-dev meson mpich nftables ninja-build
    openmpi-bin pkg-config python3 python3-mpi4py scdoc)

# What apt has been told of in the configuration of this machine.
package_source() {
    # shellcheck disable=SC2016 # apt's own variable
    apt-get indextargets --format '$(REPO_URI)' | sed 's|/*$||' | grep -m 1 '/debian$' || {
        echo "$0: no package source of this machine ends in /debian" >&2
        return 1
    }
}

# A root that debootstrap has not come to the end of has no such file, and is made anew.
make_root() {
    [ ! -e "$root/weft-is-made" ] || return 0
    command -v debootstrap >/dev/null || {
        echo "$0: debootstrap is missing (package: debootstrap)" >&2
        return 1
    }
    rm -rf "$root"
    debootstrap --variant=minbase "$release" "$root" "$(package_source)"
    touch "$root/weft-is-made"
}

# The root is mounted, too: tests that make name spaces of their own want it to be.
mount_system() {
    mount --bind "$root" "$root"
    for folder in proc sys dev; do
        mount --rbind "/$folder" "$root/$folder"
    done
    mount -t tmpfs tmpfs "$root/dev/shm"
}

# MPI's launchers look up the name of this machine, and wait for seconds if nobody knows it.
name_machine() {
    for file in hosts hostname resolv.conf; do
        [ ! -e "/etc/$file" ] || cp -L "/etc/$file" "$root/etc/$file"
    done
}

# A mirror may have stopped at some day.
trust_mirror() {
    echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/99weft"
}

install_packages() {
    chroot "$root" apt-get -qq update
    chroot "$root" env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq install -y --no-install-recommends "${packages[@]}"
}

# The files that git knows, as they are now; what was built of the last ones stays.
copy_checkout() {
    mkdir -p "$root/weft"
    find "$root/weft" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    git -C "$checkout" ls-files -z | tar -C "$checkout" --null -T - -c | tar -C "$root/weft" -x
}

build() {
    [ -e "$root/weft/build/build.ninja" ] || chroot "$root" meson setup /weft/build /weft
    chroot "$root" ninja -C /weft/build
}

run_tests() {
    chroot "$root" env -u WEFT_DEBIAN_ROOT -u WEFT_DEBIAN_INSIDE LC_ALL=C.UTF-8 \
        meson test -C /weft/build --no-rebuild --print-errorlogs --num-processes 1 \
        "${suites[@]/#/--suite=}"
}

run_benchmark() {
    # shellcheck disable=SC1091 # of this folder's neighbour
    . "$here/../support/launchers.sh"
    chroot "$root" dpkg-query -W 'libopenmpi[0-9]*' 'libmpich[0-9]*'
    chroot "$root" env -u WEFT_DEBIAN_ROOT -u WEFT_DEBIAN_INSIDE LC_ALL=C.UTF-8 \
        /weft/build/tools/weft/weft "${suites[@]}"
}

run_ci() {
    rm -rf "$root"/weft/build-ci*
    chroot "$root" env -u WEFT_DEBIAN_ROOT -u WEFT_DEBIAN_INSIDE /weft/.ci/run
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
install_packages
build
if [ "${suites[0]}" = bench ]; then
    run_benchmark
    exit
fi
result=0
run_tests || result=$?
read -r passed failed < <("$here/count.py" "$root/weft/build/meson-logs/testlog.json")
echo "$passed passed, $failed failed"
[ "$result" -eq 0 ] && [ "$passed" -gt 0 ]
