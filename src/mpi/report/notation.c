/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/report/notation.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mpi/layout/contents.h"

/* Of a list, and of types within types; more would say no more to people. */
enum { ITEMS_SHOWN = 4, LEVELS_SHOWN = 16 };

struct text {
    char *out;
    size_t room, length;
    unsigned level;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
    size_t left = text->room - text->length;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->out + text->length, left, format, arguments);
    va_end(arguments);
    text->length += length < 0 ? 0 : (size_t)length < left ? (size_t)length : left - 1;
}

static void put_type(struct text *text, MPI_Datatype handle);

/* ---- Lists --------------------------------------------------------------------------------- */

typedef int64_t take(struct weft_mpi_contents *contents);

/* All are taken: others come behind. */
static void put_list(struct text *text, struct weft_mpi_contents *contents, take *next,
                     int64_t count)
{
    put(text, "[");
    for (int64_t i = 0; i < count; i++) {
        long long number = next(contents);
        if (i < ITEMS_SHOWN)
            put(text, "%s%lld", i ? ", " : "", number);
    }
    if (count > ITEMS_SHOWN)
        put(text, ", ... of %lld", (long long)count);
    put(text, "], ");
}

static void put_count(struct text *text, struct weft_mpi_contents *contents, take *next)
{
    put(text, "%lld, ", (long long)next(contents));
}

static void put_order(struct text *text, struct weft_mpi_contents *contents)
{
    put(text, "%s, ", weft_mpi_contents_integer(contents) == MPI_ORDER_C ? "C" : "F");
}

/* ---- Constructors -------------------------------------------------------------------------- */

static void put_vector(struct text *text, struct weft_mpi_contents *contents, take *place)
{
    put_count(text, contents, weft_mpi_contents_count);
    put_count(text, contents, weft_mpi_contents_count);
    put_count(text, contents, place);
}

static void put_indexed(struct text *text, struct weft_mpi_contents *contents, take *place)
{
    int64_t count = weft_mpi_contents_count(contents);
    put_list(text, contents, weft_mpi_contents_count, count);
    put_list(text, contents, place, count);
}

static void put_blocks(struct text *text, struct weft_mpi_contents *contents, take *place)
{
    int64_t count = weft_mpi_contents_count(contents);
    put_count(text, contents, weft_mpi_contents_count);
    put_list(text, contents, place, count);
}

static void put_resized(struct text *text, struct weft_mpi_contents *contents, take *place)
{
    put_count(text, contents, place);
    put_count(text, contents, place);
}

static void put_subarray(struct text *text, struct weft_mpi_contents *contents, take *place)
{
    int64_t dimensions = weft_mpi_contents_integer(contents);
    for (unsigned i = 0; i < 3; i++)
        put_list(text, contents, place, dimensions);
    put_order(text, contents);
}

/* Kinds and arguments are two lists in MPI and one here. */
static void put_distributions(struct text *text, struct weft_mpi_contents *contents,
                              int64_t dimensions)
{
    const int *kind = contents->integer + contents->next_integer, *argument = kind + dimensions;
    put(text, "[");
    for (int64_t i = 0; i < dimensions; i++) {
        put(text, "%s%s", i ? ", " : "",
            kind[i] == MPI_DISTRIBUTE_BLOCK    ? "block"
            : kind[i] == MPI_DISTRIBUTE_CYCLIC ? "cyclic"
                                               : "none");
        if (kind[i] != MPI_DISTRIBUTE_NONE && argument[i] != MPI_DISTRIBUTE_DFLT_DARG)
            put(text, "(%d)", argument[i]);
    }
    put(text, "], ");
    contents->next_integer += 2 * (size_t)dimensions;
}

static void put_darray(struct text *text, struct weft_mpi_contents *contents, take *place)
{
    put_count(text, contents, weft_mpi_contents_integer);
    put_count(text, contents, weft_mpi_contents_integer);
    int64_t dimensions = weft_mpi_contents_integer(contents);
    put_list(text, contents, place, dimensions);
    put_distributions(text, contents, dimensions);
    put_list(text, contents, weft_mpi_contents_integer, dimensions);
    put_order(text, contents);
}

