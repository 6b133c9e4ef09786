/* SPDX-License-Identifier: BSD-3-Clause */
/* Each rank has a part of the region of every other for itself, and knows what it has put there.
 */
#include <stdio.h>
#include <stdlib.h>

#include "transfer/shape.h"
#include "transfer/storm.h"

#define PART 40000
#define OPERATIONS 12
#define MOST_RANKS 8

struct mine {
    uint64_t key;
    unsigned char bytes[PART]; /* of the region of the other */
};

static void complain(struct storm *storm, const char *what, int error)
{
    if (!storm->why[0])
        snprintf(storm->why, sizeof storm->why, "rank %d, seed %llu, %s: %s",
                 weft_rank(storm->net), (unsigned long long)storm->seed, what,
                 weft_error_name(error));
}

static void must(struct storm *storm, const char *what, int error)
{
    if (error)
        complain(storm, what, error);
}

static void wait_for_all(struct storm *storm, weft_request **requests)
{
    for (int other = 0; other < weft_size(storm->net); other++)
        must(storm, "wait", weft_wait(&requests[other], storm->patience, NULL));
}

static void tell_keys(struct storm *storm, uint64_t key, struct mine *mine)
{
    weft_net *net = storm->net;
    const weft_type *type = weft_basic(WEFT_UINT64);
    weft_request *requests[MOST_RANKS] = {NULL};
    for (int other = 0; other < weft_size(net); other++)
        must(storm, "key", weft_isend(net, type, 1, &key, other, 1, &requests[other]));
    for (int other = 0; other < weft_size(net); other++)
        must(storm, "key", weft_recv(net, type, 1, &mine[other].key, other, 1, NULL));
    wait_for_all(storm, requests);
}

static void operate(struct storm *storm, struct rng *rng, int other, struct mine *mine)
{
    weft_net *net = storm->net;
    struct shape shape;
    size_t wish = rng_below(rng, PART / 2);
    shape_open(&shape, rng_next(rng), wish);
    uint64_t number = rng_next(rng);
    size_t offset = shape.total < PART ? rng_below(rng, PART - shape.total + 1) : PART;
    size_t place = (size_t)weft_rank(net) * PART + offset;
    if (offset == PART) {
        shape_close(&shape);
        return;
    }
    if (rng_one_in(rng, 2)) {
        shape_fill(&shape, number, 0, shape.total);
        for (size_t i = 0; i < shape.total; i++)
            mine->bytes[offset + i] = shape_byte(number, i);
        must(storm, "put",
             weft_put(net, shape.type, shape.count, shape.base, other, mine->key, place));
    } else {
        must(storm, "get",
             weft_get(net, shape.type, shape.count, shape.base, other, mine->key, place));
        for (size_t i = 0; i < shape.total; i++)
            shape.image[shape_place(&shape, i)] = mine->bytes[offset + i];
        if (!shape_is_right(&shape))
            complain(storm, "a get brought wrong bytes", WEFT_OK);
    }
    shape_close(&shape);
}

/* Everybody tells the owners what their regions must hold. */
static void tell_contents(struct storm *storm, const struct mine *mine, weft_request **requests)
{
    for (int other = 0; other < weft_size(storm->net); other++)
        must(storm, "send of contents",
             weft_isend(storm->net, weft_basic(WEFT_BYTE), PART, mine[other].bytes, other, 2,
                        &requests[other]));
}

static void compare(struct storm *storm, struct shape *region)
{
    weft_net *net = storm->net;
    unsigned char *bytes = malloc(PART);
    for (int other = 0; bytes && other < weft_size(net); other++) {
        must(storm, "receive of contents",
             weft_recv(net, weft_basic(WEFT_BYTE), PART, bytes, other, 2, NULL));
        for (size_t i = 0; i < PART; i++)
            region->image[shape_place(region, (size_t)other * PART + i)] = bytes[i];
    }
    if (!shape_is_right(region))
        complain(storm, "a region holds wrong bytes", WEFT_OK);
    free(bytes);
}

static struct mine *remember(const weft_net *net)
{
    int size = weft_size(net), rank = weft_rank(net);
    struct mine *mine = calloc((size_t)size, sizeof *mine);
    if (!mine)
        abort();
    for (int other = 0; other < size; other++)
        for (size_t i = 0; i < PART; i++)
            mine[other].bytes[i] = shape_byte((uint64_t)other, (size_t)rank * PART + i);
    return mine;
}

void storm_of_regions(struct storm *storm)
{
    weft_net *net = storm->net;
    int size = weft_size(net), rank = weft_rank(net);
    struct rng rng = rng_stream(storm->seed, (uint64_t)rank);
    struct shape region;
    weft_request *requests[MOST_RANKS] = {NULL};
    uint64_t key = 0;
    struct mine *mine = remember(net);
    shape_open(&region, rng_next(&rng), (size_t)size * PART);
    shape_fill(&region, (uint64_t)rank, 0, region.total);
    shape_expect(&region, (uint64_t)rank, 0, region.total);
    must(storm, "expose", weft_expose(net, region.type, region.count, region.base, &key));
    tell_keys(storm, key, mine);
    for (unsigned i = 0; i < OPERATIONS; i++) {
        int other = (int)rng_below(&rng, (size_t)size);
        operate(storm, &rng, other, &mine[other]);
    }
    storm->transfers += OPERATIONS * (unsigned)size;
    tell_contents(storm, mine, requests);
    compare(storm, &region);
    must(storm, "withdraw", weft_withdraw(net, key));
    wait_for_all(storm, requests);
    shape_close(&region);
    free(mine);
}
