/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <weft_handlers.h>

#include "spin/spin.h"

#define CLIENTS 3
#define PAIRS 60u /* of each client */

static void *serve(struct job *job, const struct weft_handler_keyvalue *shape)
{
    void *table = job_memory(job, weft_handler_keyvalue_size(shape));
    ptl_handlers_t handlers;
    ok(weft_handler_keyvalue(job->ni, shape, table, &handlers));
    post_spin(&handlers, NULL, 0, .options = PTL_ME_OP_PUT);
    return table;
}

static void insert(struct job *job, const char *key, const char *value, ptl_ni_fail_t fail)
{
    struct weft_handler_pair *pair = job_memory(job, sizeof *pair);
    ptl_size_t size =
        weft_handler_pair_fill(pair, key, (uint32_t)strlen(key), value, (uint32_t)strlen(value));
    ptl_handle_md_t md = job_md(job, pair, size);
    holds(size > 0);
    ok(put(md, size, .ack = PTL_ACK_REQ));
    next_failure(job->eq, PTL_EVENT_ACK, fail);
    ok(PtlMDRelease(md));
}

static bool has(const struct weft_handler_keyvalue *shape, const void *table, const char *key,
                const char *value)
{
    uint32_t length = 0;
    const void *found =
        weft_handler_keyvalue_find(shape, table, key, (uint32_t)strlen(key), &length);
    return found && length == strlen(value) && memcmp(found, value, length) == 0;
}

/* Keys that one client has alone, and those that all have. */
static void name(char *key, char *value, unsigned rank, unsigned i)
{
    unsigned owner = i % 3 ? rank : 0;
    snprintf(key, 32, "key %u of %u", i, owner);
    snprintf(value, 32, "value %u of %u", i, owner);
}

