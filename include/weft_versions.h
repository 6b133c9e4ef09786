/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Versions of a solo collective: several executions are posted beforehand, one after the other,
 * and any process starts the next at any time. Each runs once, whoever and however many start it,
 * on the NICs of all who have posted it: they need not be there. The NIC that has done with one
 * goes on to the next.
 *
 * Versions are counted from 0, in all processes alike. All processes open the same, with as many
 * posted at a time. Calls return WEFT_OK or a negative code of weft.h, and set their outputs only
 * on success.
 */
#ifndef WEFT_VERSIONS_H
#define WEFT_VERSIONS_H

#include <weft_collective.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_versions weft_versions;

/* Adds the collective to the schedule of a slot: version v is in slot v modulo their number. */
typedef int weft_versions_build(weft_schedule *schedule, unsigned slot, void *argument);

/* Which memory is that of a slot alone. Memory of the other kind is one for all versions: sources
 * have the last value that the process has given them, results those of the last version. */
enum {
    WEFT_VERSIONS_SOURCES = 1, /* a version waits until this process has filled its sources */
    WEFT_VERSIONS_RESULTS = 2  /* results stay until the process gives them back */
};

/* Numbers of schedules from `number` on, one for each slot, are taken, and not used again; tag 0
 * is, too. */
WEFT_API int weft_versions_open(weft_engine *engine, uint16_t number, unsigned slots,
                                unsigned pipelined, weft_versions_build *build, void *argument,
                                weft_versions **out);

/* Nobody may wait for a version any more. NULL is allowed. */
WEFT_API void weft_versions_close(weft_versions *versions);

/* Starts the first version that has not been started, as far as is known here. WEFT_ERR_BUSY: all
 * that are posted have. `version` may be NULL. */
WEFT_API int weft_versions_start(weft_versions *versions, uint64_t *version);

/* WEFT_OK when the version is complete here, WEFT_ERR_TIMEOUT when for so many milliseconds none
 * has become complete; a negative number stands for ever. */
WEFT_API int weft_versions_wait(weft_versions *versions, uint64_t version, int milliseconds);

/* Of how many versions is known that they are complete here: those that came first. */
WEFT_API uint64_t weft_versions_complete(weft_versions *versions);

/* The process gets the memory, and the first version that has not begun here does not begin before
 * it gives that back; which, it is told. Versions that have begun are waited for. With
 * WEFT_VERSIONS_SOURCES it gets the sources of the first version that it has not filled, and
 * nothing else. It has the results of the version before as soon as that is complete. */
WEFT_API int weft_versions_own(weft_versions *versions, int milliseconds, uint64_t *version);
WEFT_API int weft_versions_disown(weft_versions *versions);

/* With WEFT_VERSIONS_RESULTS: the process no longer needs those of the oldest complete version. */
WEFT_API int weft_versions_recycle(weft_versions *versions);

#ifdef __cplusplus
}
#endif

#endif
