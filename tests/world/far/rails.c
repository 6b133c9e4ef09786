/* SPDX-License-Identifier: BSD-3-Clause */
/* Several interfaces: cards that name them all, and what happens when one of them is lost. */
#include "world/rails.h"

#include <errno.h>
#include <string.h>

#include "base/random.h"
#include "support/tap.h"
#include "world/card.h"
#include "world/far/fabric.h"
#include "world/far/tests.h"

/* ---- Cards --------------------------------------------------------------------------------- */

static struct weft_world_card random_rail(uint64_t *random, size_t most)
{
    struct weft_world_card rail;
    weft_world_card_begin(&rail, 7);
    size_t length = 1 + weft_random_next(random) % most;
    for (size_t i = 0; i < length; i++)
        rail.bytes[rail.size++] = (unsigned char)weft_random_next(random);
    return rail;
}

static bool is_part(const struct weft_world_card *card, unsigned count, unsigned index,
                    const struct weft_world_card *rail)
{
    struct weft_world_card part;
    return weft_world_card_part(card, count, index, &part) && part.size == rail->size &&
           memcmp(part.bytes, rail->bytes, part.size) == 0;
}

static bool comes_back(uint64_t seed)
{
    struct weft_world_card card, rails[WEFT_WORLD_RAILS_MAX], part;
    unsigned count = 2 + (unsigned)(seed % (WEFT_WORLD_RAILS_MAX - 1));
    bool fine = true;
    weft_world_card_begin(&card, 7);
    for (unsigned i = 0; i < count; i++) {
        rails[i] = random_rail(&seed, 23);
        fine &= weft_world_card_add(&card, &rails[i]);
    }
    for (unsigned i = 0; i < count; i++)
        fine &= is_part(&card, count, i, &rails[i]);
    fine &= !weft_world_card_part(&card, count - 1, 0, &part);
    fine &= !weft_world_card_part(&card, count + 1, 0, &part);
    for (card.size--; card.size > WEFT_WORLD_CARD_HEAD; card.size--)
        fine &= !weft_world_card_part(&card, count, 0, &part);
    return fine;
}

/* Launchers carry them, and they may be of another version. */
static bool stays_within(uint64_t seed)
{
    struct weft_world_card card = random_rail(&seed, WEFT_WORLD_CARD_MAX - WEFT_WORLD_CARD_HEAD),
                           part;
    for (unsigned i = 0; i < WEFT_WORLD_RAILS_MAX; i++)
        if (weft_world_card_part(&card, WEFT_WORLD_RAILS_MAX, i, &part) && part.size >= card.size)
            return false;
    return true;
}

void test_cards(void)
{
    begin("cards of several interfaces");
    uint64_t failed = 0;
    for (uint64_t seed = 1; seed <= 10000 && !failed; seed++)
        if (!comes_back(seed) || !stays_within(seed))
            failed = seed;
    check(failed == 0);
    struct weft_world_card card, rail = {.size = WEFT_WORLD_CARD_HEAD + 100};
    weft_world_card_begin(&card, 7);
    check(weft_world_card_add(&card, &rail) && !weft_world_card_add(&card, &rail));
}

/* ---- Losses -------------------------------------------------------------------------------- */

#define SOME 500u

static struct weft_nic_world *rail_at(unsigned index)
{
    return (struct weft_nic_world *)weft_world_rails_at(world, index);
}

static bool is_up(unsigned index, uint32_t pid)
{
    return fabric.is_up(rail_at(index), (struct weft_nic_address){1, pid});
}

static void break_rail(unsigned index, uint32_t pid)
{
    need(is_up(index, pid));
    fabric.cut(rail_at(index), (struct weft_nic_address){1, pid});
}

static bool has_lost(uint32_t pid, uint32_t count)
{
    step_world();
    return nic.peers[pid].losses == count && counts().rails_lost == count;
}

/* Nothing is under way when the first rail breaks, so nothing is lost; then the other breaks. */
static void lose_both(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    uint32_t sent = 0;
    for (; sent < SOME; sent++)
        need(send_packet(route, sent));
    wait_until((step_world(), stage->step == 1 && counts().sessions == 2));
    break_rail(0, 1);
    wait_until(has_lost(1, 1));
    for (; sent < 2 * SOME; sent++)
        need(send_packet(route, sent));
    wait_until((step_world(), stage->step == 2));
    need(nic.peers[1].failed == 0 && !route->failed);
    break_rail(1, 1);
    wait_until((step_world(), route->failed));
    need(nic.peers[1].failed == 1 && counts().rails_lost == 1);
    need(route_to(1)->failed && !try_to_send(route, sent));
    close_world();
}

