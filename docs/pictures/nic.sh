#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: nic.sh WEFT
#
# Runs all figures of `weft sim nic` and draws the pictures of docs/simulation-nic.md.
set -eu

weft=$1
docs=$(cd "$(dirname "$0")/.." && pwd)
for figure in dig19-2 dig19-8 dig19-12 dig19-13a dig19-14 spin17-3 spin17-7a seek; do
    case $figure in
    dig19-8) "$weft" sim nic --figure $figure --plot "$docs/pictures/nic-blocks.svg" ;;
    seek) "$weft" sim nic --figure $figure --plot "$docs/pictures/nic-seek.svg" ;;
    *) "$weft" sim nic --figure $figure ;;
    esac
done >"$docs/results/sim-nic.out"
