/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/shrink.h"

#include <stdlib.h>
#include <string.h>

/* However slowly it still gets smaller, the reader wants an answer. */
#define MOST_TRIES 20000

/* ---- Changes of one node. `attempt` counts down to the change to make --------------------- */

static bool take(size_t *attempt, size_t choices)
{
    if (*attempt < choices)
        return true;
    *attempt -= choices;
    return false;
}

static void replace_by_child(struct model **slot, size_t i)
{
    struct model *model = *slot;
    *slot = model->child[i];
    model->child[i] = model_basic(WEFT_BYTE);
    model_free(model);
}

static void cut_array(void *array, size_t count, size_t first, size_t dropped, size_t size)
{
    char *bytes = array;
    if (bytes)
        memmove(bytes + first * size, bytes + (first + dropped) * size,
                (count - first - dropped) * size);
}

static void drop_entries(struct model *model, size_t first, size_t dropped)
{
    size_t n = model->count;
    cut_array(model->lengths, n, first, dropped, sizeof(*model->lengths));
    cut_array(model->sizes, n, first, dropped, sizeof(*model->sizes));
    cut_array(model->starts, n, first, dropped, sizeof(*model->starts));
    cut_array(model->where, n, first, dropped, sizeof(*model->where));
    cut_array(model->distributions, n, first, dropped, sizeof(*model->distributions));
    if (model->kind == MODEL_STRUCT) {
        for (size_t i = first; i < first + dropped; i++)
            model_free(model->child[i]);
        cut_array(model->child, n, first, dropped, sizeof(struct model *));
        model->children -= dropped;
    }
    model->count -= dropped;
    if (model->kind == MODEL_DARRAY) {
        model->nprocs = 1;
        for (size_t i = 0; i < model->count; i++)
            model->nprocs *= model->starts[i];
        model->rank %= model->nprocs;
    }
}

/* Halves of the list, quarters, ... single entries. */
static bool try_drop(struct model *model, size_t *attempt)
{
    for (size_t part = (model->count + 1) / 2; part; part /= 2) {
        size_t parts = (model->count + part - 1) / part;
        if (take(attempt, parts)) {
            size_t first = *attempt * part;
            size_t left = model->count - first;
            drop_entries(model, first, part < left ? part : left);
            return true;
        }
    }
    return false;
}

static bool try_size(size_t *value, size_t *attempt)
{
    size_t smaller[] = {0, 1, *value / 2, *value - 1};
    if (!take(attempt, 4))
        return false;
    if (smaller[*attempt] < *value)
        *value = smaller[*attempt];
    return true;
}

static bool try_place(ptrdiff_t *value, size_t *attempt)
{
    ptrdiff_t towards = *value > 0 ? *value - 1 : *value + 1;
    ptrdiff_t smaller[] = {0, *value / 2, towards, *value < 0 ? -*value : *value};
    if (!take(attempt, 4))
        return false;
    if (*value != 0)
        *value = smaller[*attempt];
    return true;
}

static bool try_numbers(struct model *model, size_t *attempt)
{
    if (!model->where && !model->sizes && try_size(&model->count, attempt))
        return true;
    if (try_size(&model->blocklength, attempt) || try_size(&model->rank, attempt) ||
        try_place(&model->stride, attempt) || try_place(&model->lb, attempt) ||
        try_place(&model->extent, attempt))
        return true;
    for (size_t i = 0; i < model->count; i++) {
        if (model->lengths && try_size(&model->lengths[i], attempt))
            return true;
        if (model->where && try_place(&model->where[i], attempt))
            return true;
        if (model->sizes && try_size(&model->sizes[i], attempt))
            return true;
        if (model->kind == MODEL_SUBARRAY && try_size(&model->starts[i], attempt))
            return true;
    }
    return false;
}

/* False when there are no more attempts for this node. */
static bool change(struct model **slot, size_t attempt)
{
    struct model *model = *slot;
    if (take(&attempt, model->children)) {
        replace_by_child(slot, attempt);
        return true;
    }
    bool already = model->kind == MODEL_BASIC && model->basic == WEFT_BYTE;
    if (take(&attempt, already ? 0 : 1)) {
        model_free(model);
        *slot = model_basic(WEFT_BYTE);
        return true;
    }
    if (model->kind == MODEL_BASIC)
        return false;
    if ((model->where || model->sizes) && try_drop(model, &attempt))
        return true;
    return try_numbers(model, &attempt);
}

/* ---- Search ------------------------------------------------------------------------------- */

/* The node with that number, counted from the root down. */
static struct model **find_slot(struct model **slot, size_t *number)
{
    if ((*number)-- == 0)
        return slot;
    for (size_t i = 0; i < (*slot)->children; i++) {
        struct model **found = find_slot(&(*slot)->child[i], number);
        if (found)
            return found;
    }
    return NULL;
}

static bool valid_everywhere(const struct model *model)
{
    for (size_t i = 0; i < model->children; i++)
        if (!valid_everywhere(model->child[i]))
            return false;
    return model_valid(model);
}

static bool same(const struct model *a, const struct model *b)
{
    char *left = model_text(a), *right = model_text(b);
    bool equal = strcmp(left, right) == 0;
    free(left);
    free(right);
    return equal;
}

/* Replaces *model by a smaller one that fails, if some change of node `number` gives one. */
static bool shrink_node(struct model **model, size_t number, shrink_predicate fails,
                        void *context, size_t *tries)
{
    for (size_t attempt = 0; *tries < MOST_TRIES; attempt++) {
        struct model *candidate = model_copy(*model);
        size_t left = number;
        if (!change(find_slot(&candidate, &left), attempt)) {
            model_free(candidate);
            return false;
        }
        if (valid_everywhere(candidate) && !same(candidate, *model)) {
            ++*tries;
            if (fails(candidate, context)) {
                model_free(*model);
                *model = candidate;
                return true;
            }
        }
        model_free(candidate);
    }
    return false;
}

struct model *shrink_model(const struct model *model, shrink_predicate fails, void *context)
{
    struct model *smallest = model_copy(model);
    size_t tries = 0;
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (size_t number = 0; number < model_nodes(smallest) && !smaller; number++)
            smaller = shrink_node(&smallest, number, fails, context, &tries);
    }
    return smallest;
}
