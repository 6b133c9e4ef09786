#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: draw.sh WEFT. Draws the timelines of docs/strategies.md from runs on this machine.
set -eu
weft=$1
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
set --
for strategy in seek specialized hpu-local ro-cp rw-cp; do
    "$weft" trace -o "$folder/$strategy.json" "$weft" bench ddt --quick --rounds 5 --hpus 2 \
        --layout ib64r --size 256K --way "$strategy" >"$folder/log" 2>&1
    set -- "$@" "$folder/$strategy.json"
done
"$here/timeline.py" "$here" "$@"
