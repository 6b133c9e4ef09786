/* SPDX-License-Identifier: BSD-3-Clause */
#include "transfer/storm.h"

#include <stdio.h>
#include <stdlib.h>

#include "transfer/shape.h"

#define TAGS 3
#define NEVER 7 /* a tag that nobody sends */
#define MOST_MESSAGES 64
#define MOST_CANCELS 4
#define USUAL_LENGTH ((size_t)1 << 20)

struct message {
    int from, to, tag;
    uint64_t shape_seed;
    size_t wish;
    /* Of its sender and of its receiver. */
    struct shape shape;
    bool is_open, is_taken;
    weft_request *request;
};

/* How the receives of a rank name what they want. */
enum { BY_BOTH, BY_TAG, BY_SOURCE, BY_NOTHING, WAYS };

struct receive {
    int from, tag;
    struct shape shape;
    size_t room; /* packed bytes: whole elements of the shape */
    size_t count;
    struct weft_status status;
    weft_request *request;
};

struct scene {
    struct storm *storm;
    struct rng rng; /* this rank's own */
    int rank, size;
    struct message messages[MOST_MESSAGES];
    unsigned message_count;
    struct receive receives[MOST_MESSAGES];
    unsigned receive_count;
    struct receive *posted[MOST_MESSAGES]; /* in the order in which they count */
    unsigned posted_count;
    unsigned sent; /* messages of the plan that have been looked at */
    weft_request *cancelled[MOST_CANCELS];
    unsigned cancels;
};

static void complain(struct storm *storm, const char *what, unsigned index, int error)
{
    if (!storm->why[0])
        snprintf(storm->why, sizeof storm->why, "rank %d, seed %llu, %s %u: %s",
                 weft_rank(storm->net), (unsigned long long)storm->seed, what, index,
                 weft_error_name(error));
}

/* ---- The plan, the same on every rank ----------------------------------------------------- */

/* How long messages may be, and how many of them there are. */
static size_t plan_lengths(struct scene *scene, struct rng *rng)
{
    static const size_t limits[] = {64, 4000, 40000, USUAL_LENGTH};
    size_t limit = limits[rng_below(rng, 4)];
    scene->message_count = limit > 100000 ? 10 : 20 + (unsigned)rng_below(rng, 40);
    if (scene->storm->longest && limit == USUAL_LENGTH && rng_one_in(rng, 4)) {
        limit = scene->storm->longest;
        scene->message_count = 3;
    }
    return limit;
}

/* Of the longest storms, some messages are as long as can be. */
static size_t plan_length(struct scene *scene, struct rng *rng, size_t limit)
{
    size_t length = rng_one_in(rng, 8) ? 0 : rng_magnitude(rng, limit);
    if (limit > USUAL_LENGTH && rng_one_in(rng, 4))
        length = limit;
    if (length > scene->storm->longest_yet)
        scene->storm->longest_yet = length;
    return length;
}

static void plan(struct scene *scene, struct rng *rng)
{
    size_t limit = plan_lengths(scene, rng);
    scene->storm->transfers += scene->message_count;
    for (unsigned i = 0; i < scene->message_count; i++) {
        struct message *message = &scene->messages[i];
        message->from = (int)rng_below(rng, (size_t)scene->size);
        message->to = (int)rng_below(rng, (size_t)scene->size);
        message->tag = (int)rng_below(rng, TAGS);
        message->shape_seed = rng_next(rng);
        message->wish = plan_length(scene, rng, limit);
        message->is_open = message->from == scene->rank || message->to == scene->rank;
        if (!message->is_open)
            continue;
        shape_open(&message->shape, message->shape_seed, message->wish);
        shape_fill(&message->shape, i, 0, message->shape.total);
        shape_expect(&message->shape, i, 0, message->shape.total);
    }
}

