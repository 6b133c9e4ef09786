#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: run.sh HOST COUNT
#
# A core of 32 bits reads images that this host wrote. It is a program for 32-bit x86, which many
# hosts of 64 bits run. Prints TAP.
set -u

root=$(realpath "$(dirname "$0")/../../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$root/tests/support/tap.sh"
tap_output=$work/output

build_core() {
    "$1" -m32 -std=c11 -O2 -ffreestanding -nostdlib -static -fno-pie -no-pie -fno-stack-protector \
        -I"$root/src" -I"$root/tests" -o "$work/core" \
        "$root/tests/offload/narrow/core.c" "$root/src/type/walk.c"
}

read_images() {
    "$1" "$2" >"$work/images" && "$work/core" <"$work/images"
}

[ "$(uname -m)" = x86_64 ] || tap_skip_all 'this host is no x86-64'
for compiler in gcc clang; do
    if ! build_core "$compiler" 2>"$work/errors"; then
        skip "built by $compiler" 'it does not link programs of 32 bits'
    elif "$work/core" </dev/null; [ $? -ne 2 ]; then
        skip "built by $compiler" 'this host does not run programs of 32 bits'
    else
        check "a core of 32 bits, built by $compiler, finds the same pieces" \
            read_images "$1" "$2"
    fi
done
tap_done
