/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/record/circle.h"

/* Above this many bytes, an allreduce is a ring. */
#define LONG UINT64_C(65536)

/* ---- Messages ------------------------------------------------------------------------------ */

/* It waits for the front, but nothing for it yet. */
static uint32_t begin(const struct weft_mpi_circle *circle, enum weft_mpi_step_kind kind, int peer,
                      uint64_t bytes)
{
    int in_job = weft_mpi_identity_peer(circle->identity, peer);
    const struct weft_mpi_step step = {.kind = kind,
                                       .size = bytes,
                                       .peer = (uint32_t)in_job,
                                       .tag = circle->tag,
                                       .note = circle->note};
    return in_job < 0 ? WEFT_MPI_STEP_NONE : weft_mpi_log_add(circle->front, &step);
}

static void send(const struct weft_mpi_circle *circle, int peer, uint64_t bytes)
{
    weft_mpi_front_set(circle->front, begin(circle, WEFT_MPI_STEP_SEND, peer, bytes));
}

static void receive(const struct weft_mpi_circle *circle, int peer, uint64_t bytes)
{
    weft_mpi_front_set(circle->front, begin(circle, WEFT_MPI_STEP_RECEIVE, peer, bytes));
}

static void exchange(const struct weft_mpi_circle *circle, int to, uint64_t out, int from,
                     uint64_t in)
{
    uint32_t received = begin(circle, WEFT_MPI_STEP_RECEIVE, from, in);
    uint32_t sent = begin(circle, WEFT_MPI_STEP_SEND, to, out);
    weft_mpi_front_set(circle->front, received);
    weft_mpi_front_add(circle->front, sent);
}

static int around(const struct weft_mpi_circle *circle, int rank)
{
    return (rank + circle->size) % circle->size;
}

/* ---- Sizes --------------------------------------------------------------------------------- */

static uint64_t size_of(MPI_Datatype type)
{
    MPI_Count size = 0;
    mpi.Type_size_x(type, &size);
    return (uint64_t)size;
}

static uint64_t bytes_of(const struct weft_mpi_side *side, int peer)
{
    uint64_t count = (uint64_t)weft_mpi_side_count(side, peer);
    return count ? count * size_of(weft_mpi_side_type(side, peer)) : 0;
}

/* ---- Trees --------------------------------------------------------------------------------- */

/* The lowest bit of a rank from the root on, or a bit above all ranks. */
static int lowest_bit(int rank, int size)
{
    int bit = 1;
    while (bit < size && !(rank & bit))
        bit *= 2;
    return bit;
}

void weft_mpi_circle_broadcast(const struct weft_mpi_circle *circle, int root, uint64_t bytes)
{
    int rank = around(circle, circle->rank - root), bit = lowest_bit(rank, circle->size);
    if (rank)
        receive(circle, around(circle, rank - bit + root), bytes);
    for (bit /= 2; bit; bit /= 2)
        if (rank + bit < circle->size)
            send(circle, around(circle, rank + bit + root), bytes);
}

void weft_mpi_circle_reduce(const struct weft_mpi_circle *circle, int root, uint64_t bytes)
{
    int rank = around(circle, circle->rank - root), bit = lowest_bit(rank, circle->size);
    for (int below = 1; below < bit; below *= 2)
        if (rank + below < circle->size)
            receive(circle, around(circle, rank + below + root), bytes);
    if (rank)
        send(circle, around(circle, rank - bit + root), bytes);
}

/* ---- Rounds -------------------------------------------------------------------------------- */

void weft_mpi_circle_barrier(const struct weft_mpi_circle *circle)
{
    for (int distance = 1; distance < circle->size; distance *= 2)
        exchange(circle, around(circle, circle->rank + distance), 0,
                 around(circle, circle->rank - distance), 0);
}

void weft_mpi_circle_scan(const struct weft_mpi_circle *circle, uint64_t bytes)
{
    for (int distance = 1; distance < circle->size; distance *= 2)
        exchange(circle, circle->rank + distance, bytes, circle->rank - distance, bytes);
}

static void double_up(const struct weft_mpi_circle *circle, uint64_t bytes)
{
    int power = 1;
    while (2 * power <= circle->size)
        power *= 2;
    /* So many ranks are over: each of them adds what it has to that of the rank below. */
    int over = circle->size - power;
    bool is_paired = circle->rank < 2 * over, is_over = is_paired && circle->rank % 2;
    int number = is_paired ? circle->rank / 2 : circle->rank - over;
    if (is_over)
        send(circle, circle->rank - 1, bytes);
    else if (is_paired)
        receive(circle, circle->rank + 1, bytes);
    for (int bit = 1; bit < power && !is_over; bit *= 2) {
        int other = number ^ bit, peer = other < over ? 2 * other : other + over;
        exchange(circle, peer, bytes, peer, bytes);
    }
    if (is_over)
        receive(circle, circle->rank - 1, bytes);
    else if (is_paired)
        send(circle, circle->rank + 1, bytes);
}

