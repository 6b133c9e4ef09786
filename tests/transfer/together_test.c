/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between processes whose heaps are shared: random layouts, each byte against a list of
 * its places; senders that take their memory back meanwhile; processes that end in the middle;
 * locators that lie; and both directions at once. Otherwise rank 1 offers, rank 0 takes.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/rng.h"
#include "support/tap.h"
#include "transfer/family.h"
#include "transfer/must.h"
#include "transfer/net.h"
#include "transfer/request.h"

enum { SECONDS = 60, NUMBERS = 1, BLANK = 0xee, MOST_BLOCKS = 300, DEATHS = 16 };
/* Of all blocks of a layout together. */
#define MOST_GAPS ((size_t)MOST_BLOCKS * 5000)
#define MOST_BLOCKED ((size_t)MOST_BLOCKS * 20000)
#define MOST_BYTES ((size_t)1 << 20)
#define REGION ((size_t)1 << 30)

struct life {
    weft_net *net;
    int rank;
    int wrong;          /* the first line that was */
    size_t most_blocks; /* of a layout */
    ptrdiff_t longest_text;
};

/* ---- Layouts ------------------------------------------------------------------------------ */

/* Blocks of one length, anywhere but never in each other. */
struct blocks {
    size_t count, length, span;
    ptrdiff_t *where;
    weft_type *type;
    unsigned char *memory;
    bool is_shared; /* in the heap */
};

static void draw_places(struct blocks *blocks, struct rng *rng, size_t widest)
{
    size_t gap = rng_magnitude(rng, widest);
    bool is_even = rng_one_in(rng, 2);
    ptrdiff_t at = 0;
    for (size_t i = 0; i < blocks->count; i++) {
        at += is_even ? (ptrdiff_t)gap : (ptrdiff_t)rng_below(rng, gap + 1);
        blocks->where[i] = at;
        at += (ptrdiff_t)blocks->length;
    }
    blocks->span = (size_t)at;
    for (size_t i = blocks->count; i > 1 && !is_even; i--) { /* in any order */
        size_t other = rng_below(rng, i);
        ptrdiff_t place = blocks->where[i - 1];
        blocks->where[i - 1] = blocks->where[other];
        blocks->where[other] = place;
    }
}

static struct blocks draw_blocks(struct life *life, struct rng *rng, size_t bytes)
{
    size_t most = life->most_blocks;
    struct blocks blocks = {.length = rng_magnitude(rng, MOST_BLOCKED / most) + bytes / most};
    blocks.count = bytes / blocks.length + 1 < most ? bytes / blocks.length + 1 : most;
    blocks.is_shared = !rng_one_in(rng, 8);
    blocks.where = calloc(blocks.count, sizeof *blocks.where);
    must(life, blocks.where != NULL);
    draw_places(&blocks, rng, MOST_GAPS / most);
    blocks.memory = blocks.is_shared ? weft_alloc(blocks.span) : malloc(blocks.span);
    must(life, blocks.memory != NULL);
    memset(blocks.memory, BLANK, blocks.span);
    must(life, weft_type_hindexed_block(blocks.count, blocks.length, blocks.where,
                                        weft_basic(WEFT_BYTE), &blocks.type) == WEFT_OK);
    must(life, weft_type_commit(blocks.type) == WEFT_OK);
    return blocks;
}

static void free_blocks(struct blocks *blocks)
{
    if (blocks->is_shared)
        weft_free(blocks->memory);
    else
        free(blocks->memory);
    free(blocks->where);
    weft_type_free(blocks->type);
}

static size_t bytes_of(const struct blocks *blocks)
{
    return blocks->count * blocks->length;
}

static unsigned char value(uint64_t seed, size_t at)
{
    return (unsigned char)(seed * 57 + at + at / 251);
}

static void fill(struct blocks *blocks, uint64_t seed)
{
    for (size_t i = 0; i < bytes_of(blocks); i++)
        blocks->memory[(size_t)blocks->where[i / blocks->length] + i % blocks->length] =
            value(seed, i);
}

