/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory descriptors: bound, released at random times and bound again. */
#include "chaos/scene.h"

/* What a descriptor is for. */
static const struct {
    bool has_queue, has_counter, is_volatile, is_for_replies;
} kinds[SCENE_MDS] = {{.has_queue = true},
                      {.has_queue = true, .has_counter = true},
                      {.has_counter = true},
                      {.has_queue = true, .is_volatile = true},
                      {.has_queue = true, .has_counter = true, .is_for_replies = true},
                      {.has_counter = true, .is_for_replies = true}};

/* Each with a chance of one half. */
static unsigned some_of(struct rng *rng, unsigned options)
{
    return options & (unsigned)rng_next(rng);
}

static unsigned draw_options(struct rng *rng, unsigned which)
{
    unsigned options = some_of(rng, PTL_MD_UNORDERED);
    if (kinds[which].has_counter)
        options |= some_of(rng, PTL_MD_EVENT_CT_SEND | PTL_MD_EVENT_CT_REPLY |
                                    PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_BYTES);
    if (kinds[which].is_volatile)
        options |= PTL_MD_VOLATILE;
    if (kinds[which].has_queue && rng_one_in(rng, 3))
        options |= some_of(rng, PTL_MD_EVENT_SEND_DISABLE);
    /* Slots of replies are used again when their events come. */
    if (kinds[which].has_queue && !kinds[which].is_for_replies && rng_one_in(rng, 4))
        options |= PTL_MD_EVENT_SUCCESS_DISABLE;
    return options;
}

static void lay_out(struct node *node, struct md *md, unsigned which, ptl_md_t *wish)
{
    unsigned char *area = (unsigned char *)node->scene->pattern;
    if (kinds[which].is_volatile) {
        md->layout = layout_plain(0, SCENE_PATTERN);
        wish->start = node->scratch;
        wish->length = SCENE_SCRATCH;
        return;
    }
    if (kinds[which].is_for_replies) {
        md->layout = node->landing_layout;
        area = node->landing;
    } else if (rng_one_in(&node->rng, 3)) {
        md->layout = layout_shuffled(&node->rng, SCENE_PATTERN);
    } else {
        md->layout = layout_plain(0, SCENE_PATTERN);
    }
    wish->options |= layout_describe(&md->layout, area, md->vector, &wish->start, &wish->length);
}

static void bind(struct node *node, unsigned which)
{
    struct scene *scene = node->scene;
    struct md *md = scene_make(scene, sizeof *md);
    node->mds[which] = md;
    if (!md)
        return;
    md->has_queue = kinds[which].has_queue;
    md->options = draw_options(&node->rng, which);
    md->counter = PTL_CT_NONE;
    ptl_md_t wish = {.options = md->options,
                     .eq_handle = md->has_queue ? node->queue : PTL_EQ_NONE};
    lay_out(node, md, which, &wish);
    int result = kinds[which].has_counter ? PtlCTAlloc(node->ni, &md->counter) : PTL_OK;
    wish.ct_handle = md->counter;
    if (result == PTL_OK)
        result = PtlMDBind(node->ni, &wish, &md->handle);
    if (result != PTL_OK)
        scene_fail(scene, node->number, "binding a descriptor returns %d", result);
}

void bind_open(struct node *node)
{
    uint32_t size = SCENE_SLOTS * SCENE_SLOT;
    node->landing_layout =
        rng_one_in(&node->rng, 2) ? layout_shuffled(&node->rng, size) : layout_plain(0, size);
    for (unsigned i = 0; i < SCENE_MDS; i++)
        bind(node, i);
}

static bool uses(const struct op *op, const struct md *md)
{
    return op->md == md || op->get_md == md;
}

/* All operations have ended, so the counter is what they add up to. */
static void check_counter(struct node *node, struct md *md)
{
    const struct scene *scene = node->scene;
    ptl_ct_event_t least = {0}, most = {0}, is = {0};
    for (unsigned i = 0; i < scene->op_count; i++)
        op_count(scene->ops[i], md, &least, &most);
    PtlCTGet(md->counter, &is);
    if (is.success < least.success || is.success > most.success || is.failure < least.failure ||
        is.failure > most.failure)
        scene_fail(node->scene, node->number,
                   "the counter of a descriptor (options %x) is %llu/%llu, not %llu/%llu",
                   md->options, (unsigned long long)is.success, (unsigned long long)is.failure,
                   (unsigned long long)least.success, (unsigned long long)least.failure);
    if (PtlCTFree(md->counter) != PTL_OK)
        scene_fail(node->scene, node->number, "a counter cannot be freed");
}

/* Whether the descriptor is gone; checks that it may be, or that it may not. */
static bool release(struct node *node, struct md *md)
{
    struct scene *scene = node->scene;
    drain_all(node);
    bool may_be_used = false;
    for (unsigned i = 0; i < scene->op_count; i++)
        may_be_used |= uses(scene->ops[i], md) && !op_end_is_seen(scene->ops[i]);
    int result = PtlMDRelease(md->handle);
    if (result == PTL_IN_USE && may_be_used)
        return false;
    if (result != PTL_OK) {
        scene_fail(scene, node->number, "releasing an idle descriptor returns %d", result);
        return false;
    }
    drain_all(node);
    for (unsigned i = 0; i < scene->op_count; i++) {
        const struct op *op = scene->ops[i];
        if (uses(op, md) && !op_is_told(op))
            scene_fail(scene, node->number, "not all is told of %s, but its descriptor is idle",
                       op_text(op));
        else if (op->get_md == md && !op->results)
            op_take_reply(op);
    }
    return true;
}

void bind_again(struct node *node, unsigned which)
{
    struct md *md = node->mds[which];
    if (!release(node, md) || node->scene->run.has_failed)
        return;
    if (md->counter != PTL_CT_NONE)
        check_counter(node, md);
    bind(node, which);
}

/* All are told of, but acknowledgements that give no event may still be on their way. */
void bind_close(struct node *node)
{
    struct scene *scene = node->scene;
    for (unsigned i = 0; i < SCENE_MDS && !scene->run.has_failed; i++) {
        struct md *md = node->mds[i];
        uint64_t patience = scene_now(scene) + 4 * scene->scenario.world.timeout;
        while (!release(node, md) && !scene->run.has_failed) {
            if (scene_now(scene) > patience)
                scene_fail(scene, node->number, "a descriptor stays in use");
            run_pause(100000);
        }
        if (md->counter != PTL_CT_NONE && !scene->run.has_failed)
            check_counter(node, md);
    }
}
