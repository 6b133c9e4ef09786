#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# hpus.sh WEFT: with HPU threads, the packets of one MPI message are gathered and scattered by
# several of them, and every byte is right.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
support=$here/../../support
. "$support/tap.sh"
. "$support/mpirun.sh"
weft=$1
export WEFT_WAY=pulled WEFT_DIRECT=0

# with MPI HPUS: every packet of each message is a slice of an HPU, and some message is on two rows
with() {
    WEFT_HPUS=$2 timeout 60 "mpirun.$1" -n 2 "$weft" run --trace "$folder/t.json" \
        "$folder/columns.$1" &&
        python3 - "$2" "$folder/t.1.json" "$folder/t.0.json" <<'EOT'
import json, sys
hpus = int(sys.argv[1])
events = json.load(open(sys.argv[2], encoding='utf-8'))['traceEvents']
tracks = {(e['pid'], e['tid']): e['args']['name'] for e in events if e['name'] == 'thread_name'}
slices = [e for e in events if e['ph'] == 'X']
receives = [e for e in slices if e['name'] == 'MPI_Recv']
assert len(receives) == 10, len(receives)
most = 0
for receive in receives:
    inside = [e for e in slices if e['name'] == 'scatter' and
              receive['ts'] <= e['ts'] <= receive['ts'] + receive['dur']]
    rows = {tracks[e['pid'], e['tid']] for e in inside}
    moved = sum(e['args']['bytes'] for e in inside)
    print(sorted(rows), len(inside), 'packets', moved, 'bytes')
    assert moved == (4 << 20 if hpus else 0)
    most = max(most, len(rows))
assert most == hpus, most
sent = [e for e in json.load(open(sys.argv[3], encoding='utf-8'))['traceEvents']
        if e['name'] == 'gather']
gathered = sum(e['args']['bytes'] for e in sent)
# Of a message that is taken late, MPI_Send has made a copy, so that nothing is gathered.
print(gathered, 'bytes gathered')
assert gathered % (4 << 20) == 0 and gathered <= len(receives) * (4 << 20)
assert (gathered > 0) == (hpus > 0)
assert len({e['tid'] for e in sent}) == hpus
EOT
}

# without_room MPI: layouts may have less of the NIC than they need, so HPUs are not asked
without_room() {
    WEFT_HPUS=2 WEFT_OFFLOAD_MEM=1 timeout 60 "mpirun.$1" -n 2 "$weft" run \
        --report="$folder/r.json" "$folder/columns.$1" &&
        python3 - "$folder/r.json" <<'EOT'
import json, sys
report = json.load(open(sys.argv[1], encoding='utf-8'))
print(report['hpus'], report['rails_lost'])
assert report['hpus']['scattered'] == report['hpus']['gathered'] == 0
assert report['hpus']['refused'] > 100 and report['rails_lost'] == 0
EOT
}

for mpi in openmpi mpich; do
    command -v "mpicc.$mpi" >/dev/null || continue
    "mpicc.$mpi" -w -O1 -o "$folder/columns.$mpi" "$here/columns.c"
    check "two HPUs scatter one message with $mpi" with $mpi 2
    check "without HPUs nobody is asked with $mpi" with $mpi 0
    check "without memory of the NIC HPUs do nothing with $mpi" without_room $mpi
done
tap_done
