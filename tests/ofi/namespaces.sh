#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: namespaces.sh BEHAVIOURS [PROVIDER [LOSS [TEXT]]]
#
# Makes two hosts of one: two network name spaces with a wire between them. Runs the behaviours of
# Portals (whose names have the TEXT) with every second process on the second host: shared memory
# within a host, libfabric's PROVIDER between them. LOSS of 1000 packets are lost on the wire.
# Prints TAP; skips, and says why, where such networks are not permitted.
set -euo pipefail

behaviours=$(realpath "$1")
provider=${2:-net}
loss=${3:-0}
text=${4:-}
one=weft-one-$$ two=weft-two-$$

skip() {
    echo "1..0 # SKIP $1"
    exit 0
}

clean_up() {
    ip netns delete "$one" 2>/dev/null || true
    ip netns delete "$two" 2>/dev/null || true
}

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

# A new wire loses what is sent in its first moments. When both sides connect then, neither has been
# heard by the other until the deadline, in most runs over provider net of libfabric 1.17: it seems
# that it does not bear two connections that cross.
await_wire() {
    local answer
    for _ in {1..20}; do
        answer=$(timeout 1 ip netns exec "$one" bash -c 'exec 3<>/dev/tcp/10.77.0.2/9' 2>&1) || true
        if [[ $answer == *refused* ]]; then
            sleep 1
            return
        fi
    done
    skip "nothing comes through between the name spaces"
}

[ "$(id -u)" -eq 0 ] || skip "only root makes network name spaces"
command -v ip >/dev/null || skip "the command ip is not installed"
trap clean_up EXIT
ip netns add "$one" 2>/dev/null && ip netns add "$two" 2>/dev/null ||
    skip "network name spaces are not permitted here"
ip -n "$one" link add weft1 type veth peer name weft2 netns "$two" 2>/dev/null ||
    skip "pairs of virtual interfaces are not permitted here"
ip -n "$one" address add 10.77.0.1/24 dev weft1
ip -n "$two" address add 10.77.0.2/24 dev weft2
ip -n "$one" link set lo up
ip -n "$two" link set lo up
ip -n "$one" link set weft1 up
ip -n "$two" link set weft2 up
await_wire
if [ "$loss" -gt 0 ]; then
    command -v nft >/dev/null || skip "the command nft, which drops packets, is not installed"
    lose "$one" weft1 2>/dev/null && lose "$two" weft2 2>/dev/null ||
        skip "the kernel does not drop packets at random"
fi

echo "# $provider between 10.77.0.1 and 10.77.0.2, $loss of 1000 packets are lost"
export WEFT_OFI_PROVIDER=$provider
# The interface has another name on each host: libfabric has to find it, and nobody listens on lo.
unset WEFT_OFI_INTERFACE
ip netns exec "$one" "$behaviours" "/run/netns/$two" ${text:+"$text"}
if [ "$loss" -gt 0 ]; then
    lost=$(ip netns exec "$two" nft list ruleset | sed -n 's/.*counter packets \([0-9]*\).*/\1/p')
    echo "# $lost packets to the second host were lost"
    [ "$lost" -gt 0 ]
fi
