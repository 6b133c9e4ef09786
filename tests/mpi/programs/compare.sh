#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# compare.sh WEFT: `weft compare` puts itself before the program, whatever the launcher is told.
. "$(dirname "$0")/../script.sh"
weft=$1

# becomes MPI COMMAND WITH: both are run, and WITH is the command of those with Weft
becomes() {
    timeout 100 "$weft" compare -r 1 --json -- $2 >"$folder/out.json" &&
        python3 - "$folder/out.json" "$2" "$3" <<'EOT'
import json, sys
result = json.load(open(sys.argv[1], encoding='utf-8'))
print(result)
sys.exit(result['without']['command'] != sys.argv[2].split() or
         result['with']['command'] != sys.argv[3].split())
EOT
}

for mpi in openmpi mpich; do
    command -v "mpicc.$mpi" >/dev/null || continue
    launch=mpirun.$mpi
    app=$folder/exchange.$mpi
    "mpicc.$mpi" -w -o "$app" "$here/exchange.c"
    real=$(realpath "$weft")
    check "a program with $mpi" becomes $mpi "$launch -n 2 $app" "$launch -n 2 $real run $app"
    if $launch -n 1 "$app" : -n 1 "$app" >"$tap_output" 2>&1; then
        check "two programs with $mpi" becomes $mpi "$launch -n 1 $app : -n 1 $app" \
            "$launch -n 1 $real run $app : -n 1 $real run $app"
    else
        skip "two programs with $mpi" "this launcher cannot, without Weft"
    fi
    check "a program behind another with $mpi" becomes $mpi "$launch -n 2 -wdir /tmp env A=1 $app" \
        "$launch -n 2 -wdir /tmp env A=1 $real run $app"
done
tap_done
