#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Loads and unloads the modulefile as users of Environment Modules and of Lmod would. Prints TAP.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/../tests/support/tap.sh"
tap_output=$work/output
mkdir "$work/weft" && cp "$here/modulefile" "$work/weft/0.2"

# for_users_of FILE COMMAND...: in a shell that has begun with the file, which may not mind -u
for_users_of() {
    (
        set +u
        unset PKG_CONFIG_PATH
        . "$1"
        module use "$work"
        shift
        "$@"
    )
}

it_loads() {
    module load weft && [[ :$PATH: == *:/usr/local/bin:* ]] &&
        [[ :$CMAKE_PREFIX_PATH: == *:/usr/local:* && $PKG_CONFIG_PATH == */pkgconfig* ]]
}

it_unloads() {
    it_loads && module unload weft && [ -z "${PKG_CONFIG_PATH:-}" ]
}

it_says_what_it_is() {
    module whatis weft 2>&1 | grep 'non-contiguous'
}

# check_with PROGRAM FILE: which its users source
check_with() {
    if [ ! -e "$2" ]; then
        skip "$1" "it is not installed"
        return
    fi
    check "$1: it loads" for_users_of "$2" it_loads
    check "$1: it unloads" for_users_of "$2" it_unloads
    check "$1: it says what it is" for_users_of "$2" it_says_what_it_is
}

check_with "Environment Modules" /usr/share/modules/init/bash
check_with Lmod /usr/share/lmod/lmod/init/bash
tap_done
