/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The constructors of weft.h but for arrays: arguments are checked, bounds follow MPI's rules,
 * and the layout itself is built by form.c.
 */
#include <stdlib.h>

#include "type/intern.h"
#include "type/type.h"

/* ---- Making and freeing ------------------------------------------------------------------- */

/* All that weft_type_query reports must fit, so that nothing later has to check again. */
static bool fits(struct weft_type_form form, int64_t lb, int64_t ub)
{
    int64_t ignored;
    return !__builtin_sub_overflow(ub, lb, &ignored) &&
           (!form.node || (!__builtin_add_overflow(form.at, form.node->low, &ignored) &&
                           !__builtin_add_overflow(form.at, form.node->high, &ignored) &&
                           !__builtin_sub_overflow(form.node->high, form.node->low, &ignored)));
}

int weft_type_make(struct weft_type_form form, int64_t lb, int64_t ub, struct weft_type **out)
{
    struct weft_type *type = malloc(sizeof(*type));
    if (!type || !fits(form, lb, ub)) {
        int rc = type ? WEFT_ERR_OVERFLOW : WEFT_ERR_MEMORY;
        free(type);
        weft_type_node_release(form.node);
        return rc;
    }
    *type = (struct weft_type){
        .form = form, .size = form.node ? form.node->size : 0, .lb = lb, .ub = ub};
    *out = type;
    return WEFT_OK;
}

void weft_type_free(weft_type *type)
{
    if (!type || type->basic)
        return;
    weft_type_node_release(type->form.node);
    free(type);
}

int weft_type_commit(weft_type *type)
{
    if (!type)
        return WEFT_ERR_ARGUMENT;
    if (type->form.node && !weft_type_is_committed(type))
        weft_type_node_may_overlap(
            type->form.node); /* the one slow question, answered in advance */
    atomic_store_explicit(&type->committed, true, memory_order_release);
    return WEFT_OK;
}

int weft_type_set_priority(weft_type *type, unsigned priority)
{
    if (!type || type->basic)
        return WEFT_ERR_ARGUMENT;
    type->priority = priority;
    return WEFT_OK;
}

/* ---- Bounds ------------------------------------------------------------------------------- */

/* The smallest lower and the largest upper bound of what has been added. */
struct bounds {
    int64_t lb, ub;
    bool any;
    bool overflow;
};

static void add_one(struct bounds *bounds, const weft_type *type, int64_t at)
{
    int64_t lb, ub;
    if (__builtin_add_overflow(at, type->lb, &lb) || __builtin_add_overflow(at, type->ub, &ub)) {
        bounds->overflow = true;
        return;
    }
    if (!bounds->any || lb < bounds->lb)
        bounds->lb = lb;
    if (!bounds->any || ub > bounds->ub)
        bounds->ub = ub;
    bounds->any = true;
}

/* `count` copies, `stride` apart, the first at `at`: the extremes are the first and the last. */
static void add_copies(struct bounds *bounds, const weft_type *type, int64_t at, size_t count,
                       int64_t stride)
{
    if (count == 0)
        return;
    int64_t last;
    if (count - 1 > INT64_MAX || __builtin_mul_overflow((int64_t)(count - 1), stride, &last) ||
        __builtin_add_overflow(at, last, &last)) {
        bounds->overflow = true;
        return;
    }
    add_one(bounds, type, at);
    add_one(bounds, type, last);
}

/* Takes over the form's reference. */
static int make_within(struct weft_type_form form, const struct bounds *bounds, weft_type **out)
{
    if (bounds->overflow) {
        weft_type_node_release(form.node);
        return WEFT_ERR_OVERFLOW;
    }
    return weft_type_make(form, bounds->lb, bounds->ub, out);
}

/* ---- Regular ------------------------------------------------------------------------------ */