/* As many receives as there are messages for this rank, in any order. */
static void plan_receives(struct scene *scene)
{
    unsigned way = (unsigned)rng_below(&scene->rng, WAYS);
    size_t longest = 0;
    for (unsigned i = 0; i < scene->message_count; i++) {
        struct message *message = &scene->messages[i];
        if (message->to != scene->rank)
            continue;
        struct receive *receive = &scene->receives[scene->receive_count++];
        receive->from = way == BY_BOTH || way == BY_SOURCE ? message->from : WEFT_ANY_SOURCE;
        receive->tag = way == BY_BOTH || way == BY_TAG ? message->tag : WEFT_ANY_TAG;
        if (message->shape.total > longest)
            longest = message->shape.total;
    }
    for (unsigned i = 0; i < scene->receive_count; i++) {
        unsigned other = i + (unsigned)rng_below(&scene->rng, scene->receive_count - i);
        struct receive swapped = scene->receives[i];
        scene->receives[i] = scene->receives[other];
        scene->receives[other] = swapped;
    }
    for (unsigned i = 0; i < scene->receive_count; i++) {
        struct receive *receive = &scene->receives[i];
        bool is_small = rng_one_in(&scene->rng, 8);
        size_t wish = is_small ? rng_below(&scene->rng, longest + 1) : longest;
        shape_open(&receive->shape, rng_next(&scene->rng), wish);
        receive->count = receive->shape.count;
        receive->room = receive->shape.total;
    }
}

/* ---- Doing it ----------------------------------------------------------------------------- */

static bool may_block(const struct scene *scene, const struct message *message)
{
    return message->to != scene->rank && message->shape.total <= 1000;
}

static void send_next(struct scene *scene)
{
    unsigned index = scene->sent++;
    struct message *message = &scene->messages[index];
    if (message->from != scene->rank)
        return;
    const struct shape *shape = &message->shape;
    weft_net *net = scene->storm->net;
    int error;
    if (may_block(scene, message) && rng_one_in(&scene->rng, 2))
        error = weft_send(net, shape->type, shape->count, shape->base, message->to, message->tag);
    else
        error = weft_isend(net, shape->type, shape->count, shape->base, message->to, message->tag,
                           &message->request);
    if (error)
        complain(scene->storm, "send", index, error);
}

static void post(struct scene *scene, struct receive *receive)
{
    scene->posted[scene->posted_count++] = receive;
    int error = weft_irecv(scene->storm->net, receive->shape.type, receive->count,
                           receive->shape.base, receive->from, receive->tag, &receive->request);
    if (error)
        complain(scene->storm, "receive", (unsigned)(receive - scene->receives), error);
}

/* If it is not too late for that, it has its turn again after all others. */
static void cancel_and_post_again(struct scene *scene, unsigned position)
{
    struct receive *receive = scene->posted[position];
    int error = weft_cancel(receive->request);
    if (error == WEFT_ERR_BUSY)
        return;
    if (!error)
        error = weft_wait(&receive->request, scene->storm->patience, &receive->status);
    if (error != WEFT_ERR_CANCELLED)
        complain(scene->storm, "cancel of posted receive", position, error);
    for (scene->posted_count--; position < scene->posted_count; position++)
        scene->posted[position] = scene->posted[position + 1];
    post(scene, receive);
}

static void post_in_vain(struct scene *scene)
{
    static char nothing[16];
    if (scene->cancels == MOST_CANCELS)
        return;
    unsigned index = scene->cancels++;
    int error = weft_irecv(scene->storm->net, weft_basic(WEFT_BYTE), sizeof nothing, nothing,
                           WEFT_ANY_SOURCE, NEVER, &scene->cancelled[index]);
    if (error)
        complain(scene->storm, "receive to be cancelled", index, error);
}

static void look_at_something(struct scene *scene)
{
    if (!scene->posted_count)
        return;
    unsigned position = (unsigned)rng_below(&scene->rng, scene->posted_count);
    struct receive *receive = scene->posted[position];
    if (receive->request && rng_one_in(&scene->rng, 4))
        cancel_and_post_again(scene, position);
    else if (receive->request)
        weft_test(&receive->request, &receive->status);
}

