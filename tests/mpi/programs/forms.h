/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A collective has several forms: it waits, or answers with a request, with counts of int or
 * larger ones. Which one a turn has follows from the seed, and how a request ends, too.
 */
#ifndef WEFT_TESTS_MPI_PROGRAMS_FORMS_H
#define WEFT_TESTS_MPI_PROGRAMS_FORMS_H

#include "corner.h"

enum form { WAITS, REQUESTS, LARGE, LARGE_REQUESTS, FORMS };

#if MPI_VERSION >= 4
enum { FORMS_HERE = FORMS };
#define LARGE_FORMS(name, requesting, large, rest)                                                \
    case LARGE:                                                                                   \
        name##_c(BARE large, BARE rest);                                                          \
        break;                                                                                    \
    case LARGE_REQUESTS:                                                                          \
        requesting##_c(BARE large, BARE rest, &request);                                          \
        break;
#else
enum { FORMS_HERE = LARGE };
#define LARGE_FORMS(name, requesting, large, rest)
#endif

#define BARE(...) __VA_ARGS__

/* `small` and `large` are the same arguments, but for the size of their numbers. `request` stays
 * MPI_REQUEST_NULL where there is none. */
#define MAKE(form, name, requesting, small, large, rest)                                          \
    switch (form) {                                                                               \
    case WAITS:                                                                                   \
        name(BARE small, BARE rest);                                                              \
        break;                                                                                    \
    case REQUESTS:                                                                                \
        requesting(BARE small, BARE rest, &request);                                              \
        break;                                                                                    \
        LARGE_FORMS(name, requesting, large, rest)                                                \
    default:                                                                                      \
        judge(0, "a form that is not here");                                                      \
    }

enum { ENDS = 8 };

/* In one of the ways there are. */
static inline void end_request(MPI_Request *request, int way)
{
    MPI_Request two[2] = {MPI_REQUEST_NULL, *request};
    MPI_Status status, statuses[2];
    int is_over = 0, index = 0, done = 0, indices[2];
    switch (way) {
    case 0:
        MPI_Wait(request, &status);
        break;
    case 1:
        while (!is_over)
            MPI_Test(request, &is_over, &status);
        break;
    case 2:
        MPI_Waitany(2, two, &index, &status);
        break;
    case 3:
        MPI_Waitall(2, two, statuses);
        break;
    case 4:
        MPI_Waitsome(2, two, &done, indices, statuses);
        break;
    case 5:
        while (done == 0)
            MPI_Testsome(2, two, &done, indices, statuses);
        break;
    case 6:
        while (!is_over)
            MPI_Testany(2, two, &index, &is_over, &status);
        break;
    default:
        while (!is_over)
            MPI_Request_get_status(*request, &is_over, &status);
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    if (way >= 2 && way <= 6)
        *request = two[1];
}

#endif
