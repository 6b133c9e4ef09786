#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: nic.sh WEFT
#
# Runs all figures of `weft sim nic` and draws the pictures of docs/simulation-nic.md and
# docs/studies/nic.md.
set -eu

weft=$1
docs=$(cd "$(dirname "$0")/.." && pwd)
for figure in dig19-2 dig19-8 dig19-9c dig19-10 dig19-11 dig19-12 dig19-13a dig19-13b dig19-13c \
    dig19-14 dig19-15 dig19-16 dig19-17 dig19-18 spin17-3 spin17-3d spin17-4 spin17-5c \
    spin17-7a spin17-7c seek cores memory; do
    case $figure in
    dig19-8) "$weft" sim nic --figure $figure --plot "$docs/pictures/nic-blocks.svg" ;;
    dig19-16) "$weft" sim nic --figure $figure --plot "$docs/pictures/nic-programs.svg" ;;
    seek | cores | memory)
        "$weft" sim nic --figure $figure --plot "$docs/pictures/nic-$figure.svg"
        ;;
    *) "$weft" sim nic --figure $figure ;;
    esac
done >"$docs/results/sim-nic.out"
