#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# run.sh WEFT: a two-dimensional FFT on 64 ranks by the costs of `weft sim goal` and by SimGrid's
# SMPI, with equal parameters; fails if they differ by more than 10 %. Needs the packages simgrid
# and libsimgrid-dev. Takes some seconds.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
weft=$(realpath "$1")
command -v smpirun >/dev/null || { echo "install the package simgrid, please" >&2; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

ranks=64 compute=20000 # microseconds, each of the two
latency=2.7 overhead=1.2 rate=2.5e9 # us, us, bytes in a second

# All hosts at one crossbar: a message passes two links, whose latencies are half of all.
cat >"$folder/platform.xml" <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="all" prefix="node" suffix="" radical="0-$((ranks - 1))" speed="1Gf"
           bw="${rate}Bps" lat="$(python3 -c "print($latency / 2)")us"/>
</platform>
END
python3 -c "for i in range($ranks): print(f'node{i}')" >"$folder/hosts"
smpicc -O2 "$here/fft2d.c" -o "$folder/fft2d"

# No corrections of a real network, and the costs of a CPU for each message.
by_simgrid() {
    (cd "$folder" && smpirun -np "$ranks" -platform platform.xml -hostfile hosts \
        --cfg=smpi/simulate-computation:no --cfg=smpi/host-speed:1Gf \
        --cfg=network/model:CM02 --cfg=network/TCP-gamma:0 --cfg=network/weight-S:0 \
        --cfg=network/bandwidth-factor:1 --cfg=network/latency-factor:1 \
        --cfg=smpi/ois:"0:${overhead}e-6:0" --cfg=smpi/os:"0:${overhead}e-6:0" \
        --cfg=smpi/or:"0:${overhead}e-6:0" --cfg=smpi/send-is-detached-thresh:1073741824 \
        --cfg=smpi/async-small-thresh:1073741824 --log=root.threshold:error \
        ./fft2d "$1" "$compute")
}

by_costs() {
    "$weft" sim goal --generate fft2d --ranks "$ranks" size="$1" compute="${compute}us" \
        latency="${latency}us" overhead="${overhead}us" gap=0ns gap-per-byte=0.4ns eager=1G --json |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["points"][0]["us"])'
}

echo "#   bytes   SimGrid (us)  weft sim goal (us)  ratio  of the exchanges alone"
for size in 1K 16K 100K 1600K; do
    bytes=$(( ${size%K} * 1024 ))
    simgrid=$(by_simgrid "$bytes")
    costs=$(by_costs "$bytes")
    python3 -c 'import sys
bytes, simgrid, costs, compute = map(float, sys.argv[1:])
ratio, alone = costs / simgrid, (costs - 2 * compute) / (simgrid - 2 * compute)
is_missed = abs(ratio - 1) > 0.1
print(f"{bytes:9.0f} {simgrid:14.1f} {costs:19.1f} {ratio:6.3f} {alone:23.3f}",
      "not met" if is_missed else "")
sys.exit(is_missed)' "$bytes" "$simgrid" "$costs" "$compute" || missed=1
done
exit "${missed:-0}"
