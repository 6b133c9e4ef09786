/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/type/seek_case.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/harness/random.h"
#include "weft/command.h"

/* Bytes of a block, and of a gap between two. */
#define SHORTEST 8
#define LONGEST 56

#define MEMBERS 32       /* of the struct */
#define INNER_BLOCKS 256 /* of the list in the list, at least: more than a range has */
#define PAGE ((size_t)4096)

const char *const seek_shape_names[] = {"indexed", "struct", "lists"};

void *seek_allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "weft bench seek: out of memory: try --max-blocks\n");
        exit(WEFT_EXIT_FAILED);
    }
    return memory;
}

static void expect_success(int error)
{
    if (error == WEFT_OK)
        return;
    fprintf(stderr, "weft bench seek: cannot build a type: %s\n", weft_error_text(error));
    exit(WEFT_EXIT_FAILED);
}

/* Blocks of varied length with varied gaps. */
struct blocks {
    size_t count;
    size_t *lengths;
    ptrdiff_t *where;
    size_t extent;
    size_t repeated; /* at the end, of those at the start */
};

static size_t next_page(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static struct blocks draw_blocks(size_t count)
{
    struct blocks blocks = {.count = count,
                            .lengths = seek_allocate(count * sizeof(size_t)),
                            .where = seek_allocate(count * sizeof(ptrdiff_t))};
    struct random random = {count};
    size_t *gaps = seek_allocate(count * sizeof(*gaps));
    for (size_t i = 0; i < count; i++) {
        blocks.lengths[i] = SHORTEST + random_below(&random, LONGEST - SHORTEST + 1);
        gaps[i] = 1 + random_below(&random, LONGEST / 2);
    }
    for (size_t bytes = 0; bytes < SEEK_RANGE; bytes += blocks.lengths[blocks.repeated++])
        ;
    size_t tail = count - blocks.repeated;
    for (size_t i = 0; i < blocks.repeated; i++) {
        blocks.lengths[tail + i] = blocks.lengths[i];
        gaps[tail + i] = gaps[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (i == tail)
            blocks.extent = next_page(blocks.extent);
        blocks.where[i] = (ptrdiff_t)blocks.extent;
        blocks.extent += blocks.lengths[i] + gaps[i];
    }
    free(gaps);
    return blocks;
}

static void free_blocks(struct blocks *blocks)
{
    free(blocks->lengths);
    free(blocks->where);
}

static weft_type *make_indexed(const struct blocks *blocks, size_t first, size_t count)
{
    weft_type *type = NULL;
    expect_success(weft_type_hindexed(count, blocks->lengths + first, blocks->where + first,
                                      weft_basic(WEFT_BYTE), &type));
    return type;
}

/* Each member is an indexed type with its share of the blocks. */
static weft_type *make_struct(const struct blocks *blocks)
{
    const weft_type *members[MEMBERS];
    weft_type *made[MEMBERS], *type = NULL;
    size_t lengths[MEMBERS];
    ptrdiff_t where[MEMBERS];
    for (size_t i = 0; i < MEMBERS; i++) {
        size_t first = blocks->count * i / MEMBERS, end = blocks->count * (i + 1) / MEMBERS;
        members[i] = made[i] = make_indexed(blocks, first, end - first);
        lengths[i] = 1;
        where[i] = 0;
    }
    expect_success(weft_type_struct(MEMBERS, lengths, where, members, &type));
    for (size_t i = 0; i < MEMBERS; i++)
        weft_type_free(made[i]);
    return type;
}

static void list_pieces(struct seek_case *seek, const struct blocks *inner, const ptrdiff_t *outer,
                        size_t outer_count)
{
    seek->where = seek_allocate(seek->blocks * sizeof(*seek->where));
    seek->start = seek_allocate((seek->blocks + 1) * sizeof(*seek->start));
    seek->start[0] = 0;
    for (size_t o = 0, piece = 0; o < outer_count; o++)
        for (size_t i = 0; i < inner->count; i++, piece++) {
            seek->where[piece] = outer[o] + inner->where[i];
            seek->start[piece + 1] = seek->start[piece] + inner->lengths[i];
        }
    seek->last_range = seek->start[seek->blocks - inner->repeated];
}

static void make_list_of_lists(struct seek_case *seek)
{
    size_t inner_count = 1;
    while ((inner_count + 1) * (inner_count + 1) <= seek->blocks)
        inner_count++;
    if (inner_count < INNER_BLOCKS)
        inner_count = INNER_BLOCKS;
    size_t outer_count = seek->blocks / inner_count;
    seek->blocks = outer_count * inner_count;
    struct blocks inner = draw_blocks(inner_count);
    struct random random = {outer_count};
    ptrdiff_t *outer = seek_allocate(outer_count * sizeof(*outer));
    for (size_t i = 0; i < outer_count; i++) {
        if (i + 1 == outer_count)
            seek->extent = next_page(seek->extent);
        outer[i] = (ptrdiff_t)seek->extent;
        seek->extent += inner.extent + 1 + random_below(&random, LONGEST);
    }
    weft_type *list = make_indexed(&inner, 0, inner_count);
    expect_success(weft_type_hindexed_block(outer_count, 1, outer, list, &seek->type));
    weft_type_free(list);
    list_pieces(seek, &inner, outer, outer_count);
    free(outer);
    free_blocks(&inner);
}

struct seek_case seek_case_make(enum seek_shape shape, size_t blocks)
{
    struct seek_case seek = {.shape = shape, .blocks = blocks};
    if (shape == SEEK_LIST_OF_LISTS) {
        make_list_of_lists(&seek);
    } else {
        struct blocks drawn = draw_blocks(blocks);
        seek.type = shape == SEEK_INDEXED ? make_indexed(&drawn, 0, blocks) : make_struct(&drawn);
        seek.extent = drawn.extent;
        list_pieces(&seek, &drawn, (const ptrdiff_t[]){0}, 1);
        free_blocks(&drawn);
    }
    expect_success(weft_type_commit(seek.type));
    return seek;
}

void seek_case_free(struct seek_case *seek)
{
    weft_type_free(seek->type);
    free(seek->where);
    free(seek->start);
}
