/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_world_test [plain]: processes that really fork, die and misbehave, over sockets of our own.
 */
#include "world/tcp/tcp.h"

#include <string.h>

#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/far/tests.h"
#include "world/tcp/tests.h"

int main(int argc, char **argv)
{
    static void (*const tests[])(void) = {
        test_sealing,   test_messages,      test_streams,    test_talk,
        test_seeking,   test_death,         test_stopped,    test_parking,
        test_wrong_key, test_strangers,     test_liars,      test_wiretap,
        test_farewell,  test_slow_listener, test_interfaces, test_few_ports};
    prepare_fabric(&(struct fabric){weft_tcp_open, weft_tcp_counts, 1}, "", "");
    config.is_plain = argc > 1 && strcmp(argv[1], "plain") == 0;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tests[i]();
    return tap_done();
}
