#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: agent.sh [OPTION...] HOST COMMAND...
#
# Stands in for ssh: runs the command on this machine, under the name of another host.
while :; do
    case $1 in
    -*) shift ;;
    *) break ;;
    esac
done
exec unshare --uts sh -c 'hostname "$0" && exec sh -c "$*"' "$@"
