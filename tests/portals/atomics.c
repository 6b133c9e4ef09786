/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic operations and swaps, each on every type that it is for, against the model. */
#include "portals/job.h"
#include "portals/operations.h"

/* Items of both sides, so that every operation has something to tell apart: less, equal, more,
 * zero, negative where there is such. */
static const int targets[] = {0, 1, 5, 7, -3, 100, 6, 0, 12, -1, 3};
static const int data[] = {0, 5, 1, 7, 4, -100, 5, 9, 0, -1, 3};
static const int operands[] = {0, 1, 6, 2, -3, 99, 7, 1, 12, -2, 3};
#define ITEMS (sizeof targets / sizeof *targets)

struct items {
    unsigned char target[ITEMS * OPERATIONS_ITEM];
    unsigned char data[ITEMS * OPERATIONS_ITEM];
    unsigned char operand[ITEMS * OPERATIONS_ITEM];
    unsigned char before[ITEMS * OPERATIONS_ITEM]; /* what fetching operations bring */
};

static void set_items(struct items *items, ptl_datatype_t type)
{
    memset(items, 0, sizeof *items);
    for (size_t i = 0; i < ITEMS; i++) {
        size_t at = i * type_size(type);
        item_set(type, items->target + at, targets[i], targets[ITEMS - 1 - i]);
        item_set(type, items->data + at, data[i], data[ITEMS - 1 - i]);
        /* Some complex operands equal the target in both parts, some in one. */
        item_set(type, items->operand + at, operands[i],
                 i % 4 ? targets[ITEMS - 1 - i] : operands[ITEMS - 1 - i]);
    }
}

/* Bytes of complex operations at the edge of what a message may have are sent in two. */
static ptl_size_t batch(const struct job *job, ptl_datatype_t type)
{
    ptl_size_t most = job->limits.max_fetch_atomic_size / type_size(type);
    return (most < ITEMS ? most : ITEMS) * type_size(type);
}

/* The target's items must be what the model says, and so must those that came back. */
static void compare(struct job *job, ptl_op_t operation, ptl_datatype_t type,
                    const unsigned char *after, const unsigned char *back)
{
    struct items *model = job_memory(job, sizeof *model);
    set_items(model, type);
    for (size_t i = 0; i < ITEMS; i++) {
        size_t at = i * type_size(type);
        if (back)
            holds(item_equal(type, back + at, model->target + at));
        if (!after)
            continue;
        model_apply(operation, type, model->target + at, model->data + at,
                    has_operand(operation) ? model->operand + at : NULL);
        if (!holds(item_equal(type, after + at, model->target + at)))
            equals(type * 100 + i, 0); /* says which */
    }
}

/* One operation on all items of one type. */
static void send_items(struct job *job, ptl_op_t operation, ptl_datatype_t type, bool fetches,
                       struct items *mine)
{
    ptl_size_t size = ITEMS * type_size(type);
    ptl_handle_ct_t done = job_ct(job);
    unsigned options = PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_CT_BYTES;
    ptl_handle_md_t out = job_bind(job, mine->data, size, options, PTL_EQ_NONE, done);
    ptl_handle_md_t in = job_bind(job, mine->before, size, options, PTL_EQ_NONE, done);
    ptl_size_t step = has_operand(operation) ? type_size(type) : batch(job, type);
    for (ptl_size_t at = 0; at < size; at += step) {
        struct message m =
            MESSAGE(out, size - at < step ? size - at : step, .local_offset = at, .get_md = in,
                    .get_offset = at, .remote_offset = at, .ack = PTL_CT_ACK_REQ,
                    .operation = operation, .datatype = type, .operand = mine->operand + at);
        if (is_swap(operation, type))
            ok(job_swap(m));
        else if (fetches)
            ok(job_fetch(m));
        else
            ok(job_atomic(m));
    }
    counts(done, size, 0);
    ok(PtlMDRelease(out));
    ok(PtlMDRelease(in));
    ok(PtlCTFree(done));
}

