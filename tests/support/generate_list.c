/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of blocks with the regularities, and the lack of them, that a normal form may meet. */
#include "support/generate.h"

enum list_style {
    LIST_EVEN,     /* one length, one gap */
    LIST_SORTED,   /* any lengths, any gaps */
    LIST_SHUFFLED, /* the same, in any order */
    LIST_PERIODIC, /* a pattern that repeats */
    LIST_RUNS,     /* stretches of equal gaps and lengths */
    LIST_ADJACENT, /* no gaps */
    LIST_WILD,     /* anywhere: may overlap */
    LIST_STYLES
};

struct list {
    struct generator *generator;
    enum list_style style;
    size_t longest; /* length of a block */
    size_t pattern; /* entries after which a periodic list begins again */
    size_t length;  /* of the current block */
    ptrdiff_t gap;
};

static void choose_block(struct list *list)
{
    struct rng *rng = list->generator->rng;
    list->length = rng_magnitude(rng, list->longest);
    if (rng_one_in(rng, 30))
        list->length = 0;
    list->gap = list->style == LIST_ADJACENT ? 0 : rng_between(rng, 0, 30);
    if (list->generator->far && rng_one_in(rng, 4))
        list->gap += (ptrdiff_t)1 << 32;
}

/* Whether block i begins something new, or goes on as the one before. */
static bool changes(struct list *list, size_t i)
{
    switch (list->style) {
    case LIST_EVEN:
        return i == 0;
    case LIST_PERIODIC:
        return i < list->pattern;
    case LIST_RUNS:
        return i == 0 || rng_one_in(list->generator->rng, 12);
    default:
        return true;
    }
}

static void place(struct list *list, size_t count, ptrdiff_t unit, size_t *lengths,
                  ptrdiff_t *where)
{
    struct rng *rng = list->generator->rng;
    ptrdiff_t size = unit < 0 ? -unit : unit;
    ptrdiff_t next = rng_one_in(rng, 2) ? 0 : rng_between(rng, -50, 50);
    size_t fixed = list->length;
    for (size_t i = 0; i < count; i++) {
        bool repeat = list->style == LIST_PERIODIC && i >= list->pattern;
        if (changes(list, i))
            choose_block(list);
        size_t length = lengths ? list->length : fixed;
        if (repeat && lengths)
            length = lengths[i - list->pattern];
        ptrdiff_t step = (ptrdiff_t)length * size + list->gap;
        if (repeat && i > list->pattern)
            step = where[i - list->pattern + 1] - where[i - list->pattern];
        where[i] = list->style == LIST_WILD ? rng_between(rng, -200, 200) : next;
        if (lengths)
            lengths[i] = length;
        next += step;
    }
}

static void shuffle(struct rng *rng, size_t count, size_t *lengths, ptrdiff_t *where)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = rng_below(rng, i);
        ptrdiff_t at = where[i - 1];
        where[i - 1] = where[j];
        where[j] = at;
        if (!lengths)
            continue;
        size_t length = lengths[i - 1];
        lengths[i - 1] = lengths[j];
        lengths[j] = length;
    }
}

void generate_list(struct generator *generator, size_t count, size_t room, ptrdiff_t unit,
                   size_t length, size_t *lengths, ptrdiff_t *where)
{
    struct rng *rng = generator->rng;
    struct list list = {.generator = generator, .style = rng_below(rng, LIST_STYLES)};
    if (count == 0)
        return;
    list.longest = room / count;
    list.pattern = 2 + rng_below(rng, 4);
    list.length = length;
    if (list.longest == 0)
        list.longest = 1;
    place(&list, count, unit, lengths, where);
    if (list.style == LIST_SHUFFLED)
        shuffle(rng, count, lengths, where);
    if (rng_one_in(rng, 6))
        for (size_t i = 0; i < count; i++)
            where[i] = -where[i];
}
