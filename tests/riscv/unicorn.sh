#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# unicorn.sh BUILD [SEED [COUNT]]: compares so many random instructions (10^7) with Unicorn's.
set -eu
here=$(dirname "$(dirname "$(dirname "$(realpath "$0")")")")
build=${1:?usage: unicorn.sh BUILD [SEED [COUNT]]}
if ! pkg-config --exists unicorn; then
    echo "Unicorn is missing: install the package libunicorn-dev" >&2
    exit 2
fi
ninja -C "$build" src/libweft_internal.a >/dev/null
# shellcheck disable=SC2046
${CC:-cc} -std=c11 -O2 -D_GNU_SOURCE -I"$here/include" -I"$here/src" -I"$here/tests" \
    "$here/tests/riscv/unicorn.c" "$here/tests/riscv/program.c" "$here/tests/riscv/bench_core.c" \
    "$build/src/libweft_internal.a" $(pkg-config --cflags --libs unicorn) -o "$build/unicorn"
shift
"$build/unicorn" "$@"
