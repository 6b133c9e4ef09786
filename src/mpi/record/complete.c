/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls by which the program hears that what it has begun is complete. */
#include <stdlib.h>
#include <string.h>

#include "mpi/record/between.h"
#include "mpi/record/request.h"

/* ---- Copies -------------------------------------------------------------------------------- */

/* MPI takes away the handles of what is complete, and the program may not want statuses. */
static struct {
    MPI_Request *requests;
    MPI_Status *statuses;
    size_t room;
} kept;

static bool make_room(int count)
{
    if ((size_t)count <= kept.room)
        return true;
    MPI_Request *requests = realloc(kept.requests, (size_t)count * sizeof *requests);
    kept.requests = requests ? requests : kept.requests;
    MPI_Status *statuses = realloc(kept.statuses, (size_t)count * sizeof *statuses);
    kept.statuses = statuses ? statuses : kept.statuses;
    if (!requests || !statuses)
        return false;
    kept.room = (size_t)count;
    return true;
}

/* False without memory. */
static bool keep(int count, const MPI_Request requests[])
{
    if (count <= 0)
        return true;
    if (!make_room(count)) {
        weft_mpi_log_starve();
        return false;
    }
    memcpy(kept.requests, requests, (size_t)count * sizeof *requests);
    return true;
}

#define KEEP (bool is_kept = keep(count, requests))
#define KEEP_WITH_STATUSES                                                                        \
    (bool is_kept = keep(count, requests);                                                        \
     if (is_kept && statuses == MPI_STATUSES_IGNORE) statuses = kept.statuses)
#define KEEP_WITH_STATUS                                                                          \
    (bool is_kept = keep(count, requests); MPI_Status own;                                        \
     if (status == MPI_STATUS_IGNORE) status = &own)
#define KEEP_ONE                                                                                  \
    (MPI_Request held = *request; MPI_Status own; if (status == MPI_STATUS_IGNORE) status = &own)

/* If some have failed, others may still be under way. */
static void complete_all(int result, int count, const MPI_Status statuses[])
{
    for (int i = 0; i < count; i++)
        if (result == MPI_SUCCESS || statuses[i].MPI_ERROR != MPI_ERR_PENDING)
            weft_mpi_record_complete(kept.requests[i], &statuses[i]);
}

static void complete_some(int count, const int indices[], const MPI_Status statuses[])
{
    for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
        weft_mpi_record_complete(kept.requests[indices[i]], &statuses[i]);
}

static void complete_any(int index, const MPI_Status *status)
{
    if (index != MPI_UNDEFINED)
        weft_mpi_record_complete(kept.requests[index], status);
}

/* ---- The calls ----------------------------------------------------------------------------- */

WEFT_MPI_RECORD_AFTER(Wait, (MPI_Request * request, MPI_Status *status), (request, status),
                      KEEP_ONE, weft_mpi_record_complete(held, status);)
WEFT_MPI_RECORD_AFTER(
    Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status),
    KEEP_ONE, if (*flag) { weft_mpi_record_complete(held, status); })
WEFT_MPI_RECORD_AFTER(
    Request_get_status, (MPI_Request held, int *flag, MPI_Status *status), (held, flag, status),
    (MPI_Status own; if (status == MPI_STATUS_IGNORE) status = &own),
    if (*flag) { weft_mpi_record_look(held, status); })
WEFT_MPI_RECORD_AFTER(
    Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]),
    (count, requests, statuses), KEEP_WITH_STATUSES,
    if (is_kept) { complete_all(result, count, statuses); })
WEFT_MPI_RECORD_AFTER(
    Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]),
    (count, requests, flag, statuses), KEEP_WITH_STATUSES,
    if (*flag && is_kept) { complete_all(result, count, statuses); })
WEFT_MPI_RECORD_AFTER(
    Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status),
    (count, requests, index, status), KEEP_WITH_STATUS,
    if (is_kept) { complete_any(*index, status); })
WEFT_MPI_RECORD_AFTER(
    Testany, (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
    (count, requests, index, flag, status), KEEP_WITH_STATUS,
    if (*flag && is_kept) { complete_any(*index, status); })
WEFT_MPI_RECORD_AFTER(
    Waitsome, (int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]),
    (count, requests, done, indices, statuses), KEEP_WITH_STATUSES,
    if (is_kept) { complete_some(*done, indices, statuses); })
WEFT_MPI_RECORD_AFTER(
    Testsome, (int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]),
    (count, requests, done, indices, statuses), KEEP_WITH_STATUSES,
    if (is_kept) { complete_some(*done, indices, statuses); })
WEFT_MPI_RECORD_AFTER(Request_free, (MPI_Request * request), (request),
                      (MPI_Request held = *request), weft_mpi_record_free(held);)
WEFT_MPI_RECORD(Start, (MPI_Request * request), (request), weft_mpi_record_start(*request);)
WEFT_MPI_RECORD(Startall, (int count, MPI_Request requests[]), (count, requests),
                for (int i = 0; i < count; i++) weft_mpi_record_start(requests[i]);)

void weft_mpi_record_step_completions(void)
{
    WEFT_MPI_RECORD_STEP(Wait)
    WEFT_MPI_RECORD_STEP(Test)
    WEFT_MPI_RECORD_STEP(Request_get_status)
    WEFT_MPI_RECORD_STEP(Waitall)
    WEFT_MPI_RECORD_STEP(Testall)
    WEFT_MPI_RECORD_STEP(Waitany)
    WEFT_MPI_RECORD_STEP(Testany)
    WEFT_MPI_RECORD_STEP(Waitsome)
    WEFT_MPI_RECORD_STEP(Testsome)
    WEFT_MPI_RECORD_STEP(Request_free)
    WEFT_MPI_RECORD_STEP(Start)
    WEFT_MPI_RECORD_STEP(Startall)
}
