# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# For scripts to source, after support/tap.sh: makes two hosts of one, the network name spaces $one
# and $two with a wire between their interfaces weft1 (10.77.0.1) and weft2 (10.77.0.2). They go
# away with the script.
one=weft-one-$$ two=weft-two-$$

remove_hosts() {
    ip netns delete "$one" 2>/dev/null || true
    ip netns delete "$two" 2>/dev/null || true
}

# A new wire loses what is sent in its first moments. When both sides connect then, neither has been
# heard by the other until the deadline, in most runs over provider net of libfabric 1.17: it seems
# that it does not bear two connections that cross.
await_wire() { # ADDRESS, of the second host
    local answer
    for _ in {1..20}; do
        answer=$(timeout 1 ip netns exec "$one" bash -c "exec 3<>/dev/tcp/$1/9" 2>&1) || true
        if [[ $answer == *refused* ]]; then
            sleep 1
            return
        fi
    done
    tap_skip_all "nothing comes through between the name spaces"
}

# Skips, and says why, where such networks are not permitted.
make_hosts() {
    [ "$(id -u)" -eq 0 ] || tap_skip_all "only root makes network name spaces"
    command -v ip >/dev/null || tap_skip_all "the command ip is not installed"
    trap remove_hosts EXIT
    ip netns add "$one" 2>/dev/null && ip netns add "$two" 2>/dev/null ||
        tap_skip_all "network name spaces are not permitted here"
    ip -n "$one" link add weft1 type veth peer name weft2 netns "$two" 2>/dev/null ||
        tap_skip_all "pairs of virtual interfaces are not permitted here"
    ip -n "$one" address add 10.77.0.1/24 dev weft1
    ip -n "$two" address add 10.77.0.2/24 dev weft2
    ip -n "$one" link set lo up
    ip -n "$two" link set lo up
    ip -n "$one" link set weft1 up
    ip -n "$two" link set weft2 up
    await_wire 10.77.0.2
}

# A second wire beside it, between weft3 (10.78.0.1) and weft4 (10.78.0.2).
add_wire() {
    ip -n "$one" link add weft3 type veth peer name weft4 netns "$two"
    ip -n "$one" address add 10.78.0.1/24 dev weft3
    ip -n "$two" address add 10.78.0.2/24 dev weft4
    ip -n "$one" link set weft3 up
    ip -n "$two" link set weft4 up
    await_wire 10.78.0.2
}
