/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receives of datatypes, in real messages. Every rank makes the same pairs of random types; rank 1
 * packs and puts, rank 0 receives by handlers or by what they fall back to.
 */
#include <stdlib.h>
#include <weft_handlers.h>
#include <weft_offload.h>

#include "offload/pair.h"

#include "portals/job.h"

#define SCATTER .needs = PTL_NI_MATCHING
#define PAIRS 500

struct stage {
    struct job *job;
    struct window windows[2];
    weft_offload_pool *pool;
    uint64_t compared;
};

/* A pair that is laid out. */
struct scene {
    struct pair pair;
    struct side sender, receiver;
    unsigned char *packed;
    size_t length;
};

/* ---- Setting the scene -------------------------------------------------------------------- */

static bool open_stage(struct job *job, struct stage *stage)
{
    *stage = (struct stage){.job = job};
    bool has_windows = window_open(&stage->windows[0], SIDE_WINDOW) &&
                       window_open(&stage->windows[1], SIDE_WINDOW);
    if (job->target)
        ok(weft_offload_pool_open(job->ni, &stage->pool));
    return holds(has_windows) && holds(stage->pool || !job->target);
}

static void close_stage(struct stage *stage)
{
    weft_offload_pool_close(stage->pool);
    window_close(&stage->windows[0]);
    window_close(&stage->windows[1]);
}

/* False if there is nothing to send, or bytes that would be written twice. */
static bool open_scene(struct stage *stage, struct scene *scene, uint64_t seed, uint64_t index)
{
    struct job *job = stage->job;
    *scene = (struct scene){.pair = pair_generate(seed, index, true)};
    int rc = side_open(&scene->sender, scene->pair.sender, scene->pair.sender_count,
                       &stage->windows[0], false);
    holds(rc == WEFT_OK);
    rc = side_open(&scene->receiver, scene->pair.receiver, scene->pair.receiver_count,
                   &stage->windows[1], true);
    holds(rc == WEFT_OK);
    scene->length = pair_length(&scene->sender, &scene->receiver);
    scene->packed = model_alloc(scene->sender.total + 1, 1);
    side_expect_packed(&scene->sender, scene->packed);
    return scene->length > 0 && !scene->receiver.overlaps;
}

static void close_scene(struct scene *scene)
{
    free(scene->packed);
    side_close(&scene->sender);
    side_close(&scene->receiver);
    pair_free(&scene->pair);
}

static struct weft_offload_counters counters_of(const struct stage *stage)
{
    struct job *job = stage->job;
    struct weft_offload_counters counters = {0};
    equals(weft_offload_pool_counters(stage->pool, &counters, sizeof counters), WEFT_OK);
    return counters;
}

/* ---- One message -------------------------------------------------------------------------- */

static weft_offload *make_offload(struct stage *stage, const struct scene *scene,
                                  const struct weft_offload_attributes *attributes)
{
    struct job *job = stage->job;
    weft_offload *offload = NULL;
    equals(weft_offload_open(stage->pool, scene->receiver.type, scene->receiver.count, attributes,
                             &offload),
           WEFT_OK);
    return offload;
}

static weft_offload_receive *start_receive(struct stage *stage, struct scene *scene,
                                           const weft_offload *offload, ptl_match_bits_t bits)
{
    struct job *job = stage->job;
    weft_offload_receive *receive = NULL;
    ptl_me_t me = job_entry(POSTING(.bits = bits));
    side_blank(&scene->receiver);
    ok(weft_offload_receive_post(stage->pool, offload, scene->receiver.base, job->pt, &me, scene,
                                 &receive));
    return receive;
}

/* All events of the receive, up to the one that ends it. */
static struct weft_offload_result finish_receive(struct stage *stage, const struct scene *scene,
                                                 ptl_ni_fail_t fail)
{
    struct job *job = stage->job;
    struct weft_offload_result result = {0};
    while (!result.is_over) {
        ptl_event_t event;
        unsigned which;
        int code = PtlEQPoll(&job->target_eq, 1, job_patience(job), &event, &which);
        if (!gives(PTL_OK, code))
            break;
        result = weft_offload_receive_event(event.user_ptr, &event);
    }
    equals(result.fail, fail);
    holds(result.user_ptr == scene);
    return result;
}

