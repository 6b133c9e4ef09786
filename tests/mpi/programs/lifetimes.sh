#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# lifetimes.sh WEFT: programs that communicate in exit handlers, have children, or end without
# MPI_Finalize, end as they do natively.
. "$(dirname "$0")/../script.sh"
weft=$1
export WEFT_WAY="$by_ticket"
# Whoever looks at memory that was freed sees it at once.
export MALLOC_PERTURB_=165

# ends_well MPI COMMAND...: the job ends well, and nobody crashes
ends_well() {
    mpi=$1
    shift
    timeout 60 "mpirun.$mpi" -n 2 "$@" >"$folder/said" 2>&1
    ended=$?
    cat "$folder/said"
    echo "mpirun ended with $ended"
    [ $ended -eq 0 ] && ! grep -q "Segmentation\|Sanitizer\|signal [0-9]" "$folder/said"
}

as_natively() {
    ends_well "$1" "$folder/lifetimes.$1" "$2" &&
        ends_well "$1" "$weft" run "$folder/lifetimes.$1" "$2"
}

# What a launcher makes of a process that ends without MPI_Finalize differs from run to run: MPICH's
# says well or badly by what it hears of first, the closed socket or the end, and kills the others.
# So each process's own end is noted by a shell around it, which stays until all have ended. Open
# MPI's hears of it all the same, and may kill both before anything is noted.
cat >"$folder/note" <<'END'
ends=$1
shift
"$@"
echo "$?" >>"$ends"
for tenth in $(seq 100); do
    [ "$(wc -l <"$ends")" -lt 2 ] || break
    sleep 0.1
done
END

# notes_ends MPI COMMAND...: all ends that were noted are good ones; signals of launchers are none
# that a crash has
notes_ends() {
    mpi=$1
    shift
    : >"$folder/ends"
    timeout 60 "mpirun.$mpi" -n 2 sh "$folder/note" "$folder/ends" "$@" >"$folder/said" 2>&1
    ended=$?
    cat "$folder/said" "$folder/ends"
    echo "mpirun ended with $ended"
    [ $ended -ne 124 ] && ! grep -v "^0$" "$folder/ends" &&
        { [ "$mpi" = openmpi ] || [ "$(wc -l <"$folder/ends")" -eq 2 ]; } &&
        ! grep -q "Segmentation\|Sanitizer\|signal \(4\|6\|7\|8\|11\)\>" "$folder/said"
}

notes_ends_as_natively() {
    notes_ends "$1" "$folder/lifetimes.$1" "$2" &&
        notes_ends "$1" "$weft" run "$folder/lifetimes.$1" "$2"
}

by_libfabric() {
    WEFT_WORLD=ofi WEFT_OFI_INTERFACE=lo ends_well "$1" "$weft" run "$folder/lifetimes.$1" handler
}

for mpi in openmpi mpich; do
    command -v "mpirun.$mpi" >/dev/null || continue
    "mpicc.$mpi" -w -o "$folder/lifetimes.$mpi" "$here/lifetimes.c"
    check "an exit handler communicates and finalises, $mpi" as_natively $mpi handler
    check "the same by libfabric, $mpi" by_libfabric $mpi
    check "children end in every way, $mpi" as_natively $mpi children
    check "an end without MPI_Finalize, $mpi" notes_ends_as_natively $mpi exit
    check "an end before the receiver looks, $mpi" notes_ends_as_natively $mpi early
    check "an end in the middle of a message, $mpi" notes_ends_as_natively $mpi busy
done
tap_done