static void put_members(struct text *text, struct weft_mpi_contents *contents)
{
    int64_t count = weft_mpi_contents_count(contents);
    /* Lengths and places are two lists in MPI: here one reader is ahead of the other. */
    struct weft_mpi_contents places = *contents;
    for (int64_t i = 0; i < count; i++)
        weft_mpi_contents_count(&places);
    for (int64_t i = 0; i < count && i < ITEMS_SHOWN; i++) {
        put(text, "%s%lld ", i ? ", " : "", (long long)weft_mpi_contents_count(contents));
        put_type(text, contents->type[i]);
        put(text, " @ %lld", (long long)weft_mpi_contents_bytes(&places));
    }
    if (count > ITEMS_SHOWN)
        put(text, ", ... of %lld", (long long)count);
}

/* How each is written: what comes before the type of the elements, and whether displacements are
 * counted in elements or in bytes, where they are either. */
static const struct combiner_notation {
    int combiner;
    const char *name;
    void (*put_arguments)(struct text *text, struct weft_mpi_contents *contents, take *place);
    take *place;
} notations[] = {
    {MPI_COMBINER_DUP, "dup", NULL, NULL},
    {MPI_COMBINER_CONTIGUOUS, "contiguous", put_count, weft_mpi_contents_count},
    {MPI_COMBINER_VECTOR, "vector", put_vector, weft_mpi_contents_count},
    {MPI_COMBINER_HVECTOR, "hvector", put_vector, weft_mpi_contents_bytes},
    {MPI_COMBINER_INDEXED, "indexed", put_indexed, weft_mpi_contents_count},
    {MPI_COMBINER_HINDEXED, "hindexed", put_indexed, weft_mpi_contents_bytes},
    {MPI_COMBINER_INDEXED_BLOCK, "indexed_block", put_blocks, weft_mpi_contents_count},
    {MPI_COMBINER_HINDEXED_BLOCK, "hindexed_block", put_blocks, weft_mpi_contents_bytes},
    {MPI_COMBINER_STRUCT, "struct", NULL, NULL},
    {MPI_COMBINER_SUBARRAY, "subarray", put_subarray, weft_mpi_contents_count},
    {MPI_COMBINER_DARRAY, "darray", put_darray, weft_mpi_contents_count},
    {MPI_COMBINER_RESIZED, "resized", put_resized, weft_mpi_contents_bytes},
};

/* NULL if it is one that has no notation. */
static const struct combiner_notation *notation_of(int combiner)
{
    for (size_t i = 0; i < sizeof notations / sizeof *notations; i++)
        if (notations[i].combiner == combiner)
            return &notations[i];
    return NULL;
}

/* ---- Types --------------------------------------------------------------------------------- */

static void put_named(struct text *text, MPI_Datatype handle)
{
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    int length = 0;
    if (WEFT_MPI_HAS(Type_get_name))
        mpi.Type_get_name(handle, name, &length);
    put(text, "%s", *name ? name : "a type of MPI");
}

static void put_made(struct text *text, struct weft_mpi_contents *contents)
{
    const struct combiner_notation *made_by = notation_of(contents->combiner);
    if (!made_by || text->level >= LEVELS_SHOWN) {
        put(text, "...");
        return;
    }
    text->level++;
    put(text, "%s(", made_by->name);
    if (made_by->put_arguments)
        made_by->put_arguments(text, contents, made_by->place);
    if (contents->combiner == MPI_COMBINER_STRUCT)
        put_members(text, contents);
    else
        put_type(text, contents->type[0]);
    put(text, ")");
    text->level--;
}

static void put_type(struct text *text, MPI_Datatype handle)
{
    struct weft_mpi_contents contents;
    if (!weft_mpi_contents_open(handle, &contents))
        put(text, "...");
    else if (weft_mpi_contents_is_named(&contents))
        put_named(text, handle);
    else
        put_made(text, &contents);
    weft_mpi_contents_close(&contents);
}

void weft_mpi_notation(MPI_Datatype handle, char *text, size_t room)
{
    struct text all = {.out = text, .room = room};
    put_type(&all, handle);
    if (all.length == room - 1)
        memcpy(text + room - 4, "...", 4);
}
