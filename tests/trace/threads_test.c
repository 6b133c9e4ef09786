/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A ring of trace records: what fits is kept, the oldest are overwritten, and of records that
 * several threads add while another reads, none is ever half old and half new.
 */
#include "trace/ring.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "support/tap.h"

#define WRITERS 4u
#define EACH 20000u

/* Every field follows from one number. */
static struct weft_trace_record record_of(uint32_t number)
{
    return (struct weft_trace_record){.trace = {.time = number,
                                                .a = UINT64_MAX - number,
                                                .b = (uint64_t)number << 32,
                                                .what = number ^ 1,
                                                .peer_nid = number ^ 2,
                                                .peer_pid = number ^ 3},
                                      .nid = number ^ 4,
                                      .pid = number ^ 5};
}

static bool is_equal(const struct weft_trace_record *x, const struct weft_trace_record *y)
{
    return x->trace.time == y->trace.time && x->trace.a == y->trace.a &&
           x->trace.b == y->trace.b && x->trace.what == y->trace.what &&
           x->trace.peer_nid == y->trace.peer_nid && x->trace.peer_pid == y->trace.peer_pid &&
           x->nid == y->nid && x->pid == y->pid;
}

static bool is_whole(const struct weft_trace_record *record)
{
    struct weft_trace_record expected = record_of((uint32_t)record->trace.time);
    return is_equal(record, &expected);
}

static void add(struct weft_trace_ring *ring, uint32_t number)
{
    struct weft_trace_record record = record_of(number);
    weft_trace_ring_add(ring, &record);
}

static struct weft_trace_ring *make(uint64_t records)
{
    struct weft_trace_ring *ring = weft_trace_ring_open(records);
    if (!ring)
        abort();
    return ring;
}

/* ---- One thread --------------------------------------------------------------------------- */

static void what_fits_is_kept(void)
{
    struct weft_trace_ring *ring = make(5); /* room for 8 */
    struct weft_trace_record record;
    check_uint(weft_trace_ring_total(ring), 0);
    check_uint(weft_trace_ring_first(ring), 0);
    check(!weft_trace_ring_read(ring, 0, &record));
    for (uint32_t i = 0; i < 8; i++)
        add(ring, 100 + i);
    check_uint(weft_trace_ring_total(ring), 8);
    check_uint(weft_trace_ring_first(ring), 0);
    bool all = true;
    for (uint32_t i = 0; i < 8; i++)
        all = all && weft_trace_ring_read(ring, i, &record) && record.trace.time == 100 + i &&
              is_whole(&record);
    check(all);
    check(!weft_trace_ring_read(ring, 8, &record));
    weft_trace_ring_close(ring);
}

static void the_oldest_are_overwritten(void)
{
    struct weft_trace_ring *ring = make(8);
    struct weft_trace_record record;
    for (uint32_t i = 0; i < 21; i++)
        add(ring, i);
    check_uint(weft_trace_ring_total(ring), 21);
    check_uint(weft_trace_ring_first(ring), 13);
    bool lost = false, kept = true;
    for (uint32_t i = 0; i < 13; i++)
        lost = lost || weft_trace_ring_read(ring, i, &record);
    for (uint32_t i = 13; i < 21; i++)
        kept = kept && weft_trace_ring_read(ring, i, &record) && record.trace.time == i;
    check(!lost);
    check(kept);
    weft_trace_ring_close(ring);
}

static void absurd_lengths_are_refused(void)
{
    check(weft_trace_ring_open(UINT64_MAX) == NULL);
    check(weft_trace_ring_open((UINT64_C(1) << 32) + 1) == NULL);
    struct weft_trace_ring *ring = make(0);
    struct weft_trace_record record;
    add(ring, 7);
    check(weft_trace_ring_read(ring, 0, &record) && is_whole(&record));
    weft_trace_ring_close(ring);
}

/* ---- Several ------------------------------------------------------------------------------ */

struct writer {
    struct weft_trace_ring *ring;
    uint32_t first;
    atomic_uint *left;
};

static void *write_records(void *argument)
{
    const struct writer *writer = argument;
    for (uint32_t i = 0; i < EACH; i++)
        add(writer->ring, writer->first + i);
    atomic_fetch_sub(writer->left, 1);
    return NULL;
}

/* What can be read of the ring; counts what is torn. */
static uint64_t read_all(const struct weft_trace_ring *ring, unsigned *torn)
{
    uint64_t whole = 0;
    struct weft_trace_record record;
    uint64_t end = weft_trace_ring_total(ring);
    for (uint64_t i = weft_trace_ring_first(ring); i < end; i++)
        if (weft_trace_ring_read(ring, i, &record)) {
            whole++;
            *torn += !is_whole(&record);
        }
    return whole;
}

/* Returns how many records were there at the end. */
static uint64_t race(uint64_t room)
{
    pthread_t threads[WRITERS];
    struct writer writers[WRITERS];
    atomic_uint left = WRITERS;
    unsigned torn = 0;
    struct weft_trace_ring *ring = make(room);
    for (uint32_t i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){ring, i * EACH, &left};
        if (pthread_create(&threads[i], NULL, write_records, &writers[i]))
            abort();
    }
    while (atomic_load(&left))
        read_all(ring, &torn);
    for (uint32_t i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    check_uint(weft_trace_ring_total(ring), WRITERS * EACH);
    uint64_t whole = read_all(ring, &torn);
    check_uint(torn, 0);
    weft_trace_ring_close(ring);
    return whole;
}

int main(void)
{
    what_fits_is_kept();
    the_oldest_are_overwritten();
    absurd_lengths_are_refused();
    check_uint(race(WRITERS * EACH), WRITERS * EACH);
    check(race(64) <= 64);
    check(race(2) <= 2); /* writers overtake each other */
    return tap_done();
}
