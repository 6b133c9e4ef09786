/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/message/label.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sim/message/graph.h"

#define FIRST_ROOM 64u

void weft_sim_labels_fini(struct weft_sim_labels *labels)
{
    free(labels->labels);
}

void weft_sim_labels_clear(struct weft_sim_labels *labels)
{
    labels->count = 0;
    labels->turn++;
}

/* The place of a name, or the free one where it belongs. There is room. */
static struct weft_sim_label *place_of(const struct weft_sim_labels *labels, const char *name,
                                       size_t length)
{
    uint64_t hash = length;
    for (size_t i = 0; i < length; i++)
        hash = weft_hash_mix(hash, (unsigned char)name[i]);
    for (uint32_t i = (uint32_t)hash;; i++) {
        struct weft_sim_label *label = &labels->labels[i & (labels->room - 1)];
        bool is_free = !label->name || label->turn != labels->turn;
        if (is_free || (label->length == length && memcmp(label->name, name, length) == 0))
            return label;
    }
}

static bool make_room(struct weft_sim_labels *labels)
{
    if (2 * labels->count < labels->room)
        return true;
    struct weft_sim_labels larger = {.room = labels->room ? 2 * labels->room : FIRST_ROOM,
                                     .count = labels->count,
                                     .turn = labels->turn};
    larger.labels = calloc(larger.room, sizeof *larger.labels);
    if (!larger.labels)
        return false;
    for (uint32_t i = 0; i < labels->room; i++) {
        const struct weft_sim_label *label = &labels->labels[i];
        if (label->name && label->turn == labels->turn)
            *place_of(&larger, label->name, label->length) = *label;
    }
    free(labels->labels);
    *labels = larger;
    return true;
}

bool weft_sim_labels_add(struct weft_sim_labels *labels, const char *name, size_t length,
                         uint32_t operation)
{
    if (!make_room(labels))
        return false;
    *place_of(labels, name, length) =
        (struct weft_sim_label){name, length, operation, labels->turn};
    labels->count++;
    return true;
}

uint32_t weft_sim_labels_find(const struct weft_sim_labels *labels, const char *name,
                              size_t length)
{
    if (!labels->count)
        return WEFT_SIM_NONE;
    const struct weft_sim_label *label = place_of(labels, name, length);
    return label->name && label->turn == labels->turn ? label->operation : WEFT_SIM_NONE;
}
