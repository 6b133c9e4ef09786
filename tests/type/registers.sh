#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# registers.sh HALVES WHOLE: archives of kernels for AVX-512. A single register of 512 bits, in the
# copy of a structure, say, would lower the clock of a processor for which there are the others
# (src/type/dispatch.c).
set -u
. "$(dirname "$0")/../support/tap.sh"

command -v objdump >/dev/null || tap_skip_all "needs objdump"
tap_output=$(mktemp)
trap 'rm -f "$tap_output"' EXIT

# uses REGISTERS ARCHIVE: and writes some lines that do
uses() {
    objdump -d "$2" | grep -m 20 "%$1"
}

uses_none() {
    ! uses "$@"
}

check "kernels for halves of registers have none of 512 bits" uses_none zmm "$1"
check "but do something with those of 256" uses ymm "$1"
check "the other ones have them" uses zmm "$2"
tap_done
