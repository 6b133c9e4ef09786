#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# safe.sh WEFT: what is missing or dies. Messages then go natively or packed, and the report says
# why; nobody waits for the dead; nothing is left behind.
. "$(dirname "$0")/../script.sh"
weft=$1
# Of a few messages all would be MPI's.
export WEFT_WAY=pulled

# right MPI RANKS COMMAND...: the program says that it made no mistake
right() {
    mpi=$1 ranks=$2
    shift 2
    timeout 60 "mpirun.$mpi" -n "$ranks" "$@"
}

# packed REASON [FILE]: no message was pulled, and the report says why
packed() {
    report_holds \
        "totals['l2']['messages'] == 0 < totals['l1']['messages'] and reasons['$1'] > 0" \
        "${2:-$folder/report.json}"
}

no_provider() {
    WEFT_WORLD=ofi WEFT_OFI_PROVIDER=nonesuch WEFT_LOG=off right "$1" 2 "$weft" run \
        --report="$folder/report.json" "$folder/exchange.$1" &&
        packed "no connection between all processes"
}

# Whichever way messages go that could not be pulled.
no_provider_when_chosen() {
    WEFT_WAY=auto WEFT_WORLD=ofi WEFT_OFI_PROVIDER=nonesuch WEFT_LOG=off right "$1" 2 "$weft" \
        run --report="$folder/report.json" "$folder/exchange.$1" &&
        report_holds "reasons['no connection between all processes'] > 0"
}

# Open MPI goes by TCP then: else it complains, and its launcher sometimes dies of complaints.
no_folder() {
    OMPI_MCA_btl=self,tcp unshare -m sh -c 'mount -t tmpfs -o size=8k none /dev/shm
        mpi=$1; shift; timeout 60 "mpirun.$mpi" -n 2 "$@"' sh "$1" "$weft" run \
        "$folder/exchange.$1"
}

one_without() {
    right "$1" 2 "$support/by_rank.sh" 0 env WEFT_DISABLE=1 "$weft" run \
        "$folder/exchange.$1" else "$weft" run "$folder/exchange.$1"
}

allowed_to_read() {
    right "$1" 2 "$weft" run --report="$folder/report.json" "$folder/blocks.$1" &&
        report_holds "read['messages'] > 0"
}

forbidden_to_read() {
    denied="the system does not let this process read the other"
    right "$1" 2 "$folder/forbid" process_vm_readv -- "$weft" run \
        --report="$folder/report.json" "$folder/blocks.$1" &&
        report_holds "read['messages'] == 0 < totals['l2']['messages']" &&
        report_holds "read['fallbacks']['$denied'] > 0"
}

# MPICH says then that no two processes share memory, as that of some systems always does.
alone_says_mpi() {
    MPIR_CVAR_NOLOCAL=1 WEFT_LOG=info right mpich 2 "$weft" run "$folder/exchange.mpich" \
        >"$folder/said" 2>&1
    status=$?
    cat "$folder/said"
    [ "$status" -eq 0 ] && grep -q 'rank 1 of 2 on host 0' "$folder/said"
}

# other_version MPI: each writes a report of its own. A process with a network to pull through would
# write a timeline.
other_version() {
    mpi=$1
    rm -f "$folder"/joint.*
    set -- "$weft" run --report="$folder/joint.report" --trace "$folder/joint.%r"
    # shellcheck disable=SC2016 # for the inner shell
    timeout 60 "mpirun.$mpi" -n 2 "$support/by_rank.sh" 0 "$@" "$folder/exchange.$mpi" \
        else "$@" sh -c 'LD_PRELOAD=$LD_PRELOAD:$0 exec "$@"' \
        "$folder/other_version.$mpi.so" "$folder/exchange.$mpi" >"$folder/said" 2>&1
    status=$?
    cat "$folder/said"
    [ "$status" -eq 0 ] && [ "$(ls "$folder"/joint.* | wc -l)" -eq 2 ] &&
        packed "not all processes run under the same Weft" "$folder/joint.0.report" &&
        packed "not all processes run under the same Weft" "$folder/joint.1.report" &&
        [ "$(grep -c 'have another version of Weft' "$folder/said")" -eq 2 ]
}

# key_by WHOM MPI [VARIABLE...]: that is who has carried the key of the job
key_by() {
    whom=$1 mpi=$2
    shift 2
    right "$mpi" 2 env WEFT_LOG=info "$@" "$weft" run "$folder/exchange.$mpi" >"$folder/said" 2>&1
    status=$?
    cat "$folder/said"
    [ "$status" -eq 0 ] && grep -q "the key of the job is given to all by $whom" "$folder/said"
}