int weft_type_hvector(size_t count, size_t blocklength, ptrdiff_t stride_bytes,
                      const weft_type *old, weft_type **out)
{
    if (!old || !out)
        return WEFT_ERR_ARGUMENT;
    int64_t step = weft_type_step(old);
    struct weft_type_form block, form;
    int rc = weft_type_form_loop(blocklength, step, old->form, &block);
    if (rc)
        return rc;
    rc = weft_type_form_loop(count, stride_bytes, block, &form);
    weft_type_node_release(block.node);
    if (rc)
        return rc;
    struct bounds bounds = {0};
    if (count > 0) {
        int64_t last;
        add_copies(&bounds, old, 0, blocklength, step);
        if (count - 1 > INT64_MAX ||
            __builtin_mul_overflow((int64_t)(count - 1), (int64_t)stride_bytes, &last))
            bounds.overflow = true;
        else
            add_copies(&bounds, old, last, blocklength, step);
    }
    return make_within(form, &bounds, out);
}

int weft_type_vector(size_t count, size_t blocklength, ptrdiff_t stride, const weft_type *old,
                     weft_type **out)
{
    if (!old || !out)
        return WEFT_ERR_ARGUMENT;
    ptrdiff_t stride_bytes;
    if (__builtin_mul_overflow(stride, weft_type_step(old), &stride_bytes))
        return WEFT_ERR_OVERFLOW;
    return weft_type_hvector(count, blocklength, stride_bytes, old, out);
}

int weft_type_contiguous(size_t count, const weft_type *old, weft_type **out)
{
    return weft_type_hvector(1, count, 0, old, out);
}

/* ---- Irregular ---------------------------------------------------------------------------- */

/* Where the first and the last of the copies in a list begin. */
struct extremes {
    int64_t least, most;
    bool overflow;
};

static inline void look_at(struct extremes *extremes, const struct weft_type_entry *entry,
                           int64_t step)
{
    int64_t span, last;
    if (entry->copies == 0)
        return;
    bool is_too_long = entry->copies - 1 > INT64_MAX;
    is_too_long |= __builtin_mul_overflow((int64_t)(entry->copies - 1), step, &span);
    is_too_long |= __builtin_add_overflow(entry->at, span, &last);
    extremes->overflow |= is_too_long;
    int64_t low = span < 0 ? last : entry->at, high = span < 0 ? entry->at : last;
    extremes->least = low < extremes->least ? low : extremes->least;
    extremes->most = high > extremes->most ? high : extremes->most;
}

/* Displacements in units of `unit` bytes; `lengths` NULL: all are `length`. */
static int make_indexed(size_t count, const size_t *lengths, size_t length,
                        const ptrdiff_t *displacements, int64_t unit, const weft_type *old,
                        weft_type **out)
{
    if (!old || !out || (count && !displacements))
        return WEFT_ERR_ARGUMENT;
    if (count > SIZE_MAX / sizeof(struct weft_type_entry))
        return WEFT_ERR_MEMORY;
    struct weft_type_entry *entries = malloc((count ? count : 1) * sizeof(*entries));
    if (!entries)
        return WEFT_ERR_MEMORY;
    struct extremes extremes = {INT64_MAX, INT64_MIN, false};
    int64_t step = weft_type_step(old);
    for (size_t i = 0; i < count; i++) {
        entries[i].copies = lengths ? lengths[i] : length;
        extremes.overflow |=
            __builtin_mul_overflow((int64_t)displacements[i], unit, &entries[i].at);
        look_at(&extremes, &entries[i], step);
    }
    struct bounds bounds = {.overflow = extremes.overflow};
    if (extremes.least <= extremes.most) {
        add_one(&bounds, old, extremes.least);
        add_one(&bounds, old, extremes.most);
    }
    struct weft_type_form form = {NULL, 0};
    int rc = bounds.overflow ? WEFT_ERR_OVERFLOW
                             : weft_type_form_list(entries, count, old->form, step, &form);
    free(entries);
    return rc ? rc : make_within(form, &bounds, out);
}

