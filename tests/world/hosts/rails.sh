#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: rails.sh STREAM [PROVIDER]
#
# Two processes on two hosts with two wires between them exchange long messages, whose packets take
# both. When one wire is cut, the message under way and all others arrive by the other. Every byte
# is checked by the program. PROVIDER is one of libfabric, or tcp: sockets without libfabric. Prints
# TAP.
set -uo pipefail

stream=$(realpath "$1")
length=16777216 # takes long enough that a cut is within a message
export WEFT_WORLD=ofi WEFT_OFI_PROVIDER=${2:-net} WEFT_OFI_TRUST=1
[ "$WEFT_OFI_PROVIDER" != tcp ] || WEFT_WORLD=tcp
. "$(dirname "$0")/../../support/tap.sh"
. "$(dirname "$0")/two_hosts.sh"
make_hosts
add_wire
work=$(mktemp -d)
trap 'rm -rf "$work"; remove_hosts' EXIT

start_rank() { # RANK HOST INTERFACES
    WEFT_LAUNCHER=file WEFT_RANK=$1 WEFT_SIZE=2 WEFT_RENDEZVOUS=$work/job \
        WEFT_OFI_INTERFACE=$3 ip netns exec "$2" "$stream" "$work/go" $length \
        >"$work/$1.log" 2>&1 &
}

start() {
    rm -f "$work"/*
    touch "$work/go"
    start_rank 0 "$one" weft1,weft3
    sender=$!
    start_rank 1 "$two" weft2,weft4
    receiver=$!
    timeout 20 sh -c "until grep -qs begun '$work/0.log'; do sleep 0.05; done"
}

stop() {
    rm -f "$work/go"
    wait "$sender" && wait "$receiver" && grep -q '^[1-9][0-9]* messages$' "$work/1.log"
}

# bytes INTERFACE: that the first host has sent there
bytes() {
    ip netns exec "$one" cat "/sys/class/net/$1/statistics/tx_bytes"
}

# losses LOG: as the log tells them, and the register must say the same
losses() {
    local count
    count=$(grep -c 'the rail on .* is lost, and others carry on' "$1")
    grep -q "^$count rails lost$" "$1" && echo "$count"
}

both_carry() {
    local first second
    first=$(bytes weft1) second=$(bytes weft3)
    echo "# $first and $second bytes by the two wires"
    [ "$first" -gt $((second / 2)) ] && [ "$second" -gt $((first / 2)) ]
}

start
sleep 1
stop && both_carry && [ "$(losses "$work/0.log")" -eq 0 ]
report $? "packets take both wires" "$work"/*.log

# lost_one SINCE: all goes on when one wire is found out to be silent, after a quarter of the
# timeout. What is merely missed is sent again only after all of it.
lost_one() {
    stop && [ $((SECONDS - $1)) -lt 7 ] &&
        [ "$(losses "$work/0.log")" -eq 1 ] && [ "$(losses "$work/1.log")" -eq 1 ]
}

export WEFT_TIMEOUT=8000

# cut INTERFACE: of the first host, for ever
cut() {
    start
    sleep 0.3
    local since=$SECONDS
    ip -n "$one" link set "$1" down
    sleep 3
    lost_one "$since"
    report $? "a wire is cut in the middle of a message: $1" "$work"/*.log
    ip -n "$one" link set "$1" up
}

cut weft3
cut weft1

# Packets vanish, and neither side is told: a switch that has failed.
start
sleep 0.3
since=$SECONDS
ip netns exec "$two" nft -f - <<END
table ip weft {
    chain wire {
        type filter hook input priority 0;
        iif "weft4" drop
    }
}
END
sleep 3
lost_one "$since"
report $? "a wire swallows everything" "$work"/*.log
ip netns exec "$two" nft flush ruleset

start
kill -STOP "$receiver"
sleep 3
kill -CONT "$receiver"
sleep 1
stop && [ "$(losses "$work/0.log")" -eq 0 ]
report $? "a process that is stopped for a while keeps both" "$work"/*.log

tap_done
