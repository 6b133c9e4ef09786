#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: run.sh BUILD_DIR DOCUMENT
#
# Does what a tutorial says, command by command, with an installed copy of the build, and compares
# what it prints. Prints TAP.
set -uo pipefail

build=$(realpath "$1")
document=$(realpath "$2")
. "$(dirname "$0")/../support/install.sh"

export PATH=$here/$(option bindir):$PATH
# Tutorials are not written for root, and not for machines of one core.
. "$root/tests/support/launchers.sh"
unset WEFT_RANK WEFT_SIZE WEFT_RENDEZVOUS WEFT_LAUNCHER

# The packages say where they were to be installed, and a reader of the tutorial has them there.
install_for_reader() {
    install_it && sed -i "s|^prefix=.*|prefix=$here|" "$library"/pkgconfig/*.pc
}

# Where there is no mpirun, or this build does not know it: mpirun -n COUNT PROGRAM, by hand.
stand_in_for_mpirun() {
    mkdir "$work/bin"
    cat >"$work/bin/mpirun" <<'EOF'
#!/bin/bash
for ((rank = 0; rank < $2; rank++)); do
    WEFT_RANK=$rank WEFT_SIZE=$2 WEFT_RENDEZVOUS=$PWD/job "${@:3}" &
done
wait
EOF
    chmod +x "$work/bin/mpirun"
    PATH=$work/bin:$PATH
}

# by_process FILE: its lines, together if they begin with the same "rank N:". Processes print when
# they like.
by_process() {
    sort -s -t: -k1,1 "$1"
}

# follow STEP: runs a command of the tutorial
follow() {
    (cd "$work/reader" && timeout 20 bash "$1.sh") >"$work/printed" || {
        echo "it failed: $?"
        cat "$work/printed"
        return 1
    }
    diff <(by_process "$1.txt") <(by_process "$work/printed")
}

check "it installs" install_for_reader
check "every block is a listing or commands" \
    python3 "$root/tests/tutorial/listings.py" "$document" "$work/reader"
if ! command -v mpirun >/dev/null || [ ! -e "$build/tests/job/has_pmix" ]; then
    stand_in_for_mpirun
fi
for step in "$work"/reader/steps/*.sh; do
    check "$(cat "$step")" follow "${step%.sh}"
done
tap_done
