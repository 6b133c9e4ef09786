# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
#
# For scripts to source that call mpirun: launchers that take root and more ranks than processors.
# Those of Open MPI 5 are PRRTE's, which has names of its own for the same.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
