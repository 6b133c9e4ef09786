#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# alone.sh FOLDER COMMAND...: runs the command in name spaces that were made for it, with temporary
# folders of its own. Writes to the folder what it said, its status, and what it left behind.
folder=$1
shift
cd "$folder" || exit
mount -t tmpfs -o mode=1777 none /tmp
mount -t tmpfs -o mode=1777 none /dev/shm
timeout -k 5 120 "$@" >"$folder/said" 2>&1 </dev/null
echo $? >"$folder/status"

# processes_left: their command lines; this shell is the first process
processes_left() {
    for process in /proc/[0-9]*; do
        [ "$process" = /proc/1 ] || tr '\0' ' ' <"$process/cmdline"
    done 2>/dev/null
}

# Launchers end their helpers a moment after themselves.
for _ in 1 2 3 4 5 6 7 8 9 10; do
    processes_left >"$folder/left"
    [ -s "$folder/left" ] || break
    sleep 0.2
done
find /tmp /dev/shm -name 'weft*' >>"$folder/left"
