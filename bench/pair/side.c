/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/pair/side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weft/command.h"

/* Events of a target that wait to be read: two windows, or whatever is larger. */
#define QUEUE 4096

/* ---- Failures ----------------------------------------------------------------------------- */

_Noreturn void side_fail(const char *what)
{
    fprintf(stderr, "weft bench: %s\n", what);
    _exit(WEFT_EXIT_FAILED);
}

void side_must(int result, const char *what)
{
    static const char *const texts[] = {
#define TEXT(name, text) [PTL_##name] = text,
        PTL_RETURN_MAP(TEXT)
#undef TEXT
    };
    if (result == PTL_OK)
        return;
    fprintf(stderr, "weft bench: %.*s: %s\n", (int)strcspn(what, "("), what, texts[result]);
    _exit(WEFT_EXIT_FAILED);
}

void *side_allocate(size_t bytes)
{
    void *memory = calloc(bytes ? bytes : 1, 1);
    if (!memory)
        side_fail("out of memory: try smaller sizes");
    return memory;
}

/* ---- Portals ------------------------------------------------------------------------------ */

void side_put(struct side *side, ptl_pt_index_t pt_index, ptl_match_bits_t bits, size_t size)
{
    SIDE_MUST(PtlPut(side->md, 0, size, PTL_NO_ACK_REQ, side->other, pt_index, bits, 0, NULL, 0));
}

void side_expect(ptl_handle_eq_t eq, ptl_event_kind_t type)
{
    ptl_event_t event;
    SIDE_MUST(PtlEQWait(eq, &event));
    if (event.type != type || event.ni_fail_type != PTL_NI_OK)
        side_fail("an event tells of something else than was expected");
}

ptl_handle_me_t side_append(struct side *side, ptl_pt_index_t pt_index, ptl_list_t list,
                            const ptl_me_t *wish)
{
    ptl_handle_me_t handle;
    ptl_me_t me = *wish;
    me.uid = PTL_UID_ANY;
    me.match_id = side->other;
    me.options |= PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE;
    SIDE_MUST(PtlMEAppend(side->ni, pt_index, &me, list, NULL, &handle));
    return handle;
}

static void open_table(struct side *side)
{
    static const unsigned options[] = {
        [SIDE_PT_EVENTS] = PTL_ME_OP_PUT,
        [SIDE_PT_COUNTERS] = PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM,
        [SIDE_PT_GET] = PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE,
        [SIDE_PT_MATCH] = 0, /* has entries only while it is measured */
        [SIDE_PT_LATE] = 0,
    };
    for (ptl_pt_index_t i = SIDE_PT_EVENTS; i <= SIDE_PT_LATE; i++) {
        ptl_pt_index_t given;
        SIDE_MUST(PtlPTAlloc(side->ni, 0, side->eq, i, &given));
        if (options[i])
            side_append(side, i, PTL_PRIORITY_LIST,
                        &(ptl_me_t){.start = i == SIDE_PT_GET ? side->source : side->target,
                                    .length = side->shape->largest,
                                    .options = options[i],
                                    .ct_handle = side->ct});
    }
}

static void open_interface(struct side *side)
{
    ptl_md_t md = {.length = side->shape->largest,
                   .start = side->source,
                   .eq_handle = PTL_EQ_NONE,
                   .ct_handle = PTL_CT_NONE};
    size_t queue = 2 * side->shape->window;
    SIDE_MUST(PtlInit());
    SIDE_MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, side->rank + 1, NULL,
                        NULL, &side->ni));
    SIDE_MUST(PtlGetPhysId(side->ni, &side->other));
    side->other.phys.pid = 2 - side->rank;
    SIDE_MUST(PtlEQAlloc(side->ni, queue > QUEUE ? queue : QUEUE, &side->eq));
    SIDE_MUST(PtlEQAlloc(side->ni, QUEUE, &side->reply));
    SIDE_MUST(PtlCTAlloc(side->ni, &side->ct));
    SIDE_MUST(PtlMDBind(side->ni, &md, &side->md));
    md.start = side->target;
    md.eq_handle = side->reply;
    SIDE_MUST(PtlMDBind(side->ni, &md, &side->get_md));
    open_table(side);
}

/* ---- Shared memory ------------------------------------------------------------------------ */

/* With libfabric and sockets there are no slots. */
size_t side_shared_bytes(const struct pair_shape *shape)
{
    return sizeof(struct side_shared) + 2 * bare_ring_bytes(shape->slots, shape->packet);
}

void side_meet(struct side *side)
{
    unsigned all = 2 * ++side->meetings;
    atomic_fetch_add(&side->shared->arrived, 1);
    for (unsigned round = 0; (int)(atomic_load(&side->shared->arrived) - all) < 0; round++)
        bare_ring_relax(round);
}

/* ---- Jobs --------------------------------------------------------------------------------- */

const struct side_engine *side_engine(enum pair_engine engine)
{
    static const struct side_engine *const engines[PAIR_ENGINES] = {
        [PAIR_EVENTS] = &side_engine_events,   [PAIR_COUNTERS] = &side_engine_counters,
        [PAIR_MATCH_LAST] = &side_engine_last, [PAIR_MATCH_ANY] = &side_engine_any,
        [PAIR_MATCH_WILD] = &side_engine_wild, [PAIR_RING] = &side_engine_ring,
        [PAIR_LIBFABRIC] = &side_engine_ofi,   [PAIR_SOCKET] = &side_engine_tcp,
    };
    return engines[engine];
}

static double run(struct side *side, const struct pair_job *job)
{
    static double (*const loops[])(struct side * side, const struct pair_job *job) = {
        [PAIR_PING_PONG] = side_ping_pong,
        [PAIR_STREAM] = side_stream,
        [PAIR_GET] = side_get,
        [PAIR_UNEXPECTED] = side_unexpected,
        [PAIR_CHAIN] = side_chain,
    };
    return loops[job->loop](side, job);
}

static const struct side_engine *bare_engine(const struct pair_shape *shape)
{
    return side_engine(pair_bare_engine(&shape->world));
}

static struct side own;

void side_open(unsigned rank, const struct pair_shape *shape, struct side_shared *shared)
{
    own = (struct side){rank, .shape = shape, .shared = shared, .random = {1}};
    own.source = side_allocate(shape->largest);
    own.target = side_allocate(shape->largest);
    open_interface(&own);
    bare_engine(shape)->open(&own);
}

double side_work(const struct pair_job *job)
{
    own.jobs++;
    side_meet(&own);
    return run(&own, job);
}

void side_close(void)
{
    const struct side_engine *bare = bare_engine(own.shape);
    if (bare->close)
        bare->close(&own);
    PtlFini();
}
