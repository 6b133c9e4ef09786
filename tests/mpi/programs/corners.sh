#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# corners.sh WEFT: small programs that go to the limits of what MPI allows, each by itself and under
# `weft run`, with short messages packed and long ones pulled.
. "$(dirname "$0")/../script.sh"
weft=$(realpath "$1")

# right MPI RANKS COMMAND...: the program says that nothing was wrong
right() {
    mpi=$1 ranks=$2
    shift 2
    # MPICH 4.2 takes memory for all of a large receive, and Meson wants the C library to fill it.
    [ "$mpi" != mpich ] || unset MALLOC_PERTURB_
    timeout 60 "mpirun.$mpi" -n "$ranks" "$@"
}

# both_ways NAME RANKS PROGRAM MPI [LIBRARY]: also where nearly all goes by ticket
both_ways() {
    program="$folder/$3.$4"
    "mpicc.$4" -w -o "$program" "$here/$3.c" ${5:+"$5"} 2>"$tap_output" || {
        report 1 "$1 with $4 is compiled"
        return
    }
    check "$1, natively with $4" right "$4" "$2" "$program"
    check "$1, under weft run with $4" right "$4" "$2" "$weft" run "$program"
    WEFT_TICKET=64 WEFT_WAY=pulled
    export WEFT_TICKET WEFT_WAY
    check "$1, all by ticket, with $4" right "$4" "$2" "$weft" run "$program"
    unset WEFT_TICKET WEFT_WAY
}

# has_memory MEBIBYTES: that nobody uses
has_memory() {
    [ "$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)" -ge "$1" ]
}

# one_each MPI WAY OTHER PROGRAM: the two ranks are told different ways
one_each() {
    timeout 60 "mpirun.$1" -n 1 env WEFT_WAY="$2" "$weft" run "$4" : \
        -n 1 env WEFT_WAY="$3" "$weft" run "$4"
}

# few_at_once MPI PROGRAM: more tickets come to one wait than can be taken at the same time
few_at_once() {
    timeout 60 "mpirun.$1" -n 1 env WEFT_TICKET=64 WEFT_WAY=pulled "$weft" run "$2" : \
        -n 1 env WEFT_TICKET=64 WEFT_WAY=native WEFT_REQUESTS=4 "$weft" run "$2"
}

# staged MPI WAY: one-sided calls and files, of which Weft packs all, some, or those that it chooses
staged() {
    rm -f "$folder/file"
    WEFT_WAY=$2 timeout 60 "mpirun.$1" -n 2 "$weft" run --report="$folder/report.json" \
        "$folder/staged.$1" "$folder/file" &&
        { [ "$2" != packed ] || report_holds "'MPI_File_iwrite' not in calls and
            'MPI_File_read_all_begin' not in calls and
            'MPI_Get' not in calls and 'MPI_Rput' not in calls and totals['l1']['messages'] > 0"; }
}

# one_name MPI: with a library that has a call without its second name, PMPI_File_close, as that
# of MPICH 5 for the standard ABI
one_name() {
    library=$(ldd "$folder/staged.$1" | awk '$1 ~ /^lib(mpich|mpi)\.so/ { print $3; exit }')
    mkdir "$folder/$1"
    sed 's/PMPI_File_close/QMPI_File_close/g' "$library" >"$folder/$1/${library##*/}"
    LD_LIBRARY_PATH=$folder/$1 staged "$1" packed
}

# by_name MPI: what the ranks send each other goes by ticket, both ways; what is received in one
# piece does not count
by_name() {
    WEFT_TICKET=64 WEFT_WAY=pulled right "$1" 2 "$weft" run --report="$folder/report.json" \
        "$folder/by_name.$1" &&
        report_holds "totals['l2']['messages'] == 2 * totals['l2']['received'] == 32"
}

# shared_window MPI WAY: what MPI says natively of each call on a window of shared memory it says
# under Weft, which copies all but those with mistakes, some, none, or those that it chooses
shared_window() {
    WEFT_WAY=$2 right "$1" 2 "$weft" run --report="$folder/report.json" \
        "$folder/shared_window.$1" >"$folder/weft.said" || return
    # Launchers do not keep the order of what two processes say.
    sort -o "$folder/native.said" "$folder/native.said"
    sort -o "$folder/weft.said" "$folder/weft.said"
    diff "$folder/native.said" "$folder/weft.said" || return
    case $2 in
    packed) report_holds "totals['copied']['messages'] > 600 and
        totals['copied']['received'] == 400 and totals['l1']['messages'] == 0" ;;
    native) report_holds "totals['copied']['messages'] == totals['copied']['received'] == 0" ;;
    *) report_holds "0 < totals['copied']['messages'] < 600" ;;
    esac
}

# recurrent MPI WAY LEVEL: persistent collectives of one type go this way, by messages of the level
recurrent() {
    WEFT_WAY=$2 timeout 60 "mpirun.$1" -n 2 "$weft" run --report="$folder/report.json" \
        "$folder/recurrent.$1" 2 && report_holds "totals['$3']['messages'] > 30"
}

# together MPI PROGRAM: what exchanges send is copied once, though nothing lies apart
together() {
    WEFT_WAY=together WEFT_TOGETHER_LEAST=4096 WEFT_SHARED_HEAP_LEAST=4096 timeout 60 \
        "mpirun.$1" -n 3 "$weft" run --shared-heap --report="$folder/report.json" "$2" 1 60 1 &&
        report_holds "together['messages'] > 0"
}

