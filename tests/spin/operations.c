/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations that handlers start. The handler is at the target and talks back to the sender, who
 * has an entry for it. */
#include "spin/spin.h"

#define SIZE 30000
#define REMOTE_BITS 77
#define REMOTE_OFFSET 16
#define HDR_DATA 4711
#define MARK ((void *)(uintptr_t)0x5eed)

enum note { CODE, LIMIT, VALUE, NOTES };

struct host {
    uint64_t notes[NOTES];
    uint64_t counters[4];
    unsigned char area[SIZE];
};

struct scene {
    struct host host;
    unsigned char memory[SIZE];
    unsigned char remote[SIZE]; /* of the entry of the sender */
    ptl_handle_ct_t arrived;    /* at that entry */
    ptl_handle_ct_t ct;         /* of the entry with handlers */
    ptl_event_t events[PTL_EVENT_DMA + 1];
    struct spin_case what;
};

static struct scene *scene_new(struct job *job, ptl_header_handler_t header)
{
    struct scene *scene = job_memory(job, sizeof *scene);
    scene->arrived = job_ct(job);
    scene->ct = job_ct(job);
    scene->what = (struct spin_case){.header = header,
                                     .host = &scene->host,
                                     .host_length = sizeof scene->host,
                                     .start = scene->memory,
                                     .length = SIZE,
                                     .state_length = SIZE,
                                     .ct = &scene->ct};
    if (job->target) {
        job_fill(scene->memory, SIZE, 1);
        job_fill(scene->host.area, SIZE, 2);
    }
    if (job->initiator)
        post(scene->remote, SIZE,
             PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM,
             .bits = REMOTE_BITS, .ct = &scene->arrived);
    return scene;
}

/* Runs the handler; so many events come besides that of the message. */
static struct scene *scene_run(struct job *job, ptl_header_handler_t header, unsigned events)
{
    struct scene *scene = scene_new(job, header);
    spin_start(job, &scene->what);
    if (job->target) {
        spin_events(job, job->target_eq, 1 + events, scene->events);
        equals(scene->events[PTL_EVENT_PUT].rlength, 0);
        equals(scene->host.notes[CODE], PTL_OK);
    }
    if (job->initiator) {
        next_event(job->eq, PTL_EVENT_ACK);
        counts(scene->arrived, 1, 0);
    }
    job_settle(job);
    if (job->target) {
        no_event(job->target_eq);
        spin_close(job, &scene->what);
    }
    return scene;
}

/* ---- Puts --------------------------------------------------------------------------------- */

