#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: abi.sh [keep]
#
# Compares the binary interface of each library with that of the last release, which the folder abi
# has: programs that were built with that one must run with this. Calls may be added. Prints TAP.
# With "keep", which is for whoever makes a release, today's interface is put there instead.
#
# It is taken from headers and version scripts, which is a second of work; libraries with all that
# debuggers want would be a minute. The compiler holds the libraries to the headers, and the install
# test their symbols.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$root/tests/support/tap.sh"
tap_output=$work/output
kept=$here/abi

declare -A headers=(
    [weft]=weft.h
    [weft_net]=weft_net.h
    [weft_handlers]="weft_handlers.h weft_offload.h"
    [weft_collective]="weft_schedule.h weft_collective.h weft_versions.h"
    [portals]="portals4.h portals4_job.h portals4_layout.h portals4_spin.h"
)

# describe LIBRARY INCLUDE FILE: what it is by the headers in the folder INCLUDE
describe() {
    # shellcheck disable=SC2086 # names are words
    (cd "$2" && "$here/interface.py" calls ${headers[$1]}) >"$work/$1.c" &&
        "${compiler[@]}" -shared -fPIC -g -w -ffile-prefix-map="$work/=" -I"$2" "$work/$1.c" \
            -Wl,--version-script="$root/src/$1.map" -Wl,--undefined-version -o "$work/lib$1.so" &&
        abidw --no-architecture --no-corpus-path --no-comp-dir-path --no-show-locs \
            --no-parameter-names --out-file "$3" "$work/lib$1.so"
}

# serves_older LIBRARY INCLUDE: nothing is missing, and nothing is another
serves_older() {
    describe "$1" "$2" "$work/$1.abi" &&
        abidiff --no-architecture --no-added-syms "$kept/$1.abi" "$work/$1.abi"
}

# In the form of assertions, for the compiler to check.
describe_constants() {
    local all=${headers[*]}
    echo '/* SPDX-License-Identifier: BSD-3-Clause */'
    # shellcheck disable=SC2086 # names are words
    printf '#include <%s>\n' $all | sort
    # shellcheck disable=SC2086 # names are words
    (cd "$root/include" && "$here/interface.py" constants $all) >"$work/constants.c" &&
        "${compiler[@]}" -w -I"$root/include" "$work/constants.c" -o "$work/constants" &&
        "$work/constants" | sort -u
}

# constants_are_the_same INCLUDE
constants_are_the_same() {
    "${compiler[@]}" -fsyntax-only -I"$1" "$kept/constants.c"
}

keep() {
    local name
    for name in "${!headers[@]}"; do
        describe "$name" "$root/include" "$kept/$name.abi" || return
    done
    describe_constants >"$kept/constants.c"
}

# change HEADER EXPRESSION: $work/include is as the folder of headers, but for what sed changes
change() {
    rm -rf "$work/include" && cp -r "$root/include" "$work/include" &&
        sed -i "$2" "$work/include/$1" && ! cmp -s "$root/include/$1" "$work/include/$1"
}

# notices LIBRARY HEADER EXPRESSION: by the bit of abidiff that says so, not by an error
notices() {
    local status=0
    change "$2" "$3" || return
    serves_older "$1" "$work/include" || status=$?
    [ $((status & 5)) -eq 4 ]
}

notices_constant() {
    change portals4.h 's/\(define PTL_ME_USE_ONCE\) .*/\1 (1u << 20)/' &&
        ! constants_are_the_same "$work/include" && grep -q PTL_ME_USE_ONCE "$tap_output"
}

takes_new_call() {
    change weft.h 's/^WEFT_API .*weft_version(void);/&\nWEFT_API int weft_new_call(void);/' &&
        serves_older weft "$work/include"
}

command -v abidw >/dev/null || tap_skip_all "abidw is not installed (package: abigail-tools)"
[ "$(uname -m)" = x86_64 ] || tap_skip_all "the interface that is kept is that of x86_64"
read -ra compiler <<<"${CC:-cc}"
if [ "${1:-}" = keep ]; then
    keep
    exit
fi

for name in weft weft_net weft_handlers weft_collective portals; do
    check "lib$name serves programs of the last release" serves_older "$name" "$root/include"
done
check "constants have the values of the last release" constants_are_the_same "$root/include"
check "a parameter of another type is noticed" notices weft weft.h \
    's/\(weft_type_contiguous(\)size_t/\1int/'
check "a longer structure is noticed" notices weft_net weft_net.h 's/^    int tag;/    long tag;/'
check "a call that is gone is noticed" notices portals portals4.h '/PtlFini(void)/d'
check "a constant of another value is noticed" notices_constant
check "a new call is taken" takes_new_call
tap_done
