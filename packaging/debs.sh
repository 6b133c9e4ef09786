#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: debs.sh RELEASE FOLDER
#
# Builds the packages of this checkout, its files as they are now, in a clean root of a release of
# Debian, twice and in different surroundings; compares the two bit by bit, checks them with lintian
# and runs the tests of the packages. They are in FOLDER then. Wants to be called by root; prints
# TAP.
#
# With CCACHE_DIR set, the compiler's results are kept there: for whoever works on the packages. The
# comparison says less then.
set -euo pipefail

# shellcheck source=packaging/clean_root.sh
. "$(dirname "$0")/clean_root.sh"
version=$(sed -n '1s/.*(\(.*\)-.*).*/\1/p' "$here/debian/changelog")

# pack_sources FILE: the files that git knows, whoever packs them and when
pack_sources() {
    git -C "$checkout" ls-files -z |
        tar -C "$checkout" --null -T - --sort=name --owner=0 --group=0 --numeric-owner \
            --mode=u=rwX,go=rX --mtime="@$(git -C "$checkout" log -1 --format=%ct)" \
            --transform "s|^|weft-$version/|" -c | gzip -n >"$1"
}

# unpack_sources PLACE: for dpkg-buildpackage, in the root
unpack_sources() {
    mkdir -p "$root$1"
    cp "$folder/sources.tar.gz" "$root$1/weft_$version.orig.tar.gz"
    tar -C "$root$1" -xf "$folder/sources.tar.gz"
    cp -r "$here/debian" "$root$1/weft-$version/debian"
}

# build_in PLACE UMASK VARIABLE=VALUE...
build_in() {
    local place=$1 mask=$2
    shift 2
    # shellcheck disable=SC2016 # variables of the inner shell
    in_root env "$@" sh -c 'umask "$2" && cd "$1" && dpkg-buildpackage -us -uc' \
        sh "$place/weft-$version" "$mask"
}

make_sources() {
    pack_sources "$folder/sources.tar.gz" && unpack_sources /build &&
        unpack_sources /srv/other/place
}

install_what_builds() {
    install_in_root autopkgtest build-essential lintian &&
        in_root apt-get -qq build-dep -y --no-install-recommends "/build/weft-$version"
}

use_cache() {
    install_in_root ccache && mkdir "$root/cache" && mount --bind "$CCACHE_DIR" "$root/cache" ||
        return
    export CCACHE_DIR=/cache
    PATH=/usr/lib/ccache:$PATH
}

sums_in() {
    (cd "$root$1" && sha256sum ./*.deb ./*.dsc ./*.tar.*)
}

bits_are_equal() {
    diff <(sums_in /build) <(sums_in /srv/other/place)
}

keep_packages() {
    rm -f "$folder"/*.deb
    cp "$root"/build/*.deb "$root"/build/*.dsc "$root"/build/*.changes "$folder"
}

lintian_is_content() {
    in_root sh -c 'lintian --allow-root --fail-on error /build/*.changes' |
        tee "$folder/lintian.txt"
}

packages_pass_their_tests() {
    in_root sh -c 'autopkgtest /build/*.changes -- null' | tee "$folder/autopkgtest.txt"
}

enter_root
need "the sources are packed" make_sources
need "what builds them is installed" install_what_builds
[ -z "${CCACHE_DIR:-}" ] || need "the compiler's results are kept" use_cache
need "the packages are built" build_in /build 022 TZ=UTC DEB_BUILD_OPTIONS="parallel=$(nproc)"
need "they are built elsewhere" build_in /srv/other/place 002 TZ=Asia/Kathmandu LC_ALL=C \
    HOME=/nowhere DEB_BUILD_OPTIONS="parallel=$(($(nproc) + 1))"
check "both have equal bits" bits_are_equal
need "they are kept" keep_packages
check "lintian finds no errors" lintian_is_content
check "they pass their own tests" packages_pass_their_tests
tap_done
