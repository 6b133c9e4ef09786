#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# debian.sh WEFT [all]: programs of Debian give the same answers under `weft run` as without it:
# ScaLAPACK's tests (both MPIs), a parallel FFT in Python, Quantum ESPRESSO; and LAMMPS, which packs
# by hand, is not slowed. Needs, where they are to run: scalapack-mpi-test, python3-mpi4py-fft,
# quantum-espresso with its data, lammps. With `all`, all tests of ScaLAPACK: half an hour.
. "$(dirname "$0")/../script.sh"
weft=$(realpath "$1")
extent=${2:-some}
export OMPI_MCA_mpi_yield_when_idle=1
limit=900

# sums_up REPORT: what went which way, for the log; `together` are some of `l2`
sums_up() {
    python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
totals = dict(report["totals"], together=report["together"])
print(", ".join("%s %d" % (way, totals[way]["messages"])
                for way in ("l0", "l1", "l2", "together")))' "$1"
}

# both_ways NAME MPI RANKS FILTER COMMAND...: what FILTER leaves of the output must be the same
both_ways() {
    local name=$1 mpi=$2 ranks=$3 filter=$4
    shift 4
    rm -f "$folder/report.json"
    timeout $limit "mpirun.$mpi" -n "$ranks" "$@" >"$folder/native.all" 2>&1 || true
    WEFT_TICKET=256 WEFT_WAY="$by_ticket" timeout $limit "mpirun.$mpi" -n "$ranks" "$weft" run \
        --report="$folder/report.json" "$@" >"$folder/weft.all" 2>&1 || true
    "$filter" <"$folder/native.all" >"$folder/native"
    "$filter" <"$folder/weft.all" >"$folder/weft"
    check "$name" same_and_not_empty
    echo "# $(sums_up "$folder/report.json" 2>&1 | tail -n 1)"
}

same_and_not_empty() {
    [ -s "$folder/native" ] && diff "$folder/native" "$folder/weft" && is_shared_where_asked_for
}

is_shared_where_asked_for() {
    [ "${WEFT_SHARED_HEAP:-0}/$by_ticket" != 1/together ] ||
        report_holds "totals['l2']['messages'] == 0 or together['messages'] > 0"
}

# ---- ScaLAPACK ----------------------------------------------------------------------------------

verdicts() {
    grep -E 'PASSED|FAILED|tests (completed|failed|skipped)|Finished' |
        sed -E 's/ +[0-9]+\.[0-9]+E?[-+0-9]* */ /g' | grep -E -o 'PASSED|FAILED|.*tests.*' | sort |
        uniq -c
}

scalapack() {
    local mpi=$1 place test
    place=$(dpkg -L scalapack-mpi-test 2>/dev/null | grep "/$mpi-tests/xdlu\$" || true)
    if [ -z "$place" ]; then
        skip "ScaLAPACK with $mpi" "scalapack-mpi-test is not installed"
        return
    fi
    cd "$(dirname "$place")"
    for test in x*; do
        case $extent$test in
        somexdqr | somexdinv | somexcls | somexstrd | all*) ;;
        *) continue ;;
        esac
        both_ways "ScaLAPACK $test with $mpi" "$mpi" 4 verdicts "./$test"
    done
    cd "$folder"
}

scalapack openmpi
scalapack mpich

# ---- An FFT in Python ---------------------------------------------------------------------------

if /usr/bin/python3 -c 'import mpi4py_fft' 2>/dev/null; then
    only_faces() { grep 'FFT:'; }
    both_ways "mpi4py-fft" openmpi 4 only_faces /usr/bin/python3 "$here/fft.py"
else
    skip "mpi4py-fft" "python3-mpi4py-fft is not installed"
fi

# ---- Quantum ESPRESSO ---------------------------------------------------------------------------

pseudo=$(dpkg -L quantum-espresso-data 2>/dev/null | grep -m 1 'Si.pz-vbc.UPF' || true)
if command -v pw.x >/dev/null && [ -n "$pseudo" ]; then
    cd "$folder"
    case $pseudo in
    *.gz) gunzip -c "$pseudo" >Si.pz-vbc.UPF ;;
    *) cp "$pseudo" . ;;
    esac
    energies() { grep -E '^!|highest|convergence has been'; }
    both_ways "Quantum ESPRESSO" openmpi 2 energies pw.x -in "$here/silicon.in"
else
    skip "Quantum ESPRESSO" "quantum-espresso is not installed"
fi

# ---- LAMMPS -------------------------------------------------------------------------------------

loop_time() {
    timeout $limit mpirun.openmpi -n 2 "$@" lmp -in "$here/melt.lammps" -log none |
        sed -n 's/^Loop time of \([0-9.]*\) .*/\1/p'
}

not_slowed() {
    for turn in 1 2 3 4 5 6 7; do
        echo "$(loop_time) $(loop_time "$weft" run)"
    done | python3 -c 'import statistics, sys
ratios = [float(a) / float(b) for a, b in (line.split() for line in sys.stdin)]
print("native / weft: %.3f, median of %d" % (statistics.median(ratios), len(ratios)))
sys.exit(statistics.median(ratios) < 0.98)'
}

if command -v lmp >/dev/null; then
    thermo() { grep -E '^ +[0-9]+ +[-0-9.]+ +[-0-9.]+'; }
    both_ways "LAMMPS" openmpi 2 thermo lmp -in "$here/melt.lammps" -log none
    check "LAMMPS is not slowed" not_slowed
    sed 's/^/# /' "$tap_output"
else
    skip "LAMMPS" "lammps is not installed"
fi
tap_done
