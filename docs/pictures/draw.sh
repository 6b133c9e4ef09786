#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: draw.sh WEFT. Draws the timelines of docs/strategies.md from runs on this machine.
set -eu
weft=$1
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for strategy in seek specialized hpu-local ro-cp rw-cp; do
    "$weft" trace -o "$folder/trace.json" "$weft" bench ddt --quick --rounds 1 --hpus 2 \
        --layout ib64r --size 256K --way "$strategy" >"$folder/log" 2>&1
    "$here/timeline.py" "$folder/trace.json" \
        "$strategy: 256 KiB into shuffled blocks of 64 bytes, two HPU threads" \
        >"$here/strategy-$strategy.svg"
done
