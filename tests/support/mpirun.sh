# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
#
# For scripts to source that start MPI programs, after tap.sh, with $support, this folder: $folder,
# which is removed at the end, and what launchers.sh sets.
. "${support:?}/launchers.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tap_output="$folder/output"
export ASAN_OPTIONS=detect_leaks=0
# Of Open MPI 5: what launchers that were killed have left would be in the way of others.
export PRTE_MCA_prte_tmpdir_base="$folder"
# All processes are on this host, and every host has loopback: Open MPI 5 refuses networks that it
# cannot judge, and then has no way over TCP.
export OMPI_MCA_btl_tcp_if_include=lo
# The way of messages by ticket, for programs that send so few that all would be MPI's: copied once
# if heaps are shared, or what the caller wants.
case ${WEFT_SHARED_HEAP:-0} in
1) by_ticket=${WEFT_WAY:-together} ;;
*) by_ticket=${WEFT_WAY:-pulled} ;;
esac
