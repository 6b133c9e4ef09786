#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: run.sh PYTHON LIBRARIES VIEWS
#
# The package `weft` of this checkout with the libraries of a folder: so many random views against
# NumPy, an exchange of two processes, and the example. Prints TAP.
set -uo pipefail

python=$1
views=$3
here=$(realpath "$(dirname "$0")")
root=$here/../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/../support/tap.sh"
tap_output=$work/output
export LD_LIBRARY_PATH=$2${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=$root/python
unset WEFT_RANK WEFT_SIZE WEFT_LAUNCHER

"$python" -c 'import numpy' 2>"$work/output" || tap_skip_all "NumPy is missing (python3-numpy)"

# pair PROGRAM [ARGUMENT...]: as two processes of a job, with the end of both
pair() {
    local rank result=0 pids=()
    for rank in 0 1; do
        WEFT_RANK=$rank WEFT_SIZE=2 WEFT_RENDEZVOUS=$work/job timeout 120 "$python" "$@" &
        pids+=($!)
    done
    for rank in "${pids[@]}"; do
        wait "$rank" || result=1
    done
    return "$result"
}

halo_arrives() {
    pair "$root/examples/halo.py" 2 3 &&
        grep -Eq '^views [0-9.]+ us, by hand [0-9.]+ us' "$work/output"
}

library_is_missed() {
    ! LD_LIBRARY_PATH='' "$python" -c 'import ctypes, weft
ctypes.CDLL = lambda name: open("/nowhere/" + name)
weft.version()' &&
        grep -q 'libweft.so.0 cannot be loaded' "$work/output"
}

# Nobody has the net any more, but nobody has closed it, either.
arrays_are_kept() {
    WEFT_LAUNCHER=none "$python" -c 'import gc, sys, weakref, numpy, weft
array = numpy.zeros(1000)
kept = weakref.ref(array)
weft.open().irecv(array)
del array
gc.collect()
sys.exit(kept() is None)'
}

types_are_right() {
    mypy --strict --cache-dir "$work/mypy" "$root/python/weft"
}

check "$views random views against NumPy" "$python" "$here/random_views.py" --count "$views"
check "two processes exchange views" pair "$here/exchange.py"
check "halo.py" halo_arrives
check "what is under way is kept until the net is closed" arrays_are_kept
check "a missing library is told" library_is_missed
if command -v mypy >/dev/null; then
    check "annotations agree with the code" types_are_right
else
    skip "annotations agree with the code" "mypy is not installed"
fi
tap_done