static void try_all_types(struct job *job, ptl_op_t operation, bool fetches)
{
    struct items *mine = job_memory(job, sizeof *mine);
    for (ptl_datatype_t type = 0; type < PTL_DATATYPE_LAST; type++) {
        if (!is_atomic(operation, type) && !is_swap(operation, type))
            continue;
        ptl_handle_me_t entry = PTL_INVALID_HANDLE;
        set_items(mine, type);
        if (job->target)
            entry = post(mine->target, sizeof mine->target,
                         PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE);
        job_barrier(job);
        if (job->initiator)
            send_items(job, operation, type, fetches, mine);
        job_barrier(job);
        compare(job, operation, type, job->target ? mine->target : NULL,
                job->initiator && fetches ? mine->before : NULL);
        if (job->target)
            ok(job_unlink(job, entry));
    }
}

#define OPERATION(name)                                                                           \
    BEHAVIOUR_AS(atomic_##name, "PtlAtomic with PTL_" #name " does on every type what C does")    \
    {                                                                                             \
        try_all_types(job, PTL_##name, false);                                                    \
    }                                                                                             \
    BEHAVIOUR_AS(fetch_##name, "PtlFetchAtomic with PTL_" #name                                   \
                               " does the same and brings what was there before")                 \
    {                                                                                             \
        try_all_types(job, PTL_##name, true);                                                     \
    }
OPERATION(MIN)
OPERATION(MAX)
OPERATION(SUM)
OPERATION(PROD)
OPERATION(LOR)
OPERATION(LAND)
OPERATION(BOR)
OPERATION(BAND)
OPERATION(LXOR)
OPERATION(BXOR)
OPERATION(DIFF)

#define SWAP_OPERATION(name)                                                                      \
    BEHAVIOUR_AS(swap_##name, "PtlSwap with PTL_" #name                                           \
                              " swaps what C would, on every type, and brings the old value")     \
    {                                                                                             \
        try_all_types(job, PTL_##name, true);                                                     \
    }
SWAP_OPERATION(SWAP)
SWAP_OPERATION(CSWAP)
SWAP_OPERATION(CSWAP_NE)
SWAP_OPERATION(CSWAP_LE)
SWAP_OPERATION(CSWAP_LT)
SWAP_OPERATION(CSWAP_GE)
SWAP_OPERATION(CSWAP_GT)
SWAP_OPERATION(MSWAP)

/* ---- What is not allowed ------------------------------------------------------------------ */

BEHAVIOUR("an operation that a type does not have is refused", .ranks = 1)
{
    ptl_handle_md_t md = job_md(job, job_memory(job, 64), 64);
    ptl_handle_md_t in = job_md(job, job_memory(job, 64), 64);
    char operand[OPERATIONS_ITEM] = {0};
    for (ptl_op_t op = 0; op <= PTL_OP_LAST; op++)
        for (ptl_datatype_t type = 0; type < PTL_DATATYPE_LAST; type++) {
            struct message m = MESSAGE(md, type_size(type), .get_md = in, .operand = operand,
                                       .operation = op, .datatype = type);
            if (op == PTL_OP_LAST || !is_atomic(op, type)) {
                gives(PTL_ARG_INVALID, job_atomic(m));
                gives(PTL_ARG_INVALID, job_fetch(m));
            }
            if (op == PTL_OP_LAST || !is_swap(op, type))
                gives(PTL_ARG_INVALID, job_swap(m));
        }
    gives(PTL_ARG_INVALID, atomic(md, 8, .operation = PTL_SUM, .datatype = PTL_DATATYPE_LAST));
}

BEHAVIOUR("a length that is not a number of items is refused", .ranks = 1)
{
    ptl_handle_md_t md = job_md(job, job_memory(job, 64), 64);
    ptl_handle_md_t in = job_md(job, job_memory(job, 64), 64);
    gives(PTL_ARG_INVALID, atomic(md, 7, .operation = PTL_SUM, .datatype = PTL_UINT64_T));
    gives(PTL_ARG_INVALID, atomic(md, 12, .operation = PTL_SUM, .datatype = PTL_DOUBLE));
    gives(PTL_ARG_INVALID,
          fetch(md, 3, .get_md = in, .operation = PTL_SUM, .datatype = PTL_UINT16_T));
    gives(PTL_ARG_INVALID,
          swap(md, 9, .get_md = in, .operation = PTL_SWAP, .datatype = PTL_UINT64_T));
}

BEHAVIOUR("a conditional or masked swap has one item and an operand", .ranks = 1)
{
    ptl_handle_md_t md = job_md(job, job_memory(job, 64), 64);
    ptl_handle_md_t in = job_md(job, job_memory(job, 64), 64);
    uint64_t operand[2] = {0, 0};
    for (ptl_op_t op = PTL_CSWAP; op <= PTL_MSWAP; op++) {
        gives(PTL_ARG_INVALID, swap(md, 16, .get_md = in, .operation = op, .operand = operand,
                                    .datatype = PTL_UINT64_T));
        gives(PTL_ARG_INVALID,
              swap(md, 8, .get_md = in, .operation = op, .datatype = PTL_UINT64_T));
    }
}

/* ---- Events and lengths ------------------------------------------------------------------- */

BEHAVIOUR("the events of atomic operations tell operation, type and header")
{
    uint32_t *value = job_memory(job, 16);
    if (job->target)
        post(value, 16, PTL_ME_OP_PUT | PTL_ME_OP_GET, .bits = 6, .user_ptr = value);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, 16), 16);
        ptl_handle_md_t in = job_md(job, job_memory(job, 16), 16);
        ok(atomic(md, 8, .remote_offset = 4, .bits = 6, .hdr_data = 11, .operation = PTL_BXOR,
                  .datatype = PTL_UINT32_T));
        ok(fetch(md, 16, .get_md = in, .bits = 6, .hdr_data = 12, .operation = PTL_MAX,
                 .datatype = PTL_FLOAT));
        ok(swap(md, 4, .get_md = in, .bits = 6, .hdr_data = 13, .operation = PTL_SWAP,
                .datatype = PTL_INT32_T));
        next_event(job->eq, PTL_EVENT_REPLY);
        next_event(job->eq, PTL_EVENT_REPLY);
    }
    if (job->target) {
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_ATOMIC);
        equals(event.atomic_operation, PTL_BXOR);
        equals(event.atomic_type, PTL_UINT32_T);
        equals(event.hdr_data, 11);
        equals(event.mlength, 8);
        equals(event.remote_offset, 4);
        holds(event.start == value + 1 && event.user_ptr == value);
        event = next_event(job->target_eq, PTL_EVENT_FETCH_ATOMIC);
        equals(event.atomic_operation, PTL_MAX);
        equals(event.atomic_type, PTL_FLOAT);
        equals(event.hdr_data, 12);
        equals(event.rlength, 16);
        event = next_event(job->target_eq, PTL_EVENT_FETCH_ATOMIC);
        equals(event.atomic_operation, PTL_SWAP);
        equals(event.atomic_type, PTL_INT32_T);
        equals(event.hdr_data, 13);
    }
    job_barrier(job);
}

