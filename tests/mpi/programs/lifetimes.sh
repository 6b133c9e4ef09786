#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# lifetimes.sh WEFT: programs that communicate in exit handlers, have children, or end without
# MPI_Finalize, end as they do natively.
. "$(dirname "$0")/../script.sh"
weft=$1
# Whoever looks at memory that was freed sees it at once.
export MALLOC_PERTURB_=165

# end_of MPI COMMAND...: says whether the job ended well
end_of() {
    mpi=$1
    shift
    if timeout 60 "mpirun.$mpi" -n 2 "$@" >"$folder/said" 2>&1; then
        echo well
    else
        case $? in 124) echo "not at all" ;; *) echo badly ;; esac
    fi
}

# ends_as_natively MPI HOW: and nobody crashes
ends_as_natively() {
    natively=$(end_of "$1" "$folder/lifetimes.$1" "$2")
    under_weft=$(end_of "$1" "$weft" run "$folder/lifetimes.$1" "$2")
    cat "$folder/said"
    echo "natively: $natively; under weft run: $under_weft"
    [ "$natively" = "$under_weft" ] &&
        ! grep -q "Segmentation\|Sanitizer\|signal [0-9]" "$folder/said"
}

ends_well() {
    ends_as_natively "$1" "$2" && [ "$under_weft" = well ]
}

by_libfabric() {
    WEFT_WORLD=ofi WEFT_OFI_INTERFACE=lo ends_well "$1" handler
}

for mpi in openmpi mpich; do
    command -v "mpirun.$mpi" >/dev/null || continue
    "mpicc.$mpi" -w -o "$folder/lifetimes.$mpi" "$here/lifetimes.c"
    check "an exit handler communicates and finalises, $mpi" ends_well $mpi handler
    check "the same by libfabric, $mpi" by_libfabric $mpi
    check "children end in every way, $mpi" ends_well $mpi children
    check "an end without MPI_Finalize, $mpi" ends_as_natively $mpi exit
    check "an end in the middle of a message, $mpi" ends_as_natively $mpi busy
done
tap_done
