/* SPDX-License-Identifier: BSD-3-Clause */
/* Who has the memory of the NIC: layouts by their priority, and random ones against an oracle. */
#include "nic/room.h"

#include "base/random.h"
#include "support/tap.h"

#define MEMORY 1000

static uint64_t below(uint64_t *random, uint64_t limit)
{
    return weft_random_next(random) % limit;
}

struct message {
    ptl_layout_t layout;
    struct weft_nic_room room;
    uint32_t packets; /* that HPUs have */
};

static struct weft_nic nic;

static void open_nic(void)
{
    nic = (struct weft_nic){.hpu.memory = MEMORY};
    weft_list_init(&nic.hpu.rooms);
}

static struct message message(uint64_t memory, unsigned priority)
{
    return (struct message){.layout = {.memory = memory, .priority = priority}};
}

static bool take(struct message *message)
{
    return weft_nic_room_take(&nic, &message->room, &message->layout, &message->packets);
}

static void test_equals_share(void)
{
    struct message first = message(600, 1), second = message(600, 1), small = message(400, 0);
    open_nic();
    check(take(&first) && !take(&second) && take(&small));
    check_int(nic.hpu.rooms_used, 1000);
    weft_nic_room_give(&nic, &first.room);
    check(take(&second));
    check_int(nic.hpu.rooms_used, 1000);
}

static void test_priority_goes_first(void)
{
    struct message low = message(300, 0), middle = message(300, 1), other = message(300, 0);
    struct message high = message(400, 2);
    open_nic();
    check(take(&low) && take(&middle) && take(&other));
    check(take(&high)); /* in the place of the last of the lowest */
    check(take(&low) && take(&middle) && !take(&other));
    struct message highest = message(MEMORY, 3);
    check(take(&highest));
    check(!take(&low) && !take(&middle) && !take(&high));
    check_int(nic.hpu.rooms_used, MEMORY);
}

/* What HPUs have is moved from where it is. */
static void test_packets_are_waited_for(void)
{
    struct message low = message(MEMORY, 0), high = message(1, 1);
    open_nic();
    check(take(&low));
    low.packets = 1;
    check(!take(&high)); /* not yet */
    check(!take(&low));  /* no more of it */
    low.packets = 0;
    check(take(&high));
    check_int(nic.hpu.rooms_used, 1);
}

static void test_nobody_leaves_in_vain(void)
{
    struct message low = message(500, 0), huge = message(MEMORY + 1, 9);
    open_nic();
    check(take(&low) && !take(&huge) && take(&low));
}

static void test_programs_go_first(void)
{
    struct message layout = message(500, 5), other = message(500, 5);
    open_nic();
    nic.hpu.memory_used = 500;
    check(take(&layout) && !take(&other));
    nic.hpu.memory_used = 501;
    check(!take(&layout));
    nic.hpu.memory_used = 0;
    check(take(&layout) && take(&other));
}

static void test_none_needs_none(void)
{
    struct message layout = message(0, 0);
    open_nic();
    nic.hpu.memory_used = MEMORY;
    check(take(&layout));
    check_int(nic.hpu.rooms_used, 0);
}

/* ---- At random ---------------------------------------------------------------------------- */

#define MESSAGES 12

static struct message draw(uint64_t *random)
{
    uint64_t memory = below(random, 600);
    return message(memory, (unsigned)below(random, 4));
}

static uint64_t held(const struct message messages[])
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < MESSAGES; i++)
        bytes += messages[i].room.bytes;
    return bytes;
}

/* One that is refused: of what there is, those of its own priority and above leave too little, or
 * those below have packets with HPUs. */
static bool is_refused_rightly(const struct message messages[], const struct message *refused)
{
    uint64_t above = 0;
    bool any_at_work = false;
    for (unsigned i = 0; i < MESSAGES; i++) {
        const struct message *other = &messages[i];
        bool is_below = other->layout.priority < refused->layout.priority;
        above += is_below ? 0 : other->room.bytes;
        any_at_work |= is_below && other->room.bytes && other->packets;
    }
    return refused->room.is_wanted || any_at_work || above + refused->layout.memory > MEMORY;
}

/* What may happen to one of them, and whether it did. */
static bool do_something(struct message messages[], uint64_t *random)
{
    struct message *chosen = &messages[below(random, MESSAGES)];
    uint64_t what = below(random, 8);
    if (what == 0) {
        weft_nic_room_give(&nic, &chosen->room);
        *chosen = draw(random);
    } else if (what < 4) {
        chosen->packets -= chosen->packets > 0;
    } else if (take(chosen)) {
        chosen->packets++;
        return chosen->room.bytes == chosen->layout.memory;
    } else {
        return is_refused_rightly(messages, chosen);
    }
    return true;
}

static void test_random(uint64_t seed)
{
    struct message messages[MESSAGES];
    uint64_t random = seed;
    bool is_right = true;
    open_nic();
    for (unsigned i = 0; i < MESSAGES; i++)
        messages[i] = draw(&random);
    for (unsigned step = 0; step < 2000 && is_right; step++)
        is_right = do_something(messages, &random) && held(messages) == nic.hpu.rooms_used &&
                   nic.hpu.rooms_used <= MEMORY;
    tap_note("seed %llu", (unsigned long long)seed);
    check(is_right);
}

int main(void)
{
    test_equals_share();
    test_priority_goes_first();
    test_packets_are_waited_for();
    test_nobody_leaves_in_vain();
    test_programs_go_first();
    test_none_needs_none();
    for (uint64_t seed = 1; seed <= 50; seed++)
        test_random(seed);
    return tap_done();
}
