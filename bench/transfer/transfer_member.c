/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/transfer/transfer_member.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/ddt/ddt_layout.h"
#include "bench/harness/crew.h"
#include "bench/harness/measure.h"
#include "bench/harness/random.h"
#include "bench/pair/side.h"
#include "transfer/request.h"
#include "weft/command.h"

#define QUEUE 256
#define PAGE 4096
#define WARM_UP 2
/* Of the types of TRANSFER_COLD. */
#define BLOCKS 4096
#define BLOCK 8
#define PART 1024

enum { TAG_DATA = 1, TAG_ANSWER, TAG_KEY };

/* In memory that both share. */
static struct table {
    struct transfer_facts facts;
    struct transfer_settings defaults;
    uint64_t direct_most;
} * table;

/* Memory of one layout. */
struct place {
    struct ddt_layout layout;
    unsigned char *window;
    bool is_shared;
};

struct member {
    unsigned rank;
    void *first; /* of the heap: only then does the net know of it */
    weft_net *net;
    ptl_handle_eq_t eq;
    ptl_handle_md_t md;
    ptl_pt_index_t pt;
    struct transfer_job job;
    /* Both send from one and receive into the other. */
    struct place from, to;
    ptl_handle_me_t me; /* of puts */
    struct transfer_facts before;
};

static void must(int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "weft bench transfer: %s: %s\n", what, weft_error_text(error));
    _exit(WEFT_EXIT_FAILED);
}

#define MUST(call) must((call), #call)

static int other(const struct member *member)
{
    return member->rank == 0;
}

static struct transfer_facts facts_of(struct member *member)
{
    struct weft_net_counters counters;
    weft_net_counters(member->net, &counters, sizeof(counters));
    return (struct transfer_facts){counters.direct, counters.layout_bytes};
}

/* What comes before this only warms up. */
static double start_clock(struct member *member)
{
    member->before = facts_of(member);
    return measure_now();
}

/* ---- Memory ------------------------------------------------------------------------------- */

static void open_place(struct place *place, const char *text, size_t bytes, bool is_shared)
{
    if (!ddt_layout_open(text, bytes, &place->layout))
        _exit(WEFT_EXIT_USAGE);
    size_t length = (place->layout.window / PAGE + 1) * PAGE;
    place->is_shared = is_shared;
    place->window = is_shared ? weft_alloc(length) : aligned_alloc(PAGE, length);
    if (!place->window)
        side_fail("out of memory: try smaller sizes");
    memset(place->window, 0, length);
}

static void close_place(struct place *place)
{
    ddt_layout_close(&place->layout);
    if (place->is_shared)
        weft_free(place->window);
    else
        free(place->window);
}

static unsigned char *base_of(const struct place *place)
{
    return place->window + place->layout.origin;
}

static unsigned char pattern(size_t at)
{
    return (unsigned char)(at * 3 + at / 241);
}

static void write_pattern(const struct place *place)
{
    const struct ddt_layout *layout = &place->layout;
    unsigned char *packed = side_allocate(layout->bytes);
    for (size_t i = 0; i < layout->bytes; i++)
        packed[i] = pattern(i);
    weft_unpack(layout->type, layout->count, base_of(place), 0, packed, layout->bytes);
    free(packed);
}

static void check_pattern(const struct place *place)
{
    const struct ddt_layout *layout = &place->layout;
    unsigned char *packed = side_allocate(layout->bytes);
    weft_pack(layout->type, layout->count, base_of(place), 0, packed, layout->bytes);
    for (size_t i = 0; i < layout->bytes; i++)
        if (packed[i] != pattern(i))
            side_fail("the data is not what it should be");
    free(packed);
}

/* ---- Messages ----------------------------------------------------------------------------- */

static void send(struct member *member)
{
    const struct ddt_layout *layout = &member->from.layout;
    if (member->job.is_put)
        SIDE_MUST(PtlPut(member->md, (uintptr_t)member->from.window, layout->bytes, PTL_NO_ACK_REQ,
                         weft_net_process((uint32_t)other(member)), member->pt, 0, 0, NULL, 0));
    else
        MUST(weft_send(member->net, layout->type, layout->count, base_of(&member->from),
                       other(member), TAG_DATA));
}

static void receive(struct member *member)
{
    const struct ddt_layout *layout = &member->to.layout;
    if (member->job.is_put)
        side_expect(member->eq, PTL_EVENT_PUT);
    else
        MUST(weft_recv(member->net, layout->type, layout->count, base_of(&member->to),
                       other(member), TAG_DATA, NULL));
}

