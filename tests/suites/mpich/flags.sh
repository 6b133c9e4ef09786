# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2034,SC2154
#
# For scripts to source that know where they are, `here`: flags for the compiler.
removed="-include $here/removed.h"
if command -v ccache >/dev/null; then
    export OMPI_CC="ccache gcc" MPICH_CC="ccache gcc"
fi
