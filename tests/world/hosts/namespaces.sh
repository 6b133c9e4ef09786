#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: namespaces.sh BEHAVIOURS [PROVIDER [LOSS [TEXT]]]
#
# Makes two hosts of one: two network name spaces with a wire between them. Runs the behaviours of
# Portals (whose names have the TEXT) with every second process on the second host: shared memory
# within a host, and between them libfabric's PROVIDER or (tcp) sockets without it. LOSS of 1000
# packets are lost on the wire.
# Prints TAP; skips, and says why, where such networks are not permitted.
set -euo pipefail

behaviours=$(realpath "$1")
provider=${2:-net}
loss=${3:-0}
text=${4:-}
. "$(dirname "$0")/../../support/tap.sh"
. "$(dirname "$0")/two_hosts.sh"

# lose SPACE INTERFACE: what comes to it from the wire, at times
lose() {
    ip netns exec "$1" nft -f - <<EOF
table ip weft {
    chain wire {
        type filter hook input priority 0;
        iif "$2" numgen random mod 1000 < $loss counter drop
    }
}
EOF
}

make_hosts
if [ "$loss" -gt 0 ]; then
    command -v nft >/dev/null ||
        tap_skip_all "the command nft, which drops packets, is not installed"
    lose "$one" weft1 2>/dev/null && lose "$two" weft2 2>/dev/null ||
        tap_skip_all "the kernel does not drop packets at random"
fi

echo "# $provider between 10.77.0.1 and 10.77.0.2, $loss of 1000 packets are lost"
[ "$provider" = tcp ] || export WEFT_OFI_PROVIDER=$provider
# The interface has another name on each host: libfabric has to find it, and nobody listens on lo.
unset WEFT_OFI_INTERFACE
ip netns exec "$one" "$behaviours" "/run/netns/$two" ${text:+"$text"}
if [ "$loss" -gt 0 ]; then
    lost=$(ip netns exec "$two" nft list ruleset | sed -n 's/.*counter packets \([0-9]*\).*/\1/p')
    echo "# $lost packets to the second host were lost"
    [ "$lost" -gt 0 ]
fi
