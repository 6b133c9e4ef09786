# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
#
# For scripts to source that start MPI programs, after tap.sh: $folder, which is removed at the end,
# and launchers that take root and more ranks than processors.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tap_output="$folder/output"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 ASAN_OPTIONS=detect_leaks=0