BEHAVIOUR("a fetching operation gives SEND for what it sends and REPLY for what comes back")
{
    if (job->target)
        post(job_memory(job, 8), 8, PTL_ME_OP_PUT | PTL_ME_OP_GET);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_eq_t sends = job_eq(job, 8), replies = job_eq(job, 8);
        ptl_handle_md_t md = job_bind(job, job_memory(job, 8), 8, 0, sends, PTL_CT_NONE);
        ptl_handle_md_t in = job_bind(job, job_memory(job, 8), 8, 0, replies, PTL_CT_NONE);
        ok(fetch(md, 8, .get_md = in, .user_ptr = &in, .operation = PTL_SUM,
                 .datatype = PTL_UINT64_T));
        holds(next_event(sends, PTL_EVENT_SEND).user_ptr == &in);
        ptl_event_t event = next_event(replies, PTL_EVENT_REPLY);
        holds(event.user_ptr == &in);
        equals(event.mlength, 8);
        no_event(sends);
        no_event(replies);
    }
    job_barrier(job);
}

BEHAVIOUR("an atomic operation longer than its entry changes only whole items inside")
{
    uint64_t *value = job_memory(job, 32);
    if (job->target)
        post(value, 16, PTL_ME_OP_PUT | PTL_ME_OP_GET);
    job_barrier(job);
    if (job->initiator) {
        uint64_t *out = job_memory(job, 32);
        for (unsigned i = 0; i < 4; i++)
            out[i] = i + 1;
        ok(atomic(job_md(job, out, 32), 32, .ack = PTL_ACK_REQ, .operation = PTL_SUM,
                  .datatype = PTL_UINT64_T));
        equals(next_event(job->eq, PTL_EVENT_ACK).mlength, 16);
    }
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_ATOMIC);
        holds(value[0] == 1 && value[1] == 2 && value[2] == 0 && value[3] == 0);
    }
    job_barrier(job);
}