/* Free of memory of the job, of which a behaviour has only so many pieces. */
static void insert_many(struct job *job)
{
    struct weft_handler_pair pair;
    char key[32], value[32];
    ptl_handle_md_t md = job_md(job, &pair, sizeof pair);
    for (unsigned i = 0; i < PAIRS; i++) {
        name(key, value, job->rank, i);
        ptl_size_t size = weft_handler_pair_fill(&pair, key, (uint32_t)strlen(key), value,
                                                 (uint32_t)strlen(value));
        ok(put(md, size, .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
    }
    ok(PtlMDRelease(md));
}

static void check_all(struct job *job, const struct weft_handler_keyvalue *shape,
                      const void *table)
{
    char key[32], value[32];
    unsigned missing = 0;
    for (unsigned rank = 1; rank <= CLIENTS; rank++)
        for (unsigned i = 0; i < PAIRS; i++) {
            name(key, value, rank, i);
            missing += !has(shape, table, key, value);
        }
    equals(missing, 0);
    holds(!has(shape, table, "no key", ""));
}

BEHAVIOUR("key-value: clients insert at once, and the host hears nothing of it", SPIN,
          .ranks = CLIENTS + 1)
{
    static const struct weft_handler_keyvalue shape = {
        .buckets = 64, .heap = 65536, .queue = 4, .steps = 100};
    const void *table = job->target ? serve(job, &shape) : NULL;
    job_barrier(job);
    if (job->initiator)
        insert_many(job);
    job_barrier(job);
    if (job->target) {
        check_all(job, &shape, table);
        no_event(job->target_eq);
    }
    job_barrier(job);
}

BEHAVIOUR("key-value: what is too far along a chain is left to the host, with an event", SPIN,
          .ranks = CLIENTS + 1)
{
    static const struct weft_handler_keyvalue shape = {
        .buckets = 2, .heap = 65536, .queue = CLIENTS * PAIRS, .steps = 4};
    void *table = job->target ? serve(job, &shape) : NULL;
    job_barrier(job);
    if (job->initiator)
        insert_many(job);
    job_barrier(job);
    if (job->target) {
        ptl_event_t event;
        unsigned events = 0;
        while (PtlEQGet(job->target_eq, &event) == PTL_OK) {
            events++;
            equals(event.type, PTL_EVENT_PUT);
            equals(event.ni_fail_type, PTL_NI_OK);
        }
        holds(events > CLIENTS * PAIRS / 2);
        equals(weft_handler_keyvalue_work(&shape, table), events);
        equals(weft_handler_keyvalue_work(&shape, table), 0);
        check_all(job, &shape, table);
    }
    job_barrier(job);
}

BEHAVIOUR("key-value: a key keeps its first value, and full tables refuse", SPIN, .ranks = 2)
{
    static const struct weft_handler_keyvalue shape = {
        .buckets = 1, .heap = 80, .queue = 1, .steps = 2};
    void *table = job->target ? serve(job, &shape) : NULL;
    job_barrier(job);
    if (job->initiator) {
        insert(job, "a", "first", PTL_NI_OK);
        insert(job, "a", "second", PTL_NI_OK);
        insert(job, "b", "other", PTL_NI_OK);
        insert(job, "c", "for the host", PTL_NI_OK);
        insert(job, "d", "no place in the queue", PTL_NI_HANDLER);
    }
    job_barrier(job);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        next_failure(job->target_eq, PTL_EVENT_PUT, PTL_NI_HANDLER);
        no_event(job->target_eq);
        holds(has(&shape, table, "a", "first"));
        holds(has(&shape, table, "b", "other"));
        holds(!has(&shape, table, "c", "for the host"));
        equals(weft_handler_keyvalue_work(&shape, table), 0); /* no room in the heap */
    }
    job_barrier(job);
}

BEHAVIOUR("key-value: what is no pair is refused", SPIN, .ranks = 2)
{
    static const struct weft_handler_keyvalue shape = {
        .buckets = 1, .heap = 1000, .queue = 1, .steps = 2};
    if (job->target)
        serve(job, &shape);
    job_barrier(job);
    if (job->initiator) {
        struct weft_handler_pair *pairs = job_memory(job, 2 * sizeof *pairs);
        ptl_handle_md_t md = job_md(job, pairs, 2 * sizeof *pairs);
        static const struct {
            uint32_t key, value;
            ptl_size_t size;
        } wrong[] = {{0, 0, 0},     {0, 0, 8},           {1, 1, 17},   {1, 1, 19},
                     {241, 0, 256}, {UINT32_MAX, 2, 17}, {240, 0, 257}};
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            pairs->key_length = wrong[i].key;
            pairs->value_length = wrong[i].value;
            ok(put(md, wrong[i].size, .ack = PTL_ACK_REQ));
            next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_HANDLER);
        }
        holds(weft_handler_pair_fill(pairs, pairs, 200, pairs, 41) == 0);
    }
    job_barrier(job);
}

/* ---- Asking and deleting ------------------------------------------------------------------ */

#define GET 1
#define DELETE 2
#define ANSWER 3

static void *serve_all(struct job *job, const struct weft_handler_keyvalue *shape)
{
    void *table = serve(job, shape);
    ptl_handlers_t handlers;
    ok(weft_handler_keyvalue_get(job->ni, shape, table, &handlers));
    post_spin(&handlers, NULL, 0, .bits = GET, .options = PTL_ME_OP_PUT);
    ok(weft_handler_keyvalue_delete(job->ni, shape, table, &handlers));
    post_spin(&handlers, NULL, 0, .bits = DELETE, .options = PTL_ME_OP_PUT);
    return table;
}

static void send_key(struct job *job, const char *key, ptl_match_bits_t bits)
{
    struct weft_handler_pair pair;
    ptl_handle_md_t md = job_md(job, &pair, sizeof pair);
    ptl_size_t size = weft_handler_pair_fill(&pair, key, (uint32_t)strlen(key), NULL, 0);
    ok(put(md, size, .bits = bits, .hdr_data = ANSWER, .ack = PTL_ACK_REQ));
    next_event(job->eq, PTL_EVENT_ACK);
    ok(PtlMDRelease(md));
}

/* `value` is NULL if there shall be none. */
static void expect(struct job *job, unsigned char *answer, const char *key, const char *value,
                   ptl_hdr_data_t outcome)
{
    send_key(job, key, GET);
    ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
    equals(event.hdr_data, outcome);
    equals(event.mlength, value ? strlen(value) : 0);
    holds(!value || memcmp(answer, value, strlen(value)) == 0);
}

