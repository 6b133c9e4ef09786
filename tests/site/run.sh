#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds the site, and sees that its checks see something. Prints TAP.
set -uo pipefail

root=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$root/tests/support/tap.sh"
tap_output=$work/output

for program in cmark-gfm mandoc scdoc; do
    command -v "$program" >/dev/null || tap_skip_all "$program is not installed"
done

it_is_built() {
    python3 -B "$root/docs/site/build.py" "$work/site" 2>"$work/warnings"
    local result=$?
    cat "$work/warnings"
    [ "$result" -eq 0 ] && [ ! -s "$work/warnings" ]
}

# complains_of PAGE LINK: a link that leads nowhere
complains_of() {
    echo "<a href=\"$2\">there</a>" >"$work/site/$1"
    python3 -B -c 'import sys, links; print(*links.broken(sys.argv[1]), sep="\n")' "$work/site" |
        grep -F "$2"
    local result=$?
    rm "$work/site/$1"
    return "$result"
}

links_to_manual_work() {
    grep -q 'href="weft-trace.1.html"' "$work/site/man/weft-run.1.html" &&
        grep -q 'href="man/weft-run.1.html"' "$work/site/index.html" &&
        grep -q 'href="PtlPut.3.html">PtlPut, PtlGet<' "$work/site/man/index.html"
}

export PYTHONPATH=$root/docs/site
check "the site is built, and all links lead somewhere" it_is_built
check "pages that are not there are told" complains_of new.html nowhere.html
check "parts that are not there are told" complains_of new.html index.html#nowhere
check "manual pages are linked" links_to_manual_work
tap_done
