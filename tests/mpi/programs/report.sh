#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# report.sh WEFT: what `weft run --report` and `--trace` say of a program, under both MPIs where
# they are here.
. "$(dirname "$0")/../script.sh"
weft=$1

# reported MPI PROGRAM [ARGUMENT...]
reported() {
    mpi=$1
    shift
    timeout 60 "mpirun.$mpi" -n 2 "$weft" run --report="$folder/report.json" "$@"
}

# natives MPI: MPI moved it all, and every call is counted once for each process and turn
natives() {
    WEFT_WAY=native reported "$1" "$folder/native.$1" "$folder/file.$1" &&
        report_holds "set(calls) == {'MPI_Alltoallv', 'MPI_Bcast', 'MPI_Igather', 'MPI_Put',
            'MPI_File_write_at_all', 'MPI_File_read_at_all'} and
            all(call['calls'] == 4 for call in calls.values())" &&
        report_holds "calls['MPI_Alltoallv']['bytes'] == 4 * 2 * 64 * 4 and
            calls['MPI_Bcast'] == {'calls': 4, 'bytes': 512, 'received_bytes': 512}" &&
        report_holds "all(totals[way]['messages'] == 0 for way in ('l1', 'l2', 'chosen'))" &&
        report_holds "types[0]['made'] == 'resized(0, 768, vector(64, 1, 3, MPI_INT))'"
}

# staged MPI: files are packed; the first collectives of a kind, and puts into columns, are not
staged() {
    WEFT_WAY=packed reported "$1" "$folder/native.$1" "$folder/file.$1" &&
        report_holds "set(calls) == {'MPI_Alltoallv', 'MPI_Bcast', 'MPI_Igather', 'MPI_Put'}" &&
        report_holds "totals['l1']['messages'] == totals['l1']['received'] == 2 * 2"
}

# agreed MPI: of ten exchanges MPI does the first one with a request, and the first eight of a type
agreed() {
    WEFT_WAY=pulled reported "$1" "$folder/agreed.$1" &&
        report_holds "set(calls) == {'MPI_Ialltoallw', 'MPI_Alltoall'} and
            calls['MPI_Ialltoallw']['calls'] == 2 and calls['MPI_Alltoall']['calls'] == 2 * 8" &&
        report_holds "totals['l2']['messages'] == 2 * (9 + 2)"
}

# judged MPI: an exchange is tried as what it will be, by ticket, with no trial of its messages
judged() {
    reported "$1" "$folder/agreed.$1" 60 &&
        report_holds "totals['chosen']['messages'] == 0 and
            totals['l2']['messages'] >= 2 * 15"
}

# around MPI: Weft does all blocking exchanges with neighbours, in grids and in graphs
around() {
    reported "$1" "$folder/typed.$1" &&
        report_holds "'MPI_Ineighbor_alltoallw' in calls and 'MPI_Neighbor_alltoallw' not in calls"
}

# timed MPI: of messages that were pulled, too; and every line has messages
timed() {
    WEFT_WAY=pulled reported "$1" "$folder/exchange.$1" &&
        report_holds "totals['l2']['messages'] > 0" &&
        report_holds "all(line['saved_ns'] >= 0 for line in types)" &&
        report_holds "sum(line['gather_ns'] for line in types if line['l2']['messages']) > 0" &&
        report_holds "sum(line['scatter_ns'] for line in types if line['l2']['received']) > 0" &&
        report_holds "sum(line['wait_ns'] for line in types if line['l2']['messages']) > 0"
}

# table MPI: what people read has no row of nothing, both notations, and a word for every way
table() {
    WEFT_WAY=native timeout 60 "mpirun.$1" -n 2 "$weft" run --report "$folder/native.$1" \
        "$folder/file.$1" 2>"$folder/table" &&
        grep -q ' left to MPI ' "$folder/table" &&
        timeout 60 "mpirun.$1" -n 2 "$weft" run --report "$folder/exchange.$1" 2>"$folder/table" &&
        cat "$folder/table" &&
        grep -q '^Weft: 2 processes' "$folder/table" &&
        grep -q '^    = resized(' "$folder/table" &&
        grep -q '^    .*MPI_[A-Z]*)' "$folder/table" &&
        grep -q '^    not tried: too few messages' "$folder/table" &&
        ! grep -q ' 1 times$' "$folder/table" &&
        ! grep -E ' - +- +- +- ' "$folder/table" | grep -v 'left to MPI' >/dev/null
}

# misspelt MPI: one process of the job says so
misspelt() {
    WEFT_TIKET=1 timeout 60 "mpirun.$1" -n 2 "$weft" run "$folder/exchange.$1" 2>"$folder/said" &&
        cat "$folder/said" &&
        test "$(grep -c 'WEFT_TIKET.*did you mean WEFT_TICKET?' "$folder/said")" = 1
}

# unwritable MPI: a report that cannot be written is told of with the reason, and changes nothing
unwritable() {
    timeout 60 "mpirun.$1" -n 2 "$weft" run --report="$folder/nowhere/report.json" \
        "$folder/exchange.$1" 2>"$folder/said" &&
        cat "$folder/said" &&
        test "$(grep -c 'report to .*/nowhere/report.json: No such file' "$folder/said")" = 1
}

# slices MPI: the calls of a program, twice each, are on the timelines of both processes
slices() {
    timeout 60 "mpirun.$1" -n 2 "$weft" run --trace "$folder/t.json" "$folder/native.$1" \
        "$folder/file.$1" &&
        python3 - "$folder/t.0.json" "$folder/t.1.json" <<'EOT'
import collections, json, sys
for path in sys.argv[1:]:
    events = json.load(open(path, encoding='utf-8'))['traceEvents']
    calls = collections.Counter(event['name'] for event in events if event['ph'] == 'X')
    print(calls)
    assert calls == {name: 2 for name in (
        'MPI_Alltoallv', 'MPI_Bcast', 'MPI_Igather', 'MPI_Wait', 'MPI_Put',
        'MPI_File_write_at_all', 'MPI_File_read_at_all')}
    assert all(event['dur'] > 0 for event in events if event['ph'] == 'X')
EOT
}

# untouched MPI: without a report, and switched off, the same program runs as ever
untouched() {
    timeout 60 "mpirun.$1" -n 2 "$weft" run "$folder/native.$1" "$folder/file.$1" &&
        timeout 60 "mpirun.$1" -n 2 "$weft" run --off "$folder/native.$1" "$folder/file.$1" &&
        WEFT_DISABLE=1 reported "$1" "$folder/native.$1" "$folder/file.$1"
}

for mpi in openmpi mpich; do
    command -v "mpicc.$mpi" >/dev/null || continue
    for program in exchange native agreed typed; do
        "mpicc.$mpi" -w -o "$folder/$program.$mpi" "$here/$program.c"
    done
    check "calls that MPI keeps are counted with $mpi" natives $mpi
    check "calls that MPI gets packed are not with $mpi" staged $mpi
    check "exchanges are Weft's when all agree with $mpi" agreed $mpi
    check "exchanges of one type are tried by ticket with $mpi" judged $mpi
    check "exchanges with neighbours are Weft's with $mpi" around $mpi
    check "pulled messages have times with $mpi" timed $mpi
    check "the table for people with $mpi" table $mpi
    check "a misspelt variable is told of once with $mpi" misspelt $mpi
    check "a report that cannot be written says why with $mpi" unwritable $mpi
    check "calls are slices of a timeline with $mpi" slices $mpi
    check "nothing is counted that nobody wants with $mpi" untouched $mpi
done
tap_done
