/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_pairs [--seed S] [--first I] [--count N]: N pairs of random types, every strategy, every
 * order of packets, NICs of 1 to 16 HPUs. The bytes that handlers write are compared with what the
 * type map says, and so are the bytes around them.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "offload/drive.h"
#include "offload/pair.h"
#include "support/tap.h"

struct tally {
    uint64_t pairs;    /* whose bytes could be compared */
    uint64_t overlaps; /* others: there is no telling what belongs to bytes written twice */
    uint64_t runs[WEFT_OFFLOAD_STRATEGIES][DRIVE_ORDERS];
    uint64_t wrong[WEFT_OFFLOAD_STRATEGIES][DRIVE_ORDERS];
    uint64_t refused[WEFT_OFFLOAD_STRATEGIES];
    uint64_t broken_guards, wrong_streams, taken_beyond;
};

struct scene {
    struct window windows[2];
    struct tally tally;
    uint64_t seed, index;
};

/* A pair, with the packed stream that travels. */
struct trial {
    struct scene *scene;
    struct side sender, receiver;
    unsigned char *packed;
    size_t length;
    struct weft_offload_nic nic;
    double epsilon;
    struct rng rng;
};

static struct weft_offload_nic random_nic(struct rng *rng)
{
    size_t packet = 8 * rng_magnitude(rng, 512);
    struct weft_offload_nic nic = weft_offload_nic_of_paper(packet);
    nic.hpus = 1 + (unsigned)rng_below(rng, 16);
    nic.first_packet = rng_one_in(rng, 2) ? 0 : packet - rng_below(rng, packet / 8) * 8;
    nic.memory = rng_one_in(rng, 4) ? (size_t)1 << 16 : (size_t)1 << 26;
    return nic;
}

static void blame(struct trial *trial, enum weft_offload_strategy strategy, enum drive_order order,
                  const char *what, int64_t where)
{
    uint64_t *wrong = &trial->scene->tally.wrong[strategy][order];
    if (++*wrong > 1)
        return;
    tap_note("%s, %s: %s %lld of pair %llu of seed %llu (packets of %llu B, %u HPUs)",
             weft_offload_strategy_name(strategy), drive_order_name(order), what, (long long)where,
             (unsigned long long)trial->scene->index, (unsigned long long)trial->scene->seed,
             (unsigned long long)trial->nic.packet, trial->nic.hpus);
}

static void try_order(struct trial *trial, struct drive *drive,
                      enum weft_offload_strategy strategy, enum drive_order order)
{
    struct side *receiver = &trial->receiver;
    size_t first = trial->nic.first_packet ? trial->nic.first_packet : trial->nic.packet;
    struct drive_packets cut = drive_cut(trial->packed, trial->length, first, trial->nic.packet);
    int64_t wrong = 0;
    drive_arrange(&cut, order, &trial->rng);
    side_blank(receiver);
    trial->scene->tally.runs[strategy][order]++;
    if (!drive_run(drive, &cut))
        blame(trial, strategy, order, "a handler failed, length", (int64_t)trial->length);
    else if (!receiver->overlaps &&
             !side_was_unpacked(receiver, trial->packed, trial->length, &wrong))
        blame(trial, strategy, order, "wrong byte at displacement", wrong);
    drive_free(&cut);
}

/* Packets that reach beyond the type, of which nothing may be written. */
static void try_beyond(struct trial *trial, struct drive *drive)
{
    struct side *receiver = &trial->receiver;
    const ptl_payload_t packets[] = {{2, receiver->total - 1, trial->packed},
                                     {1, receiver->total, trial->packed},
                                     {2, UINT64_MAX, trial->packed},
                                     {UINT64_MAX, 2, trial->packed}};
    int64_t wrong;
    side_blank(receiver);
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++)
        trial->scene->tally.taken_beyond +=
            drive_packet(drive, &packets[i], 0) != PTL_HANDLER_SEGV;
    trial->scene->tally.taken_beyond +=
        !receiver->overlaps && !side_was_unpacked(receiver, trial->packed, 0, &wrong);
}

