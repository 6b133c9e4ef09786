#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: run.sh BUILD_DIR
#
# Installs a build and uses it as a stranger would. Prints TAP.
set -uo pipefail

build=$(realpath "$1")
. "$(dirname "$0")/../support/install.sh"

# check_with PROGRAM NAME COMMAND...: a check, skipped where there is no such program
check_with() {
    if command -v "$1" >/dev/null; then
        shift
        check "$@"
    else
        skip "$2" "$1 is not installed"
    fi
}

pkg_config=(pkg-config)
[ "$here" = "$prefix" ] || pkg_config+=(--define-variable=prefix="$here")
export WEFT_RENDEZVOUS=$work/rendezvous

files_are_there() {
    local headers
    headers=$here/$(option includedir)
    ls "$headers/weft.h" "$headers/weft_net.h" "$headers/weft_handlers.h" \
        "$headers/weft_offload.h" "$headers/weft_schedule.h" "$headers/weft_collective.h" \
        "$headers/weft_versions.h" \
        "$headers/portals4.h" "$headers/portals4_job.h" "$headers/portals4_layout.h" \
        "$headers/portals4_device.h" "$headers/portals4_spin.h" \
        "$library/libweft.so" "$library/libweft.so.0" \
        "$library/libweft_net.so" "$library/libweft_net.so.0" \
        "$library/libweft_handlers.so" "$library/libweft_handlers.so.0" \
        "$library/libweft_collective.so" "$library/libweft_collective.so.0" \
        "$library/libportals.so" "$library/libportals.so.4" \
        "$library/pkgconfig/weft.pc" "$library/pkgconfig/weft-net.pc" \
        "$library/pkgconfig/weft-handlers.pc" "$library/pkgconfig/portals4.pc" \
        "$library/pkgconfig/weft-collective.pc" \
        "$library/cmake/weft/weft-config.cmake" \
        "$library/cmake/weft/weft-config-version.cmake" "$here/$(option bindir)/weft"
}

# calls_of HEADER...: those that it declares
calls_of() {
    (cd "$root/include" && cat "$@") |
        sed -n 's/^\(WEFT\|PTL\)_API .*\b\(\(weft_\|Ptl\)[A-Za-z_]*\)(.*/\2/p' | sort -u
}

# exports_of LIBRARY: but not what only other libraries of Weft may use
exports_of() {
    nm -D --defined-only "$library/$1.so" |
        awk '$2 != "A" && $3 !~ /_PRIVATE$/ { sub("@.*", "", $3); print $3 }' | sort -u
}

# patterns_of LIBRARY: of its version script, as a regular expression for each
patterns_of() {
    tr -d '\n ' <"$root/src/$1.map" | sed 's/.*global:\(.*\);local:.*/\1/; s/\*/.*/g' | tr ';' '\n'
}

# exports_are_public LIBRARY LEAST HEADER...: neither more nor less than the headers declare, at
# LEAST so many; and all of them by the version script
exports_are_public() {
    local name=$1 least=$2
    shift 2
    diff <(calls_of "$@") <(exports_of "lib$name") &&
        [ "$(calls_of "$@" | wc -l)" -ge "$least" ] &&
        ! exports_of "lib$name" | grep -vxf <(patterns_of "$name")
}

# names_of_package LIBRARY: the symbols that Debian's package of it promises
names_of_package() {
    sed -n "s/^ \\([A-Za-z_0-9]*\\)@\\1 .*//; s/^ \\(.*\\)@.*/\\1/p" \
        "$(grep -l "^$1\\.so" "$root"/packaging/debian/*.symbols)" | sort
}

# A call that is new is to be told there, with the version that has it.
packages_promise_what_there_is() {
    local name
    for name in libweft libweft_net libweft_handlers libweft_collective libportals; do
        diff <(exports_of "$name") <(names_of_package "$name") || return
    done
}

# What no package takes would fail their build, or be missed by whoever installs them.
packages_take_all_files() {
    (cd "$here" && find . ! -type d | sed 's|^\./|usr/|') >"$work/files"
    cat "$root"/packaging/debian/*.install |
        sed 's/\./\\./g; s/\*/[^\/]*/g; s/$/(\/.*)?/' >"$work/taken"
    [ -s "$work/files" ] && ! grep -vxEf "$work/taken" "$work/files"
}