static ptl_handler_result_t put_from_entry(const ptl_header_t *header, void *state)
{
    (void)state;
    spin_note(CODE, (uint64_t)PtlHandlerPutFromHost(100, SIZE / 2, PTL_ME_HOST_MEM, PTL_NO_CT_REQ,
                                                    PTL_ACK_REQ, header->source_id, REMOTE_BITS,
                                                    REMOTE_OFFSET, MARK, HDR_DATA));
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("PutFromHost sends memory of the entry, and its acknowledgement is an event", SPIN)
{
    struct scene *scene = scene_run(job, put_from_entry, 1);
    if (job->target) {
        const ptl_event_t *ack = &scene->events[PTL_EVENT_ACK];
        equals(ack->type, PTL_EVENT_ACK);
        equals(ack->ni_fail_type, PTL_NI_OK);
        equals(ack->mlength, SIZE / 2);
        equals(ack->remote_offset, REMOTE_OFFSET);
        holds(ack->user_ptr == MARK);
        counts(scene->ct, 0, 0);
    }
    if (job->initiator) {
        holds(job_filled(scene->remote + REMOTE_OFFSET, SIZE / 2, 101));
        equals(scene->remote[REMOTE_OFFSET - 1] + scene->remote[REMOTE_OFFSET + SIZE / 2], 0);
    }
}

static ptl_handler_result_t put_from_handler_memory(const ptl_header_t *header, void *state)
{
    (void)state;
    spin_note(CODE, (uint64_t)PtlHandlerPutFromHost(offsetof(struct host, area) + 5, 1000,
                                                    PTL_HANDLER_HOST_MEM, PTL_NO_CT_REQ,
                                                    PTL_NO_ACK_REQ, header->source_id, REMOTE_BITS,
                                                    REMOTE_OFFSET, MARK, HDR_DATA));
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("PutFromHost sends memory of the handlers; without acknowledgement there is no event",
          SPIN)
{
    struct scene *scene = scene_run(job, put_from_handler_memory, 0);
    if (job->initiator)
        holds(job_filled(scene->remote + REMOTE_OFFSET, 1000, 7));
}

static ptl_handler_result_t put_from_device(const ptl_header_t *header, void *state)
{
    unsigned char local[512]; /* gone when the handler returns */
    (void)state;
    job_fill(local, sizeof local, 3);
    int code =
        PtlHandlerPutFromDevice(local, sizeof local, PTL_NO_CT_REQ, PTL_ACK_REQ, header->source_id,
                                REMOTE_BITS, REMOTE_OFFSET, MARK, HDR_DATA);
    memset(local, 0, sizeof local);
    spin_note(CODE, (uint64_t)code);
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("PutFromDevice sends what lies anywhere, and it may be changed at once", SPIN)
{
    struct scene *scene = scene_run(job, put_from_device, 1);
    if (job->target)
        equals(scene->events[PTL_EVENT_ACK].mlength, 512);
    if (job->initiator)
        holds(job_filled(scene->remote + REMOTE_OFFSET, 512, 3));
}

static ptl_handler_result_t put_nothing(const ptl_header_t *header, void *state)
{
    (void)state;
    spin_note(CODE, (uint64_t)PtlHandlerPutFromDevice(NULL, 0, PTL_NO_CT_REQ, PTL_ACK_REQ,
                                                      header->source_id, REMOTE_BITS, 0, MARK,
                                                      HDR_DATA));
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("PutFromDevice may send nothing", SPIN)
{
    struct scene *scene = scene_run(job, put_nothing, 1);
    if (job->target)
        equals(scene->events[PTL_EVENT_ACK].mlength, 0);
}

/* ---- More than there is room for ---------------------------------------------------------- */

#define PUTS 120

/* Many packets at once, from one place that changes in between. */
static ptl_handler_result_t put_much(const ptl_header_t *header, void *state)
{
    const uint64_t *length = state;
    unsigned char *local = (unsigned char *)state + 64;
    unsigned wrong = 0;
    for (unsigned i = 0; i < PUTS; i++) {
        job_fill(local, *length, i);
        wrong += PtlHandlerPutFromDevice(local, *length, PTL_NO_CT_REQ, PTL_NO_ACK_REQ,
                                         header->source_id, REMOTE_BITS, i * *length, MARK,
                                         i) != PTL_OK;
    }
    memset(local, 0, *length);
    return wrong ? PTL_HANDLER_FAIL : PTL_HANDLER_DROP;
}

BEHAVIOUR("puts of more data than the network takes at once all arrive, as it was at the call",
          SPIN)
{
    ptl_handler_limits_t limits;
    ok(PtlNIHandlerLimits(job->ni, NULL, &limits));
    uint64_t length = limits.max_payload_size;
    unsigned char *remote = job_memory(job, PUTS * length);
    unsigned char *state = job_memory(job, length + 64);
    memcpy(state, &length, sizeof length);
    ptl_handle_ct_t arrived = job_ct(job);
    if (job->initiator)
        post(remote, PUTS * length,
             PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM, .bits = REMOTE_BITS,
             .ct = &arrived);
    struct spin_case what = {.header = put_much, .state = state, .state_length = length + 64};
    spin_start(job, &what);
    if (job->initiator) {
        counts(arrived, PUTS, 0);
        for (unsigned i = 0; i < PUTS; i++)
            holds(job_filled(remote + i * length, length, i));
    }
    spin_finish(job, &what);
}

/* ---- Gets --------------------------------------------------------------------------------- */

static ptl_handler_result_t get_to_host(const ptl_header_t *header, void *state)
{
    (void)state;
    spin_note(CODE, (uint64_t)PtlHandlerGetToHost(200, SIZE / 2, PTL_ME_HOST_MEM, PTL_NO_CT_REQ,
                                                  header->source_id, REMOTE_BITS, 8, MARK));
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("GetToHost brings data into the entry, and its reply is an event", SPIN)
{
    struct scene *scene = scene_new(job, get_to_host);
    if (job->initiator)
        job_fill(scene->remote, SIZE, 50);
    spin_start(job, &scene->what);
    if (job->target) {
        spin_events(job, job->target_eq, 2, scene->events);
        equals(scene->host.notes[CODE], PTL_OK);
        equals(scene->events[PTL_EVENT_REPLY].mlength, SIZE / 2);
        holds(scene->events[PTL_EVENT_REPLY].user_ptr == MARK);
        holds(job_filled(scene->memory + 200, SIZE / 2, 58));
        holds(job_filled(scene->memory, 200, 1));
    }
    job_barrier(job);
}

/* The first message fetches, the second shows what came. */
static ptl_handler_result_t get_to_device(const ptl_header_t *header, void *state)
{
    unsigned char *local = state;
    if (header->length)
        PtlHandlerDMAToHostB(local, offsetof(struct host, area), SIZE, PTL_HANDLER_HOST_MEM);
    else
        spin_note(CODE, (uint64_t)PtlHandlerGetToDevice(local + 10, SIZE - 20, PTL_NO_CT_REQ,
                                                        header->source_id, REMOTE_BITS, 0, MARK));
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("GetToDevice brings data into the memory of the NIC, where later handlers find it", SPIN)
{
    struct scene *scene = scene_new(job, get_to_device);
    if (job->initiator)
        job_fill(scene->remote, SIZE, 50);
    scene->what.stays = true;
    spin_start(job, &scene->what);
    if (job->target) {
        spin_events(job, job->target_eq, 2, scene->events);
        equals(scene->events[PTL_EVENT_REPLY].mlength, SIZE - 20);
    }
    if (job->initiator)
        next_event(job->eq, PTL_EVENT_ACK);
    job_barrier(job);
    if (job->initiator)
        ok(put(job_md(job, job_memory(job, 1), 1), 1));
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        equals(scene->host.area[9], 0);
        holds(job_filled(scene->host.area + 10, SIZE - 20, 50));
        equals(scene->host.area[SIZE - 10], 0);
        spin_close(job, &scene->what);
    }
    job_barrier(job);
}

/* ---- Atomic operations -------------------------------------------------------------------- */

static ptl_handler_result_t atomic_from_host(const ptl_header_t *header, void *state)
{
    (void)state;
    spin_note(VALUE, 11);
    spin_note(CODE, (uint64_t)PtlHandlerAtomicFromHost(
                        VALUE * 8, 8, PTL_HANDLER_HOST_MEM, PTL_NO_CT_REQ, PTL_ACK_REQ,
                        header->source_id, REMOTE_BITS, 8, MARK, HDR_DATA, PTL_SUM, PTL_UINT64_T));
    return PTL_HANDLER_DROP;
}

static ptl_handler_result_t atomic_from_device(const ptl_header_t *header, void *state)
{
    uint64_t value = 11;
    (void)state;
    spin_note(CODE, (uint64_t)PtlHandlerAtomicFromDevice(&value, 8, PTL_NO_CT_REQ, PTL_ACK_REQ,
                                                         header->source_id, REMOTE_BITS, 8, MARK,
                                                         HDR_DATA, PTL_SUM, PTL_UINT64_T));
    value = 0;
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("AtomicFromHost and AtomicFromDevice change memory of the other side", SPIN)
{
    for (unsigned round = 0; round < 2; round++) {
        struct scene *scene = scene_new(job, round ? atomic_from_device : atomic_from_host);
        uint64_t value = 100;
        memcpy(scene->remote + 8, &value, 8);
        spin_start(job, &scene->what);
        if (job->target) {
            spin_events(job, job->target_eq, 2, scene->events);
            equals(scene->host.notes[CODE], PTL_OK);
            equals(scene->events[PTL_EVENT_ACK].mlength, 8);
            equals(scene->events[PTL_EVENT_ACK].atomic_operation, PTL_SUM);
        }
        if (job->initiator) {
            counts(scene->arrived, 1, 0);
            memcpy(&value, scene->remote + 8, 8);
            equals(value, 111);
        }
        job_barrier(job);
        if (round)
            break;
        /* Out of the way of the next round. */
        if (job->initiator)
            next_event(job->eq, PTL_EVENT_ACK);
        job->pt = job->pt + 1;
        ok(PtlPTAlloc(job->ni, 0, job->target_eq, job->pt, &job->pt));
    }
}

/* ---- Counting ----------------------------------------------------------------------------- */

/* HPU memory. */
struct wish {
    ptl_req_ct_t ct;
    ptl_ack_req_t ack;
};

static ptl_handler_result_t put_counted(const ptl_header_t *header, void *state)
{
    const struct wish *wish = state;
    spin_note(CODE, (uint64_t)PtlHandlerPutFromHost(0, 1000, PTL_ME_HOST_MEM, wish->ct, wish->ack,
                                                    header->source_id, REMOTE_BITS, 0, MARK, 0));
    return PTL_HANDLER_DROP;
}

static void expect_count(struct job *job, struct wish wish, ptl_size_t success, unsigned events)
{
    struct scene *scene = scene_new(job, put_counted);
    scene->what.state = &wish;
    scene->what.state_length = sizeof wish;
    spin_start(job, &scene->what);
    if (job->target) {
        spin_events(job, job->target_eq, 1 + events, scene->events);
        equals(scene->host.notes[CODE], PTL_OK);
        counts(scene->ct, success, 0);
    }
    if (job->initiator)
        counts(scene->arrived, 1, 0);
    job_settle(job);
    if (job->target) {
        counts(scene->ct, success, 0);
        no_event(job->target_eq);
    }
}

BEHAVIOUR("an operation with PTL_CT_REQ counts once when it is acknowledged", SPIN)
{
    expect_count(job, (struct wish){PTL_CT_REQ, PTL_ACK_REQ}, 1, 1);
}

BEHAVIOUR("an operation with PTL_CT_BYTES_REQ counts its bytes when it is acknowledged", SPIN)
{
    expect_count(job, (struct wish){PTL_CT_BYTES_REQ, PTL_ACK_REQ}, 1000, 1);
}

BEHAVIOUR("an operation without acknowledgement counts when it was sent", SPIN)
{
    expect_count(job, (struct wish){PTL_CT_REQ, PTL_NO_ACK_REQ}, 1, 0);
}

BEHAVIOUR("an operation without acknowledgement counts its bytes when it was sent", SPIN)
{
    expect_count(job, (struct wish){PTL_CT_BYTES_REQ, PTL_NO_ACK_REQ}, 1000, 0);
}

BEHAVIOUR("an operation with PTL_NO_CT_REQ counts nothing", SPIN)
{
    expect_count(job, (struct wish){PTL_NO_CT_REQ, PTL_ACK_REQ}, 0, 1);
}

BEHAVIOUR("a counting acknowledgement counts, and is no event", SPIN)
{
    expect_count(job, (struct wish){PTL_CT_REQ, PTL_CT_ACK_REQ}, 1, 0);
}

BEHAVIOUR("an acknowledgement of completion counts the operation, not its bytes", SPIN)
{
    expect_count(job, (struct wish){PTL_CT_BYTES_REQ, PTL_OC_ACK_REQ}, 1, 0);
}

static ptl_handler_result_t get_counted(const ptl_header_t *header, void *state)
{
    const struct wish *wish = state;
    spin_note(CODE, (uint64_t)PtlHandlerGetToHost(0, 1000, PTL_ME_HOST_MEM, wish->ct,
                                                  header->source_id, REMOTE_BITS, 0, MARK));
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("a get counts when its reply has come", SPIN)
{
    struct wish wish = {.ct = PTL_CT_BYTES_REQ};
    struct scene *scene = scene_new(job, get_counted);
    scene->what.state = &wish;
    scene->what.state_length = sizeof wish;
    spin_start(job, &scene->what);
    if (job->target) {
        spin_events(job, job->target_eq, 2, scene->events);
        counts(scene->ct, 1000, 0);
    }
    job_barrier(job);
}

/* ---- Failures ----------------------------------------------------------------------------- */

static ptl_handler_result_t put_to_no_entry(const ptl_header_t *header, void *state)
{
    (void)state;
    spin_note(CODE,
              (uint64_t)PtlHandlerPutFromHost(0, 10, PTL_ME_HOST_MEM, PTL_CT_REQ, PTL_ACK_REQ,
                                              header->source_id, 12345, 0, MARK, 0));
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("an operation that finds no entry is told as dropped, and counts as a failure", SPIN)
{
    struct scene *scene = scene_new(job, put_to_no_entry);
    spin_start(job, &scene->what);
    if (job->target) {
        spin_events(job, job->target_eq, 2, scene->events);
        equals(scene->host.notes[CODE], PTL_OK);
        equals(scene->events[PTL_EVENT_ACK].ni_fail_type, PTL_NI_DROPPED);
        equals(scene->events[PTL_EVENT_PUT].ni_fail_type, PTL_NI_OK);
        counts(scene->ct, 0, 1);
    }
    job_barrier(job);
}

static ptl_handler_result_t put_to_nobody(const ptl_header_t *header, void *state)
{
    const ptl_process_t *nobody = state;
    (void)header;
    spin_note(CODE, (uint64_t)PtlHandlerPutFromHost(0, 10, PTL_ME_HOST_MEM, PTL_CT_REQ,
                                                    PTL_ACK_REQ, *nobody, 0, 0, MARK, 0));
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("an operation on a process that does not exist ends as undeliverable", SPIN,
          .timeout = 300, .apart = true)
{
    ptl_process_t nobody = job_process(job, job->size);
    struct scene *scene = scene_new(job, put_to_nobody);
    scene->what.state = &nobody;
    scene->what.state_length = sizeof nobody;
    spin_start(job, &scene->what);
    if (job->target) {
        /* Whether it could be sent nobody knows where packets get lost. */
        spin_events(job, job->target_eq, 2, scene->events);
        if (scene->events[PTL_EVENT_SEND].ni_fail_type == PTL_NI_UNDELIVERABLE)
            spin_events(job, job->target_eq, 1, scene->events);
        equals(scene->host.notes[CODE], PTL_OK);
        equals(scene->events[PTL_EVENT_ACK].ni_fail_type, PTL_NI_UNDELIVERABLE);
        counts(scene->ct, 0, 1);
    }
    if (job->initiator)
        next_event(job->eq, PTL_EVENT_ACK);
    job_barrier(job);
}

/* ---- A conversation of handlers ----------------------------------------------------------- */

#define ROUNDS 20

static ptl_handler_result_t play_ball(const ptl_header_t *header, void *state)
{
    uint64_t *ball = state, before;
    PtlHandlerFAdd(ball, &before, 1);
    if (header->hdr_data < ROUNDS)
        PtlHandlerPutFromDevice(ball, sizeof *ball, PTL_NO_CT_REQ, PTL_NO_ACK_REQ,
                                header->source_id, REMOTE_BITS, 0, NULL, header->hdr_data + 1);
    ptl_ct_event_t one = {.success = 1};
    PtlHandlerCTInc(one);
    return PTL_HANDLER_DROP_PENDING;
}

BEHAVIOUR("handlers of two processes talk to each other without their programs", SPIN,
          .apart = true)
{
    ptl_handle_ct_t ct = job_ct(job);
    ptl_handlers_t handlers = spin_handlers(play_ball, NULL, NULL);
    uint64_t zero = 0;
    spin_state(job, &handlers, &zero, sizeof zero);
    post_spin(&handlers, NULL, 0, PTL_ME_OP_PUT, .bits = REMOTE_BITS, .ct = &ct);
    job_barrier(job);
    if (job->initiator)
        ok(put(job_md(job, NULL, 0), 0, .bits = REMOTE_BITS));
    counts(ct, ROUNDS / 2 + (job->target && ROUNDS % 2 == 0), 0);
    job_barrier(job);
    no_event(job->target_eq);
}
