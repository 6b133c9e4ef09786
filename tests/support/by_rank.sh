#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# mpirun -n N by_rank.sh COMMAND... else COMMAND...: rank 0 runs the first, all others the second.
# mpirun itself does that with a colon, but some launchers die of one: that of Open MPI 5 in
# Debian 13 does.
rank=${PMIX_RANK:-${PMI_RANK:?no launcher has said which rank this is}}
first=()
while [ "$1" != else ]; do
    first+=("$1")
    shift
done
shift
[ "$rank" -ne 0 ] || set -- "${first[@]}"
exec "$@"
