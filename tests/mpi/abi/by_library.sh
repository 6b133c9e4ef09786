#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# by_library.sh LIBRARY COMMAND...: programs of the standard ABI of MPI that the command starts run
# with this library, whichever they were linked with.
set -eu
library=$(realpath "$1")
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$library" "$folder/libmpi_abi.so.1"
LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"
