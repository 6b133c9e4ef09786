#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: run.sh BUILD_DIR
#
# Starts jobs in every way that a user may, and prints TAP. BUILD_DIR is that of this folder.
set -uo pipefail

build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
exchange=$build/exchange
hello=$build/../../examples/portals_hello
weft=$build/../../tools/weft/weft
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/../support/tap.sh"
. "$here/../support/launchers.sh"
tap_output=$work/output

# The launchers' libraries leave memory behind.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
unset WEFT_RANK WEFT_SIZE WEFT_RENDEZVOUS WEFT_LAUNCHER

# ---- How jobs are started ---------------------------------------------------------------------

openmpi() {
    timeout 60 mpirun.openmpi "$@"
}

mpich() {
    timeout 60 mpirun.mpich "$@"
}

# The launchers themselves run on this machine, and the processes on two that are only names.
openmpi_hosts() {
    openmpi --mca plm_rsh_agent "$here/agent.sh" --mca plm_rsh_no_tree_spawn 1 \
        --host alpha:2,beta:2 "$@"
}

mpich_hosts() {
    mpich -launcher rsh -launcher-exec "$here/agent.sh" -iface lo -hosts alpha:2,beta:2 "$@"
}

# by_hand -n COUNT COMMAND...
by_hand() {
    local count=$2 rank pids=() result=0
    shift 2
    for ((rank = 0; rank < count; rank++)); do
        WEFT_RANK=$rank WEFT_SIZE=$count WEFT_RENDEZVOUS=$work/job timeout 60 "$@" &
        pids+=($!)
    done
    for rank in "${pids[@]}"; do
        wait "$rank" || result=1
    done
    if [ -e "$work/job" ]; then
        echo "the file of the job is left behind"
        result=1
    fi
    return "$result"
}

# ---- What they do -----------------------------------------------------------------------------

# exchanges COUNT HOSTS COMMAND...: cards; and there are so many hosts
exchanges() {
    local count=$1 hosts=$2 folder
    shift 2
    folder=$(mktemp -d -p "$work")
    "$@" -n "$count" "$exchange" "$folder" | tee "$work/lines" &&
        [ "$(grep -c "^rank [0-9]* of $count on host" "$work/lines")" -eq "$count" ] &&
        [ "$(sed 's/.*on host //' "$work/lines" | sort -u | wc -l)" -eq "$hosts" ]
}

# greets COUNT COMMAND...: the example works
greets() {
    local count=$1 rank
    shift
    "$@" -n "$count" "$hello" >"$work/lines" && for ((rank = 0; rank < count; rank++)); do
        echo "rank $rank says hello"
    done | diff - "$work/lines"
}

# traces MPIRUN: four processes leave one timeline
traces() {
    timeout 60 "$weft" trace -o "$work/timeline.json" \
        "$1" -n 4 "$hello" && python3 - "$work/timeline.json" <<'EOF'
import json, sys
processes = json.load(open(sys.argv[1], encoding='utf-8'))['otherData']['processes']
names = [process['process'].split(',')[0] for process in processes]
assert names == ['rank 0', 'rank 1', 'rank 2', 'rank 3'], names
for way in 'packets', 'bytes':
    came, went = (sum(process[f'{way}_{to}'] for process in processes) for to in ('in', 'out'))
    assert came == went > 0, processes
EOF
}

# Nobody is rank 0 to us; the launcher ends it as soon as rank 1 has failed.
misses_rank_0() {
    WEFT_LAUNCH_TIMEOUT=300 "$1" -n 1 sleep 60 : -n 1 "$exchange" "$work" >"$work/lines" 2>&1
    cat "$work/lines"
    grep -q "$2" "$work/lines" && grep -q "cannot join the job" "$work/lines"
}

survives_a_mute_server() {
    ! WEFT_LAUNCH_TIMEOUT=300 timeout 20 "$here/mute_server.py" "$exchange" "$work" &&
        grep -q "its server does not answer" "$tap_output"
}

# The variables of a launcher that is not there.
refuses_a_lost_server() {
    ! timeout 20 env "$@" "$exchange" "$work" && grep -q "cannot join the job" "$tap_output"
}

alone_is_rank_0() {
    [ "$(timeout 20 "$hello")" = "rank 0 says hello" ]
}

# ---- Running ----------------------------------------------------------------------------------

can_name_hosts=
if [ "$(id -u)" -eq 0 ] && unshare --uts true 2>/dev/null; then
    can_name_hosts=yes
fi

# launcher NAME PROGRAM COMMAND HOSTS_COMMAND WITHOUT_RANK_0
launcher() {
    local name=$1
    if ! command -v "$2" >/dev/null; then
        skip "$name" "$2 is not installed"
        return
    fi
    for count in 1 4 8; do
        check "$name: $count processes exchange cards" exchanges "$count" 1 "$3"
    done
    check "$name: the example" greets 4 "$3"
    check "$name: the example, traced" traces "$2"
    if [ "$can_name_hosts" ]; then
        check "$name: two hosts" exchanges 4 2 "$4"
    else
        skip "$name: two hosts" "only root may name hosts"
    fi
    check "$name: rank 0 does not come" misses_rank_0 "$3" "$5"
}

check "by hand: 4 processes exchange cards" exchanges 4 1 by_hand
check "by hand: the example" greets 4 by_hand
check "alone: the example" alone_is_rank_0

if [ -e "$build/has_pmix" ]; then
    launcher "Open MPI" mpirun.openmpi openmpi openmpi_hosts "rank 0 has not come"
    check "PMIx without a server" refuses_a_lost_server PMIX_NAMESPACE=1 PMIX_RANK=0
    check "PMIx with a server that says nothing" survives_a_mute_server
else
    skip "Open MPI" "the headers of PMIx were not there at build time"
fi
launcher "MPICH" mpirun.mpich mpich mpich_hosts "to wait for all processes"
check "PMI-1 without a server" refuses_a_lost_server PMI_FD=99 PMI_RANK=0 PMI_SIZE=1

if [ -e "$build/inside_openmpi" ] && [ -e "$build/has_pmix" ]; then
    check "in an Open MPI program" openmpi -n 4 "$build/inside_openmpi" before
    check "in an Open MPI program, left last" openmpi -n 4 "$build/inside_openmpi" after
else
    skip "in an Open MPI program" "Open MPI or the headers of PMIx are missing"
fi
if [ -e "$build/inside_mpich" ]; then
    check "in an MPICH program" mpich -n 4 "$build/inside_mpich" refused
else
    skip "in an MPICH program" "pkg-config does not find mpich"
fi
tap_done
