/* SPDX-License-Identifier: BSD-3-Clause */
#include "type/meeting.h"

static const struct weft_type_pair_kernels *kernels(void)
{
    return weft_type_kernels(WEFT_TYPE_GATHER)->pairs;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- Blocks that belong together ---------------------------------------------------------- */

/* Where the next block of a run is, the rows before it being used up. */
static void settle(struct weft_type_stepper *step)
{
    if (step->done == step->run->row_bytes) {
        step->row++;
        step->i = 0;
        step->done = 0;
    }
}

static void advance(struct weft_type_stepper *step, uint64_t blocks)
{
    step->i += blocks;
    step->done += blocks * step->run->block;
}

static uint64_t blocks_left(const struct weft_type_stepper *step)
{
    return step->run->count - step->i;
}

static bool is_listed(const struct weft_type_run *run)
{
    return run->shape == WEFT_TYPE_RUN_LISTED;
}

/* The blocks of a row from here on; a row is what the pair's groups are. */
static struct weft_type_pair_side side_of(const struct weft_type_stepper *step)
{
    const struct weft_type_run *run = step->run;
    weft_type_address row = weft_type_address_add(run->mem, (int64_t)step->row * run->row_stride);
    if (is_listed(run))
        return (struct weft_type_pair_side){.mem = row,
                                            .where = (const int32_t *)run->where + step->i};
    return (struct weft_type_pair_side){
        .mem = weft_type_address_add(row, (int64_t)step->i * run->stride),
        .step = run->stride,
        .group = run->row_stride};
}

/* Blocks of one side that are each cut into `parts` for the other: those parts lie together. */
static void cut(struct weft_type_pair_side *cut, struct weft_type_pair_side *whole, uint64_t parts,
                uint64_t part)
{
    cut->group = cut->step;
    cut->step = (int64_t)part;
    whole->group = (int64_t)parts * whole->step;
}

static void copy_pair(const struct weft_type_pair *pair, uint8_t class, bool to_listed,
                      bool from_listed)
{
    kernels()->of[class][to_listed][from_listed](pair);
}

/* All rows that are left if both sides are at the start of rows of the same length; else what both
 * have of theirs. Returns the bytes. */
static uint64_t copy_equal(struct weft_type_stepper *to, struct weft_type_stepper *from)
{
    const struct weft_type_run *there = to->run, *here = from->run;
    uint64_t count = smaller(blocks_left(to), blocks_left(from));
    struct weft_type_pair pair = {there->block, count, 1, side_of(to), side_of(from)};
    bool lists = is_listed(there) || is_listed(here);
    if (!lists && count == there->count && count == here->count)
        pair.groups = smaller(there->rows - to->row, here->rows - from->row);
    copy_pair(&pair, there->kernel, is_listed(there), is_listed(here));
    advance(to, count);
    advance(from, count);
    to->row += pair.groups - 1;
    from->row += pair.groups - 1;
    return pair.groups * count * pair.block;
}

/* As many larger blocks as the smaller ones of this row fill. Returns the bytes, or 0 if there are
 * not enough of them. */
static uint64_t copy_cut(struct weft_type_stepper *to, struct weft_type_stepper *from)
{
    bool to_is_cut = to->run->block > from->run->block;
    struct weft_type_stepper *large = to_is_cut ? to : from, *small = to_is_cut ? from : to;
    uint64_t parts = large->run->block / small->run->block;
    uint64_t groups = smaller(blocks_left(small) / parts, blocks_left(large));
    if (!groups)
        return 0;
    struct weft_type_pair pair = {small->run->block, parts, groups, side_of(to), side_of(from)};
    if (to_is_cut)
        cut(&pair.to, &pair.from, parts, pair.block);
    else
        cut(&pair.from, &pair.to, parts, pair.block);
    copy_pair(&pair, small->run->kernel, false, false);
    advance(large, groups);
    advance(small, groups * parts);
    return groups * large->run->block;
}

static void copy_blocks(struct weft_type_feed *to, struct weft_type_feed *from, uint64_t bytes)
{
    const uint64_t there = to->step.run->block, here = from->step.run->block;
    while (bytes) {
        settle(&to->step);
        settle(&from->step);
        uint64_t done =
            there == here ? copy_equal(&to->step, &from->step) : copy_cut(&to->step, &from->step);
        if (!done) { /* the smaller blocks of the row, or all of them, end within a larger one */
            done = smaller(there > here ? there : here, bytes);
            kernels()->pieces(to, from, done);
        }
        bytes -= done;
    }
}

/* ---- What pays ---------------------------------------------------------------------------- */

/* Tiny blocks that lie close together go faster by the kernels that gather and scatter many of
 * them at once: those of fewer bytes than this, if that is so where they are stored and they are
 * not far apart where they are loaded; and those of so many bytes if it is so where they are
 * loaded and they fill blocks that are much larger. */
#define STRAIGHT_BYTES 8
#define GATHERED_INTO 128
#define CLOSE_STRIDE 64
#define FAR_STRIDE 768

static bool lies_within(const struct weft_type_run *run, uint64_t stride)
{
    return (run->stride < 0 ? -(uint64_t)run->stride : (uint64_t)run->stride) <= stride;
}

static bool strided_blocks_pay(const struct weft_type_run *to, const struct weft_type_run *from)
{
    const struct weft_type_run *small = to->block < from->block ? to : from;
    const struct weft_type_run *large = small == to ? from : to;
    if (weft_type_run_is_transposed(to) || weft_type_run_is_transposed(from) ||
        large->block / small->block > small->count)
        return false;
    if (small->block < STRAIGHT_BYTES)
        return (!lies_within(from, FAR_STRIDE) && from->block <= STRAIGHT_BYTES) ||
               (!lies_within(to, CLOSE_STRIDE) && to->block <= STRAIGHT_BYTES);
    return small == to || small->block > STRAIGHT_BYTES || to->block < GATHERED_INTO ||
           !lies_within(from, CLOSE_STRIDE);
}

static bool blocks_pay(const struct weft_type_run *to, const struct weft_type_run *from)
{
    if (to->shape == WEFT_TYPE_RUN_VARIED || from->shape == WEFT_TYPE_RUN_VARIED)
        return false;
    if (!is_listed(to) && !is_listed(from))
        return (to->block % from->block == 0 || from->block % to->block == 0) &&
               strided_blocks_pay(to, from);
    return to->block == from->block && to->block >= STRAIGHT_BYTES &&
           !(is_listed(to) && to->wide_where) && !(is_listed(from) && from->wide_where);
}

/* Pieces that are shorter in the mean are faster moved all alike; those of the other side must be
 * longer, for every end of theirs cuts another piece in two. */
#define PIECE_BYTES 96
#define MET_BY_BYTES 256

/* Of blocks of varied length, the first say how long they are. */
#define SAMPLE 8

static uint64_t mean_piece(const struct weft_type_run *run)
{
    if (run->shape != WEFT_TYPE_RUN_VARIED)
        return run->block;
    uint64_t i = 0, bytes = 0;
    while (i < SAMPLE && bytes < run->row_bytes)
        bytes = weft_type_run_end(run, i++) - run->start;
    return smaller(bytes, run->row_bytes) / i;
}

static bool pieces_pay(uint64_t to_mean, uint64_t from_mean)
{
    uint64_t shorter = smaller(to_mean, from_mean), longer = to_mean + from_mean - shorter;
    return shorter >= PIECE_BYTES && longer >= MET_BY_BYTES;
}

/* They take as long on their way into a buffer and out of it, twice. */
static bool both_are_varied(const struct weft_type_run *to, const struct weft_type_run *from)
{
    return to->shape == WEFT_TYPE_RUN_VARIED && from->shape == WEFT_TYPE_RUN_VARIED;
}

/* Nodes are interned: equal lists are the same. */
static bool are_twins(const struct weft_type_run *to, const struct weft_type_run *from)
{
    return both_are_varied(to, from) && to->where == from->where && to->end == from->end &&
           to->row_bytes == from->row_bytes && to->rows == from->rows && !to->wide_where &&
           !to->wide_end;
}

/* The bytes of a row, if rows should be moved together. */
static uint64_t turned_row(const struct weft_type_run *run)
{
    bool turned = run->shape == WEFT_TYPE_RUN_STRIDED && weft_type_run_is_transposed(run);
    return turned ? run->row_bytes : 0;
}

/* ---- The sink ----------------------------------------------------------------------------- */

static bool refuse(struct weft_type_meeting *meeting, uint64_t bytes, uint64_t row)
{
    meeting->refused = bytes;
    meeting->turned_row = row;
    return false;
}

static bool meet_piece(struct weft_type_sink *sink, weft_type_address mem, uint64_t length)
{
    struct weft_type_meeting *meeting = (struct weft_type_meeting *)sink;
    if (length >= PIECE_BYTES && !pieces_pay(length, mean_piece(meeting->from.step.run)))
        return refuse(meeting, length, turned_row(meeting->from.step.run));
    struct weft_type_run none = {.rows = 0};
    struct weft_type_feed to = {.step = {.run = &none}, .rest = {mem, length}};
    kernels()->pieces(&to, &meeting->from, length);
    meeting->copied += length;
    return true;
}

static bool meet_run(struct weft_type_sink *sink, const struct weft_type_run *run)
{
    struct weft_type_meeting *meeting = (struct weft_type_meeting *)sink;
    const struct weft_type_run *from = meeting->from.step.run;
    uint64_t bytes = run->rows * run->row_bytes;
    struct weft_type_feed to = {.step = {.run = run}};
    if (!meeting->copied && are_twins(run, from))
        kernels()->twins(run, from);
    else if (!meeting->from.rest.length && blocks_pay(run, from))
        copy_blocks(&to, &meeting->from, bytes);
    else if (both_are_varied(run, from) || pieces_pay(mean_piece(run), mean_piece(from)))
        kernels()->pieces(&to, &meeting->from, bytes);
    else
        return refuse(meeting, bytes, turned_row(run) ? turned_row(run) : turned_row(from));
    meeting->copied += bytes;
    return true;
}

struct weft_type_meeting weft_type_meeting(const struct weft_type_run *from)
{
    return (struct weft_type_meeting){.sink = {meet_piece, meet_run},
                                      .from = {.step = {.run = from}}};
}
