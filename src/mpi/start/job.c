/* SPDX-License-Identifier: BSD-3-Clause */
/* How the processes find each other: by MPI's own collectives. Of the launcher, which MPI uses
 * already, comes only the key, because others may read what MPI sends. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/setting.h"
#include "heap/heap.h"
#include "job/machine.h"
#include "job/wireup.h"
#include "mpi/start/token.h"
#include "mpi/state.h"
#include "transfer/net.h"
#include "world/world.h"

struct card {
    uint8_t size;
    unsigned char bytes[WEFT_JOB_CARD_SIZE];
};
static_assert(WEFT_JOB_CARD_SIZE <= UINT8_MAX, "one byte says how long a card is");

static struct {
    struct weft_job_given given;
    uint32_t *nodes;
    struct card own;
    unsigned char *cards; /* of all ranks, each as long as the longest; NULL: all on one host */
    size_t card_size;     /* with the byte that says how long it is */
} job;

static int publish(const void *card, size_t size)
{
    job.own.size = (uint8_t)size;
    memcpy(job.own.bytes, card, size);
    return 0;
}

static int fetch(uint32_t rank, void *card, size_t room, size_t *size)
{
    if (!job.cards)
        return -EAGAIN;
    const unsigned char *found = &job.cards[rank * job.card_size];
    if (found[0] == 0)
        return -ENOENT;
    if (found[0] > room)
        return -EMSGSIZE;
    *size = found[0];
    memcpy(card, found + 1, *size);
    return 0;
}

/* ---- Collective steps ---------------------------------------------------------------------- */

static bool all_agree(bool is_fine)
{
    int own = is_fine, all = 0;
    mpi.Allreduce(&own, &all, 1, MPI_INT, MPI_LAND, weft_mpi.comm);
    return all;
}

/* The lowest rank that shares memory with this one, says the MPI. Some say that nobody does,
 * although their processes run side by side: MPICH 5 over UCX, and MPICH with MPIR_CVAR_NOLOCAL.
 */
static uint32_t lowest_neighbour(void)
{
    MPI_Comm host = MPI_COMM_NULL;
    int lowest = weft_mpi.rank;
    mpi.Comm_split_type(weft_mpi.comm, MPI_COMM_TYPE_SHARED, weft_mpi.rank, MPI_INFO_NULL, &host);
    mpi.Bcast(&lowest, 1, MPI_INT, 0, host);
    mpi.Comm_free(&host);
    return (uint32_t)lowest;
}

struct resident {
    struct weft_job_machine host;
    uint32_t rank;
};

static int by_host_and_rank(const void *a, const void *b)
{
    const struct resident *one = a, *two = b;
    int order = memcmp(&one->host, &two->host, sizeof one->host);
    return order ? order : (one->rank > two->rank) - (one->rank < two->rank);
}

static void number_hosts(struct resident *residents)
{
    uint32_t lowest = 0;
    qsort(residents, (size_t)weft_mpi.size, sizeof *residents, by_host_and_rank);
    for (int i = 0; i < weft_mpi.size; i++) {
        if (i == 0 || !weft_job_machine_is_same(&residents[i].host, &residents[i - 1].host))
            lowest = residents[i].rank;
        job.nodes[residents[i].rank] = lowest;
    }
}

/* A host is known by the lowest rank on it. */
static bool learn_nodes(void)
{
    struct resident own = {.rank = (uint32_t)weft_mpi.rank};
    struct resident *all = calloc((size_t)weft_mpi.size, sizeof *all);
    job.nodes = calloc((size_t)weft_mpi.size, sizeof *job.nodes);
    bool has_memory = all_agree(all && job.nodes);
    if (has_memory && !all_agree(weft_job_machine_learn(&own.host)))
        own.host = (struct weft_job_machine){.network = lowest_neighbour()};
    if (has_memory) {
        mpi.Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, weft_mpi.comm);
        number_hosts(all);
    }
    free(all);
    return has_memory;
}

/* Rank 0 draws what all have in common: the secret of the tickets, which MPI carries anyway, and
 * the key of the job if the launcher's board does not have it. */
