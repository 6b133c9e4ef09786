/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/mpi/mpi_report.h"

#include <stdio.h>
#include <string.h>

#include "bench/harness/mean.h"
#include "bench/harness/table.h"
#include "weft/json.h"

static const char *const courses[MPI_COURSES] = {"one_way", "ping_pong", "exchange", "sendrecv",
                                                 "persistent"};

/* ---- Groups: the cells of a part and size ------------------------------------------------- */

static bool is_same_group(const struct mpi_cell *a, const struct mpi_cell *b)
{
    bool is_one_group = a->part == MPI_PART_CONTIGUOUS || a->part == MPI_PART_EXCHANGE;
    return a->part == b->part && (a->target == b->target || is_one_group);
}

static bool starts_group(const struct mpi_cell *cells, size_t i)
{
    return i == 0 || !is_same_group(&cells[i - 1], &cells[i]);
}

static void name_group(const struct mpi_cell *cell, char *text, size_t size)
{
    bool has_size =
        cell->part != MPI_PART_CONTIGUOUS && cell->part != MPI_PART_EXCHANGE && cell->target > 0;
    const char *unit = cell->target % (1 << 20) ? "KiB" : "MiB";
    size_t number = cell->target >> (cell->target % (1 << 20) ? 10 : 20);
    if (has_size && cell->target % 1024 == 0)
        snprintf(text, size, "%s, %zu %s", mpi_part_names[cell->part], number, unit);
    else if (has_size)
        snprintf(text, size, "%s, %zu bytes", mpi_part_names[cell->part], cell->target);
    else
        snprintf(text, size, "%s", mpi_part_names[cell->part]);
}

/* ---- Means -------------------------------------------------------------------------------- */

static void add_to_mean(struct mean *mean, const struct mpi_cell *cell, enum mpi_course course,
                        enum mpi_sender sender)
{
    mean_add(mean, cell->to_weft[course][sender], cell);
}

static struct mean mean_of_group(const struct mpi_cell *first, const struct mpi_cell *end,
                                 enum mpi_course course, enum mpi_sender sender)
{
    struct mean mean = {0};
    for (const struct mpi_cell *cell = first; cell < end && is_same_group(first, cell); cell++)
        add_to_mean(&mean, cell, course, sender);
    return mean;
}

/* ---- Tables ------------------------------------------------------------------------------- */

static double to_contiguous(const struct mpi_cell *cell)
{
    double ratio = cell->to_weft[MPI_ONE_WAY][MPI_AS_BYTES];
    return ratio > 0 ? 1 / ratio : 0;
}

static void print_heading(const struct mpi_plan *plan, const struct mpi_cell *cell)
{
    char text[64];
    name_group(cell, text, sizeof(text));
    printf("\n# %s over %s: %s\n", mpi_kind_titles[plan->kind], mpi_network_titles[plan->network],
           text);
    if (cell->part == MPI_PART_EXCHANGE) {
        printf("# %-42s Isend, Irecv, Waitall (us) %29s Sendrecv  persistent\n", "", "");
        printf("# %-25s %8s %10s %10s %10s %10s %7s %7s %7s %7s %7s\n", "Layout", "Bytes",
               "contig.", "MPI", "by hand", "Weft", "MPI/W", "hand/W", "noise", "MPI/W", "MPI/W");
    } else {
        printf("# %-52s one way (us) %43s ping-pong\n", "", "");
        printf("# %-25s %8s %10s %10s %10s %10s %7s %7s %7s %7s %7s %7s\n", "Layout", "Bytes",
               "contig.", "MPI", "by hand", "Weft", "MPI/W", "hand/W", "noise", "W/cont", "MPI/W",
               "hand/W");
    }
}