static void compare(struct stage *stage, struct scene *scene,
                    const struct weft_offload_result *result)
{
    struct job *job = stage->job;
    int64_t wrong;
    equals(result->length, scene->length);
    holds(side_was_unpacked(&scene->receiver, scene->packed, scene->length, &wrong));
    stage->compared++;
}

/* Nothing is packed: the packets are gathered as they leave. */
static void send_gathered(struct stage *stage, struct scene *scene, ptl_match_bits_t bits)
{
    struct job *job = stage->job;
    struct weft_handler_gather gather = {scene->sender.type, scene->sender.count,
                                         scene->sender.base};
    ptl_outbound_handlers_t handlers = weft_handler_gather(&gather);
    side_fill(&scene->sender);
    ptl_handle_md_t md = job_md(job, scene->sender.base, 0);
    ok(PtlProcessPut(md, scene->length, PTL_ACK_REQ, job_process(job, 0), job->pt, bits, 0, NULL,
                     0, &handlers));
    next_event(job->eq, PTL_EVENT_ACK);
    ok(PtlMDRelease(md));
}

static void exchange(struct stage *stage, struct scene *scene,
                     const struct weft_offload_attributes *attributes, ptl_match_bits_t bits)
{
    struct job *job = stage->job;
    if (job->target) {
        weft_offload *offload = make_offload(stage, scene, attributes);
        start_receive(stage, scene, offload, bits);
        weft_offload_close(offload); /* the receive has its own reference */
    }
    job_barrier(job);
    if (job->initiator)
        send_gathered(stage, scene, bits);
    if (job->target) {
        struct weft_offload_result result = finish_receive(stage, scene, PTL_NI_OK);
        compare(stage, scene, &result);
    }
}

/* ---- Strategies --------------------------------------------------------------------------- */

static void exchange_all(struct stage *stage, enum weft_offload_strategy strategy)
{
    struct job *job = stage->job;
    for (uint64_t i = 0; i < PAIRS && atomic_load(&job->verdict->failures) == 0; i++) {
        struct scene *scene = job_memory(job, sizeof *scene);
        if (open_scene(stage, scene, 1 + (uint64_t)strategy, i))
            exchange(stage, scene, &(struct weft_offload_attributes){.strategy = strategy}, i);
        close_scene(scene);
        job_free(job);
    }
}

/* Only iterators mind the order of packets. With many HPUs, each of them sees few of a message. */
static void expect_late_packets(struct job *job, enum weft_offload_strategy strategy,
                                const struct weft_offload_counters *counters)
{
    enum { FEW = 4 };
    bool has_late = job->reorders && job->hpus <= FEW;
    if (!job->reorders || strategy != WEFT_OFFLOAD_HPU_LOCAL)
        equals(counters->resets, 0);
    else if (has_late)
        holds(counters->resets > 0);
    if (!job->reorders || strategy != WEFT_OFFLOAD_RW_CP)
        equals(counters->reverts, 0);
    else if (has_late)
        holds(counters->reverts > 0);
}

static void try_strategy(struct job *job, enum weft_offload_strategy strategy)
{
    struct stage stage;
    if (open_stage(job, &stage)) {
        exchange_all(&stage, strategy);
        job_settle(job);
    }
    if (job->target) {
        struct weft_offload_counters counters = counters_of(&stage);
        uint64_t fallbacks = counters.fallback[WEFT_OFFLOAD_FALLBACK_NOT_SPECIALIZED];
        holds(stage.compared > PAIRS / 2);
        holds(counters.offloaded > 0);
        holds(fallbacks == 0 || strategy == WEFT_OFFLOAD_SPECIALIZED);
        equals(counters.offloaded + counters.contiguous + fallbacks, stage.compared);
        expect_late_packets(job, strategy, &counters);
    }
    close_stage(&stage);
}

BEHAVIOUR("seek puts random types in place", SCATTER)
{
    try_strategy(job, WEFT_OFFLOAD_SEEK);
}

BEHAVIOUR("specialized handlers, or the host, put random types in place", SCATTER)
{
    try_strategy(job, WEFT_OFFLOAD_SPECIALIZED);
}

BEHAVIOUR("hpu-local puts random types in place", SCATTER)
{
    try_strategy(job, WEFT_OFFLOAD_HPU_LOCAL);
}