# searches MPI COMMAND...: sets `searched` to how often the loader is asked for a driver of devices
searches() {
    searched_by=$1
    shift
    rm -f "$folder"/loader.*
    right "$searched_by" 2 env LD_DEBUG=libs LD_DEBUG_OUTPUT="$folder/loader" "$@" || return
    searched=$(cat "$folder"/loader.* | grep -c -E 'find library=lib(cuda|amdhip)')
    echo "$searched searches: $*"
}

# searches_no_more MPI PROGRAM: than it does natively
searches_no_more() {
    searches "$1" "$2" || return
    searched_natively=$searched
    searches "$1" "$weft" run "$2" && [ "$searched" -eq "$searched_natively" ]
}

for mpi in openmpi mpich; do
    command -v "mpicc.$mpi" >/dev/null || continue
    both_ways "the same receives again" 2 habits $mpi
    for way in pulled packed native random; do
        check "the same receives by MPI, sent $way with $mpi" \
            one_each $mpi $way native "$folder/habits.$mpi"
    done
    check "the same receives by MPI, few taken at once, with $mpi" \
        few_at_once $mpi "$folder/habits.$mpi"
    both_ways "new types again and again" 2 new_types $mpi
    check "new types cost no searches with $mpi" searches_no_more $mpi "$folder/new_types.$mpi"
    both_ways "types like others, for one message each" 2 alike $mpi
    for way in pulled packed random; do
        check "types like others by MPI, sent $way with $mpi" \
            one_each $mpi $way auto "$folder/alike.$mpi"
    done
    both_ways "pairs" 2 pairs $mpi
    both_ways "room for more than 2 GiB" 2 roomy $mpi
    both_ways "what is attached to types" 2 attached $mpi
    if has_memory 9000; then
        both_ways "types after more than 2 GiB" 1 replaced $mpi
    else
        skip "types after more than 2 GiB" "there is not enough memory"
    fi
    both_ways "one rank to itself" 1 alone $mpi
    both_ways "ranks to themselves" 2 alone $mpi
    both_ways "room for too little" 2 too_short $mpi
    both_ways "half an element" 2 half $mpi
    for way in packed random native; do
        check "half an element, $way with $mpi" \
            right $mpi 2 env WEFT_WAY=$way "$weft" run "$folder/half.$mpi"
    done
    for way in pulled packed; do
        check "half an element received by MPI, sent $way with $mpi" \
            one_each $mpi $way native "$folder/half.$mpi"
        check "half an element sent by MPI, received $way with $mpi" \
            one_each $mpi native $way "$folder/half.$mpi"
    done
    both_ways "bytes that are no ticket" 2 stray $mpi
    both_ways "a sender far ahead" 2 ahead $mpi
    both_ways "synchronous sends" 2 synchronous $mpi
    "mpicc.$mpi" -w -shared -fPIC -o "$folder/tool.$mpi.so" "$here/by_name_tool.c"
    both_ways "calls by name" 2 by_name $mpi "$folder/tool.$mpi.so"
    check "calls by name, in the report of $mpi" by_name $mpi
    check "calls by name, WEFT_DISABLE=1, with $mpi" \
        right $mpi 2 env WEFT_DISABLE=1 "$weft" run "$folder/by_name.$mpi"
    both_ways "types by precision" 2 precision $mpi
    both_ways "a type for each peer" 2 typed $mpi
    both_ways "a type for each of three peers" 3 typed $mpi
    both_ways "one type for all peers" 2 uniform $mpi
    both_ways "one type for all of three peers" 3 uniform $mpi
    check "one type for all peers, copied once, with $mpi" together $mpi "$folder/uniform.$mpi"
    both_ways "what is gathered and scattered by three" 3 gather $mpi
    for way in packed random; do
        check "what is gathered and scattered, $way with $mpi" \
            right $mpi 3 env WEFT_WAY=$way "$weft" run "$folder/gather.$mpi" 2
    done
    # Open MPI 4 has none.
    if echo '#include <mpi.h>' | "mpicc.$mpi" -E -xc - | grep MPI_Alltoall_init >/dev/null
    then
        both_ways "persistent collectives" 2 recurrent $mpi
        check "persistent collectives, packed with $mpi" recurrent $mpi packed l1
        check "persistent collectives, pulled with $mpi" recurrent $mpi pulled l2
        check "persistent collectives, random with $mpi" recurrent $mpi random l1
    fi
    "mpicc.$mpi" -w -o "$folder/shared_window.$mpi" "$here/shared_window.c"
    check "windows of shared memory, natively with $mpi" eval \
        "right $mpi 2 '$folder/shared_window.$mpi' >'$folder/native.said'"
    for way in auto packed random native; do
        check "windows of shared memory, $way with $mpi" shared_window $mpi $way
    done
    "mpicc.$mpi" -w -o "$folder/staged.$mpi" "$here/staged.c"
    check "one-sided calls and files, natively with $mpi" \
        right $mpi 2 "$folder/staged.$mpi" "$folder/native"
    for way in auto packed random; do
        check "one-sided calls and files, $way with $mpi" staged $mpi $way
    done
    check "a call with one name only, with $mpi" one_name $mpi
done
if command -v mpicc.mpich >/dev/null; then
    both_ways "sessions" 2 sessions mpich
fi
tap_done
