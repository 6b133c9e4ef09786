#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: warning.sh STREAM PROVIDER
#
# A job whose provider of libfabric strangers can disturb says so once, unless nobody else reaches
# the interface or the user has said that it is isolated. Prints TAP.
set -euo pipefail

stream=$(realpath "$1")
provider=$2
. "$(dirname "$0")/../../support/tap.sh"

# In a network of its own, with an interface that leads nowhere.
if [ "${3:-}" != inside ]; then
    unshare -n true 2>/dev/null || tap_skip_all "a network of its own is not permitted"
    exec unshare -n "$0" "$1" "$2" inside
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tap_output=$folder/output
ip link set lo up
{ ip link add weft0 type veth peer name weft1 && ip address add 10.78.0.1/24 dev weft0 &&
    ip link set weft0 up && ip link set weft1 up; } 2>/dev/null ||
    tap_skip_all "an interface that leads nowhere is not permitted"
export WEFT_WORLD=ofi WEFT_OFI_PROVIDER=$provider WEFT_LAUNCHER=file WEFT_SIZE=2
export WEFT_RENDEZVOUS=$folder/job

# warns TIMES INTERFACE [SETTING...]: both ranks together, in a job that ends at once
warns() {
    local times=$1 interface=$2
    shift 2
    for rank in 0 1; do
        env WEFT_RANK=$rank WEFT_OFI_INTERFACE="$interface" "$@" timeout 60 "$stream" \
            "$folder/absent" 2>"$folder/log.$rank" >/dev/null &
    done
    wait
    cat "$folder"/log.*
    [ "$(cat "$folder"/log.* | grep -c 'disturbed')" -eq "$times" ]
}

check "an open interface: one warning" warns 1 weft0
check "the loopback: none" warns 0 lo
check "an interface that is trusted: none" warns 0 weft0 WEFT_OFI_TRUST=1
tap_done
