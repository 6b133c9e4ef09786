#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# run.sh WORKDIR [defects|programs|speed]: runs what build.sh made; prints TAP. "defects" shows what
# the components get wrong and that repairs.patch repairs it; "programs" runs ScaLAPACK's tests;
# "speed" compares the MTL with Open MPI's own shared memory. Run one at a time.
set -u

if [ $# -lt 1 ] || [ ! -d "$1/components" ]; then
    echo "usage: $0 WORKDIR [defects|programs|speed] (WORKDIR: of build.sh)" >&2
    exit 2
fi
work=$(cd "$1" && pwd)
log="$work/run.log"
system=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
. "$(dirname "$0")/../../support/tap.sh"
tap_output=$log

# The components forget to set the status of their requests (README.md): memory that is filled
# with the complement of this hides it, so that the rest can be tested.
memory=255
limit=60
bin="$work/bin"
# An option of the command line goes before the environment.
export OMPI_MCA_osc=portals4

# run FOLDER RANKS "PROGRAM ARGUMENTS" OPTIONS...: a program that finds no fault prints "ok".
run() {
    folder=$1 ranks=$2 program=$3
    shift 3
    start "$@"
    result=$?
    # Processes that spin in a component outlive their mpirun.
    [ $result -ne 124 ] || pkill -KILL -f "^$bin/"
    [ $result -eq 0 ] && grep -q '^ok$' "$log"
}

# In the order of mpirun's arguments: options, then the program.
start() {
    timeout "$limit" mpirun.openmpi --allow-run-as-root --oversubscribe -n "$ranks" \
        --mca mca_base_component_path "$work/$folder:$system" --mca pml cm --mca mtl portals4 \
        --mca btl self -x MALLOC_PERTURB_=$memory "$@" "$bin"/$program >"$log" 2>&1
}

passes() { # FOLDER RANKS "PROGRAM ARGUMENTS" OPTIONS...
    run "$@"
    result=$?
    shift
    report $result "$2 on $1$(shift 2 && echo "${*:+, }$*" | sed 's/--mca //g')"
}

# calls KIND PROGRAM CALL...: the component makes these calls of Portals when the program runs.
# Symbols are bound at the first call: what was not called was not bound.
calls() {
    kind=$1 program=$2 bindings="$work/bindings"
    shift 2
    rm -rf "$bindings" && mkdir "$bindings"
    run components 2 $program -x LD_DEBUG=bindings -x LD_DEBUG_OUTPUT="$bindings/of"
    result=$?
    for call in "$@"; do
        cat "$bindings"/of.* |
            grep "mca_${kind}_portals4.so .*libportals.*\`$call'" >/dev/null || {
            result=1
            echo "$call was not called" >>"$log"
        }
    done
    report $result "$program: $kind/portals4 calls $*"
}

all() {
    for program in ring wildcard alltoall probe communicators; do
        passes components 4 $program
    done
    for program in pingpong datatype truncate; do
        passes components 2 $program
    done
    passes components 3 flood
    passes components 8 alltoall
    passes components 2 pingpong --mca mtl_portals4_max_msg_size 65536
    passes components 4 alltoall --mca mtl_portals4_send_event_queue_size 32
    for ranks in 2 3 5 8; do
        passes components $ranks collective
        passes components $ranks reduction
    done
    passes components 4 collective --mca coll_portals4_max_msg_size 4096
    passes components 5 collective --mca coll_portals4_use_binomial_gather_algorithm 1
    for ranks in 2 4; do
        passes components $ranks onesided
        passes components $ranks atomic
    done
    passes components 4 onesided --mca osc_portals4_max_msg_size 4096
    # With ranks for addresses the other two components step aside.
    for program in ring wildcard alltoall communicators onesided atomic; do
        passes components 4 $program --mca mtl_portals4_use_logical 1 --mca coll ^portals4 \
            --mca osc pt2pt
    done
    passes components 2 pingpong --mca mtl_portals4_use_logical 1 --mca coll ^portals4 \
        --mca osc pt2pt
    repaired
    calls mtl pingpong PtlPut PtlGet PtlMEAppend PtlMEUnlink PtlEQPoll
    calls mtl probe PtlMESearch
    calls coll collective PtlTriggeredPut PtlTriggeredCTInc PtlCTWait PtlPut
    calls coll reduction PtlTriggeredAtomic PtlTriggeredPut PtlAtomicSync
    calls osc onesided PtlPut PtlGet PtlAtomic PtlCTWait
    calls osc atomic PtlAtomic PtlFetchAtomic PtlSwap
}

# What the unchanged components cannot do.
repaired() {
    passes repaired 2 pingpong --mca mtl_portals4_long_protocol rndv
    passes repaired 4 alltoall --mca mtl_portals4_long_protocol rndv
    passes repaired 2 datatype --mca mtl_portals4_long_protocol rndv
    passes repaired 3 flood --mca mtl_portals4_short_recv_num 1 \
        --mca mtl_portals4_short_recv_size 4096
}

# differs "PROGRAM ARGUMENTS" OPTIONS...: fails with the components as they are, not repaired.
differs() {
    ! run components 2 "$@"
    report $? "$* shows a defect of the component"
    passes repaired 2 "$@"
}

defects() {
    limit=5
    differs "truncate expected"
    differs pingpong --mca mtl_portals4_long_protocol rndv
    for name in broadcast integer signed_char win_test two_locks; do
        differs "defect $name"
    done
    memory=1
    differs "defect status"
    memory=255
    limit=20
    ! run components 3 flood --mca mtl_portals4_short_recv_num 1 \
        --mca mtl_portals4_short_recv_size 4096
    report $? "flood with small receive blocks shows a defect of the component"
    limit=60
    repaired
}

# ScaLAPACK's own tests, as Debian built them. They reduce MPI_INTEGER and broadcast triangles,
# which the collective component cannot do unless it is repaired.
programs() {
    limit=60
    bin=$(dirname "$(dpkg -L scalapack-mpi-test 2>/dev/null | grep 'openmpi-tests/xdlu$')")
    cd "$bin" 2>/dev/null || tap_skip_all "scalapack-mpi-test is not installed"
    for program in x[sdcz]* PBLAS/?pb?tst; do
        judges_itself "$program"
    done
}

# What fails on Open MPI's own shared memory, too, is not our fault.
judges_itself() {
    folder=repaired ranks=4 program=$(basename "$1")
    if (cd "$(dirname "$1")" && bin=$PWD && start && is_content "$log"); then
        report 0 "ScaLAPACK: $program on 4"
        return
    fi
    pkill -KILL "^$program" # as in run
    if (cd "$(dirname "$1")" && bin=$PWD && start_plain && is_content "$log.plain"); then
        report 1 "ScaLAPACK: $program on 4"
    else
        pkill -KILL "^$program"
        skip "ScaLAPACK: $program on 4" "it fails on Open MPI's own shared memory, too"
    fi
}

start_plain() {
    timeout "$limit" mpirun.openmpi --allow-run-as-root --oversubscribe -n "$ranks" --mca pml ob1 \
        --mca btl vader,self "$bin"/$program >"$log.plain" 2>&1
}

# The programs end well even if they fail; their tables tell: a count of failures, a word at the
# end of the line, or (PBLAS) the numbers of tests and of those that passed.
is_content() {
    awk '
        /tests completed and failed/ && $1 > 0 { bad = 1 }
        /FAILED *$/ { bad = 1 }
        $1 == "|" && $2 ~ /^P[SDCZ]/ && $3 != $4 { bad = 1 }
        /PASSED/ || /End of Tests/ || /END OF TESTS/ { seen = 1 }
        END { exit bad || !seen }' "$1"
}

speed() {
    run components 2 "pingpong time"
    report $? "MTL on libportals: $(head -1 "$log")"
    run components 2 "pingpong time" --mca coll ^portals4 --mca osc pt2pt
    report $? "the same, without the polling of coll and osc: $(head -1 "$log")"
    mpirun.openmpi --allow-run-as-root -n 2 --mca pml ob1 --mca btl vader,self --mca osc pt2pt \
        "$work/bin/pingpong" time >"$log" 2>&1
    report $? "Open MPI's own shared memory: $(head -1 "$log")"
}

case "${2:-all}" in
all | defects | programs | speed) ${2:-all} ;;
*)
    echo "$0: $2 is not known" >&2
    exit 2
    ;;
esac
tap_done
