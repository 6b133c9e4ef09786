/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_world_test [sealed|plain [interfaces]]: processes that really fork, die and misbehave, over
 * sockets of our own, on one interface or on a list of them.
 */
#include "world/tcp/tcp.h"

#include <string.h>

#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/far/tests.h"
#include "world/rails.h"
#include "world/tcp/peer.h"
#include "world/tcp/tests.h"

static struct weft_tcp_line *line_with(const struct weft_nic_world *rail,
                                       struct weft_nic_address address)
{
    const struct weft_tcp_peer *peer = weft_tcp_peer_find((const struct weft_tcp *)rail, address);
    return peer ? peer->line : NULL;
}

static bool is_up(const struct weft_nic_world *rail, struct weft_nic_address address)
{
    const struct weft_tcp_line *line = line_with(rail, address);
    return line && weft_tcp_line_is_up(line);
}

static void cut(struct weft_nic_world *rail, struct weft_nic_address address)
{
    line_with(rail, address)->broken = "the test has broken it";
}

static void park(struct weft_nic_world *rail, struct weft_nic_address address)
{
    weft_tcp_line_close((struct weft_tcp *)rail, line_with(rail, address), 0);
}

static void run(void (*const tests[])(void))
{
    for (; *tests; tests++)
        (*tests)();
}

int main(int argc, char **argv)
{
    static void (*const in_any_case[])(void) = {test_streams,   test_talk,     test_seeking,
                                                test_death,     test_stopped,  test_parking,
                                                test_wrong_key, test_farewell, NULL};
    static void (*const with_one[])(void) = {
        test_sealing,   test_ciphers, test_messages, test_landing,       test_callers,
        test_strangers, test_liars,   test_wiretap,  test_slow_listener, NULL};
    /* These leave the network of the host. */
    static void (*const at_last[])(void) = {test_interfaces, test_few_ports, NULL};
    static void (*const with_several[])(void) = {test_cards, test_rails, NULL};
    const char *interfaces = argc > 2 ? argv[2] : "";
    prepare_fabric(&(struct fabric){.open = weft_tcp_open,
                                    .counts = weft_tcp_counts,
                                    .rails = weft_world_rails_interfaces(interfaces),
                                    .is_up = is_up,
                                    .cut = cut,
                                    .park = park},
                   "", interfaces);
    config.is_plain = argc > 1 && strcmp(argv[1], "plain") == 0;
    run(rail_count() == 1 ? with_one : with_several);
    run(in_any_case);
    if (rail_count() == 1)
        run(at_last);
    return tap_done();
}
