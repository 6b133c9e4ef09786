#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# mpirun -n N by_rank.sh RANK COMMAND... else COMMAND...: that rank runs the first, all others the
# second. mpirun itself does that with a colon, but some launchers die of one: that of Open MPI 5 in
# Debian 13 does.
rank=${PMIX_RANK:-${PMI_RANK:?no launcher has said which rank this is}}
chosen=$1
shift
first=()
while [ "$1" != else ]; do
    first+=("$1")
    shift
done
shift
[ "$rank" -ne "$chosen" ] || set -- "${first[@]}"
exec "$@"
