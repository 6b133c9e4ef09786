#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: cross.sh PROCESSOR [TEST-SUITE...]
#
# Builds this checkout for another processor, of which cross/PROCESSOR.ini tells (aarch64, or s390x,
# which is big-endian), with Debian's gcc-PROCESSOR-linux-gnu, and runs suites of tests in QEMU
# (qemu-user); unit, random and sim unless it is told others. MPI, libfabric, PMIx and hwloc of that
# processor are not needed, and not used.
# The build is kept in build-cross-PROCESSOR. The last line is "N passed, N failed".
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 1 ] || [ ! -e "$here/cross/$1.ini" ]; then
    echo "usage: $0 {aarch64|s390x} [TEST-SUITE...]" >&2
    exit 2
fi
processor=$1
shift
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(unit random sim)
for program in "$processor-linux-gnu-gcc" "qemu-$processor"; do
    command -v "$program" >/dev/null || {
        echo "$0: $program is missing (packages: gcc-$processor-linux-gnu, qemu-user)" >&2
        exit 2
    }
done
checkout=$(cd "$here/../.." && pwd)
build=$checkout/build-cross-$processor

# QEMU takes ten times as long, so there are fewer random types.
[ -e "$build/build.ninja" ] || meson setup "$build" "$checkout" -Dwerror=true -Ddebug=false \
    --cross-file "$here/cross/$processor.ini" -Dbenchmarks=false -Dexamples=false \
    -Dpython=disabled -Dman=disabled -Drandom_types=5000
result=0
meson test -C "$build" --print-errorlogs --num-processes 1 --timeout-multiplier 10 \
    "${suites[@]/#/--suite=}" || result=$?
read -r passed failed < <("$here/count.py" "$build/meson-logs/testlog.json")
echo "$passed passed, $failed failed"
[ "$result" -eq 0 ] && [ "$passed" -gt 0 ]