# They enable all that there is, so they need what the README installs for that.
packages_are_built_with_all_headers() {
    local package
    for package in $(grep -ow 'lib[a-z0-9]*-dev' "$root/README.md"); do
        grep -qE "^ +$package,\$" "$root/packaging/debian/control" ||
            { echo "debian/control lacks $package"; return 1; }
    done
}

manual_is_there() {
    local page
    for page in weft.1 weft-bench.1 weft-explain.1 weft-info.1 weft-types.7 weft.3 portals4.7 \
        portals4_spin.7 weft_net.7 weft_handlers.7 weft_offload.7 weft_schedule.7 \
        $(calls_of weft.h weft_net.h weft_handlers.h weft_offload.h weft_schedule.h \
            weft_collective.h weft_versions.h portals4.h portals4_job.h portals4_spin.h |
            sed 's/$/.3/'); do
        [ -s "$manual/man${page##*.}/$page" ] || { echo "there is no $page"; return 1; }
    done
}

# compile PACKAGE COMMAND...: makes $work/program
compile() {
    local flags
    flags=$("${pkg_config[@]}" --cflags --libs "$1") || return 1
    shift
    # shellcheck disable=SC2086 # the flags are words
    "$@" -Wall -Wextra -Wpedantic -Werror -o "$work/program" $flags
}

compile_and_run() {
    compile weft cc -std=c11 "$1" && timeout 30 "$work/program"
}

example_by_pkg_config() {
    compile_and_run "$root/examples/column.c"
}

# Each header must do alone, and all together.
write_portals_program() {
    cat >"$work/portals.c" <<'EOF'
#ifdef ALONE
#include <portals4.h>
#else
#include <portals4_spin.h>
#include <portals4_job.h>
#include <portals4.h>
#endif

int main(void)
{
    ptl_handle_ni_t ni;
    ptl_process_t self;
    int result = PtlInit();
    if (result == PTL_OK)
        result = PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, 0, 0,
                           &ni);
#ifndef ALONE
    ptl_rank_t rank = 1;
    ptl_size_t size = 0;
    if (result == PTL_OK)
        result = weft_job_init(ni, &rank, &size);
    if (rank != 0 || size != 1)
        return 1;
#endif
    if (result == PTL_OK)
        result = PtlGetPhysId(ni, &self);
    if (result == PTL_OK)
        result = PtlNIFini(ni);
    PtlFini();
    return result != PTL_OK || self.phys.pid == 0;
}
EOF
}

# portals_headers_in COMPILER...
portals_headers_in() {
    local define
    write_portals_program
    for define in -DALONE -DTOGETHER; do
        compile portals4 "$@" "$define" "$work/portals.c" && timeout 30 "$work/program" || return 1
    done
}

portals_in_cxx() {
    portals_headers_in c++ -std=c++11 -x c++
}

portals_in_c() {
    portals_headers_in cc -std=c11
}

# Who only wants to compile need not have what Weft was compiled with.
packages_need_no_others() {
    local package
    for package in weft weft-net weft-handlers weft-collective portals4; do
        PKG_CONFIG_LIBDIR=$library/pkgconfig PKG_CONFIG_PATH='' \
            pkg-config --cflags "$package" || return
    done
}

files_agree_with_sonames() {
    local file soname
    for file in "$library"/lib*.so.*.*; do
        soname=$(objdump -p "$file" | awk '$1 == "SONAME" { print $2 }')
        [[ $(basename "$file") == "$soname".* ]] || {
            echo "$file has another soname"
            return 1
        }
    done
}

portals_has_version() {
    "${pkg_config[@]}" --exact-version=4.3 portals4
}

message_by_portals() {
    compile portals4 cc -std=gnu11 "$root/examples/portals_hello.c" &&
        ldd "$work/program" | grep -F "$library/libportals.so.4" &&
        timeout 30 "$work/program" | grep -x 'rank 0 says hello' && [ ! -e "$WEFT_RENDEZVOUS" ]
}

# One process is a job of one.
message_by_weft_net() {
    cat >"$work/net.c" <<'EOF'
#include <weft_net.h>

int main(void)
{
    weft_net *net;
    int sent = 7, received = 0;
    int error = weft_open(&net);
    if (!error)
        error = weft_send(net, weft_basic(WEFT_INT), 1, &sent, weft_rank(net), 1);
    if (!error)
        error = weft_recv(net, weft_basic(WEFT_INT), 1, &received, WEFT_ANY_SOURCE, 1, 0);
    if (!error)
        weft_close(net);
    return error || received != 7;
}
EOF
    compile weft-net cc -std=c11 "$work/net.c" && timeout 30 "$work/program"
}