int weft_type_indexed(size_t count, const size_t blocklengths[], const ptrdiff_t displacements[],
                      const weft_type *old, weft_type **out)
{
    if (!old || (count && !blocklengths))
        return WEFT_ERR_ARGUMENT;
    return make_indexed(count, blocklengths, 0, displacements, weft_type_step(old), old, out);
}

int weft_type_hindexed(size_t count, const size_t blocklengths[],
                       const ptrdiff_t displacements_bytes[], const weft_type *old,
                       weft_type **out)
{
    if (count && !blocklengths)
        return WEFT_ERR_ARGUMENT;
    return make_indexed(count, blocklengths, 0, displacements_bytes, 1, old, out);
}

int weft_type_indexed_block(size_t count, size_t blocklength, const ptrdiff_t displacements[],
                            const weft_type *old, weft_type **out)
{
    if (!old)
        return WEFT_ERR_ARGUMENT;
    return make_indexed(count, NULL, blocklength, displacements, weft_type_step(old), old, out);
}

int weft_type_hindexed_block(size_t count, size_t blocklength,
                             const ptrdiff_t displacements_bytes[], const weft_type *old,
                             weft_type **out)
{
    return make_indexed(count, NULL, blocklength, displacements_bytes, 1, old, out);
}

/* One form for each member of a struct. */
static int build_members(size_t count, const size_t lengths[], const ptrdiff_t places[],
                         const weft_type *const types[], struct weft_type_form *members,
                         struct bounds *bounds)
{
    for (size_t i = 0; i < count; i++) {
        if (!types[i])
            return WEFT_ERR_ARGUMENT;
        int64_t step = weft_type_step(types[i]);
        int rc = weft_type_form_loop(lengths[i], step, types[i]->form, &members[i]);
        if (rc)
            return rc;
        if (__builtin_add_overflow(members[i].at, (int64_t)places[i], &members[i].at))
            return WEFT_ERR_OVERFLOW;
        add_copies(bounds, types[i], places[i], lengths[i], step);
    }
    return WEFT_OK;
}

int weft_type_struct(size_t count, const size_t blocklengths[],
                     const ptrdiff_t displacements_bytes[], const weft_type *const types[],
                     weft_type **out)
{
    if (!out || (count && (!blocklengths || !displacements_bytes || !types)))
        return WEFT_ERR_ARGUMENT;
    struct weft_type_form *members = calloc(count ? count : 1, sizeof(*members));
    if (!members)
        return WEFT_ERR_MEMORY;
    struct bounds bounds = {0};
    struct weft_type_form form = {NULL, 0};
    int rc = build_members(count, blocklengths, displacements_bytes, types, members, &bounds);
    if (!rc)
        rc = weft_type_form_seq(members, count, &form);
    for (size_t i = 0; i < count; i++)
        weft_type_node_release(members[i].node);
    free(members);
    return rc ? rc : make_within(form, &bounds, out);
}

/* ---- The same bytes again ----------------------------------------------------------------- */

int weft_type_resized(const weft_type *old, ptrdiff_t lb, ptrdiff_t extent, weft_type **out)
{
    int64_t ub;
    if (!old || !out)
        return WEFT_ERR_ARGUMENT;
    if (__builtin_add_overflow((int64_t)lb, (int64_t)extent, &ub))
        return WEFT_ERR_OVERFLOW;
    struct weft_type_form form = {weft_type_node_retain(old->form.node), old->form.at};
    return weft_type_make(form, lb, ub, out);
}

int weft_type_dup(const weft_type *old, weft_type **out)
{
    if (!old || !out)
        return WEFT_ERR_ARGUMENT;
    int rc = weft_type_resized(old, old->lb, weft_type_step(old), out);
    if (!rc) {
        (*out)->committed = weft_type_is_committed(old);
        (*out)->priority = old->priority;
    }
    return rc;
}
