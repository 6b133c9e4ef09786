#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: outages.sh STREAM [PROVIDER]
#
# Two processes on two hosts exchange messages, and something happens to the wire or to one of them.
# A short outage is bridged; a long one ends in PTL_NI_UNDELIVERABLE within WEFT_TIMEOUT. Every
# message that came is checked by the program. Prints TAP.
set -uo pipefail

stream=$(realpath "$1")
# PROVIDER is one of libfabric, or tcp: sockets without libfabric.
export WEFT_WORLD=ofi WEFT_OFI_PROVIDER=${2:-net}
[ "$WEFT_OFI_PROVIDER" != tcp ] || WEFT_WORLD=tcp
. "$(dirname "$0")/../../support/tap.sh"
. "$(dirname "$0")/two_hosts.sh"
make_hosts
work=$(mktemp -d)
trap 'rm -rf "$work"; remove_hosts' EXIT

start_rank() { # RANK HOST
    WEFT_LAUNCHER=file WEFT_RANK=$1 WEFT_SIZE=2 WEFT_RENDEZVOUS=$work/job \
        ip netns exec "$2" "$stream" "$work/go" >"$work/$1.log" 2>&1 &
}

# start TIMEOUT: two processes, of which one has answered the other
start() {
    rm -f "$work"/*
    touch "$work/go"
    export WEFT_TIMEOUT=$1
    start_rank 0 "$one"
    sender=$!
    start_rank 1 "$two"
    receiver=$!
    timeout 20 sh -c "until grep -qs begun '$work/0.log'; do sleep 0.05; done"
}

stop() {
    rm -f "$work/go"
    wait "$sender" && wait "$receiver" && grep -q '^[1-9][0-9]* messages$' "$work/1.log"
}

# Waits until the sender has ended because the other is out of reach, for as long as it may take.
gives_up() { # SECONDS
    timeout "$1" tail --pid="$sender" -f /dev/null && wait "$sender"
    [ $? -eq 3 ]
    result=$?
    kill -KILL "$sender" "$receiver" 2>/dev/null
    wait "$receiver" 2>/dev/null
    return "$result"
}

# Of the packets by which a host opens connections the first two are lost. That is more than
# libfabric bears: see two_hosts.sh.
lose_first_calls() {
    local host
    for host in "$one" "$two"; do
        ip netns exec "$host" nft -f - <<'END' || return
table inet weft {
    chain out {
        type filter hook output priority 0
        tcp flags & (syn | ack) == syn quota until 150 bytes counter drop
    }
}
END
    done
}

# Whether the rules have dropped something, of whichever host has called first; they go.
has_lost_calls() {
    local host result=1
    for host in "$one" "$two"; do
        ip netns exec "$host" nft list table inet weft |
            grep 'counter packets [1-9]' >/dev/null && result=0
        ip netns exec "$host" nft delete table inet weft
    done
    return $result
}

if [ "$WEFT_WORLD" = tcp ] && command -v nft >/dev/null && lose_first_calls; then
    start 8000
    sleep 1
    stop
    stopped=$?
    has_lost_calls && [ $stopped -eq 0 ]
    report $? "the first packets that open connections are lost" "$work"/*.log
fi

start 5000
ip -n "$one" link set weft1 down
sleep 1
ip -n "$one" link set weft1 up
sleep 3
stop
report $? "the wire is cut for a second" "$work"/*.log

start 8000
kill -STOP "$receiver"
sleep 5
kill -CONT "$receiver"
sleep 1
stop
report $? "a process is stopped for five seconds" "$work"/*.log

start 1000
kill -STOP "$receiver"
gives_up 4
report $? "a process is stopped for ever" "$work"/*.log

start 1000
ip -n "$one" link set weft1 down
gives_up 4
report $? "the wire is cut for ever" "$work"/*.log

tap_done