void mpi_report_cell(const struct mpi_plan *plan, const struct mpi_cell *cell,
                     const struct mpi_cell *before)
{
    static const enum mpi_sender order[] = {MPI_AS_BYTES, MPI_BY_TYPE, MPI_BY_HAND, MPI_BY_WEFT};
    enum mpi_course first = mpi_part_first_course(cell->part);
    char text[64];
    if (!before || !is_same_group(before, cell))
        print_heading(plan, cell);
    mpi_cell_name(cell, text, sizeof(text));
    printf("%-27s %8.0f", text, cell->bytes);
    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
        table_print(10, 2, cell->times[first][order[i]][MPI_TIME_message]);
    table_print(7, 2, cell->to_weft[first][MPI_BY_TYPE]);
    table_print(7, 2, cell->to_weft[first][MPI_BY_HAND]);
    table_print(7, 2, mpi_cell_noise(cell, first));
    if (cell->part == MPI_PART_EXCHANGE) {
        table_print(7, 2, cell->to_weft[MPI_SENDRECV][MPI_BY_TYPE]);
        table_print(7, 2, cell->to_weft[MPI_PERSISTENT][MPI_BY_TYPE]);
    } else {
        table_print(7, 2, to_contiguous(cell));
        table_print(7, 2, cell->to_weft[MPI_PING_PONG][MPI_BY_TYPE]);
        table_print(7, 2, cell->to_weft[MPI_PING_PONG][MPI_BY_HAND]);
    }
    printf("\n");
}

static void print_worst(const struct mean *mean)
{
    const struct mpi_cell *worst = mean->worst;
    char text[64];
    if (!worst)
        return;
    mpi_cell_name(worst, text, sizeof(text));
    printf("  %.2f %s, %.0f bytes", mean->least, text, worst->bytes);
}

void mpi_report_means(const struct mpi_cell *cells, size_t count)
{
    printf("\n# Geometric means of ratios, and the layout that gains least; of exchanges pp is "
           "Sendrecv\n");
    printf("# %-25s %7s %7s %7s %7s  %s\n", "", "MPI/W", "hand/W", "pp MPI", "pp hand",
           "least MPI/W");
    for (size_t i = 0; i < count; i++) {
        if (!starts_group(cells, i))
            continue;
        char text[64];
        name_group(&cells[i], text, sizeof(text));
        printf("%-27s", text);
        enum mpi_course first = mpi_part_first_course(cells[i].part);
        struct mean of[2][2];
        for (int course = 0; course < 2; course++)
            for (int sender = MPI_BY_TYPE; sender <= MPI_BY_HAND; sender++) {
                of[course][sender] =
                    mean_of_group(&cells[i], cells + count, (enum mpi_course)(first + course),
                                  (enum mpi_sender)sender);
                table_print(7, 2, mean_value(&of[course][sender]));
            }
        print_worst(&of[0][MPI_BY_TYPE]);
        printf("\n");
    }
}

/* What is left for the message itself, packed by hand. */
static double between(const double *times)
{
    double rest = times[MPI_TIME_message] - times[MPI_TIME_pack] - times[MPI_TIME_unpack];
    return rest > 0 ? rest : 0;
}

static void print_phases(const struct mpi_cell *cell)
{
    static const enum mpi_sender with_types[] = {MPI_BY_TYPE, MPI_BY_WEFT};
    char text[64];
    mpi_cell_name(cell, text, sizeof(text));
    printf("%-27s %8.0f", text, cell->bytes);
    for (size_t i = 0; i < 2; i++) {
        const double *times = cell->times[MPI_ONE_WAY][with_types[i]];
        table_print(9, 2, times[MPI_TIME_create]);
        table_print(9, 2, times[MPI_TIME_first]);
        table_print(8, 2, times[MPI_TIME_free]);
        printf("  ");
    }
    const double *hand = cell->times[MPI_ONE_WAY][MPI_BY_HAND];
    table_print(9, 2, hand[MPI_TIME_pack]);
    table_print(11, 2, between(hand));
    table_print(9, 2, hand[MPI_TIME_unpack]);
    printf("\n");
}