BEHAVIOUR("an atomic operation of max_atomic_size bytes changes every item")
{
    ptl_size_t size = job->limits.max_atomic_size / 4 * 4;
    uint32_t *value = job_memory(job, size);
    if (job->target) {
        for (uint32_t i = 0; i < size / 4; i++)
            value[i] = i;
        post(value, size, PTL_ME_OP_PUT);
    }
    job_barrier(job);
    if (job->initiator) {
        uint32_t *out = job_memory(job, size);
        for (uint32_t i = 0; i < size / 4; i++)
            out[i] = 2 * i + 1;
        ok(atomic(job_md(job, out, size), size, .operation = PTL_SUM, .datatype = PTL_UINT32_T));
    }
    if (job->target) {
        equals(next_event(job->target_eq, PTL_EVENT_ATOMIC).mlength, size);
        for (uint32_t i = 0; i < size / 4; i++)
            equals(value[i], 3 * i + 1);
    }
    job_barrier(job);
}

BEHAVIOUR("no increment of many initiators is lost", .ranks = 6, .sim_ranks = 32)
{
    enum { EACH = 50 };
    uint64_t *value = job_memory(job, 8);
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target)
        post(value, 8,
             PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM,
             .ct = &ct);
    job_barrier(job);
    if (job->initiator) {
        uint64_t *one = job_memory(job, 8), *old = job_memory(job, 8), last = 0;
        *one = 1;
        ptl_handle_md_t md = job_md(job, one, 8), in = job_md(job, old, 8);
        for (unsigned i = 0; i < EACH; i++) {
            ok(fetch(md, 8, .get_md = in, .operation = PTL_SUM, .datatype = PTL_UINT64_T));
            next_event(job->eq, PTL_EVENT_REPLY);
            holds(i == 0 || *old > last); /* each sees a number that no other has seen */
            last = *old;
        }
    }
    if (job->target) {
        counts(ct, EACH * (job->size - 1), 0);
        equals(*value, EACH * (job->size - 1));
    }
    job_barrier(job);
}

BEHAVIOUR("a lock of compare-and-swaps lets one in at a time", .ranks = 4, .sim_ranks = 8)
{
    enum { EACH = 10 };
    uint64_t *shared = job_memory(job, 16); /* the lock, and what it guards */
    if (job->target)
        post(shared, 16, PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE);
    job_barrier(job);
    if (job->initiator) {
        uint64_t *mine = job_memory(job, 8), *old = job_memory(job, 8), *copy = job_memory(job, 8);
        ptl_handle_md_t md = job_md(job, mine, 8), in = job_md(job, old, 8);
        ptl_handle_md_t data_md = job_md(job, copy, 8);
        for (unsigned i = 0; i < EACH; i++) {
            const uint64_t nobody = 0, me = job->rank;
            do {
                *mine = job->rank;
                ok(swap(md, 8, .get_md = in, .operation = PTL_CSWAP, .operand = &nobody,
                        .datatype = PTL_UINT64_T));
                next_event(job->eq, PTL_EVENT_REPLY);
            } while (*old != 0 && !atomic_load(&job->verdict->failures));
            ok(get(data_md, 8, .remote_offset = 8));
            next_event(job->eq, PTL_EVENT_REPLY);
            ++*copy;
            ok(put(data_md, 8, .remote_offset = 8, .ack = PTL_ACK_REQ));
            next_event(job->eq, PTL_EVENT_ACK);
            *mine = 0;
            ok(swap(md, 8, .get_md = in, .operation = PTL_CSWAP, .operand = &me,
                    .datatype = PTL_UINT64_T));
            next_event(job->eq, PTL_EVENT_REPLY);
            equals(*old, job->rank);
        }
    }
    job_barrier(job);
    if (job->target)
        equals(shared[1], EACH * (job->size - 1));
}
