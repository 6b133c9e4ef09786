/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes on by itself, and is asked now and then whether it is over. */
#ifndef WEFT_MPI_MESSAGE_TASK_H
#define WEFT_MPI_MESSAGE_TASK_H

#include <stdbool.h>

struct weft_mpi_task {
    /* Whether it is over; then all data are in their place, or `class` is set to an error. Not
     * asked again then. */
    bool (*is_over)(struct weft_mpi_task *task, int *class);
    /* It is over, and nobody wants to know of it any more. */
    void (*end)(struct weft_mpi_task *task);
};

#endif