void weft_mpi_circle_reduce_all(const struct weft_mpi_circle *circle, uint64_t bytes)
{
    if (bytes <= LONG) {
        double_up(circle, bytes);
        return;
    }
    uint64_t part = bytes / (uint64_t)circle->size + 1;
    for (int i = 0; i < 2 * (circle->size - 1); i++)
        exchange(circle, around(circle, circle->rank + 1), part, around(circle, circle->rank - 1),
                 part);
}

void weft_mpi_circle_reduce_parts(const struct weft_mpi_circle *circle,
                                  const struct weft_mpi_side *parts)
{
    for (int i = 1; i < circle->size; i++) {
        int to = around(circle, circle->rank + i), from = around(circle, circle->rank - i);
        exchange(circle, to, bytes_of(parts, to), from, bytes_of(parts, circle->rank));
    }
}

/* ---- Parts for each ------------------------------------------------------------------------ */

/* Messages that begin together. */
struct bundle {
    const struct weft_mpi_circle *circle;
    struct weft_mpi_front all;
};

static void add(struct bundle *bundle, enum weft_mpi_step_kind kind, int peer, uint64_t bytes)
{
    if (bytes > 0 && peer != bundle->circle->rank)
        weft_mpi_front_add(&bundle->all, begin(bundle->circle, kind, peer, bytes));
}

/* Now all of them are waited for. */
static void close(struct bundle *bundle)
{
    struct weft_mpi_front *front = bundle->circle->front;
    for (size_t i = 0; i < bundle->all.count; i++)
        if (i == 0)
            weft_mpi_front_set(front, bundle->all.needs[0]);
        else
            weft_mpi_front_add(front, bundle->all.needs[i]);
    weft_mpi_front_fini(&bundle->all);
}

/* The root does this with the part of each other, and each other that with its own. */
static void meet_root(const struct weft_mpi_circle *circle, int root,
                      enum weft_mpi_step_kind at_root, const struct weft_mpi_side *parts,
                      enum weft_mpi_step_kind elsewhere, const struct weft_mpi_side *own)
{
    struct bundle bundle = {.circle = circle};
    for (int i = 0; circle->rank == root && i < circle->size; i++)
        add(&bundle, at_root, i, bytes_of(parts, i));
    if (circle->rank != root)
        add(&bundle, elsewhere, root, bytes_of(own, 0));
    close(&bundle);
}

void weft_mpi_circle_gather(const struct weft_mpi_circle *circle, const struct weft_mpi_side *out,
                            const struct weft_mpi_side *in, int root)
{
    meet_root(circle, root, WEFT_MPI_STEP_RECEIVE, in, WEFT_MPI_STEP_SEND, out);
}

void weft_mpi_circle_scatter(const struct weft_mpi_circle *circle, const struct weft_mpi_side *out,
                             const struct weft_mpi_side *in, int root)
{
    meet_root(circle, root, WEFT_MPI_STEP_SEND, out, WEFT_MPI_STEP_RECEIVE, in);
}

void weft_mpi_circle_gather_all(const struct weft_mpi_circle *circle,
                                const struct weft_mpi_side *out, const struct weft_mpi_side *in)
{
    (void)out;
    for (int i = 0; i < circle->size - 1; i++) {
        int own = around(circle, circle->rank - i), other = around(circle, own - 1);
        exchange(circle, around(circle, circle->rank + 1), bytes_of(in, own),
                 around(circle, circle->rank - 1), bytes_of(in, other));
    }
}

void weft_mpi_circle_exchange_all(const struct weft_mpi_circle *circle,
                                  const struct weft_mpi_side *out, const struct weft_mpi_side *in)
{
    const struct weft_mpi_side *sent = out->buffer == MPI_IN_PLACE ? in : out;
    struct bundle bundle = {.circle = circle};
    for (int i = 1; i < circle->size; i++) {
        int from = around(circle, circle->rank - i);
        add(&bundle, WEFT_MPI_STEP_RECEIVE, from, bytes_of(in, from));
    }
    for (int i = 1; i < circle->size; i++) {
        int to = around(circle, circle->rank + i);
        add(&bundle, WEFT_MPI_STEP_SEND, to, bytes_of(sent, to));
    }
    close(&bundle);
}
