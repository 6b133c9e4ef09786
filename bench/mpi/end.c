/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/mpi/end.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/measure.h"

/* A prime, so that bytes that land at the wrong place are wrong bytes. */
#define PATTERN 4093
#define BLANK 0x5A
#define TRIES 3

/* What libc maps, if it is told to, and what a shared heap takes. */
#define PAGE ((size_t)4096)
#define LARGE ((size_t)65536)

/* ---- Opening and closing ------------------------------------------------------------------ */

/* By malloc, as programs get theirs, so that it may be a shared heap; fresh all the same. */
static char *take_pages(size_t bytes)
{
    mallopt(M_MMAP_THRESHOLD, (int)LARGE);
    char *pages = aligned_alloc(PAGE, (bytes + LARGE - 1) / LARGE * LARGE);
    if (!pages) {
        fprintf(stderr, "weft bench: out of memory: cannot have %zu bytes\n", bytes);
        exit(1);
    }
    return pages;
}

static char *first_element(const struct end *end)
{
    return end->window + end->layout.origin;
}

/* The fastest way to write the loop, here and now. */
static struct hand_loop choose_loop(const struct end *end, enum direction direction)
{
    struct hand_loop loops[HAND_MAX_LOOPS];
    size_t count = hand_loops(&end->layout, direction, loops), best = 0;
    double least = 0;
    for (int try = 0; try <= TRIES; try++)
        for (size_t i = 0; i < count; i++) {
            double start = measure_now();
            hand_move(&loops[i], first_element(end), end->packed);
            double seconds = measure_now() - start;
            if (try == 0 || (least > 0 && seconds >= least)) /* the first warms the caches */
                continue;
            least = seconds;
            best = i;
        }
    return loops[best];
}

/* Both ranks look at both layouts, so that they come to the same answer. */
static const char *build(struct end *end, bool is_sender)
{
    const struct end_pair *pair = &end->pair;
    const struct layout_entry *send = layout_entry_find(pair->send);
    const struct layout_entry *receive = layout_entry_find(pair->receive);
    if (!send || !receive)
        return "there is no such layout";
    struct layout both[2];
    bool into_contiguous = strcmp(pair->receive, "contiguous") == 0;
    layout_build(send, pair->bytes, &both[0]);
    layout_build(receive, into_contiguous ? layout_bytes(&both[0]) : pair->bytes, &both[1]);
    bool fit = layout_bytes(&both[0]) == layout_bytes(&both[1]);
    end->is_contiguous = strcmp(is_sender ? pair->send : pair->receive, "contiguous") == 0;
    end->layout = both[!is_sender];
    end->bytes = layout_bytes(&end->layout);
    layout_clear(&both[is_sender]);
    return fit ? NULL : "its two layouts do not have the same size";
}

const char *end_open(struct end *end, const struct end_pair *pair, bool is_sender)
{
    *end = (struct end){.pair = *pair, .type = MPI_DATATYPE_NULL};
    const char *reason = build(end, is_sender);
    if (reason) {
        layout_clear(&end->layout);
        return reason;
    }
    struct hand_loop loops[HAND_MAX_LOOPS];
    end->window = take_pages(layout_window(&end->layout));
    end->packed = take_pages(end->bytes);
    hand_loops(&end->layout, GATHER, loops);
    end->plain_pack = loops[0];
    hand_loops(&end->layout, SCATTER, loops);
    end->plain_unpack = loops[0];
    end_write(end, WAY_DERIVED, 0);
    end->pack = choose_loop(end, GATHER);
    end->unpack = choose_loop(end, SCATTER);
    return NULL;
}

void end_close(struct end *end)
{
    if (!end->window)
        return;
    free(end->window);
    free(end->packed);
    layout_clear(&end->layout);
    end->window = NULL;
}

void end_make_type(struct end *end)
{
    end->type =
        end->is_contiguous ? MPI_PACKED : (MPI_Datatype)layout_make(&end->layout, &maker_mpi);
}

void end_free_type(struct end *end)
{
    if (!end->is_contiguous)
        maker_mpi.release((made_type)end->type);
    end->type = MPI_DATATYPE_NULL;
}

/* ---- Messages ----------------------------------------------------------------------------- */

/* Who has contiguous memory need not pack it. */
static bool is_packed(const struct end *end, enum way way)
{
    return way != WAY_DERIVED && !end->is_contiguous;
}

struct end_buffer end_buffer(const struct end *end, enum way way)
{
    if (way == WAY_DERIVED && !end->is_contiguous)
        return (struct end_buffer){first_element(end), (int)end->layout.count, end->type};
    return (struct end_buffer){is_packed(end, way) ? end->packed : end->window, (int)end->bytes,
                               way == WAY_DERIVED ? end->type : MPI_BYTE};
}

void end_pack(const struct end *end, enum way way)
{
    if (way == WAY_HAND && is_packed(end, way))
        hand_move(&end->pack, first_element(end), end->packed);
}

void end_unpack(const struct end *end, enum way way)
{
    if (way == WAY_HAND && is_packed(end, way))
        hand_move(&end->unpack, first_element(end), end->packed);
}

/* ---- Data --------------------------------------------------------------------------------- */

/* Whether the bytes are in the packed buffer alone. */
static bool has_no_layout(const struct end *end, enum way way)
{
    return way == WAY_CONTIGUOUS && is_packed(end, way);
}

static void put_everywhere(const struct end *end, enum way way, char *pattern)
{
    for (size_t at = 0; at < end->bytes; at += PATTERN) {
        size_t part = end->bytes - at < PATTERN ? end->bytes - at : PATTERN;
        if (has_no_layout(end, way))
            memcpy(end->packed + at, pattern, part);
        else
            hand_move_range(&end->plain_unpack, first_element(end), pattern, at, part);
    }
}

static void make_pattern(char *pattern, unsigned round)
{
    for (size_t i = 0; i < PATTERN; i++)
        pattern[i] = (char)(i * 7 + (i >> 8) + round);
}

void end_write(const struct end *end, enum way way, unsigned round)
{
    char pattern[PATTERN];
    make_pattern(pattern, round);
    put_everywhere(end, way, pattern);
}

bool end_is_right(const struct end *end, enum way way, unsigned round)
{
    char pattern[PATTERN];
    make_pattern(pattern, round);
    if (!has_no_layout(end, way))
        hand_move(&end->plain_pack, first_element(end), end->packed);
    for (size_t at = 0; at < end->bytes; at += PATTERN) {
        size_t part = end->bytes - at < PATTERN ? end->bytes - at : PATTERN;
        if (memcmp(end->packed + at, pattern, part) != 0)
            return false;
    }
    return true;
}

void end_blank(const struct end *end)
{
    memset(end->window, BLANK, layout_window(&end->layout));
    memset(end->packed, BLANK, end->bytes);
}

bool end_was_blank(const struct end *end, enum way way)
{
    char pattern[PATTERN];
    memset(pattern, BLANK, sizeof(pattern));
    put_everywhere(end, way, pattern);
    const char *window = end->window;
    return window[0] == BLANK && memcmp(window, window + 1, layout_window(&end->layout) - 1) == 0;
}