static void be_lost_twice(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[2].received == SOME));
    stage->step = 1;
    wait_until((step_world(), nic.peers[2].received == 2 * SOME));
    /* It is told when it next says anything there. */
    wait_until(has_lost(2, 1));
    need(nic.peers[2].failed == 0);
    stage->step = 2;
    wait_until((step_world(), nic.peers[2].failed));
    need(nic.peers[2].failed == 1 && !nic.damaged && !try_to_send(route_to(2), 0));
    close_world();
}

/* The one rail breaks while the other has no session: the process is asked there, and found. */
static void lose_one_while_other_is_parked(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    need(send_packet(route, 0));
    wait_until((step_world(), counts().sessions == 2 && stage->step == 1));
    fabric.park(rail_at(1), (struct weft_nic_address){1, 1});
    wait_until((step_world(), !is_up(1, 1)));
    break_rail(0, 1);
    wait_until(has_lost(1, 1));
    wait_until((step_world(), is_up(1, 1)));
    need(send_packet(route, 1));
    wait_until((step_world(), stage->step == 2));
    need(nic.peers[1].failed == 0 && counts().rails_lost == 1);
    close_world();
}

static void be_found_again(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[2].received == 1 && counts().sessions == 2));
    stage->step = 1;
    wait_until((step_world(), nic.peers[2].received == 2));
    stage->step = 2;
    wait_until((step_world(), nic.peers[2].failed));
    need(nic.peers[2].failed == 1 && !nic.damaged);
    close_world();
}

static struct weft_world_card first_card;

/* Still has the card of who went, and so hears of a successor only by what that says. */
static int find_first_card(struct weft_world_directory *directory, struct weft_nic_address address,
                           struct weft_world_card *card)
{
    (void)directory;
    (void)address;
    *card = first_card;
    return card->size ? 0 : -EAGAIN;
}

static void be_followed(uint32_t pid)
{
    open_as(pid);
    need(send_packet(route_to(1), 0));
    wait_until((step_world(), stage->step == 1));
    close_world();
}

/* Greets by one rail first, and by the other when that has been used. */
static void greet_rail_by_rail(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_world *rail = rail_at(1);
    need(rail->ops->route(rail, (struct weft_nic_address){1, 1}));
    wait_until((step_world(), stage->step == 2));
    need(send_packet(route_to(1), 0));
    wait_until((step_world(), nic.peers[1].received == 1));
    need(!nic.damaged && nic.peers[1].failed == 0);
    close_world();
}

static void meet_successor_by_rails(uint32_t pid)
{
    struct weft_world_directory first = {find_first_card};
    config.directory = &first;
    open_as(pid);
    wait_until((step_world(), nic.peers[2].received == 1 && counts().sessions == 2));
    first_card = cards[2].card;
    need(!route_to(2)->failed);
    stage->step = 1;
    wait_until((step_world(), nic.peers[2].failed && counts().sessions == 1));
    struct weft_nic_route *route = route_to(2);
    need(!route->failed);
    stage->step = 2;
    wait_until((step_world(), counts().sessions == 2));
    break_rail(1, 2);
    wait_until(has_lost(2, 1));
    need(send_packet(route, 0));
    wait_until((step_world(), nic.peers[2].failed == 2));
    close_world();
}

static void have_one_interface(uint32_t pid)
{
    config.interface = "lo";
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    wait_until((step_world(), route->failed));
    stage->step = 1;
    close_world();
}

static void have_two_interfaces(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(2);
    wait_until((step_world(), route->failed && stage->step == 1));
    need(nic.peers[2].failed == 1);
    close_world();
}

static void open_lists_that_are_none(uint32_t pid)
{
    static const char *const lists[] = {
        ",", "lo,", ",lo", "lo,,lo", "lo,lo,lo,lo,lo,lo,lo,lo,lo", "lo,no such interface"};
    config.self = (struct weft_nic_address){1, pid};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        config.interface = lists[i];
        need(!fabric.open(&config, &cards[pid].card));
    }
}

void test_rails(void)
{
    begin("one rail is lost and the other carries on, until that is lost, too");
    set("WEFT_LOG", "off");
    check(run_both(be_lost_twice, lose_both));
    begin("a rail is lost while the other is parked");
    set("WEFT_LOG", "off");
    check(run_both(be_found_again, lose_one_while_other_is_parked));
    begin("a successor comes by one rail, then by the other, which must not count as lost");
    set("WEFT_LOG", "off");
    pid_t steady = start(meet_successor_by_rails, 1);
    check(ended_well(start(be_followed, 2)) && ended_well(start(greet_rail_by_rail, 2)));
    check(ended_well(steady));
    begin("processes with different numbers of interfaces do not meet");
    config.timeout = SHORT_TIMEOUT;
    set("WEFT_LOG", "off");
    check(run_both(have_two_interfaces, have_one_interface));
    begin("lists that make no sense");
    set("WEFT_LOG", "off");
    check(ended_well(start(open_lists_that_are_none, 1)));
}
