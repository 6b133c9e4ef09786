#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Loads and unloads the modulefile as a user would. Prints TAP.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/../tests/support/tap.sh"
tap_output=$work/output

begin=/usr/share/modules/init/bash
[ -e "$begin" ] || tap_skip_all "environment-modules is not installed"
mkdir "$work/weft" && cp "$here/modulefile" "$work/weft/0.2"
. "$begin"
module use "$work"

it_loads() {
    (module load weft && [[ :$PATH: == *:/usr/local/bin:* ]] &&
        [[ :$CMAKE_PREFIX_PATH: == *:/usr/local:* && $PKG_CONFIG_PATH == */pkgconfig* ]])
}

it_unloads() {
    (module load weft && module unload weft && [ -z "${PKG_CONFIG_PATH:-}" ])
}

it_says_what_it_is() {
    module whatis weft 2>&1 | grep 'non-contiguous'
}

unset PKG_CONFIG_PATH
check "it loads" it_loads
check "it unloads" it_unloads
check "it says what it is" it_says_what_it_is
tap_done