/* The first bytes are those of the message, and nothing else was written. */
static bool holds(struct blocks *blocks, uint64_t seed, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        unsigned char *place =
            &blocks->memory[(size_t)blocks->where[i / blocks->length] + i % blocks->length];
        if (*place != value(seed, i))
            return false;
        *place = BLANK;
    }
    size_t blank = 0;
    while (blank < blocks->span && blocks->memory[blank] == BLANK)
        blank++;
    return blank == blocks->span;
}

/* ---- Messages ----------------------------------------------------------------------------- */

struct announcement {
    uint64_t number, bytes;
};

static void offer(struct life *life, struct blocks *blocks, struct announcement *announcement,
                  weft_request **request)
{
    announcement->bytes = bytes_of(blocks);
    must(life, weft_net_offer_together(life->net, blocks->type, 1, blocks->memory, 0,
                                       &announcement->number, request) == WEFT_OK);
    ptrdiff_t text = weft_type_serialize(blocks->type, NULL, 0);
    if (blocks->is_shared && text > life->longest_text)
        life->longest_text = text;
    bool is_marked = announcement->number & WEFT_NET_LOCATOR_SHARED;
    must(life, is_marked == blocks->is_shared);
}

static void tell(struct life *life, const struct announcement *announcement, weft_request *request)
{
    must(life,
         weft_send(life->net, weft_basic(WEFT_UINT64), 2, announcement, 0, NUMBERS) == WEFT_OK);
    weft_follow(request);
}

static struct announcement hear(struct life *life)
{
    struct announcement announcement = {0};
    must(life, weft_recv(life->net, weft_basic(WEFT_UINT64), 2, &announcement, 1, NUMBERS, NULL) ==
                   WEFT_OK);
    return announcement;
}

static int take(struct life *life, struct blocks *blocks, const struct announcement *announcement)
{
    weft_request *request = NULL;
    int error = weft_take(life->net, blocks->type, 1, blocks->memory, 1, announcement->number,
                          announcement->bytes, &request);
    return error ? error : weft_wait(&request, -1, NULL);
}

/* Rank 0 checks it. */
static void receive(struct life *life, struct rng *rng, uint64_t seed, size_t bytes)
{
    struct announcement announcement = hear(life);
    struct blocks blocks = draw_blocks(life, rng, bytes);
    size_t room = bytes_of(&blocks), all = announcement.bytes;
    int error = take(life, &blocks, &announcement);
    must(life, error == (all > room ? WEFT_ERR_TRUNCATED : WEFT_OK));
    must(life, holds(&blocks, seed, all < room ? all : room));
    free_blocks(&blocks);
}

static struct weft_net_counters counters_of(struct life *life)
{
    struct weft_net_counters counters = {0};
    must(life, weft_net_counters(life->net, &counters, sizeof counters) == WEFT_OK);
    return counters;
}

/* Shows a message to the other process. */
static struct blocks announce(struct life *life, struct rng *rng, uint64_t seed, size_t bytes,
                              weft_request **request)
{
    struct announcement announcement;
    struct blocks blocks = draw_blocks(life, rng, bytes);
    fill(&blocks, seed);
    offer(life, &blocks, &announcement, request);
    tell(life, &announcement, *request);
    return blocks;
}

/* ---- Scenes ------------------------------------------------------------------------------- */

static void send_many(struct life *life, uint64_t first, uint64_t messages)
{
    for (uint64_t seed = first; seed < first + messages; seed++) {
        struct rng rng = rng_stream(seed, (uint64_t)life->rank), both = rng_stream(seed, 2);
        size_t bytes = rng_magnitude(&both, MOST_BYTES);
        if (life->rank == 0) {
            receive(life, &rng, seed, bytes);
            continue;
        }
        weft_request *request = NULL;
        struct blocks blocks = announce(life, &rng, seed, bytes, &request);
        must(life, weft_wait(&request, -1, NULL) == WEFT_OK);
        must(life, holds(&blocks, seed, bytes_of(&blocks)));
        free_blocks(&blocks);
    }
    struct weft_net_counters counters = counters_of(life);
    must(life, life->rank || counters.together > messages / 2);
    tap_note("rank %d has copied %llu bytes", life->rank,
             (unsigned long long)(counters.together_bytes + counters.helped_bytes));
}

