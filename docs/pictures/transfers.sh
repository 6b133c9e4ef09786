#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: transfers.sh BUILD. Draws the pictures of docs/transfers.md: the first from virtual time,
# the second from runs on this machine, whose numbers it keeps in docs/results.
set -eu
tests=$1/tests/transfer
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# keep NAME COMMAND...: the remarks of a test, if nothing failed.
keep() {
    name=$1
    shift
    "$@" >"$folder/output"
    grep '^#' "$folder/output" | grep -v 'computed from' >"$here/../results/$name.out"
}

keep paced "$tests/paced_test" --curves "$folder/curves"
"$here/paced.py" "$folder/curves" >"$here/paced.svg"

for world in shm ofi; do
    export WEFT_WORLD=$world
    keep stopped-$world "$tests/stopped_test"
    keep overlap-$world-none "$tests/overlap_test" --hpus 0 --rounds 21
    keep overlap-$world "$tests/overlap_test" --rounds 21
done

export WEFT_WORLD=shm
for hpus in 0 1; do
    WEFT_TRACE=$folder/$hpus.json "$tests/overlap_test" --hpus $hpus --rounds 3 \
        >"$folder/$hpus.out"
done
"$here/overlap.py" "$folder/0.out" "$folder/0.0.json" 'No HPU threads' \
    "$folder/1.out" "$folder/1.0.json" 'One HPU thread' >"$here/overlap.svg"
