#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: tarball.sh FOLDER [TEST-SUITE...]
#
# Makes the tarball of a release, in FOLDER, of what is committed. With suites of tests, what is in
# it is built where there is nothing else, and they are run.
set -euo pipefail

[ $# -ge 1 ] || { echo "usage: $0 FOLDER [TEST-SUITE...]" >&2; exit 2; }
checkout=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
suites=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

git clone --quiet "$checkout" "$work/checkout"
meson setup "$work/checkout/build" "$work/checkout" -Dtests=false -Dexamples=false \
    >"$work/setup.txt"
meson dist -C "$work/checkout/build" --no-tests
tarball=$(ls "$work"/checkout/build/meson-dist/weft-*.tar.xz)
cp "$tarball" "$tarball.sha256sum" "$folder"
[ ${#suites[@]} -gt 0 ] || exit 0

mkdir "$work/alone"
tar -C "$work/alone" --strip-components=1 -xf "$tarball"
rm -rf "$work/checkout"
meson setup "$work/alone/build" "$work/alone" -Dwerror=true -Ddebug=false
ninja -C "$work/alone/build"
meson test -C "$work/alone/build" --no-rebuild --print-errorlogs --num-processes 1 \
    "${suites[@]/#/--suite=}"
