#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
#   redirect.sh OUTPUT CALLS_OBJECT OBJECT...
#
# Joins the objects into one whose calls go to the functions faulty_NAME of CALLS_OBJECT.
set -eu
output=$1
calls=$2
shift 2

names=$(nm --defined-only "$calls" | sed -n 's/.* T faulty_//p')
ld -r -o "$output" "$@"
# shellcheck disable=SC2046 # one option for each name
objcopy $(for name in $names; do echo "--redefine-sym $name=faulty_$name"; done) "$output"