static void act(struct scene *scene)
{
    while (scene->sent < scene->message_count || scene->posted_count < scene->receive_count) {
        size_t choice = rng_below(&scene->rng, 20);
        if (choice == 0)
            post_in_vain(scene);
        else if (choice < 4)
            look_at_something(scene);
        else if (choice < 12 && scene->sent < scene->message_count)
            send_next(scene);
        else if (scene->posted_count < scene->receive_count)
            post(scene, &scene->receives[scene->posted_count]);
    }
}

static void finish(struct scene *scene)
{
    struct storm *storm = scene->storm;
    for (unsigned i = 0; i < scene->cancels; i++) {
        int error = weft_cancel(scene->cancelled[i]);
        if (!error)
            error = weft_wait(&scene->cancelled[i], storm->patience, NULL);
        if (error != WEFT_ERR_CANCELLED)
            complain(storm, "cancel", i, error);
    }
    for (unsigned i = scene->receive_count; i-- > 0;) {
        struct receive *receive = &scene->receives[i];
        if (receive->request)
            weft_wait(&receive->request, storm->patience, &receive->status);
        if (receive->request)
            complain(storm, "wait for receive", i, WEFT_ERR_TIMEOUT);
    }
    for (unsigned i = 0; i < scene->message_count; i++) {
        int error = weft_wait(&scene->messages[i].request, storm->patience, NULL);
        if (error)
            complain(storm, "wait for send", i, error);
    }
}

/* ---- Who got what ------------------------------------------------------------------------- */

/* Receives are looked at in the order in which they were posted: each must have got the first
 * message of its source that fits it and that no earlier one has got. */
static struct message *due(struct scene *scene, const struct receive *receive)
{
    for (unsigned i = 0; i < scene->message_count; i++) {
        struct message *message = &scene->messages[i];
        if (message->to == scene->rank && message->from == receive->status.source &&
            !message->is_taken && (receive->tag < 0 || receive->tag == message->tag))
            return message;
    }
    return NULL;
}

static void check_receive(struct scene *scene, unsigned index)
{
    struct receive *receive = scene->posted[index];
    struct message *message = due(scene, receive);
    struct storm *storm = scene->storm;
    if (!message || message->tag != receive->status.tag ||
        (receive->from >= 0 && receive->from != receive->status.source)) {
        complain(storm, "another message came to receive", index, receive->status.error);
        return;
    }
    message->is_taken = true;
    size_t length = message->shape.total;
    size_t got = length < receive->room ? length : receive->room;
    shape_expect(&receive->shape, (uint64_t)(message - scene->messages), 0, got);
    if (receive->status.bytes != got ||
        receive->status.error != (length > receive->room ? WEFT_ERR_TRUNCATED : WEFT_OK))
        complain(storm, "not so many bytes for receive", index, receive->status.error);
    else if (!shape_is_right(&receive->shape))
        complain(storm, "wrong bytes in receive", index, receive->status.error);
}

static void check(struct scene *scene)
{
    for (unsigned i = 0; i < scene->receive_count; i++)
        check_receive(scene, i);
    for (unsigned i = 0; i < scene->message_count; i++)
        if (scene->messages[i].from == scene->rank && !shape_is_right(&scene->messages[i].shape))
            complain(scene->storm, "a send has changed its memory", i, WEFT_OK);
}

void storm_of_messages(struct storm *storm)
{
    struct scene *scene = calloc(1, sizeof *scene);
    if (!scene)
        abort();
    scene->storm = storm;
    scene->rank = weft_rank(storm->net);
    scene->size = weft_size(storm->net);
    scene->rng = rng_stream(storm->seed, (uint64_t)scene->rank + 1);
    struct rng common = rng_stream(storm->seed, 0);
    plan(scene, &common);
    plan_receives(scene);
    act(scene);
    finish(scene);
    if (!storm->why[0])
        check(scene);
    for (unsigned i = 0; i < scene->message_count; i++)
        if (scene->messages[i].is_open)
            shape_close(&scene->messages[i].shape);
    for (unsigned i = 0; i < scene->receive_count; i++)
        shape_close(&scene->receives[i].shape);
    free(scene);
}
