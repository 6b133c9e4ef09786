#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: benchmarks.sh WEFT [FOLDER]. Draws the pictures of docs/benchmarks.md and of README.md from
# the numbers in docs/results, here or in another folder. Measures nothing.
set -eu
weft=$1
here=$(cd "$(dirname "$0")" && pwd)
folder=${2:-$here}
results=$here/../results

# draw PICTURE BENCHMARK RESULT...
draw() {
    picture=$folder/$1.svg
    benchmark=$2
    shift 2
    for result in "$@"; do
        set -- "$@" --from "$results/$result.out"
        shift
    done
    "$weft" bench "$benchmark" "$@" --plot "$picture"
}

draw mpi mpi mpi-openmpi mpi-mpich
draw mpi-openmpi mpi mpi-openmpi
draw mpi-mpich mpi mpi-mpich
draw ddt ddt ddt-shm
draw transfer transfer transfer-shm
draw spin spin spin
