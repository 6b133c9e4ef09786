#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: run.sh BUILD_DIR
#
# Installs a build and uses it as a stranger would. A build whose prefix lies inside BUILD_DIR is
# installed there; any other is staged with DESTDIR and used from where it was staged, as if it had
# been moved. Prints TAP.
set -uo pipefail

build=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

option() {
    meson introspect --buildoptions "$build" | python3 -c '
import json, sys
print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == sys.argv[1]))' "$1"
}

if [ "$(option b_sanitize)" != none ]; then
    echo "1..0 # SKIP programs outside the build do not link with a sanitized library"
    exit 0
fi

number=0
failed=0

# check NAME COMMAND...: one line of TAP, with the command's output if it failed
check() {
    local name=$1
    shift
    number=$((number + 1))
    if "$@" >"$work/output" 2>&1; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        sed 's/^/# /' "$work/output"
        failed=1
    fi
}

# check_with PROGRAM NAME COMMAND...: the same, skipped where there is no such program
check_with() {
    if command -v "$1" >/dev/null; then
        shift
        check "$@"
    else
        number=$((number + 1))
        echo "ok $number - $2 # SKIP $1 is not installed"
    fi
}

prefix=$(option prefix)
case $prefix in
"$build"/*)
    here=$prefix
    pkg_config=(pkg-config)
    install_it() { meson install -C "$build" --no-rebuild --quiet; }
    ;;
*)
    here=$work/stage$prefix
    pkg_config=(pkg-config --define-variable=prefix="$here")
    install_it() { DESTDIR=$work/stage meson install -C "$build" --no-rebuild --quiet; }
    ;;
esac
library=$here/$(option libdir)
manual=$here/$(option mandir)
export PKG_CONFIG_PATH=$library/pkgconfig
export LD_LIBRARY_PATH=$library

files_are_there() {
    ls "$here/$(option includedir)/weft.h" "$library/libweft.so" "$library/libweft.so.0" \
        "$library/pkgconfig/weft.pc" "$library/cmake/weft/weft-config.cmake" \
        "$library/cmake/weft/weft-config-version.cmake" "$here/$(option bindir)/weft"
}

public_calls() {
    sed -n 's/.*\b\(weft_[a-z_]*\)(.*/\1/p' <(grep WEFT_API "$root/include/weft.h") | sort -u
}

exported_symbols() {
    nm -D --defined-only "$library/libweft.so" | awk '$2 != "A" { sub("@.*", "", $3); print $3 }' |
        sort -u
}

exports_are_public() {
    diff <(public_calls) <(exported_symbols) && [ "$(public_calls | wc -l)" -gt 20 ]
}

manual_is_there() {
    local page
    for page in weft.1 weft-bench.1 weft-explain.1 weft-info.1 weft-types.7 weft.3 \
        $(public_calls | sed 's/$/.3/'); do
        [ -s "$manual/man${page##*.}/$page" ] || { echo "there is no $page"; return 1; }
    done
}

compile_and_run() {
    local flags
    flags=$("${pkg_config[@]}" --cflags --libs weft) || return 1
    # shellcheck disable=SC2086 # the flags are words
    cc -std=c11 -Wall -Wextra -Werror "$1" $flags -o "$work/program" &&
        timeout 30 "$work/program"
}

example_by_pkg_config() {
    compile_and_run "$root/examples/column.c"
}

example_of_readme() {
    sed -n "/<<'EOF'/,/^EOF/p" "$root/README.md" | sed '1d;$d' >"$work/readme.c"
    compile_and_run "$work/readme.c" >"$work/readme.txt" && compile_and_run \
        "$root/examples/column.c" | diff - "$work/readme.txt"
}

example_by_cmake() {
    cmake -S "$root/examples" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$here" &&
        cmake --build "$work/cmake" && timeout 30 "$work/cmake/column" &&
        ldd "$work/cmake/column" | grep -F "$library/libweft.so.0"
}

# The version file must refuse what this version cannot give.
cmake_refuses_the_future() {
    mkdir -p "$work/future" &&
        sed 's/weft 0.1/weft 9.0/' "$root/examples/CMakeLists.txt" >"$work/future/CMakeLists.txt" &&
        cp "$root/examples/column.c" "$work/future" &&
        ! cmake -S "$work/future" -B "$work/future/build" -DCMAKE_PREFIX_PATH="$here" &&
        grep -q 'requested version "9.0"' "$work/output"
}

command_explains() {
    timeout 30 "$here/$(option bindir)/weft" explain 'vector(64, 3, 100, double)' |
        grep '1536 bytes'
}

check "it installs" install_it
check "the files are there" files_are_there
check "exactly the calls of weft.h are exported" exports_are_public
[ "$(option man)" = disabled ] || check_with scdoc "the manual is there" manual_is_there
check_with pkg-config "the example works by pkg-config" example_by_pkg_config
check_with pkg-config "the example of the README works" example_of_readme
check_with cmake "the example works by CMake" example_by_cmake
check_with cmake "CMake refuses a version that does not fit" cmake_refuses_the_future
check "weft explain works" command_explains
echo "1..$number"
exit "$failed"