static bool share_secrets(void)
{
    struct {
        int is_fine;
        unsigned char token[WEFT_JOB_TOKEN_SIZE], more[WEFT_JOB_TOKEN_SIZE];
    } secrets = {0};
    bool is_on_board = all_agree(weft_mpi_take_token(job.given.token));
    if (weft_mpi.rank == 0)
        secrets.is_fine = weft_job_make_token(secrets.more) &&
                          (is_on_board || weft_job_make_token(secrets.token));
    mpi.Bcast(&secrets, sizeof secrets, MPI_BYTE, 0, weft_mpi.comm);
    if (!is_on_board)
        memcpy(job.given.token, secrets.token, sizeof job.given.token);
    memcpy(weft_mpi.secret, secrets.more, sizeof weft_mpi.secret);
    explicit_bzero(secrets.token, sizeof secrets.token);
    if (weft_mpi.rank == 0)
        weft_log(WEFT_LOG_INFO, "the key of the job is given to all by %s",
                 is_on_board ? "the launcher" : "MPI");
    return secrets.is_fine;
}

/* Nobody has one if all are on one host. Every process keeps them all, so they are no longer than
 * they need to be: an address of a socket has a tenth of what an address may have. */
static bool exchange_cards(void)
{
    int own = job.own.size, longest = 0;
    mpi.Allreduce(&own, &longest, 1, MPI_INT, MPI_MAX, weft_mpi.comm);
    if (longest == 0)
        return true;
    int size = longest + 1;
    unsigned char *cards = calloc((size_t)weft_mpi.size, (size_t)size);
    if (!all_agree(cards != NULL)) {
        free(cards);
        return false;
    }
    mpi.Allgather(&job.own, size, MPI_BYTE, cards, size, MPI_BYTE, weft_mpi.comm);
    job.card_size = (size_t)size;
    job.cards = cards;
    return true;
}

/* ---- The net ------------------------------------------------------------------------------- */

static void give_job(void)
{
    job.given.rank = (uint32_t)weft_mpi.rank;
    job.given.size = (uint32_t)weft_mpi.size;
    job.given.nodes = job.nodes;
    job.given.publish = publish;
    job.given.fetch = fetch;
    weft_job_give(&job.given);
}

/* Nothing is left behind then, however the job ends. */
static bool settle(void)
{
    if (!all_agree(weft_world_settle()))
        return false;
    if (job.nodes[weft_mpi.rank] == (uint32_t)weft_mpi.rank)
        weft_world_remove_file();
    return true;
}

static void use_heap(void)
{
    struct weft_heap *heap = weft_heap_preloaded();
    weft_net_locator_use_heap(heap);
    weft_mpi.has_heaps = all_agree(heap != NULL);
    uint64_t least = weft_setting(WEFT_SETTING_TOGETHER_LEAST);
    if (weft_mpi.has_heaps)
        weft_mpi.least_piece = least ? least : 1;
}

static bool is_on_one_host(void)
{
    int near = 0;
    while (near < weft_mpi.size && weft_mpi_is_near(near))
        near++;
    return near == weft_mpi.size;
}

bool weft_mpi_join(void)
{
    if (!learn_nodes() || !share_secrets())
        return false;
    give_job();
    use_heap();
    bool is_open = weft_net_open_alone(&weft_mpi.net) == WEFT_OK;
    weft_mpi.is_on_one_host = is_on_one_host();
    if (all_agree(is_open) && exchange_cards() && settle())
        return true;
    weft_mpi.is_on_one_host = false;
    weft_close(weft_mpi.net);
    weft_mpi.net = NULL;
    return false;
}

bool weft_mpi_is_near(int rank)
{
    return job.nodes[rank] == job.nodes[weft_mpi.rank];
}

void weft_mpi_leave(void)
{
    if (weft_mpi.net) {
        weft_net_offer_forget(weft_mpi.net);
        weft_close(weft_mpi.net);
        weft_mpi.net = NULL;
        weft_mpi.is_on_one_host = false;
    }
    free(job.cards);
    job.cards = NULL;
}