static void any_layout_meets_any_other(struct life *life)
{
    send_many(life, 0, 250);
}

/* So long that no other way would carry the description of the layout. */
static void long_lists_go_together(struct life *life)
{
    enum { MESSAGES = 40 };
    life->most_blocks = 200000;
    send_many(life, 4000, MESSAGES);
    struct weft_net_counters counters = counters_of(life);
    must(life, life->rank || counters.fallbacks[WEFT_NET_FALLBACK_LAYOUT] == 0);
    must(life, !life->rank || life->longest_text > 4 * (ptrdiff_t)WEFT_NET_NAME_LONGEST);
}

/* The receiver may be in the middle of it. */
static void senders_take_their_memory_back(struct life *life)
{
    enum { MESSAGES = 120 };
    for (uint64_t seed = 0; seed < MESSAGES; seed++) {
        struct rng rng = rng_stream(seed + 1000, (uint64_t)life->rank);
        if (life->rank == 0) {
            receive(life, &rng, seed, MOST_BYTES);
            continue;
        }
        weft_request *request = NULL;
        struct blocks blocks = announce(life, &rng, seed, MOST_BYTES, &request);
        for (volatile size_t idle = rng_magnitude(&rng, 200000); idle; idle--)
            continue;
        if (weft_release(&request) == WEFT_OK)
            memset(blocks.memory, 0, blocks.span);
        must(life, !request || weft_wait(&request, -1, NULL) == WEFT_OK);
        free_blocks(&blocks);
    }
}

static void spoil(struct life *life, uint64_t number, struct rng *rng)
{
    struct weft_net_locator *locator =
        &life->net->locators.locators[weft_net_locator_of_message(number)];
    uint64_t *fields[] = {&locator->base, &locator->count, &locator->key, &locator->text,
                          &locator->text_length};
    uint64_t *field = fields[rng_below(rng, 5)];
    *field = rng_one_in(rng, 2) ? rng_next(rng) : *field + rng_magnitude(rng, REGION);
}

/* It reads nothing that is not in the heap of the other; what else it reads is the other's
 * affair. */
static void locators_lie(struct life *life)
{
    enum { MESSAGES = 300 };
    for (uint64_t seed = 0; seed < MESSAGES; seed++) {
        struct rng rng = rng_stream(seed + 2000, (uint64_t)life->rank);
        struct blocks blocks = draw_blocks(life, &rng, 100000);
        struct announcement announcement;
        weft_request *request = NULL;
        if (life->rank == 0) {
            announcement = hear(life);
            take(life, &blocks, &announcement);
        } else {
            offer(life, &blocks, &announcement, &request);
            if (seed % 2 && blocks.is_shared)
                spoil(life, announcement.number, &rng);
            tell(life, &announcement, request);
            must(life, weft_wait(&request, -1, NULL) == WEFT_OK);
        }
        free_blocks(&blocks);
    }
}

/* Each sends to the other and receives from it, so that both copy parts of both messages. */
static void messages_cross(struct life *life)
{
    enum { MESSAGES = 150 };
    for (uint64_t seed = 0; seed < MESSAGES; seed++) {
        struct rng rng = rng_stream(seed + 3000, (uint64_t)life->rank),
                   both = rng_stream(seed + 3000, 2);
        size_t bytes = rng_below(&both, MOST_BYTES) + 1;
        struct blocks out = draw_blocks(life, &rng, bytes), in = draw_blocks(life, &rng, bytes);
        struct weft_status status = {0};
        weft_request *sent = NULL, *received = NULL;
        fill(&out, seed);
        must(life, weft_irecv(life->net, in.type, 1, in.memory, !life->rank, NUMBERS, &received) ==
                       WEFT_OK);
        must(life, weft_isend(life->net, out.type, 1, out.memory, !life->rank, NUMBERS, &sent) ==
                       WEFT_OK);
        int error = weft_wait(&received, -1, &status);
        must(life, !error || error == WEFT_ERR_TRUNCATED);
        must(life, weft_wait(&sent, -1, NULL) == WEFT_OK);
        must(life, holds(&in, seed, status.bytes));
        must(life, holds(&out, seed, bytes_of(&out)));
        free_blocks(&in);
        free_blocks(&out);
    }
    must(life, counters_of(life).together > MESSAGES / 4);
}

