/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of a schedule. */
#include "mpi/schedules/known_bugs.h"
#include "mpi/schedules/layout.h"
#include "mpi/schedules/schedule.h"

int comm_rank_of(enum comm comm, int rank, int ranks)
{
    switch (comm) {
    case COMM_REVERSED:
        return ranks - 1 - rank;
    case COMM_PARITY:
    case COMM_INTER:
        return rank / 2;
    default:
        return rank;
    }
}

int comm_colour(enum comm comm, int rank)
{
    return comm == COMM_PARITY || comm == COMM_INTER ? rank % 2 : 0;
}

bool comm_joins(enum comm comm, int a, int b)
{
    bool alike = comm_colour(comm, a) == comm_colour(comm, b);
    return comm == COMM_INTER ? !alike : alike;
}

bool send_blocks(enum send_form form)
{
    return form == SEND || form == SSEND || form == RSEND;
}

bool send_buffers(enum send_form form)
{
    return form == BSEND || form == IBSEND || form == BSEND_INIT;
}

bool send_persists(enum send_form form)
{
    return form >= SEND_INIT;
}

bool receive_blocks(enum receive_form form)
{
    return form <= IMPROBE_MRECV;
}

static size_t draw_bytes(struct rng *rng, size_t around)
{
    switch (rng_below(rng, 12)) {
    case 0:
        return 0;
    case 1: /* as long as a ticket */
        return 64;
    case 2:
    case 3:
    case 4:
        return around - around / 4 + rng_below(rng, around / 2 + 1);
    case 5:
        return rng_below(rng, 100 * 1024);
    case 6:
    case 7:
        return rng_below(rng, 8 * 1024);
    default:
        return 1 + rng_magnitude(rng, 2 * around);
    }
}

/* In units: near the limits of signed and unsigned counts of bytes, and above. */
static size_t draw_huge_room(struct rng *rng, size_t unit, const struct schedule_options *options)
{
    static const uint64_t near[] = {UINT64_C(1) << 31, UINT64_C(1) << 32, UINT64_C(5) << 30};
    size_t limit = near[rng_below(rng, 3)];
    if (!options->bugs && limit > BUG_ROOM_BYTES)
        limit = BUG_ROOM_BYTES;
    return limit / unit + rng_below(rng, 200) - 100;
}

static void draw_size(struct message *message, struct rng *rng,
                      const struct schedule_options *options)
{
    size_t unit = unit_bytes(message->unit);
    size_t bytes = draw_bytes(rng, options->around);
    if (!options->bugs && unit_elements(message->unit) > 1 && bytes > BUG_MIXED_UNIT_BYTES)
        bytes %= BUG_MIXED_UNIT_BYTES;
    message->units = bytes == 64 ? 64 / unit : (bytes + unit - 1) / unit;
    message->room = message->units;
    if (rng_one_in(rng, 3))
        message->room += rng_below(rng, message->units + 4);
    if (rng_one_in(rng, 8))
        message->room = draw_huge_room(rng, unit, options);
}

static void draw_ends(struct message *message, struct rng *rng, int ranks)
{
    do {
        message->source = (int)rng_below(rng, (size_t)ranks);
        message->target = (int)rng_below(rng, (size_t)ranks);
        message->comm = (enum comm)rng_below(rng, COMM_WILD);
    } while (!comm_joins(message->comm, message->source, message->target));
}

/* A buffered send may be waited for before its receive is posted. */
static enum cancel draw_cancel(struct rng *rng, enum send_form form,
                               const struct schedule_options *options)
{
    if (!rng_one_in(rng, 16))
        return NEVER;
    if (form == BSEND_INIT && BUG_CANCELLED_BSEND_INIT && !options->bugs)
        return NEVER;
    return send_buffers(form) || rng_one_in(rng, 2) ? AT_ONCE : LATE;
}

static struct message message_draw(struct rng *rng, int ranks,
                                   const struct schedule_options *options)
{
    static const enum send_form forms[] = {SEND,   SSEND,  BSEND,     ISEND,      ISEND,
                                           ISSEND, IBSEND, SEND_INIT, SSEND_INIT, BSEND_INIT};
    static const int tags[] = {0, 1, 2, 7, 32767};
    struct message message = {.group = -1, .again = -1, .exchange = -1};
    draw_ends(&message, rng, ranks);
    message.tag = tags[rng_below(rng, sizeof(tags) / sizeof(tags[0]))];
    message.unit = unit_draw(rng);
    draw_size(&message, rng, options);
    do
        message.send = forms[rng_below(rng, sizeof(forms) / sizeof(forms[0]))];
    while (options->threads && send_buffers(message.send));
    message.cancel = draw_cancel(rng, message.send, options);
    message.receive = (enum receive_form)rng_below(rng, RECEIVE_FORMS + 3);
    if (message.receive >= RECEIVE_FORMS)
        message.receive = IRECV;
    /* A process that sends to itself must do one of both without waiting. */
    if (message.source == message.target && send_blocks(message.send))
        message.receive = IRECV;
    message.any_tag = message.comm == COMM_REVERSED && rng_one_in(rng, 2);
    message.content = rng_next(rng);
    message.send_layout = rng_next(rng);
    message.receive_layout = rng_next(rng);
    return message;
}

static void add(struct schedule *schedule, struct message message)
{
    if (schedule->messages < MOST_MESSAGES)
        schedule->message[schedule->messages++] = message;
}

