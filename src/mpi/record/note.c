/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/record/note.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "mpi/layout/type.h"
#include "mpi/report/notation.h"

enum { LONGEST = 160, MOST = 1 << 16 };

struct note {
    struct weft_index_node node;
    uint32_t number;
    char text[];
};

static struct {
    struct weft_index index;
    bool is_there;
    struct note *notes[MOST]; /* by number, but for the first */
    uint32_t count;
} all;

/* ---- Texts --------------------------------------------------------------------------------- */

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0;
    for (; *text; text++)
        hash = weft_hash_mix(hash, (unsigned char)*text);
    return hash;
}

static uint32_t find(const char *text, uint64_t hash)
{
    struct weft_index_node *node = weft_index_first(&all.index, hash);
    for (; node; node = weft_index_next(&all.index, node)) {
        const struct note *note = weft_list_object(node, struct note, node);
        if (strcmp(note->text, text) == 0)
            return note->number;
    }
    return 0;
}

static uint32_t add(const char *text, uint64_t hash)
{
    size_t size = strlen(text) + 1;
    struct note *note = all.count + 1 < MOST ? malloc(sizeof *note + size) : NULL;
    if (!note)
        return 0;
    note->number = ++all.count;
    memcpy(note->text, text, size);
    all.notes[note->number] = note;
    weft_index_add(&all.index, &note->node, hash);
    return note->number;
}

uint32_t weft_mpi_note(const char *text)
{
    uint64_t hash = hash_of(text);
    if (!all.is_there && !(all.is_there = weft_index_init(&all.index)))
        return 0;
    uint32_t known = find(text, hash);
    return known ? known : add(text, hash);
}

const char *weft_mpi_note_text(uint32_t note)
{
    return note ? all.notes[note]->text : "";
}

/* ---- Types --------------------------------------------------------------------------------- */

/* A program sends most of its messages by few types, and a handle means the same until one is
 * freed. */
uint32_t weft_mpi_note_type(MPI_Datatype type)
{
    static struct {
        MPI_Datatype type;
        unsigned generation;
        uint32_t note;
    } last[16], *place;
    char text[LONGEST];
    if (weft_mpi_type_is_basic(type))
        return 0;
    place = &last[weft_hash_mix(0, (uintptr_t)type) % (sizeof last / sizeof *last)];
    unsigned generation = weft_mpi_type_generation() + 1;
    if (place->generation == generation && place->type == type)
        return place->note;
    weft_mpi_notation(type, text, sizeof text);
    place->type = type;
    place->generation = generation;
    return place->note = weft_mpi_note(text);
}
