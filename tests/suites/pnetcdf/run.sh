#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# run.sh WORKDIR BUILD: PnetCDF's own tests, built by build.sh, twice natively and once under
# `weft run` that packs whatever it can, with four processes: each ends as it does natively and
# leaves the same bytes in its files, if it leaves the same natively. Prints TAP.
set -u

if [ $# -ne 2 ] || [ ! -x "$2/tools/weft/weft" ]; then
    echo "usage: $0 WORKDIR BUILD (WORKDIR: of build.sh; BUILD: of meson)" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
work=$(cd "$1" && pwd)
weft=$(cd "$2" && pwd)/tools/weft/weft
. "$here/folders.sh"
. "$here/../../support/tap.sh"
. "$here/../../support/launchers.sh"
tap_output=$work/run.log
export WEFT_WAY=packed
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# run FOLDER COMMAND...: leaves its exit code and its files in FOLDER. All write under one name:
# some write it into the file, too.
run() {
    local folder=$scratch/$1
    shift
    rm -rf "$folder" && mkdir "$folder"
    timeout 120 mpirun.$mpi -n 4 "$@" "$scratch/file.nc" </dev/null >"$tap_output" 2>&1
    echo $? >"$folder/code"
    mv "$scratch"/file.nc* "$folder" 2>/dev/null
}

same() { diff -rq "$scratch/$1" "$scratch/$2" >>"$tap_output"; }

for mpi in openmpi mpich; do
    [ -d "$work/$mpi/test" ] || continue
    packed=0
    # shellcheck disable=SC2086 # several folders
    for program in $(cd "$work/$mpi/test" && find $folders -type f -perm -100 ! -name '*.sh' |
        grep -v /.libs/ | sort); do
        run native "$work/$mpi/test/$program"
        run again "$work/$mpi/test/$program"
        rm -f "$scratch/report.json"
        run weft "$weft" run "--report=$scratch/report.json" "$work/$mpi/test/$program"
        ! grep -q '"l0": {"messages": [1-9]' "$scratch/report.json" 2>/dev/null ||
            packed=$((packed + 1))
        if same native again; then
            same native weft
            report $? "$mpi: $program ends and writes as natively"
        else
            cmp -s "$scratch/native/code" "$scratch/weft/code"
            report $? "$mpi: $program ends as natively (its file differs each time)"
        fi
    done
    [ "$packed" -gt 0 ]
    report $? "$mpi: Weft packed in $packed of them"
done
tap_done
