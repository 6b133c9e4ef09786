/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for packed messages, used again. */
#ifndef WEFT_MPI_LAYOUT_BUFFER_H
#define WEFT_MPI_LAYOUT_BUFFER_H

#include <stddef.h>

/* NULL without memory. */
void *weft_mpi_buffer_take(size_t bytes);
/* NULL is allowed. */
void weft_mpi_buffer_give(void *buffer);

#endif
