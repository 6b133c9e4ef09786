/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/ddt/ddt_member.h"

#include <portals4_job.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <weft_handlers.h>

#include "bench/ddt/ddt_layout.h"
#include "bench/harness/crew.h"
#include "bench/harness/measure.h"
#include "bench/pair/side.h"
#include "weft/command.h"

#define QUEUE 64
#define PAGE 4096
#define PATTERN 8209                  /* bytes, so that no two packets have the same */
#define MOST_PIECES ((size_t)1 << 20) /* as weft_nic_ni_limits has it */

const char *const ddt_way_names[DDT_WAYS] = {
    "contiguous", "seek", "specialized", "hpu-local", "ro-cp", "rw-cp", "host", "iovec", "pack"};

const char *const ddt_way_help[DDT_WAYS] = {
    "the same bytes, contiguous on both sides",
    "gathered and scattered by handlers that keep no state",
    "scattered by a handler for the shape",
    "scattered by an iterator for each HPU",
    "scattered from copies of checkpoints",
    "scattered by checkpoints that sequences of packets own",
    "gathered by a handler, received contiguous, unpacked by the host",
    "lists of pieces as descriptor and entry",
    "packed by the host, sent contiguous, unpacked by the host",
};

/* In memory that both share. */
struct table {
    double sent; /* when the last message was */
    bool is_possible[2];
    struct ddt_facts facts;
};

static struct table *table;

struct ddt_member {
    unsigned rank;
    ptl_handle_ni_t ni;
    ptl_handle_eq_t eq;
    ptl_pt_index_t pt;
    weft_offload_pool *pool;
    /* Of the job. */
    const struct ddt_job *job;
    struct ddt_layout layout;
    unsigned char *window; /* the layout lies here, */
    unsigned char *packed; /* and the same bytes contiguous here */
    ptl_handle_md_t md;
    ptl_iovec_t *pieces;
    size_t piece_count;
    weft_offload *scatter;
};

static unsigned char *base_of(const struct ddt_member *member)
{
    return member->window + member->layout.origin;
}

/* ---- Ways --------------------------------------------------------------------------------- */

static bool is_contiguous(enum ddt_way way)
{
    return way == DDT_CONTIGUOUS || way == DDT_PACKED;
}

static enum weft_offload_strategy strategy_of(enum ddt_way way)
{
    static const enum weft_offload_strategy strategies[DDT_WAYS] = {
        [DDT_SEEK] = WEFT_OFFLOAD_SEEK,           [DDT_SPECIALIZED] = WEFT_OFFLOAD_SPECIALIZED,
        [DDT_HPU_LOCAL] = WEFT_OFFLOAD_HPU_LOCAL, [DDT_RO_CP] = WEFT_OFFLOAD_RO_CP,
        [DDT_RW_CP] = WEFT_OFFLOAD_RW_CP,
    };
    return strategies[way];
}

static bool has_handlers(enum ddt_way way)
{
    return way >= DDT_SEEK && way <= DDT_RW_CP;
}

/* ---- Making ready ------------------------------------------------------------------------- */

/* Every byte of the layout as a piece; false if there are too many. */
static bool list_pieces(struct ddt_member *member)
{
    const struct ddt_layout *layout = &member->layout;
    if (layout->pieces > MOST_PIECES)
        return false;
    size_t bytes;
    member->pieces = side_allocate(layout->pieces * sizeof(*member->pieces));
    return weft_iov(layout->type, layout->count, base_of(member), 0, layout->bytes,
                    (struct iovec *)member->pieces, layout->pieces, &member->piece_count,
                    &bytes) == WEFT_OK &&
           bytes == layout->bytes;
}

static bool make_scatter(struct ddt_member *member)
{
    struct weft_offload_attributes attributes = {.strategy = strategy_of(member->job->way)};
    struct weft_offload_info info;
    if (weft_offload_open(member->pool, member->layout.type, member->layout.count, &attributes,
                          &member->scatter) != WEFT_OK ||
        weft_offload_query(member->pool, member->scatter, &info, sizeof(info)) != WEFT_OK)
        side_fail("cannot make a type ready for the NIC");
    table->facts.nic_memory = info.image_bytes + info.head_bytes;
    table->facts.fallback = info.obstacle;
    return info.obstacle == WEFT_OFFLOAD_FALLBACK_NONE && !info.is_contiguous;
}

static void note_facts(struct ddt_member *member)
{
    ptl_handler_limits_t limits;
    SIDE_MUST(PtlNIHandlerLimits(member->ni, NULL, &limits));
    table->facts.bytes = member->layout.bytes;
    table->facts.writes = is_contiguous(member->job->way) || member->job->way == DDT_HOST
                              ? 1
                              : member->layout.pieces;
    if (has_handlers(member->job->way))
        table->facts.handlers =
            (member->layout.bytes + limits.max_payload_size - 1) / limits.max_payload_size;
}