static double ping(struct member *member)
{
    double begin = 0;
    for (size_t i = 0; i < member->job.count + WARM_UP; i++) {
        if (i == WARM_UP)
            begin = start_clock(member);
        if (member->rank == 0)
            send(member);
        receive(member);
        if (member->rank == 1)
            send(member);
    }
    return (measure_now() - begin) / (double)(2 * member->job.count);
}

static void start_send(struct member *member, weft_request **request)
{
    const struct ddt_layout *layout = &member->from.layout;
    MUST(weft_isend(member->net, layout->type, layout->count, base_of(&member->from),
                    other(member), TAG_DATA, request));
}

static void start_receive(struct member *member, weft_request **request)
{
    const struct ddt_layout *layout = &member->to.layout;
    MUST(weft_irecv(member->net, layout->type, layout->count, base_of(&member->to), other(member),
                    TAG_DATA, request));
}

static void run_window(struct member *member,
                       void (*start)(struct member *member, weft_request **request))
{
    weft_request *requests[TRANSFER_WINDOW];
    for (unsigned i = 0; i < TRANSFER_WINDOW; i++)
        start(member, &requests[i]);
    for (unsigned i = 0; i < TRANSFER_WINDOW; i++)
        MUST(weft_wait(&requests[i], -1, NULL));
}

static void send_window(struct member *member)
{
    run_window(member, start_send);
    MUST(weft_recv(member->net, weft_basic(WEFT_BYTE), 0, NULL, other(member), TAG_ANSWER, NULL));
}

static void receive_window(struct member *member)
{
    run_window(member, start_receive);
    MUST(weft_send(member->net, weft_basic(WEFT_BYTE), 0, NULL, other(member), TAG_ANSWER));
}

static void put_window(struct member *member)
{
    for (unsigned i = 0; i < TRANSFER_WINDOW; i++)
        if (member->rank == 0)
            send(member);
        else
            receive(member);
    crew_meet(2);
}

static double stream(struct member *member)
{
    double begin = 0;
    for (size_t i = 0; i < member->job.count + 1; i++) {
        if (i == 1)
            begin = start_clock(member);
        if (member->job.is_put)
            put_window(member);
        else if (member->rank == 0)
            send_window(member);
        else
            receive_window(member);
    }
    return (measure_now() - begin) / (double)(TRANSFER_WINDOW * member->job.count);
}

/* ---- Types ---------------------------------------------------------------------------------- */

static void choose_places(uint64_t seed, ptrdiff_t *places)
{
    struct random random = {seed};
    for (size_t i = 0; i < BLOCKS; i++)
        places[i] = (ptrdiff_t)(4 * BLOCK * i + BLOCK * random_below(&random, 3));
}

static weft_type *make_type(const ptrdiff_t *places)
{
    weft_type *type;
    MUST(weft_type_hindexed_block(BLOCKS, BLOCK, places, weft_basic(WEFT_BYTE), &type));
    MUST(weft_type_commit(type));
    return type;
}

/* Rank 1 has the data and tells rank 0 where. */
static void offer(struct member *member, weft_type **type, const ptrdiff_t *places)
{
    const weft_type *word = weft_basic(WEFT_UINT64);
    uint64_t key;
    if (member->job.kind != TRANSFER_WARM) {
        weft_type_free(*type);
        *type = make_type(places);
    }
    MUST(weft_expose(member->net, *type, 1, member->to.window, &key));
    MUST(weft_send(member->net, word, 1, &key, 0, TAG_KEY));
    MUST(weft_recv(member->net, word, 1, &key, 0, TAG_ANSWER, NULL));
    MUST(weft_withdraw(member->net, key));
}

static double fetch(struct member *member)
{
    const weft_type *word = weft_basic(WEFT_UINT64);
    uint64_t key;
    double begin = measure_now();
    MUST(weft_recv(member->net, word, 1, &key, 1, TAG_KEY, NULL));
    MUST(weft_get(member->net, weft_basic(WEFT_BYTE), PART, member->to.window, 1, key, PART));
    double end = measure_now();
    MUST(weft_send(member->net, word, 1, &key, 1, TAG_ANSWER));
    return end - begin;
}

static double use_types(struct member *member)
{
    static uint64_t seed;
    static ptrdiff_t places[BLOCKS];
    double sum = 0;
    choose_places(++seed, places);
    weft_type *type = make_type(places);
    for (size_t i = 0; i < member->job.count + WARM_UP; i++) {
        if (member->job.kind == TRANSFER_COLD)
            choose_places(++seed, places);
        if (i == WARM_UP)
            start_clock(member);
        crew_meet(2);
        if (member->rank == 1)
            offer(member, &type, places);
        else
            sum += fetch(member) * (i >= WARM_UP);
    }
    weft_type_free(type);
    return sum / (double)member->job.count;
}