void mpi_report_phases(const struct mpi_cell *cells, size_t count)
{
    bool has_heading = false;
    for (size_t i = 0; i < count; i++) {
        if (!cells[i].is_measured[MPI_BY_HAND] || cells[i].part == MPI_PART_EXCHANGE)
            continue;
        if (!has_heading) {
            printf("\n# Phases, one way (us): making a type, the first message with it, freeing "
                   "it; by hand\n");
            printf("# %-34s %28s   %28s   %31s\n", "", "MPI", "Weft", "by hand");
            printf("# %-25s %8s %9s %9s %8s   %9s %9s %8s   %9s %11s %9s\n", "Layout", "Bytes",
                   "create", "first", "free", "create", "first", "free", "pack", "communicate",
                   "unpack");
            has_heading = true;
        }
        print_phases(&cells[i]);
    }
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void json_sender(const struct mpi_cell *cell, enum mpi_sender sender, const char *name)
{
    static const char *const keys[MPI_TIMES] = {
#define MPI_TIME_KEY(name) #name,
        MPI_TIME_MAP(MPI_TIME_KEY)
#undef MPI_TIME_KEY
    };
    if (!cell->is_measured[sender])
        return;
    weft_json_open(name, '{');
    for (int course = 0; course < MPI_COURSES; course++) {
        if (cell->times[course][sender][MPI_TIME_message] <= 0)
            continue;
        weft_json_open(courses[course], '{');
        for (size_t i = 0; i < MPI_TIMES; i++)
            weft_json_number(keys[i], cell->times[course][sender][i]);
        weft_json_number("to_weft", cell->to_weft[course][sender]);
        weft_json_close('}');
    }
    weft_json_close('}');
}

static void json_cell(const struct mpi_cell *cell)
{
    static const char *const names[MPI_BY_WAY] = {"mpi", "hand", "contiguous", "weft",
                                                  "mpi_again"};
    weft_json_open(NULL, '{');
    weft_json_string("part", mpi_part_names[cell->part]);
    weft_json_string("send", cell->send);
    weft_json_string("receive", cell->receive);
    weft_json_integer("bytes", (int64_t)cell->bytes);
    weft_json_number("block", cell->block);
    for (int sender = 0; sender < MPI_SENDERS; sender++)
        json_sender(cell, (enum mpi_sender)sender,
                    sender < MPI_BY_WAY ? names[sender] : mpi_forced_ways[sender - MPI_BY_WAY]);
    weft_json_close('}');
}

static void json_means(const struct mpi_cell *cells, size_t count)
{
    weft_json_open("means", '[');
    for (size_t i = 0; i < count; i++) {
        if (!starts_group(cells, i))
            continue;
        enum mpi_course first = mpi_part_first_course(cells[i].part);
        struct mean mpi = mean_of_group(&cells[i], cells + count, first, MPI_BY_TYPE);
        struct mean hand = mean_of_group(&cells[i], cells + count, first, MPI_BY_HAND);
        const struct mpi_cell *worst = mpi.worst;
        char text[64];
        name_group(&cells[i], text, sizeof(text));
        weft_json_open(NULL, '{');
        weft_json_string("what", text);
        weft_json_number("mpi_to_weft", mean_value(&mpi));
        weft_json_number("hand_to_weft", mean_value(&hand));
        weft_json_string("worst", worst ? worst->send : "");
        weft_json_number("least", mpi.least);
        weft_json_close('}');
    }
    weft_json_close(']');
}

void mpi_report_json(const struct mpi_plan *plan, const struct mpi_cell *cells, size_t count)
{
    weft_json_open(NULL, '{');
    weft_json_string("mpi", mpi_kind_names[plan->kind]);
    weft_json_string("network", mpi_network_titles[plan->network]);
    weft_json_open("cells", '[');
    for (size_t i = 0; i < count; i++)
        json_cell(&cells[i]);
    weft_json_close(']');
    json_means(cells, count);
    weft_json_close('}');
}