/* Whether the receive may be too short. */
static bool may_cut(const struct message *message, const struct schedule_options *options)
{
    bool self = message->source == message->target;
    bool persists = message->receive == RECV_INIT || message->receive == PROBE_RECV_INIT;
    size_t bytes = message->units * unit_bytes(message->unit);
    return message->units > 1 && (options->bugs || ((!self || !BUG_SELF_TRUNCATES) &&
                                                    (!persists || !BUG_TRUNCATED_PERSISTENT) &&
                                                    bytes <= BUG_TRUNCATED_BYTES));
}

/* Now and then there is too little room. */
static void draw_cut(struct message *message, struct rng *rng,
                     const struct schedule_options *options)
{
    if (!rng_one_in(rng, 8) || options->roomy || !may_cut(message, options))
        return;
    message->room = rng_below(rng, message->units);
    message->any_tag = false;
}

static void add_plain(struct schedule *schedule, struct rng *rng,
                      const struct schedule_options *options)
{
    struct message message = message_draw(rng, schedule->ranks, options);
    bool request = !send_blocks(message.send) && message.send != BSEND;
    bool self = message.source == message.target;
    message.freed = request && !send_persists(message.send) && rng_one_in(rng, 6) &&
                    (!self || !BUG_FREED_SELF || options->bugs);
    if (message.freed)
        message.cancel = NEVER;
    draw_cut(&message, rng, options);
    add(schedule, message);
}

/* The same persistent requests for two or three messages. */
static void add_persistent(struct schedule *schedule, struct rng *rng,
                           const struct schedule_options *options)
{
    struct message message = message_draw(rng, schedule->ranks, options);
    size_t times = 2 + rng_below(rng, 2);
    message.send = rng_one_in(rng, 4) ? SSEND_INIT : SEND_INIT;
    message.receive = RECV_INIT;
    draw_cut(&message, rng, options);
    int first = schedule->messages;
    for (size_t i = 0; i < times; i++) {
        add(schedule, message);
        message.again = first;
        message.content = rng_next(rng);
    }
}

/* Receives from any source, at one rank. All sends have requests or all receives have: a send that
 * waits could otherwise wait for a receive whose rank waits for this send's rank. */
static void add_group(struct schedule *schedule, struct rng *rng,
                      const struct schedule_options *options)
{
    struct message common = message_draw(rng, schedule->ranks, options);
    bool any_tag = rng_one_in(rng, 2), receives_wait = rng_one_in(rng, 2);
    size_t times = 2 + rng_below(rng, 4);
    int first = schedule->messages;
    common.comm = any_tag ? COMM_WILD : COMM_WORLD;
    common.any_source = true;
    common.any_tag = any_tag;
    common.group = schedule->groups++;
    for (size_t i = 0; i < times; i++) {
        struct message one = message_draw(rng, schedule->ranks, options), message = common;
        message.source = one.source;
        message.tag = any_tag ? one.tag : TAG_OF_GROUP + common.group;
        draw_size(&message, rng, options);
        message.send = receives_wait && send_blocks(one.send) ? ISEND : one.send;
        message.cancel = one.cancel;
        message.receive = receives_wait ? one.receive : IRECV;
        message.content = one.content;
        message.send_layout = one.send_layout;
        message.receive_layout = one.receive_layout;
        add(schedule, message);
    }
    size_t room = rng_one_in(rng, 4) ? draw_huge_room(rng, unit_bytes(common.unit), options) : 0;
    for (int i = first; i < schedule->messages; i++)
        room = schedule->message[i].units > room ? schedule->message[i].units : room;
    for (int i = first; i < schedule->messages; i++)
        schedule->message[i].room = room;
}

/* Some ranks, each to the next, all with MPI_Sendrecv or MPI_Sendrecv_replace. */
static void add_exchange(struct schedule *schedule, struct rng *rng,
                         const struct schedule_options *options)
{
    struct message common = message_draw(rng, schedule->ranks, options);
    int first = (int)rng_below(rng, (size_t)schedule->ranks);
    int members = 1 + (int)rng_below(rng, (size_t)schedule->ranks);
    if (schedule->messages + members > MOST_MESSAGES)
        return;
    common.comm = rng_one_in(rng, 2) ? COMM_WORLD : COMM_REVERSED;
    common.send = SEND;
    common.receive = RECV;
    common.any_tag = false;
    common.exchange = schedule->exchanges++;
    for (int i = 0; i < members; i++) {
        common.source = (first + i) % schedule->ranks;
        common.target = (first + (i + 1) % members) % schedule->ranks;
        common.content = rng_next(rng);
        common.send_layout = rng_next(rng);
        common.receive_layout = rng_next(rng);
        struct message message = common;
        message.replaces = rng_one_in(rng, 3);
        draw_cut(&message, rng, options);
        if (message.replaces)
            message.room = message.units;
        add(schedule, message);
    }
}

struct schedule schedule_draw(struct rng rng, int ranks, const struct schedule_options *options)
{
    struct schedule schedule = {.ranks = ranks,
                                .has_windows = !options->threads && !options->roomy};
    int messages = 2 + (int)rng_below(&rng, 8);
    bool wild = false;
    while (schedule.messages < messages)
        switch (rng_below(&rng, 10)) {
        case 0:
            add_persistent(&schedule, &rng, options);
            break;
        case 1: /* one, so that COMM_WILD is its own */
            if (!wild)
                add_group(&schedule, &rng, options);
            wild = true;
            break;
        case 2:
            add_exchange(&schedule, &rng, options);
            break;
        default:
            add_plain(&schedule, &rng, options);
        }
    schedule_order(&schedule, &rng);
    return schedule;
}
