/* SPDX-License-Identifier: BSD-3-Clause */
/* Data that is read where it lies: when, what travels besides it, and what happens if it may not
 * be. Rank 1 owns the data, rank 0 reads. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft_net.h>

#include "support/forbid.h"
#include "support/tap.h"
#include "transfer/must.h"

#define SECONDS 60
#define PIECE 8192
#define PIECES 40
#define LENGTH ((size_t)PIECE * PIECES)
#define SPAN (4 * LENGTH)

struct life {
    weft_net *net;
    int rank;
    unsigned char *memory;
    int wrong; /* the first line that was */
};

static struct weft_net_counters counters_of(struct life *life)
{
    struct weft_net_counters counters = {0};
    must(life, weft_net_counters(life->net, &counters, sizeof counters) == WEFT_OK);
    return counters;
}

/* ---- Data --------------------------------------------------------------------------------- */

/* Blocks of PIECE bytes at places that follow no rule. */
static weft_type *scattered(struct life *life, unsigned seed)
{
    ptrdiff_t places[PIECES];
    for (unsigned i = 0; i < PIECES; i++)
        places[i] = (ptrdiff_t)(3 * PIECE * i + (i * i * 7 + seed) % PIECE);
    weft_type *type = NULL;
    must(life,
         weft_type_hindexed_block(PIECES, PIECE, places, weft_basic(WEFT_BYTE), &type) == WEFT_OK);
    must(life, weft_type_commit(type) == WEFT_OK);
    return type;
}

static void fill(struct life *life, unsigned seed)
{
    for (size_t i = 0; i < SPAN; i++)
        life->memory[i] = life->rank ? (unsigned char)(i * 13 + seed + i / 251) : 0;
}

/* What rank 1 has there, in the order of its stream. */
static bool came(struct life *life, const weft_type *theirs, const weft_type *ours, unsigned seed)
{
    struct life other = {.rank = 1, .memory = malloc(SPAN)};
    unsigned char *wanted = malloc(LENGTH), *got = malloc(LENGTH);
    fill(&other, seed);
    weft_pack(theirs, 1, other.memory, 0, wanted, LENGTH);
    weft_pack(ours, 1, life->memory, 0, got, LENGTH);
    bool is_same = memcmp(wanted, got, LENGTH) == 0;
    free(other.memory);
    free(wanted);
    free(got);
    return is_same;
}

/* A message whose sides have the types of two seeds. */
static void exchange(struct life *life, unsigned from, unsigned to)
{
    weft_type *theirs = scattered(life, from), *ours = scattered(life, to);
    fill(life, from);
    if (life->rank) {
        must(life, weft_send(life->net, theirs, 1, life->memory, 0, 1) == WEFT_OK);
    } else {
        must(life, weft_recv(life->net, ours, 1, life->memory, 1, 1, NULL) == WEFT_OK);
        must(life, came(life, theirs, ours, from));
    }
    weft_type_free(theirs);
    weft_type_free(ours);
}

/* The first message makes rank 0 ask where to read; the answer comes some time later. */
static void meet(struct life *life)
{
    const weft_type *type = weft_basic(WEFT_INT);
    int knows = 0;
    for (unsigned i = 0; i < 1000 && !knows; i++) {
        exchange(life, 1, 2);
        struct weft_net_counters counters = counters_of(life);
        knows = counters.direct || counters.fallbacks[WEFT_NET_FALLBACK_DENIED];
        if (life->rank)
            must(life, weft_recv(life->net, type, 1, &knows, 0, 9, NULL) == WEFT_OK);
        else
            must(life, weft_send(life->net, type, 1, &knows, 1, 9) == WEFT_OK);
    }
    must(life, knows);
}

/* ---- Scenes ------------------------------------------------------------------------------- */

static void types_travel_once(struct life *life)
{
    meet(life);
    struct weft_net_counters before = counters_of(life);
    for (unsigned round = 0; round < 5; round++)
        for (unsigned seed = 10; seed < 14; seed++)
            exchange(life, seed, seed + 1);
    struct weft_net_counters after = counters_of(life);
    if (life->rank)
        return;
    must(life, before.direct > 0);
    must(life, after.direct - before.direct == 20);
    must(life, after.direct_bytes - before.direct_bytes == 20 * LENGTH);
    must(life, after.layout_misses - before.layout_misses == 4);
    must(life, after.layout_hits - before.layout_hits == 16);
    must(life, after.layout_bytes > before.layout_bytes);
    must(life, after.fallbacks[WEFT_NET_FALLBACK_STRANGER] > 0);
}

