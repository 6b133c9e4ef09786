/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/message/ticket.h"

#include <string.h>

#include "base/setting.h"

unsigned long long weft_mpi_least_ticket(void)
{
    uint64_t args = weft_setting(WEFT_SETTING_TICKET);
    return args < sizeof(struct weft_mpi_ticket) ? sizeof(struct weft_mpi_ticket) : args;
}

void weft_mpi_set_ticket(size_t least_pulled)
{
    weft_mpi.least_pulled = least_pulled;
    weft_mpi.ticket_size =
        least_pulled < WEFT_MPI_TICKET_ROOM ? least_pulled : WEFT_MPI_TICKET_ROOM;
}

bool weft_mpi_is_ticket(const MPI_Status *status, const void *bytes)
{
    return weft_mpi_may_be_ticket(status) &&
           memcmp(bytes, weft_mpi.secret, sizeof weft_mpi.secret) == 0;
}