static void bind(struct ddt_member *member)
{
    ptl_md_t md = {.start = member->window,
                   .length = member->layout.window,
                   .eq_handle = member->eq,
                   .ct_handle = PTL_CT_NONE};
    if (is_contiguous(member->job->way)) {
        md.start = member->packed;
        md.length = member->layout.bytes;
    } else if (member->job->way == DDT_IOVEC) {
        md.start = member->pieces;
        md.length = member->piece_count;
        md.options = PTL_IOVEC;
    }
    SIDE_MUST(PtlMDBind(member->ni, &md, &member->md));
}

/* Whole pages, which the system has really given: blocks lie in as few cache lines as can be. */
static unsigned char *allocate(size_t bytes)
{
    size_t pages = bytes / PAGE + 1;
    unsigned char *memory = aligned_alloc(PAGE, pages * PAGE);
    if (!memory)
        side_fail("out of memory: try smaller sizes");
    memset(memory, 1, pages * PAGE);
    return memory;
}

/* Whether this side can do the job. */
static bool prepare(struct ddt_member *member, const struct ddt_job *job)
{
    member->job = job;
    if (!ddt_layout_open(member->rank == 0 ? job->send : job->receive, job->bytes,
                         &member->layout))
        _exit(WEFT_EXIT_USAGE);
    member->window = allocate(member->layout.window);
    member->packed = allocate(member->layout.bytes);
    if (job->way == DDT_IOVEC && !list_pieces(member))
        return false;
    if (member->rank == 0) {
        bind(member);
        return true;
    }
    table->facts = (struct ddt_facts){0};
    note_facts(member);
    return !has_handlers(job->way) || make_scatter(member);
}

static void clean_up(struct ddt_member *member)
{
    if (member->rank == 0 && table->is_possible[0])
        while (PtlMDRelease(member->md) == PTL_IN_USE)
            continue;
    weft_offload_close(member->scatter);
    member->scatter = NULL;
    ddt_layout_close(&member->layout);
    free(member->window);
    free(member->packed);
    free(member->pieces);
    member->pieces = NULL;
}

/* ---- Sending ------------------------------------------------------------------------------ */

/* Writes the bytes of the layout and no others, as a program does that has just computed them. */
static void write_data(struct ddt_member *member, unsigned round)
{
    static unsigned char pattern[PATTERN];
    const struct ddt_layout *layout = &member->layout;
    for (size_t i = 0; i < PATTERN; i++)
        pattern[i] = (unsigned char)(i * 3 + round);
    for (size_t at = 0; at < layout->bytes; at += PATTERN) {
        size_t part = layout->bytes - at < PATTERN ? layout->bytes - at : PATTERN;
        if (member->job->way == DDT_CONTIGUOUS)
            memcpy(member->packed + at, pattern, part);
        else
            weft_unpack(layout->type, layout->count, base_of(member), at, pattern, part);
    }
}

static void send(struct ddt_member *member)
{
    ptl_process_t target = {.rank = 1};
    struct ddt_layout *layout = &member->layout;
    struct weft_handler_gather gather = {layout->type, layout->count, base_of(member)};
    ptl_outbound_handlers_t handlers = weft_handler_gather(&gather);
    enum ddt_way way = member->job->way;
    if (way == DDT_PACKED)
        weft_pack(layout->type, layout->count, base_of(member), 0, member->packed, layout->bytes);
    if (has_handlers(way) || way == DDT_HOST)
        SIDE_MUST(PtlProcessPut(member->md, layout->bytes, PTL_NO_ACK_REQ, target, member->pt, 0,
                                0, NULL, 0, &handlers));
    else
        SIDE_MUST(PtlPut(member->md, 0, layout->bytes, PTL_NO_ACK_REQ, target, member->pt, 0, 0,
                         NULL, 0));
    side_expect(member->eq, PTL_EVENT_SEND);
}

static void send_all(struct ddt_member *member)
{
    for (unsigned i = 0; i <= member->job->count; i++) {
        write_data(member, i);
        crew_meet(2);
        table->sent = measure_now();
        send(member);
        crew_meet(2);
    }
}

/* ---- Receiving ---------------------------------------------------------------------------- */

static ptl_me_t entry(void)
{
    return (ptl_me_t){.uid = PTL_UID_ANY,
                      .ct_handle = PTL_CT_NONE,
                      .options = PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_LINK_DISABLE |
                                 PTL_ME_EVENT_UNLINK_DISABLE,
                      .match_id = {.rank = PTL_RANK_ANY}};
}

static void post_plain(struct ddt_member *member)
{
    ptl_me_t me = entry();
    ptl_handle_me_t handle;
    me.start = member->packed;
    me.length = member->layout.bytes;
    if (member->job->way == DDT_IOVEC) {
        me.start = member->pieces;
        me.length = member->piece_count;
        me.options |= PTL_IOVEC;
    }
    SIDE_MUST(PtlMEAppend(member->ni, member->pt, &me, PTL_PRIORITY_LIST, NULL, &handle));
}

