/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_TESTS_MODEL_MPI_H
#define WEFT_TESTS_MODEL_MPI_H

#include <mpi.h>

#include "support/model.h"

/* Whether the arguments that MPI has as int fit. */
bool model_fits_mpi(const struct model *model);

/* The type, by the constructors of MPI, not committed; MPI_DATATYPE_NULL if it refuses. */
MPI_Datatype model_build_mpi(const struct model *model);

#endif