/* ---- Jobs ----------------------------------------------------------------------------------- */

static void choose(struct weft_net *net, const struct transfer_settings *settings)
{
    const struct transfer_settings *defaults = &table->defaults;
    net->eager = settings->eager == SIZE_MAX ? defaults->eager : settings->eager;
    net->chunk = settings->chunk == SIZE_MAX ? defaults->chunk : settings->chunk;
    net->chunks = settings->chunks == SIZE_MAX ? defaults->chunks : settings->chunks;
    net->direct = settings->direct == SIZE_MAX ? defaults->direct : settings->direct;
    net->direct_most = settings->direct == SIZE_MAX ? table->direct_most : SIZE_MAX;
    if (net->direct == 0)
        net->direct = SIZE_MAX;
    if (net->chunk < net->eager)
        net->chunk = net->eager;
}

/* Acknowledgements that are still on their way belong to the settings of their messages. */
static void settle(struct weft_net *net)
{
    pthread_mutex_lock(&net->lock);
    while (!weft_list_is_empty(&net->pending))
        weft_net_advance(net, 1);
    pthread_mutex_unlock(&net->lock);
}

static void append_entry(struct member *member)
{
    ptl_me_t me = {.start = member->to.window,
                   .length = member->to.layout.bytes,
                   .uid = PTL_UID_ANY,
                   .ct_handle = PTL_CT_NONE,
                   .options =
                       PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE,
                   .match_id = {.rank = PTL_RANK_ANY}};
    SIDE_MUST(PtlMEAppend(member->net->ni, member->pt, &me, PTL_PRIORITY_LIST, NULL, &member->me));
}

static double run(struct member *member)
{
    switch (member->job.kind) {
    case TRANSFER_PING:
        return ping(member);
    case TRANSFER_STREAM:
        return stream(member);
    default:
        return use_types(member);
    }
}

static double do_job(struct member *member)
{
    struct transfer_job *job = &member->job;
    bool has_types = job->kind >= TRANSFER_COLD;
    choose(member->net, &job->settings);
    open_place(&member->from, has_types ? "byte" : job->send, has_types ? PART : job->bytes,
               job->is_shared);
    open_place(&member->to, has_types ? "byte" : job->receive,
               has_types ? 4 * BLOCK * BLOCKS : job->bytes, job->is_shared);
    write_pattern(&member->from);
    if (job->is_put)
        append_entry(member);
    crew_meet(2);
    double seconds = run(member);
    struct transfer_facts after = facts_of(member);
    settle(member->net);
    crew_meet(2);
    if (member->rank == (job->kind == TRANSFER_STREAM))
        table->facts = (struct transfer_facts){after.direct - member->before.direct,
                                               after.layout_bytes - member->before.layout_bytes};
    bool is_checked = !job->is_put && !has_types;
    if (is_checked && (member->rank == 1 || job->kind == TRANSFER_PING))
        check_pattern(&member->to);
    while (job->is_put && PtlMEUnlink(member->me) == PTL_IN_USE)
        continue;
    close_place(&member->from);
    close_place(&member->to);
    return member->rank == 0 ? seconds : 0;
}

/* ---- Life ----------------------------------------------------------------------------------- */

static struct member own;

static void open_member(unsigned rank)
{
    ptl_md_t all = {.length = PTL_SIZE_MAX, .eq_handle = PTL_EQ_NONE, .ct_handle = PTL_CT_NONE};
    own.rank = rank;
    own.first = weft_alloc(PAGE);
    MUST(weft_open(&own.net));
    struct weft_net *net = own.net;
    SIDE_MUST(PtlEQAlloc(net->ni, QUEUE, &own.eq));
    SIDE_MUST(PtlPTAlloc(net->ni, 0, own.eq, 1, &own.pt));
    SIDE_MUST(PtlMDBind(net->ni, &all, &own.md));
    table->defaults = (struct transfer_settings){net->eager, net->chunk, net->chunks, net->direct};
    table->direct_most = net->direct_most;
}

static double work(void)
{
    return do_job(&own);
}

static void close_member(void)
{
    PtlMDRelease(own.md);
    PtlPTFree(own.net->ni, own.pt);
    PtlEQFree(own.eq);
    weft_close(own.net);
    weft_free(own.first);
}

void transfer_start(const struct crew_world *world)
{
    table = crew_share(sizeof(*table));
    const struct crew_member every = {&own.job, sizeof(own.job), open_member, work, close_member};
    crew_start(&(struct crew_plan){2, *world, true, every});
}

double transfer_run(const struct transfer_job *job, struct transfer_facts *facts)
{
    double seconds = crew_run(job, 2);
    *facts = table->facts;
    return seconds;
}