static void take_plain(struct ddt_member *member)
{
    const struct ddt_layout *layout = &member->layout;
    ptl_event_t event;
    SIDE_MUST(PtlEQWait(member->eq, &event));
    if (event.ni_fail_type != PTL_NI_OK || event.mlength != layout->bytes)
        side_fail("a message failed");
    if (member->job->way == DDT_PACKED || member->job->way == DDT_HOST)
        weft_unpack(layout->type, layout->count, base_of(member), 0, member->packed,
                    layout->bytes);
}

static weft_offload_receive *post_scatter(struct ddt_member *member)
{
    ptl_me_t me = entry();
    weft_offload_receive *receive;
    me.options = 0;
    SIDE_MUST(weft_offload_receive_post(member->pool, member->scatter, base_of(member), member->pt,
                                        &me, NULL, &receive));
    return receive;
}

static void take_scatter(struct ddt_member *member, weft_offload_receive *receive)
{
    struct weft_offload_result result;
    do {
        ptl_event_t event;
        SIDE_MUST(PtlEQWait(member->eq, &event));
        result = weft_offload_receive_event(receive, &event);
    } while (!result.is_over);
    if (result.fail != PTL_NI_OK || result.length != member->layout.bytes ||
        result.fallback != WEFT_OFFLOAD_FALLBACK_NONE)
        side_fail("a message failed, or the host had to unpack it");
}

/* What the sender's last data is, packed; both sides' types have the same bytes. */
static void check_data(struct ddt_member *member)
{
    struct ddt_member sender = {.job = member->job};
    const struct ddt_layout *own = &member->layout;
    if (!ddt_layout_open(member->job->send, member->job->bytes, &sender.layout))
        return;
    sender.window = allocate(sender.layout.window);
    sender.packed = allocate(sender.layout.bytes);
    write_data(&sender, (unsigned)member->job->count);
    if (member->job->way != DDT_CONTIGUOUS) {
        weft_pack(sender.layout.type, sender.layout.count, base_of(&sender), 0, sender.packed,
                  sender.layout.bytes);
        weft_pack(own->type, own->count, base_of(member), 0, member->packed, own->bytes);
    }
    if (sender.layout.bytes != own->bytes ||
        memcmp(sender.packed, member->packed, own->bytes) != 0)
        side_fail("the data is not what it should be: do both layouts have the same size?");
    ddt_layout_close(&sender.layout);
    free(sender.window);
    free(sender.packed);
}

static double receive_all(struct ddt_member *member)
{
    double sum = 0;
    for (unsigned i = 0; i <= member->job->count; i++) {
        weft_offload_receive *receive = NULL;
        if (member->scatter)
            receive = post_scatter(member);
        else
            post_plain(member);
        crew_meet(2);
        if (receive)
            take_scatter(member, receive);
        else
            take_plain(member);
        if (i > 0) /* the first one makes caches and predictors ready */
            sum += measure_now() - table->sent;
        crew_meet(2);
    }
    check_data(member);
    return sum / (double)member->job->count;
}

/* ---- Life --------------------------------------------------------------------------------- */

static struct ddt_job job;
static struct ddt_member member;

static void open_member(unsigned rank)
{
    member = (struct ddt_member){.rank = rank, .job = &job};
    SIDE_MUST(PtlInit());
    SIDE_MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL,
                        NULL, &member.ni));
    SIDE_MUST(weft_job_init(member.ni, NULL, NULL));
    SIDE_MUST(PtlEQAlloc(member.ni, QUEUE, &member.eq));
    SIDE_MUST(PtlPTAlloc(member.ni, 0, member.eq, 1, &member.pt));
    SIDE_MUST(weft_offload_pool_open(member.ni, &member.pool));
}

static double work(void)
{
    double seconds = 0;
    table->is_possible[member.rank] = prepare(&member, &job);
    crew_meet(2);
    if (table->is_possible[0] && table->is_possible[1]) {
        if (member.rank == 0)
            send_all(&member);
        else
            seconds = receive_all(&member);
    }
    crew_meet(2);
    clean_up(&member);
    return seconds;
}

static void close_member(void)
{
    weft_offload_pool_close(member.pool);
    PtlFini();
}

void ddt_start(const struct ddt_shape *shape)
{
    table = crew_share(sizeof(*table));
    crew_set(WEFT_SETTING_HPUS, shape->hpus);
    if (shape->packet)
        crew_set(shape->world.net == CREW_SHM ? WEFT_SETTING_PACKET_SIZE
                                              : WEFT_SETTING_OFI_PACKET_SIZE,
                 shape->packet);
    const struct crew_member every = {&job, sizeof(job), open_member, work, close_member};
    crew_start(&(struct crew_plan){2, shape->world, true, every});
}

double ddt_run(const struct ddt_job *wanted, struct ddt_facts *facts)
{
    double seconds = crew_run(wanted, 2);
    *facts = table->facts;
    return seconds;
}
