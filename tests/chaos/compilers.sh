#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# compilers.sh FOLDER FOLDER [SEEDS]: two builds, by different compilers, run the same seeds. The
# traces of all NICs are the same: a seed that fails in one of them can be replayed in the other.
set -eu

. "$(dirname "$0")/../support/tap.sh"
one=$1 other=$2 seeds=${3:-40}
for build in "$one" "$other"; do
    if [ ! -x "$build/tests/chaos/chaos" ]; then
        echo "$0: there is no build in $build; CC=clang meson setup makes one with clang" >&2
        exit 2
    fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tap_output=$folder/output

# traces PROGRAM: what happened, but not how long that took
traces() {
    "$1" --count "$seeds" --verbose | sed -n 's/, [0-9.]* ms$//p'
}

same_traces() {
    traces "$one/tests/chaos/$1" >"$folder/one"
    traces "$other/tests/chaos/$1" >"$folder/other"
    [ "$(wc -l <"$folder/one")" -eq "$seeds" ] && diff "$folder/one" "$folder/other"
}

for program in chaos handler_chaos; do
    check "$program, $seeds seeds" same_traces "$program"
done
tap_done
