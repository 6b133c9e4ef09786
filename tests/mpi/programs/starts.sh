#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# starts.sh WEFT [NAME...]: every way to start a program that docs/starts.md has in its table, or
# those of these names. The data is right, the status is as it should be, nothing is left behind,
# and the program is accelerated, or not for the reason that the table gives.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
support=$here/../../support
. "$support/tap.sh"
# What is in temporary folders is hidden from the programs, and so may be what was built.
export TMPDIR=/var/tmp
. "$support/mpirun.sh"
unset TMPDIR
chmod 1777 "$folder"
weft="$folder/weft/tools/weft/weft"
mkdir -p "$folder/weft/tools/weft" "$folder/weft/src"
cp "$1" "$weft"
cp "$support/by_rank.sh" "$folder"
cp "$(dirname "$1")"/../../src/libweft_heap.so "$(dirname "$1")"/../../src/libweft_mpi_*.so \
    "$folder/weft/src"
shift
export WEFT_WAY="$by_ticket"
table="$here/../../../docs/starts.md"
: >"$folder/names"
for name; do
    echo "$name" >>"$folder/names"
done

# ---- Rows -----------------------------------------------------------------------------------

# alone WAY COMMAND...: the word WEFT in the command stands for `weft run` with a report, or for
# nothing if the way is native
alone() {
    way=$1 rest=$(($# - 1))
    shift
    while [ $rest -gt 0 ]; do
        if [ "$1" != WEFT ]; then
            set -- "$@" "$1"
        elif [ "$way" = weft ]; then
            set -- "$@" "$weft" run "--report=$folder/report.json"
        fi
        shift
        rest=$((rest - 1))
    done
    rm -f "$folder/report.json" "$folder/said" "$folder/status" "$folder/left"
    unshare -m -p -f --kill-child --mount-proc sh "$here/alone.sh" "$folder" "$@"
}

is_wanted() {
    [ ! -s "$folder/names" ] || grep -qxF -- "$1" "$folder/names"
}

# row NAME STATUS RANKS COMMAND...: that many processes say that they found no mistake
row() {
    is_wanted "$1" || return 0
    name=$1 status=$2 ranks=$3
    shift 3
    alone weft "$@"
    check "$name${mpi:+, $mpi}" python3 "$here/judge.py" "$table" "$name" "$status" "$ranks" \
        "$folder"
}

# Twice: without /proc, MPICH over UCX starts only now and then.
works_natively() {
    for run in 1 2; do
        alone native "$@"
        [ "$(cat "$folder/status")" -eq 0 ] || return 1
    done
}

# row_if_native NAME RANKS COMMAND...: where this works at all without Weft
row_if_native() {
    is_wanted "$1" || return 0
    name=$1 ranks=$2
    shift 2
    if works_natively "$@"; then
        row "$name" 0 "$ranks" "$@"
    else
        skip "$name, $mpi" "without Weft neither: $(head -c 100 "$folder/said" | head -n 1)"
    fi
}

# ---- What both MPIs can do ------------------------------------------------------------------

number_of_processes() {
    row "two processes" 0 2 "$launch" -n 2 WEFT "$start"
    row "one process" 0 1 "$launch" -n 1 WEFT "$start"
    row "one process, without a launcher" 0 1 WEFT "$start"
    row "64 processes on few processors" 0 64 "$launch" -n 64 WEFT "$start"
    row "more processes than WEFT_SHM_PEERS" 0 6 env WEFT_SHM_PEERS=2 "$launch" -n 6 WEFT "$start" \
        everybody
    row "two jobs at one time" 0 4 sh -c '"$@" & "$@"; wait' sh "$launch" -n 2 WEFT "$start"
    row "pinned to one processor" 0 2 taskset -c 0 "$launch" -n 2 WEFT "$start"
    row_if_native "two programs" 2 "$launch" -n 1 WEFT "$start" : -n 1 WEFT "$start.pie"
}

who_takes_part() {
    by_rank="$folder/by_rank.sh"
    row "the first process without weft run" 0 2 \
        "$launch" -n 2 "$by_rank" 0 "$start" else WEFT "$start"
    row "the last process without weft run" 0 2 \
        "$launch" -n 2 "$by_rank" 1 "$start" else WEFT "$start"
    row "one process with WEFT_DISABLE=1" 0 2 \
        "$launch" -n 2 "$by_rank" 0 env WEFT_DISABLE=1 WEFT "$start" else WEFT "$start"
    row "all processes with WEFT_DISABLE=1" 0 2 env WEFT_DISABLE=1 "$launch" -n 2 WEFT "$start"
    row "the only process with WEFT_DISABLE=1" 0 1 env WEFT_DISABLE=1 "$launch" -n 1 WEFT "$start"
    row "weft run --off" 0 2 "$launch" -n 2 "$weft" run --off "$start"
    row "no provider of libfabric" 0 2 \
        env WEFT_WORLD=ofi WEFT_OFI_PROVIDER=nonesuch "$launch" -n 2 WEFT "$start"
}

by_other_commands() {
    row "a shell script" 0 2 "$launch" -n 2 WEFT "$folder/script" "$start"
    row "behind env, nice and timeout" 0 2 "$launch" -n 2 WEFT env A=1 nice timeout 50 "$start"
    row "weft run weft run" 0 2 "$launch" -n 2 WEFT WEFT "$start"
    row "weft run in front of mpirun" 0 2 WEFT "$launch" -n 2 "$start"
    row_if_native "valgrind" 2 "$launch" -n 2 WEFT valgrind -q "$start"
    row_if_native "valgrind with a shared heap" 2 \
        "$launch" -n 2 env WEFT_SHARED_HEAP=1 WEFT valgrind -q "$start"
    row "found in PATH" 0 2 env "PATH=$folder:$PATH" "$launch" -n 2 WEFT "start.$mpi"
    row "MPI is loaded late" 0 2 "$launch" -n 2 WEFT "$folder/plugin" "$start.so"
    row "LD_BIND_NOW=1" 0 2 env LD_BIND_NOW=1 "$launch" -n 2 WEFT "$start"
    row "Weft below a folder with a blank" 0 2 "$launch" -n 2 \
        "$folder/a blank/tools/weft/weft" run "$start"
    row "AddressSanitizer" 0 2 "$launch" -n 2 WEFT "$start.asan"
    row "a tool preloaded before" 0 2 \
        "$launch" -n 2 env LD_PRELOAD="$folder/before.$mpi.so" WEFT "$start"
    # shellcheck disable=SC2016 # for the inner shell
    row "a tool preloaded behind" 0 2 "$launch" -n 2 WEFT sh -c \
        'LD_PRELOAD=$LD_PRELOAD:$0 exec "$@"' "$folder/behind.$mpi.so" "$start"
}

what_programs_do() {
    row "MPI_THREAD_MULTIPLE" 0 2 "$launch" -n 2 WEFT "$start" threads
    row "MPI_ERRORS_RETURN" 0 2 "$launch" -n 2 WEFT "$start" errors
    row "fork, exec and system in mid-job" 0 2 "$launch" -n 2 WEFT "$start" children
    row "a child that exits" 0 2 "$launch" -n 2 WEFT "$start" "exiting child"
    row "exec after MPI_Finalize" 0 2 "$launch" -n 2 WEFT "$start" exec
    row "messages in an exit handler" 0 2 "$launch" -n 2 WEFT "$start" late
    row "a program that fails" 4 2 "$launch" -n 2 WEFT "$start" fail
    row "MPI_Abort" 3 0 "$launch" -n 2 WEFT "$start" abort
    row "memory of a device" 0 2 "$launch" -n 2 WEFT "$start.device" device
    row "memory of a device at the receiver" 0 2 "$launch" -n 2 WEFT "$start.driver" device-in
}

what_is_missing() {
    row "no process_vm_readv" 0 2 "$launch" -n 2 "$folder/forbid" process_vm_readv -- WEFT "$start"
    row "no memfd_create" 0 2 "$launch" -n 2 "$folder/forbid" memfd_create -- WEFT "$start"
    row "no pidfd_open" 0 2 "$launch" -n 2 "$folder/forbid" pidfd_open -- WEFT "$start"
    # Open MPI itself needs some room.
    row_if_native "a full temporary folder" 2 sh -c 'mount -o remount,size=1m /tmp
        cat /dev/zero >/tmp/full 2>/dev/null; exec "$@"' sh \
        env "TMPDIR=$folder" "$launch" -n 2 WEFT "$start"
    row_if_native "a /dev/shm of 1 MiB" 2 sh -c 'mount -o remount,size=1m /dev/shm; exec "$@"' sh \
        "$launch" -n 2 WEFT "$start"
    row_if_native "64 open files" 2 sh -c 'ulimit -n 64; exec "$@"' sh "$launch" -n 2 WEFT "$start"
    row_if_native "as many processes as open files" 32 "$launch" -n 32 \
        sh -c 'ulimit -n 32; exec "$@"' sh WEFT "$start" everybody
    row_if_native "4 GiB of address space" 2 "$launch" -n 2 \
        sh -c 'ulimit -v 4194304; exec "$@"' sh WEFT "$start"
    row_if_native "no /proc" 2 "$launch" -n 2 unshare -m sh -c 'mount -t tmpfs none /proc
        exec "$@"' sh WEFT "$start"
    row_if_native "standard error is closed" 2 "$launch" -n 2 \
        sh -c 'exec "$@" 2>&-' sh WEFT "$start"
    row_if_native "all standard files are closed" 0 "$launch" -n 2 \
        sh -c 'exec "$@" <&- >&- 2>&-' sh WEFT "$start"
    row_if_native "a folder that is read only" 2 sh -c 'mount -t tmpfs -o ro none /mnt; cd /mnt
        exec "$@"' sh "$launch" -n 2 WEFT "$start"
    # shellcheck disable=SC2016 # for the inner shell
    row_if_native "an empty environment" 2 "$launch" -n 2 \
        sh -c 'exec env -i $(env | grep -E "^(OMPI|PMI|HYD|MPI|WEFT)[A-Za-z0-9_]*=[^ ]*$") "$@"' \
        sh WEFT "$start"
    row_if_native "a user with no rights" 2 setpriv --reuid 65534 --regid 65534 --clear-groups \
        env HOME=/tmp "$launch" -n 2 WEFT "$start"
}

# ---- What only one can ----------------------------------------------------------------------

# library_with NAME OLD NEW...: its program has a copy of the library with these names
library_with() {
    name=$1
    shift
    python3 "$here/rename_in_elf.py" "$original" "$folder/$name" "$@"
    cc -o "$start.other" "$start.o" "$folder/$name" -pthread -Wl,-rpath,"$folder"
}

only_mpich() {
    library_with libmpi.so.12 libmpich.so.12 libmpi.so.12
    row "MPICH called libmpi.so.12" 0 2 "$launch" -n 2 WEFT "$start.other"
    cc -o "$start.path" "$start.o" "$folder/libmpi.so.12" -pthread
    row "MPI in a folder of LD_LIBRARY_PATH" 0 2 \
        env LD_LIBRARY_PATH="$folder" "$launch" -n 2 WEFT "$start.path"
    libraries=$(ldd "$original" | sed -n 's/^.* => \([^ ]*\) .*$/\1/p')
    # shellcheck disable=SC2086 # several names
    if cc -o "$start.inside" "$start.o" "${original%.so*}.a" $libraries -pthread; then
        row "MPI is linked into the program" 0 2 "$launch" -n 2 WEFT "$start.inside"
    fi
    library_with liblacks.so.4 libmpich.so.12 liblacks.so.4 PMPI_Isendrecv_c x
    row "an MPI library without some calls of MPI 4" 0 2 "$launch" -n 2 WEFT "$start.other"
    library_with liblacks.so.3 libmpich.so.12 liblacks.so.3 PMPI_Mprobe x
    row "an MPI library without a call that Weft needs" 0 2 "$launch" -n 2 WEFT "$start.other"
    library_with libknows.so.5 libmpich.so.12 libknows.so.5 PMPI_Isendrecv_c PMPI_Isendrecv_x
    row "an MPI library with a call that Weft does not know" 0 2 \
        "$launch" -n 2 WEFT "$start.other"
    cc -shared -fPIC -o "$folder/libasks.so" "$here/asks.c"
    mpicc.$mpi -w -DASKS -o "$start.asks" "$here/start.c" "$folder/libasks.so" -pthread \
        -Wl,-rpath,"$folder"
    row "a program that asks for requests in the middle of MPI" 0 2 \
        "$launch" -n 2 WEFT "$start.asks"
}

only_openmpi() {
    library_with libvndr.so.7 libmpi.so.40 libvndr.so.7
    row "Open MPI called libvndr.so.7" 0 2 "$launch" -n 2 WEFT "$start.other"
}

for_python() {
    if ! /usr/bin/python3 -c 'import mpi4py' 2>/dev/null; then
        skip "Python" "no mpi4py"
        return
    fi
    set -- /usr/bin/python3 "$folder/start.py"
    row "Python, mpirun of its MPI" 0 2 mpirun.openmpi -n 2 WEFT "$@"
    ! command -v mpirun.mpich >/dev/null ||
        row "Python, mpirun of another MPI" 0 2 mpirun.mpich -n 2 WEFT "$@"
    row "Python, without a launcher" 0 1 WEFT "$@"
}

without_mpi() {
    row "a program without MPI" 0 0 WEFT /bin/true
    row "a program that is linked statically" 0 0 WEFT "$folder/static"
    row "a program without MPI, with a launcher" 0 0 "$launch" -n 2 WEFT /bin/true
    row "a program for another processor" 127 0 WEFT "$folder/foreign"
    row "no such program" 127 0 WEFT nonesuch
}

# every_row: a row that is only in the table would be a claim that nobody checks
every_row() {
    sed -n '/^|---/,$ s/^| \([^|]*\) |.*$/\1/p' "$table" | while read -r name; do
        grep -qF "\"$name\"" "$0" || echo "$name"
    done >"$folder/unchecked"
    cat "$folder/unchecked"
    [ ! -s "$folder/unchecked" ]
}

# ---- All ------------------------------------------------------------------------------------

build_for() {
    mpicc.$mpi -w -c -fPIC -o "$start.o" "$here/start.c"
    mpicc.$mpi -no-pie -o "$start" "$start.o" -pthread
    mpicc.$mpi -pie -o "$start.pie" "$start.o" -pthread
    mpicc.$mpi -shared -o "$start.so" "$start.o" -pthread
    mpicc.$mpi -w -DWITH_DEVICE -o "$start.device" "$here/start.c" "$folder/libcuda.so.1" \
        -pthread -Wl,-rpath,"$folder"
    mpicc.$mpi -w -DWITH_DEVICE -DDRIVER="\"$folder/libcuda.so.1\"" -o "$start.driver" \
        "$here/start.c" -pthread -ldl
    mpicc.$mpi -w -fsanitize=address -o "$start.asan" "$here/start.c" -pthread
    for place in before behind; do
        mpicc.$mpi -w -shared -fPIC -DNAME="\"$place\"" -o "$folder/$place.$mpi.so" "$here/tool.c"
    done
}

build_once() {
    cc -I "$here/../.." -o "$folder/forbid" "$here/forbid.c"
    cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$folder/libcuda.so.1" "$here/stub_driver.c"
    cc -w -o "$folder/plugin" "$here/plugin.c" -ldl
    echo 'int main(void) { return 0; }' >"$folder/static.c"
    cc -static -o "$folder/static" "$folder/static.c"
    printf '\177ELF\001\001\001%100s' "" >"$folder/foreign"
    chmod 755 "$folder/foreign"
    printf '#!/bin/sh\n"$@" | cat\n' >"$folder/script"
    chmod 755 "$folder/script"
    cp "$here/start.py" "$folder"
    cp -r "$folder/weft" "$folder/a blank"
}

unshare -m -p -f --mount-proc true 2>/dev/null ||
    tap_skip_all "needs root, for name spaces of its own"
build_once
for mpi in openmpi mpich; do
    command -v "mpicc.$mpi" >/dev/null || continue
    launch=mpirun.$mpi start="$folder/start.$mpi"
    build_for
    original=$(ldd "$start" | sed -n 's/^.*libmpi[ch]*\.so[^ ]* => \([^ ]*\) .*$/\1/p')
    number_of_processes
    who_takes_part
    by_other_commands
    what_programs_do
    what_is_missing
    only_$mpi
done
mpi=
for_python
without_mpi
check "this test has every row of the table" every_row
tap_done