static void try_strategy(struct trial *trial, enum weft_offload_strategy strategy)
{
    struct side *receiver = &trial->receiver;
    struct weft_offload_options options = {.type = receiver->type,
                                           .count = receiver->count,
                                           .attributes.strategy = strategy,
                                           .attributes.epsilon = trial->epsilon,
                                           .nic = trial->nic};
    struct weft_offload *offload;
    struct drive drive;
    const void *start = (const void *)((uintptr_t)receiver->base + (uintptr_t)receiver->low);
    if (weft_offload_prepare(&options, &offload) != WEFT_OK) {
        blame(trial, strategy, DRIVE_IN_ORDER, "cannot be opened, count", (int64_t)options.count);
        return;
    }
    if (drive_open(&drive, offload, receiver->base, start,
                   (uint64_t)(receiver->high - receiver->low))) {
        drive.packet = trial->nic.packet;
        for (int order = 0; order < DRIVE_ORDERS; order++) {
            drive.deals_by_offset = rng_one_in(&trial->rng, 2);
            try_order(trial, &drive, strategy, (enum drive_order)order);
        }
        try_beyond(trial, &drive);
        trial->scene->tally.broken_guards += !drive_close(&drive);
    } else {
        trial->scene->tally.refused[strategy]++;
    }
    weft_offload_close(offload);
}

static void make_stream(struct trial *trial)
{
    struct side *sender = &trial->sender;
    unsigned char *expected = model_alloc(sender->total + 1, 1);
    trial->length = pair_length(sender, &trial->receiver);
    trial->packed = model_alloc(trial->length + 1, 1);
    side_fill(sender);
    side_expect_packed(sender, expected);
    if (weft_pack(sender->type, sender->count, sender->base, 0, trial->packed, trial->length) ||
        memcmp(trial->packed, expected, trial->length) != 0)
        trial->scene->tally.wrong_streams++;
    free(expected);
}

static void try_pair(struct scene *scene)
{
    struct pair pair = pair_generate(scene->seed, scene->index, true);
    struct trial trial = {.scene = scene, .rng = pair.rng};
    bool at_end = rng_one_in(&trial.rng, 2);
    if (side_open(&trial.sender, pair.sender, pair.sender_count, &scene->windows[0], false) ||
        side_open(&trial.receiver, pair.receiver, pair.receiver_count, &scene->windows[1], at_end))
        scene->tally.wrong_streams++;
    else if (trial.sender.total && trial.receiver.total) {
        make_stream(&trial);
        trial.nic = random_nic(&trial.rng);
        trial.epsilon = (double)rng_magnitude(&trial.rng, 1000) / 100;
        for (int strategy = WEFT_OFFLOAD_SEEK; strategy < WEFT_OFFLOAD_STRATEGIES; strategy++)
            try_strategy(&trial, (enum weft_offload_strategy)strategy);
        if (trial.receiver.overlaps)
            scene->tally.overlaps++;
        else
            scene->tally.pairs++;
        free(trial.packed);
    }
    side_close(&trial.receiver);
    side_close(&trial.sender);
    pair_free(&pair);
}

static void report(const struct tally *tally)
{
    tap_note("%llu pairs, and %llu whose receiver overlaps", (unsigned long long)tally->pairs,
             (unsigned long long)tally->overlaps);
    for (int strategy = WEFT_OFFLOAD_SEEK; strategy < WEFT_OFFLOAD_STRATEGIES; strategy++)
        for (int order = 0; order < DRIVE_ORDERS; order++) {
            char what[120];
            snprintf(what, sizeof what, "%s, packets %s: %llu messages, %llu types refused",
                     weft_offload_strategy_name((enum weft_offload_strategy)strategy),
                     drive_order_name((enum drive_order)order),
                     (unsigned long long)tally->runs[strategy][order],
                     (unsigned long long)tally->refused[strategy]);
            bool was_tried = tally->runs[strategy][order] || tally->refused[strategy];
            tap_check(was_tried && !tally->wrong[strategy][order], __FILE__, __LINE__, what);
        }
    check_uint(tally->refused[WEFT_OFFLOAD_SEEK], 0);
    check_uint(tally->broken_guards, 0);
    check_uint(tally->wrong_streams, 0);
    check_uint(tally->taken_beyond, 0);
}

static struct scene scene;

/* A touch of a page around the windows. */
static void on_fault(int signal)
{
    (void)signal;
    tap_note("a handler touched other memory, in pair %llu of seed %llu",
             (unsigned long long)scene.index, (unsigned long long)scene.seed);
    fflush(stdout);
    _exit(1);
}

int main(int argc, char **argv)
{
    uint64_t count = 100;
    scene.seed = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t value = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--seed") == 0)
            scene.seed = value;
        else if (strcmp(argv[i], "--first") == 0)
            scene.index = value;
        else if (strcmp(argv[i], "--count") == 0)
            count = value;
    }
    if (!window_open(&scene.windows[0], SIDE_WINDOW) ||
        !window_open(&scene.windows[1], SIDE_WINDOW))
        tap_skip_all("no address space for the windows");
    signal(SIGSEGV, on_fault);
    for (; scene.tally.pairs < count; scene.index++)
        try_pair(&scene);
    report(&scene.tally);
    return tap_done();
}
