# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
#
# For scripts to source: one TAP line for each check. Their commands write to $tap_output, a file
# that the script names before the first check and removes at its end.
tap_number=0
tap_failed=0

# report STATUS NAME [FILE...]: with the files, or else the output, if the status is not 0
report() {
    tap_number=$((tap_number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_number - $2"
    else
        echo "not ok $tap_number - $2"
        shift 2
        [ $# -gt 0 ] || set -- "$tap_output"
        awk '{ print "# " $0 }' "$@" # not sed, which leaves a last line without its end
        tap_failed=1
    fi
}

# check NAME COMMAND...
check() {
    tap_name=$1 tap_status=0
    shift
    "$@" >"$tap_output" 2>&1 || tap_status=$?
    report "$tap_status" "$tap_name"
}

# need NAME COMMAND...: a check without which there is nothing to check any more
need() {
    check "$@"
    [ "$tap_failed" -eq 0 ] || tap_done
}

# skip NAME REASON
skip() {
    tap_number=$((tap_number + 1))
    echo "ok $tap_number - $1 # SKIP $2"
}

# Ends the script: this test cannot run here, and why.
tap_skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

# Ends the script: prints the plan.
tap_done() {
    echo "1..$tap_number"
    exit "$tap_failed"
}