example_of_readme() {
    sed -n "/<<'EOF'/,/^EOF/p" "$root/README.md" | sed '1d;$d' >"$work/readme.c"
    compile_and_run "$work/readme.c" >"$work/readme.txt" && compile_and_run \
        "$root/examples/column.c" | diff - "$work/readme.txt"
}

stock_by_pkg_config() {
    compile weft-handlers cc -std=gnu11 "$root/examples/spin_pong.c" "$root/examples/spin.c" &&
        mv "$work/program" "$work/spin_pong" &&
        "$root/examples/run.sh" "$root/examples/README.md" "$work/spin_pong"
}

stock_in_cxx() {
    cat >"$work/stock.c" <<'EOF'
#include <weft_handlers.h>
#include <weft_offload.h>

int main()
{
    weft_offload_pool *pool;
    return weft_offload_pool_open(PTL_INVALID_HANDLE, &pool) != PTL_NO_INIT;
}
EOF
    compile weft-handlers c++ -std=c++11 -x c++ "$work/stock.c" && timeout 30 "$work/program"
}

# uses PROGRAM LIBRARY: the one that was installed
uses() {
    ldd "$work/cmake/$1" | grep -F "$library/$2"
}

examples_by_cmake() {
    cmake -S "$root/examples" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$here" &&
        cmake --build "$work/cmake" && timeout 30 "$work/cmake/column" &&
        uses column libweft.so.0 && uses portals_hello libportals.so.4 &&
        uses halo libweft_net.so.0 && uses spin_raid libweft_handlers.so.0
}

stock_by_cmake() {
    "$root/examples/run.sh" "$root/examples/README.md" "$work"/cmake/spin_*
}

# The version file must refuse what this version cannot give.
cmake_refuses_the_future() {
    mkdir -p "$work/future" &&
        sed 's/weft 0.2/weft 9.0/' "$root/examples/CMakeLists.txt" >"$work/future/CMakeLists.txt" &&
        cp "$root/examples/column.c" "$work/future" &&
        ! cmake -S "$work/future" -B "$work/future/build" -DCMAKE_PREFIX_PATH="$here" &&
        grep -q 'requested version "9.0"' "$tap_output"
}

command_explains() {
    timeout 30 "$here/$(option bindir)/weft" explain 'vector(64, 3, 100, double)' |
        grep '1536 bytes'
}

check "it installs" install_it
check "the files are there" files_are_there
check "exactly the calls of weft.h are exported" exports_are_public weft 20 weft.h
check "exactly the calls of weft_net.h are exported" exports_are_public weft_net 17 weft_net.h
check "exactly the calls of weft_handlers.h and weft_offload.h are exported" \
    exports_are_public weft_handlers 36 weft_handlers.h weft_offload.h
check "exactly the calls of weft_schedule.h, weft_collective.h and weft_versions.h are exported" \
    exports_are_public weft_collective 50 weft_schedule.h weft_collective.h weft_versions.h
check "exactly the calls of portals4.h, portals4_job.h and portals4_spin.h are exported" \
    exports_are_public portals 91 portals4.h portals4_job.h portals4_spin.h
check "Debian's packages promise what is exported" packages_promise_what_there_is
check_with dpkg "Debian's packages take all files" packages_take_all_files
check "Debian's packages are built with all headers" packages_are_built_with_all_headers
[ "$(option man)" = disabled ] || check_with scdoc "the manual is there" manual_is_there
check_with pkg-config "the example works by pkg-config" example_by_pkg_config
check_with pkg-config "the example of the README works" example_of_readme
check_with cmake "the examples are built by CMake" examples_by_cmake
check_with cmake "the stock of handlers works, built by CMake" stock_by_cmake
check_with cmake "CMake refuses a version that does not fit" cmake_refuses_the_future
check_with pkg-config "pkg-config knows the version of Portals" portals_has_version
check_with pkg-config "packages need no others to compile with them" packages_need_no_others
check_with objdump "names of files and sonames agree" files_agree_with_sonames
check_with pkg-config "the headers of Portals serve C" portals_in_c
check_with c++ "the headers of Portals serve C++" portals_in_cxx
check_with pkg-config "a message travels through the installed library" message_by_portals
check_with pkg-config "a message travels through weft_net" message_by_weft_net
check_with pkg-config "the stock of handlers works by pkg-config" stock_by_pkg_config
check_with c++ "the headers of the stock serve C++" stock_in_cxx
check "weft explain works" command_explains
tap_done
