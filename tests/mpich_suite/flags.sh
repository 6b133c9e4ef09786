# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2034
#
# For scripts to source: flags for the compiler.

# The suite still uses calls that MPI has removed: Open MPI has them, but its header hides them.
removed="-DOMPI_OMIT_MPI1_COMPAT_DECLS=0 -DOMPI_REMOVED_USE_STATIC_ASSERT=0"
removed="$removed -D__mpi_interface_removed__(old,new)="
if command -v ccache >/dev/null; then
    export OMPI_CC="ccache gcc" MPICH_CC="ccache gcc"
fi
