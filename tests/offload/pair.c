/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/pair.h"

#include "support/generate.h"

#define MOST_ELEMENTS 2048
#define MOST_FAR 128
#define MOST_COUNT 4

static struct model *generate(struct rng *rng, bool may_be_far)
{
    struct generator generator = {.rng = rng, .far = may_be_far && rng_one_in(rng, 20)};
    generator.elements = 4 * rng_magnitude(rng, (generator.far ? MOST_FAR : MOST_ELEMENTS) / 4);
    return generate_model(&generator, 1 + (unsigned)rng_below(rng, GENERATE_DEPTH));
}

/* As many elements as come nearest to the bytes of the other side. */
static size_t count_for(const struct model *model, size_t bytes)
{
    size_t size = typemap_of(model)->size;
    return size && bytes > size ? bytes / size : 1;
}

struct pair pair_generate(uint64_t seed, uint64_t index, bool may_be_far)
{
    struct rng rng = rng_stream(seed, index);
    struct pair pair = {.sender = generate(&rng, may_be_far)};
    pair.receiver = generate(&rng, may_be_far);
    pair.receiver_count = 1 + rng_below(&rng, MOST_COUNT);
    pair.sender_count =
        count_for(pair.sender, pair.receiver_count * typemap_of(pair.receiver)->size);
    pair.rng = rng;
    return pair;
}

void pair_free(struct pair *pair)
{
    model_free(pair->sender);
    model_free(pair->receiver);
}

size_t pair_length(const struct side *sender, const struct side *receiver)
{
    return sender->total < receiver->total ? sender->total : receiver->total;
}