# other_abi MPI LIBRARY...: these are loaded into a program of an MPI for which they were not built,
# or which says so, and leave all to it
other_abi() {
    mpi=$1
    shift
    right "$mpi" 2 env "LD_PRELOAD=$*" "$folder/exchange.$mpi" >"$folder/said" 2>&1 || {
        cat "$folder/said"
        return 1
    }
    [ "$(grep -c 'not the one that weft run took it for' "$folder/said")" -eq 2 ]
}

spawned() {
    right "$1" 2 "$weft" run --report="$folder/report.json" "$folder/spawn.$1" &&
        packed "receiver is not of this job"
}

# survives MPI WHEN [OPTION]: the other rank hears of an error, or the launcher ends it, as that of
# MPICH always does; in time; and no file is left. What lies in a shared heap outlives its process,
# so there the message may have come, but whole.
survives() {
    mpi=$1 when=$2 way=auto heard='an error'
    shift 2
    [ $# -eq 0 ] || way=together heard='an error\|whole'
    case $mpi in
    openmpi) recovery=--enable-recovery ;;
    mpich) recovery=-disable-auto-cleanup ;;
    esac
    rm -f "$folder/heard"
    # Names of files have the number of the name space of processes in them.
    # shellcheck disable=SC2016 # for the inner shell
    WEFT_WAY=$way WEFT_TIMEOUT=1000 unshare -m -p -f --mount-proc sh -c '
        mount -t tmpfs none /dev/shm
        timeout 30 "$@"; echo "status $?"
        ls -d "/tmp/weft-0-$(stat -L -c %i /proc/self/ns/pid)"* /dev/shm/weft* \
            >"$0/left" 2>/dev/null' "$folder" "mpirun.$mpi" "$recovery" -n 2 \
        "$weft" run "$@" "$folder/killed.$mpi" "$when" "$folder/heard" >"$folder/said" 2>&1 || true
    cat "$folder/said" "$folder/left"
    [ ! -s "$folder/left" ] && ! grep -s torn "$folder/heard" || return 1
    if [ "$mpi" = openmpi ]; then
        grep "$heard" "$folder/heard"
    else
        ! grep -q 'status 124' "$folder/said"
    fi
}

# mpirun of MPICH 4.2.1 says that all is well now and then although the spawn has failed.
can_spawn() {
    right "$1" 2 "$folder/spawn.$1" >"$tap_output" 2>&1 &&
        grep -q 'parent: 0 mistakes' "$tap_output"
}

weft=$(realpath "$weft")
built=$(dirname "$weft")/../../src
cc -I "$here/../.." -o "$folder/forbid" "$here/forbid.c"
cc -shared -fPIC -o "$folder/standard_abi.so" "$here/standard_abi.c"
for mpi in openmpi mpich; do
    command -v "mpicc.$mpi" >/dev/null || continue
    for name in blocks exchange killed spawn; do
        mpicc.$mpi -w -o "$folder/$name.$mpi" "$here/$name.c"
    done
    mpicc.$mpi -w -D_GNU_SOURCE -shared -fPIC -o "$folder/other_version.$mpi.so" \
        "$here/other_version.c"
    check "without a provider of libfabric, $mpi" no_provider $mpi
    check "without a provider of libfabric, ways chosen, $mpi" no_provider_when_chosen $mpi
    check "the key of the job does not travel by MPI, $mpi" key_by 'the launcher' $mpi
    check "unless it is told not to ask the launcher, $mpi" key_by MPI $mpi WEFT_EVERYWHERE=yes
    check "one process without Weft, $mpi" one_without $mpi
    check "one process with another version of Weft, $mpi" other_version $mpi
    check "a program that has not the standard ABI, $mpi" other_abi $mpi "$built/libweft_mpi_abi.so"
    check "a program that has the standard ABI, $mpi" \
        other_abi $mpi "$built/libweft_mpi_$mpi.so" "$folder/standard_abi.so"
    check "long pieces are read where they lie, $mpi" allowed_to_read $mpi
    check "not allowed to read other processes, $mpi" forbidden_to_read $mpi
    [ $mpi = openmpi ] || check "an MPI that does not know who shares memory" alone_says_mpi
    if can_spawn $mpi; then
        check "a process that was spawned, $mpi" spawned $mpi
    else
        skip "a process that was spawned, $mpi" "this MPI cannot spawn here, without Weft"
    fi
    if [ "$(id -u)" -ne 0 ]; then
        skip "deaths, $mpi" "needs root, for name spaces of its own"
        continue
    fi
    # MPICH itself does not start.
    [ $mpi = mpich ] || check "a tiny /dev/shm, $mpi" no_folder $mpi
    check "the sender dies before its data is taken, $mpi" survives $mpi before
    check "the sender dies while its data is taken, $mpi" survives $mpi middle
    check "the sender dies before its data is copied, $mpi" survives $mpi before --shared-heap
    check "the sender dies while its data is copied, $mpi" survives $mpi middle --shared-heap
done
tap_done
