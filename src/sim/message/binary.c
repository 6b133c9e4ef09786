/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/message/binary.h"

#include <inttypes.h>
#include <stdio.h>

#define COOKIE 4223u
#define HEAD 8u /* the cookie, which places do not count */
#define JUMPS 6u
#define RECORD 39u

enum { KIND_SEND = 1, KIND_RECEIVE, KIND_CALCULATE };

struct binary {
    const unsigned char *bytes; /* behind the cookie */
    uint64_t size;
    struct weft_sim_graph *graph;
    struct weft_sim_mistake *mistake;
};

/* What is written of one rank. */
struct block {
    uint32_t rank, first; /* operation in the graph */
    uint64_t count;
    const unsigned char *records, *followers;
    uint64_t follower_count;
};

static uint64_t number(const unsigned char *at, unsigned length)
{
    uint64_t value = 0;
    for (unsigned i = length; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static bool refuse(const struct binary *binary, uint64_t rank, const char *what)
{
    binary->mistake->line = 0;
    snprintf(binary->mistake->text, sizeof binary->mistake->text, "rank %" PRIu64 ": %s", rank,
             what);
    return false;
}

/* ---- Operations --------------------------------------------------------------------------- */

static bool is_possible(const struct binary *binary, const struct weft_sim_operation *operation)
{
    if (operation->cpu >= WEFT_SIM_MOST_UNITS || operation->nic >= WEFT_SIM_MOST_UNITS)
        return false;
    if (operation->action == WEFT_SIM_CALCULATE)
        return operation->size <= WEFT_SIM_MOST_NANOSECONDS;
    bool may_be_any = operation->action == WEFT_SIM_RECEIVE;
    return operation->size <= WEFT_SIM_MOST_BYTES &&
           (operation->peer < binary->graph->ranks ||
            (may_be_any && operation->peer == WEFT_SIM_ANY)) &&
           (operation->tag != WEFT_SIM_ANY || may_be_any);
}

static bool read_operation(const struct binary *binary, uint32_t rank, const unsigned char *record)
{
    static const uint8_t actions[] = {
        [KIND_SEND] = WEFT_SIM_SEND,
        [KIND_RECEIVE] = WEFT_SIM_RECEIVE,
        [KIND_CALCULATE] = WEFT_SIM_CALCULATE,
    };
    if (record[4] < KIND_SEND || record[4] > KIND_CALCULATE)
        return refuse(binary, rank, "an operation is neither send, recv nor calc");
    struct weft_sim_operation operation = {.rank = rank,
                                           .action = actions[record[4]],
                                           .peer = (uint32_t)number(record + 5, 4),
                                           .size = number(record + 9, 8),
                                           .tag = (uint32_t)number(record + 17, 4),
                                           .cpu = record[21],
                                           .nic = record[22]};
    if (!is_possible(binary, &operation))
        return refuse(binary, rank, "an operation has a number that is too large");
    return weft_sim_graph_add(binary->graph, &operation) != WEFT_SIM_NONE ||
           refuse(binary, rank, "there is no memory for so many operations");
}

/* The count and the place are at `pair`. */
static bool read_followers(const struct binary *binary, const struct block *block,
                           uint32_t earlier, const unsigned char *pair, enum weft_sim_wait wait)
{
    uint64_t count = number(pair, 4), first = number(pair + 4, 4);
    if (count && first + count > block->follower_count)
        return refuse(binary, block->rank, "followers are outside of their list");
    for (uint64_t i = 0; i < count; i++) {
        uint64_t later = number(block->followers + 4 * (first + i), 4);
        if (later >= block->count)
            return refuse(binary, block->rank, "a follower does not exist");
        weft_sim_graph_wait(binary->graph, block->first + (uint32_t)later, earlier, wait);
    }
    return true;
}

/* ---- Ranks -------------------------------------------------------------------------------- */

static bool open_block(const struct binary *binary, uint32_t rank, struct block *block)
{
    const unsigned char *jump = binary->bytes + JUMPS + 16 * (uint64_t)rank;
    uint64_t begin = number(jump, 8), end = number(jump + 8, 8);
    if (begin > end || end > binary->size || end - begin < 8)
        return refuse(binary, rank, "its place is outside of the file");
    uint64_t count = number(binary->bytes + begin, 4),
             roots = number(binary->bytes + begin + 4, 4);
    uint64_t head = 8 + 4 * roots + RECORD * count;
    if (end - begin < head)
        return refuse(binary, rank, "it has more operations than fit into its place");
    *block = (struct block){.rank = rank,
                            .first = binary->graph->count,
                            .count = count,
                            .records = binary->bytes + begin + 8 + 4 * roots,
                            .followers = binary->bytes + begin + head,
                            .follower_count = (end - begin - head) / 4};
    return true;
}

static bool read_rank(const struct binary *binary, uint32_t rank)
{
    struct block block;
    if (!open_block(binary, rank, &block))
        return false;
    for (uint64_t i = 0; i < block.count; i++)
        if (!read_operation(binary, rank, block.records + RECORD * i))
            return false;
    for (uint64_t i = 0; i < block.count; i++) {
        const unsigned char *pairs = block.records + RECORD * i + 23;
        uint32_t operation = block.first + (uint32_t)i;
        if (!read_followers(binary, &block, operation, pairs, WEFT_SIM_WAIT_ALL) ||
            !read_followers(binary, &block, operation, pairs + 8, WEFT_SIM_WAIT_BEGUN))
            return false;
    }
    return true;
}

/* ---- What others call --------------------------------------------------------------------- */

bool weft_sim_binary_is(const void *bytes, size_t size)
{
    return size >= HEAD && number(bytes, HEAD) == COOKIE;
}

bool weft_sim_binary_read(struct weft_sim_graph *graph, const void *bytes, size_t size,
                          struct weft_sim_mistake *mistake)
{
    struct binary binary = {.bytes = (const unsigned char *)bytes + HEAD,
                            .size = size - HEAD,
                            .graph = graph,
                            .mistake = mistake};
    uint64_t ranks = size >= HEAD + JUMPS ? number(binary.bytes, 4) : 0;
    if (ranks < 1 || ranks > WEFT_SIM_MOST_RANKS || JUMPS + 16 * ranks > binary.size)
        return refuse(&binary, ranks, "there are not so many in the file");
    graph->ranks = (uint32_t)ranks;
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (!read_rank(&binary, rank))
            return false;
    return weft_sim_graph_finish(graph) ||
           refuse(&binary, ranks, "there is no memory for so many operations");
}