BEHAVIOUR("ro-cp puts random types in place", SCATTER)
{
    try_strategy(job, WEFT_OFFLOAD_RO_CP);
}

BEHAVIOUR("rw-cp puts random types in place", SCATTER)
{
    try_strategy(job, WEFT_OFFLOAD_RW_CP);
}

/* ---- Fallbacks ---------------------------------------------------------------------------- */

#define ONE_PACKET 1000 /* bytes, in all worlds */

/* A pair whose receiver is not contiguous and takes one packet at most, with some to compare. */
static void open_some_scene(struct stage *stage, struct scene *scene, uint64_t seed)
{
    struct weft_type_info info = {0};
    for (uint64_t i = 0;; i++) {
        bool fits = open_scene(stage, scene, seed, i);
        weft_type_query(scene->receiver.type, &info, sizeof info);
        if (fits && info.pieces > 4 && scene->length > 200 && scene->receiver.total < ONE_PACKET)
            return;
        close_scene(scene);
    }
}

BEHAVIOUR("a type that is not to be offloaded is unpacked by the host", SCATTER)
{
    struct stage stage;
    struct scene *scene = job_memory(job, sizeof *scene);
    if (open_stage(job, &stage)) {
        open_some_scene(&stage, scene, 20);
        exchange(&stage, scene, &(struct weft_offload_attributes){.stays_on_host = true}, 1);
        close_scene(scene);
        job_settle(job);
    }
    if (job->target) {
        struct weft_offload_counters counters = counters_of(&stage);
        equals(counters.fallback[WEFT_OFFLOAD_FALLBACK_NOT_WANTED], 1);
        equals(counters.offloaded, 0);
        equals(counters.bytes, 0);
    }
    close_stage(&stage);
}

static void receive_unexpected(struct stage *stage, struct scene *scene)
{
    struct job *job = stage->job;
    weft_offload *offload = make_offload(stage, scene, NULL);
    ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
    equals(event.mlength, scene->length);
    start_receive(stage, scene, offload, 1);
    struct weft_offload_result result = finish_receive(stage, scene, PTL_NI_OK);
    compare(stage, scene, &result);
    equals(result.fallback, WEFT_OFFLOAD_FALLBACK_UNEXPECTED);
    struct weft_offload_counters counters = counters_of(stage);
    equals(counters.fallback[WEFT_OFFLOAD_FALLBACK_UNEXPECTED], 1);
    equals(counters.offloaded, 0);
    weft_offload_close(offload);
}

BEHAVIOUR("a message that came before its receive is unpacked by the host", SCATTER)
{
    struct stage stage;
    struct scene *scene = job_memory(job, sizeof *scene);
    if (open_stage(job, &stage)) {
        open_some_scene(&stage, scene, 30);
        if (job->target)
            post(job_memory(job, scene->length), scene->length, .options = PTL_ME_OP_PUT,
                 .list = PTL_OVERFLOW_LIST, .bits = 1);
        job_barrier(job);
        if (job->initiator)
            send_gathered(&stage, scene, 1);
        job_settle(job);
        if (job->target)
            receive_unexpected(&stage, scene);
        close_scene(scene);
        job_settle(job);
    }
    close_stage(&stage);
}

/* ---- Errors ------------------------------------------------------------------------------- */

BEHAVIOUR("a message longer than its type fails, and the packet that is too much writes nothing",
          SCATTER)
{
    struct stage stage;
    struct scene *scene = job_memory(job, sizeof *scene);
    if (open_stage(job, &stage)) {
        open_some_scene(&stage, scene, 40);
        size_t sent = scene->receiver.total + 100;
        int64_t wrong;
        if (job->target) {
            weft_offload *offload = make_offload(&stage, scene, NULL);
            start_receive(&stage, scene, offload, 1);
            weft_offload_close(offload);
        }
        job_barrier(job);
        unsigned char *data = job_memory(job, sent);
        side_make_packed(data, sent);
        if (job->initiator) {
            ok(put(job_md(job, data, sent), sent, .ack = PTL_ACK_REQ, .bits = 1));
            next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_SEGV);
        }
        if (job->target) {
            finish_receive(&stage, scene, PTL_NI_SEGV);
            holds(side_was_unpacked(&scene->receiver, data, 0, &wrong));
        }
        close_scene(scene);
        job_settle(job);
    }
    close_stage(&stage);
}