/* ---- Ends --------------------------------------------------------------------------------- */

static void *die(void *delay)
{
    usleep(*(unsigned *)delay);
    _exit(0);
}

/* What has come is whole, whenever the other ends; and nobody waits for it then. */
static void survive_receiving(struct life *life, struct rng *rng)
{
    struct announcement announcement;
    for (uint64_t seed = 0;; seed++) {
        if (weft_recv(life->net, weft_basic(WEFT_UINT64), 2, &announcement, 1, NUMBERS, NULL))
            return;
        struct blocks blocks = draw_blocks(life, rng, MOST_BYTES);
        size_t room = bytes_of(&blocks), all = announcement.bytes;
        int error = take(life, &blocks, &announcement);
        bool is_whole = !error || error == WEFT_ERR_TRUNCATED;
        must(life, !is_whole || holds(&blocks, seed, all < room ? all : room));
        free_blocks(&blocks);
        if (!is_whole)
            return;
    }
}

static void survive_sending(struct life *life, struct rng *rng)
{
    int error = WEFT_OK;
    for (uint64_t seed = 0; !error; seed++) {
        struct announcement announcement = {0};
        weft_request *request = NULL;
        struct blocks blocks = draw_blocks(life, rng, MOST_BYTES);
        fill(&blocks, seed);
        announcement.bytes = bytes_of(&blocks);
        error = weft_net_offer_together(life->net, blocks.type, 1, blocks.memory, 0,
                                        &announcement.number, &request);
        if (!error) {
            weft_send(life->net, weft_basic(WEFT_UINT64), 2, &announcement, 0, NUMBERS);
            weft_follow(request);
            error = weft_wait(&request, -1, NULL);
        }
        must(life, error || holds(&blocks, seed, bytes_of(&blocks)));
        free_blocks(&blocks);
    }
}

static void others_end(struct life *life, uint64_t seed, int who)
{
    struct rng rng = rng_stream(seed, (uint64_t)life->rank);
    unsigned delay = (unsigned)rng_magnitude(&rng, 30000);
    pthread_t thread;
    if (life->rank == who)
        must(life, pthread_create(&thread, NULL, die, &delay) == 0);
    if (life->rank)
        survive_sending(life, &rng);
    else
        survive_receiving(life, &rng);
}

/* ---- Running ------------------------------------------------------------------------------ */

struct scene {
    void (*play)(struct life *life); /* NULL: somebody ends */
    uint64_t seed;
    int who;
};

static int live(int rank, void *argument)
{
    const struct scene *scene = argument;
    struct life life = {.rank = rank, .most_blocks = MOST_BLOCKS};
    weft_free(weft_alloc(1)); /* so that the net knows of the region */
    must(&life, weft_open(&life.net) == WEFT_OK);
    if (!life.wrong && scene->play)
        scene->play(&life);
    else if (!life.wrong)
        others_end(&life, scene->seed, scene->who);
    weft_close(life.net);
    if (life.wrong)
        tap_note("rank %d: line %d is wrong", rank, life.wrong);
    return life.wrong != 0;
}

int main(void)
{
    static void (*const plays[])(struct life *) = {
        any_layout_meets_any_other, long_lists_go_together, senders_take_their_memory_back,
        locators_lie, messages_cross};
    setenv("WEFT_WORLD", "shm", 1);
    setenv("WEFT_TOGETHER_LEAST", "10000", 1);
    setenv("WEFT_SHARED_HEAP_SIZE", "1G", 1);
    for (size_t i = 0; i < sizeof plays / sizeof *plays; i++)
        family_run(2, SECONDS, live, &(struct scene){.play = plays[i]});
    for (unsigned i = 0; i < DEATHS; i++)
        family_run(2, SECONDS, live, &(struct scene){.seed = i, .who = i % 2});
    return tap_done();
}