BEHAVIOUR("key-value: clients get values and delete keys, and the host hears nothing of it", SPIN,
          .ranks = 2)
{
    static const struct weft_handler_keyvalue shape = {
        .buckets = 1, .heap = 4096, .queue = 1, .steps = 10};
    void *table = job->target ? serve_all(job, &shape) : NULL;
    unsigned char *answer = job_memory(job, WEFT_HANDLER_PAIR_BYTES);
    if (job->initiator)
        post(answer, WEFT_HANDLER_PAIR_BYTES, PTL_ME_OP_PUT, .bits = ANSWER);
    job_barrier(job);
    if (job->initiator) {
        expect(job, answer, "a", NULL, WEFT_HANDLER_ABSENT);
        insert(job, "a", "first", PTL_NI_OK);
        insert(job, "b", "", PTL_NI_OK);
        insert(job, "c", "third", PTL_NI_OK);
        expect(job, answer, "a", "first", WEFT_HANDLER_FOUND);
        expect(job, answer, "b", "", WEFT_HANDLER_FOUND);
        send_key(job, "a", DELETE);
        send_key(job, "nobody has it", DELETE);
        expect(job, answer, "a", NULL, WEFT_HANDLER_ABSENT);
        expect(job, answer, "c", "third", WEFT_HANDLER_FOUND);
        insert(job, "a", "another", PTL_NI_OK);
        expect(job, answer, "a", "another", WEFT_HANDLER_FOUND);
    }
    job_barrier(job);
    if (job->target) {
        holds(has(&shape, table, "a", "another"));
        no_event(job->target_eq);
    }
    job_barrier(job);
}

BEHAVIOUR("key-value: what is too far to ask or to delete is the host's", SPIN, .ranks = 2)
{
    static const struct weft_handler_keyvalue shape = {
        .buckets = 1, .heap = 4096, .queue = 4, .steps = 2};
    void *table = job->target ? serve_all(job, &shape) : NULL;
    unsigned char *answer = job_memory(job, WEFT_HANDLER_PAIR_BYTES);
    if (job->initiator)
        post(answer, WEFT_HANDLER_PAIR_BYTES, PTL_ME_OP_PUT, .bits = ANSWER);
    job_barrier(job);
    if (job->initiator) {
        insert(job, "a", "1", PTL_NI_OK);
        insert(job, "b", "2", PTL_NI_OK);
        insert(job, "c", "for the host", PTL_NI_OK);
        expect(job, answer, "c", NULL, WEFT_HANDLER_TOO_FAR);
        send_key(job, "c", DELETE);
    }
    job_barrier(job);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        next_event(job->target_eq, PTL_EVENT_PUT);
        equals(weft_handler_keyvalue_work(&shape, table), 2); /* inserts it and deletes it */
        holds(!has(&shape, table, "c", "for the host"));
        holds(has(&shape, table, "b", "2"));
        no_event(job->target_eq);
    }
    job_barrier(job);
}

/* Each client deletes a third of what all have inserted. */
BEHAVIOUR("key-value: clients delete at once", SPIN, .ranks = CLIENTS + 1)
{
    static const struct weft_handler_keyvalue shape = {
        .buckets = 8, .heap = 65536, .queue = 1, .steps = 1000};
    void *table = job->target ? serve_all(job, &shape) : NULL;
    char key[32], value[32];
    job_barrier(job);
    if (job->initiator)
        insert_many(job);
    job_barrier(job);
    for (unsigned i = 0; i < PAIRS && job->initiator; i++) {
        name(key, value, 1 + i % CLIENTS, i);
        if (i % 2)
            send_key(job, key, DELETE);
    }
    job_barrier(job);
    for (unsigned i = 0; i < PAIRS && job->target; i++) {
        name(key, value, 1 + i % CLIENTS, i);
        equals(has(&shape, table, key, value), i % 2 == 0);
    }
    job_barrier(job);
}