/* More than either side remembers: no key may stand for another type than it did. */
static void types_are_forgotten(struct life *life)
{
    meet(life);
    for (unsigned seed = 0; seed < 300; seed++)
        exchange(life, 100 + seed, 5);
    for (unsigned seed = 0; seed < 300; seed += 7)
        exchange(life, 100 + seed, 5);
    struct weft_net_counters counters = counters_of(life);
    must(life, life->rank || counters.layout_misses > 300);
}

static void regions_are_read(struct life *life)
{
    weft_type *theirs = scattered(life, 3), *ours = scattered(life, 4);
    const weft_type *word = weft_basic(WEFT_UINT64);
    uint64_t key = 0;
    fill(life, 3);
    meet(life);
    fill(life, 3);
    if (life->rank) {
        must(life, weft_expose(life->net, theirs, 1, life->memory, &key) == WEFT_OK);
        must(life, weft_send(life->net, word, 1, &key, 0, 2) == WEFT_OK);
        must(life, weft_recv(life->net, word, 1, &key, 0, 3, NULL) == WEFT_OK);
        must(life, weft_withdraw(life->net, key) == WEFT_OK);
        must(life, weft_send(life->net, word, 1, &key, 0, 2) == WEFT_OK);
        must(life, weft_recv(life->net, word, 1, &key, 0, 3, NULL) == WEFT_OK);
    } else {
        must(life, weft_recv(life->net, word, 1, &key, 1, 2, NULL) == WEFT_OK);
        uint64_t before = counters_of(life).direct;
        must(life, weft_get(life->net, ours, 1, life->memory, 1, key, 0) == WEFT_OK);
        must(life, came(life, theirs, ours, 3));
        must(life, counters_of(life).direct == before + 1);
        must(life, weft_get(life->net, ours, 1, life->memory, 1, key, 8) == WEFT_ERR_REGION);
        must(life, weft_send(life->net, word, 1, &key, 1, 3) == WEFT_OK);
        must(life, weft_recv(life->net, word, 1, &key, 1, 2, NULL) == WEFT_OK);
        must(life, weft_get(life->net, ours, 1, life->memory, 1, key, 0) == WEFT_ERR_REGION);
        must(life, counters_of(life).direct == before + 1);
        must(life, weft_send(life->net, word, 1, &key, 1, 3) == WEFT_OK);
    }
    weft_type_free(theirs);
    weft_type_free(ours);
}

static void reading_is_forbidden(struct life *life)
{
    must(life, forbid(SYS_process_vm_readv, EPERM));
    meet(life);
    for (unsigned i = 0; i < 5; i++)
        exchange(life, i, 2);
    struct weft_net_counters counters = counters_of(life);
    must(life, counters.direct == 0 && counters.layout_bytes == 0);
    must(life, life->rank || counters.fallbacks[WEFT_NET_FALLBACK_DENIED] >= 5);
}

/* ---- Running ------------------------------------------------------------------------------ */

static int live(int rank, void (*scene)(struct life *life))
{
    struct life life = {.rank = rank, .memory = malloc(SPAN)};
    char text[8];
    snprintf(text, sizeof text, "%d", rank);
    setenv("WEFT_RANK", text, 1);
    alarm(SECONDS);
    must(&life, weft_open(&life.net) == WEFT_OK);
    if (!life.wrong)
        scene(&life);
    weft_close(life.net);
    free(life.memory);
    if (life.wrong)
        printf("# rank %d: line %d is wrong\n", rank, life.wrong);
    return life.wrong != 0;
}

static void play(const char *name, void (*scene)(struct life *life))
{
    char folder[] = "/tmp/weft-direct-XXXXXX", file[sizeof folder + 8];
    pid_t pids[2];
    int status[2] = {-1, -1};
    if (!mkdtemp(folder))
        exit(2);
    snprintf(file, sizeof file, "%s/job", folder);
    setenv("WEFT_RENDEZVOUS", file, 1);
    fflush(stdout);
    for (int rank = 0; rank < 2; rank++) {
        pids[rank] = fork();
        if (pids[rank] == 0)
            exit(live(rank, scene));
    }
    for (int rank = 0; rank < 2; rank++)
        waitpid(pids[rank], &status[rank], 0);
    tap_check(status[0] == 0 && status[1] == 0, __FILE__, __LINE__, name);
    unlink(file);
    rmdir(folder);
}

int main(void)
{
    setenv("WEFT_SIZE", "2", 1);
    setenv("WEFT_LAUNCHER", "file", 1);
    setenv("WEFT_WORLD", "shm", 1);
    setenv("WEFT_DIRECT", "4K", 1);
    play("a type travels once, also if it is built again", types_travel_once);
    play("types are forgotten and learnt again", types_are_forgotten);
    play("regions are read until they are withdrawn", regions_are_read);
    play("who may not read gets packets", reading_is_forbidden);
    return tap_done();
}
