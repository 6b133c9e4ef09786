#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# replay.sh BUILD [RANKS]: LAMMPS, recorded and simulated with what messages cost on this host,
# beside the time that it takes. Wants an idle host, and lammps. With more ranks than processors,
# ranks share them in the simulation, too.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../support/launchers.sh"
export OMPI_MCA_mpi_yield_when_idle=1
build=$(realpath "$1") ranks=${2:-4}
weft=$build/tools/weft/weft
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

processors=$(nproc)
[ "$ranks" -gt "$processors" ] || processors=0

# compare FILE: seconds of the program, and those of the simulation
compare() {
    "$weft" sim goal "$1" --model "$folder/model" cores="$processors" --json >"$folder/json"
    python3 -c 'import json, re, sys
real = max(int(ns) for ns in re.findall(r"// (\d+) ns from", open(sys.argv[1]).read())) / 1e9
simulated = json.load(open(sys.argv[2]))["points"][0]["us"] / 1e6
print(f"{real:.3f} {simulated:.3f} {simulated / real:.3f}")' "$1" "$folder/json"
}

# replay NAME PROGRAM ARGUMENT...: three times
replay() {
    name=$1
    shift
    for turn in 1 2 3; do
        timeout 60 mpirun.openmpi -n "$ranks" "$weft" run --record "$folder/goal" "$@" \
            >"$folder/output" 2>&1
        echo "$name: turn $turn, $(compare "$folder/goal")"
    done
}

mpirun.openmpi -n 2 "$build/tests/mpi/record/fit_openmpi" >"$folder/model"
echo "eager = 4096" >>"$folder/model"
sed 's/^/# /' "$folder/model"
echo "# seconds of the program, seconds simulated, ratio"

# melt CELLS STEPS: so many cells of the lattice each way
melt() {
    sed "s/0 20 0 20 0 20/0 $1 0 $1 0 $1/; s/^run .*/run $2/" "$here/../programs/melt.lammps"
}

melt 20 100 >"$folder/small"
replay "lammps, 32000 atoms" lmp -in "$folder/small" -log none
melt 48 10 >"$folder/large"
replay "lammps, 442368 atoms" lmp -in "$folder/large" -log none
