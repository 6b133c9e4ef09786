/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: count_handlers [NAME...]: gives the packets of one message to the handlers of every
 * strategy, for each layout whose name begins with a NAME, in order and shuffled. Prints a line
 * for each case; costs.py counts the instructions of `handle_one_packet` between two calls of
 * `case_is_over`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/layouts/layouts.h"
#include "offload/drive.h"

#define PACKET 2048
#define MOST_PACKETS 256
#define ROUNDS 5

__attribute__((noinline)) static void
handle_one_packet(struct drive *drive, const ptl_payload_t *packet, size_t arrival)
{
    if (drive_packet(drive, packet, arrival) != PTL_HANDLER_SUCCESS)
        abort();
}

__attribute__((noinline)) static void case_is_over(void)
{
    fflush(stdout);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

struct subject {
    const char *name;
    weft_type *type;
    size_t count;
    unsigned char *window;
    size_t window_bytes, origin;
    unsigned char *packed;
    size_t length;
};

static void print_case(const struct subject *subject, const struct weft_offload_facts *facts,
                       enum drive_order order, size_t packets, double time)
{
    printf("%s\t%s\t%s\t%zu\t%llu\t%llu\t%llu\t%.0f\n", subject->name,
           weft_offload_strategy_name(facts->strategy), drive_order_name(order), packets,
           (unsigned long long)facts->size, (unsigned long long)facts->image_bytes,
           (unsigned long long)facts->head_bytes, time);
}

static void run_case(const struct subject *subject, const struct weft_offload *offload,
                     enum drive_order order, unsigned rounds)
{
    struct drive drive;
    struct rng rng = {1};
    const struct weft_offload_facts *facts = weft_offload_facts(offload);
    double best = 0;
    if (!drive_open(&drive, offload, subject->window + subject->origin, subject->window,
                    subject->window_bytes)) {
        print_case(subject, facts, order, 0, 0);
        case_is_over();
        return;
    }
    struct drive_packets cut = drive_cut(subject->packed, subject->length, PACKET, PACKET);
    drive_arrange(&cut, order, &rng);
    for (unsigned round = 0; round < rounds; round++) {
        double start = now();
        for (size_t i = 0; i < cut.count; i++)
            handle_one_packet(&drive, &cut.packets[i], i);
        double time = now() - start;
        best = round == 0 || time < best ? time : best;
    }
    print_case(subject, facts, order, cut.count, best / (double)cut.count);
    drive_free(&cut);
    drive_close(&drive);
    case_is_over();
}

static void run_strategy(const struct subject *subject, enum weft_offload_strategy strategy,
                         unsigned rounds)
{
    struct weft_offload_options options = {.type = subject->type,
                                           .count = subject->count,
                                           .attributes.strategy = strategy,
                                           .nic = weft_offload_nic_of_paper(PACKET)};
    struct weft_offload *offload;
    if (weft_offload_prepare(&options, &offload) != WEFT_OK)
        abort();
    run_case(subject, offload, DRIVE_IN_ORDER, rounds);
    run_case(subject, offload, DRIVE_SHUFFLED, rounds);
    weft_offload_close(offload);
}

static void run_layout(const char *name, unsigned rounds)
{
    struct layout layout;
    const struct layout_entry *entry = layout_entry_find(name);
    layout_build(entry, layout_entry_is_parametric(entry) ? MOST_PACKETS * PACKET : 1, &layout);
    made_type type = layout_make(&layout, &maker_weft);
    struct subject subject = {.name = name,
                              .type = (weft_type *)type,
                              .count = layout.count,
                              .window = calloc(1, layout_window(&layout)),
                              .window_bytes = layout_window(&layout),
                              .origin = layout.origin,
                              .length = layout_bytes(&layout)};
    if (subject.length > MOST_PACKETS * PACKET)
        subject.length = MOST_PACKETS * PACKET;
    subject.packed = calloc(1, subject.length);
    if (!subject.window || !subject.packed)
        abort();
    for (int strategy = WEFT_OFFLOAD_SEEK; strategy < WEFT_OFFLOAD_STRATEGIES; strategy++)
        run_strategy(&subject, (enum weft_offload_strategy)strategy, rounds);
    maker_weft.release(type);
    free(subject.window);
    free(subject.packed);
    layout_clear(&layout);
}

/* What the first range that is ever moved does more than others. */
static void warm_up(void)
{
    unsigned char to;
    weft_unpack(weft_basic(WEFT_BYTE), 1, &to, 0, "", 1);
}

int main(int argc, char **argv)
{
    warm_up();
    unsigned rounds = argc > 1 && strcmp(argv[1], "--time") == 0 ? ROUNDS : 1;
    for (size_t i = 0; i < layout_entry_count(); i++)
        for (int arg = 1; arg < argc; arg++)
            if (strncmp(layout_entry_name(i), argv[arg], strlen(argv[arg])) == 0) {
                run_layout(layout_entry_name(i), rounds);
                break;
            }
    return 0;
}
