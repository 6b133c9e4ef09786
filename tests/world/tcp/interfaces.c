/* SPDX-License-Identifier: BSD-3-Clause */
/* Which interface is taken, if nobody has named one. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "support/tap.h"
#include "world/children.h"
#include "world/tcp/place.h"
#include "world/tcp/tests.h"

static bool is_taken(const char *interfaces, const char *expected)
{
    struct weft_tcp_place place;
    char name[IF_NAMESIZE];
    return weft_tcp_place_own(interfaces, &place, name) && strcmp(name, expected) == 0;
}

/* What is plugged into an interface that is down leads nowhere. */
static void choose(uint32_t pid)
{
    (void)pid;
    need(is_taken("", "lo"));
    need(is_taken("weft0", "weft0"));
    need(system("ip link set weft1 up") == 0);
    wait_until(is_taken("", "weft0")); /* the kernel tells the other end in its own time */
}

static void choose_in_own_network(uint32_t pid)
{
    if (unshare(CLONE_NEWNET) == 0 &&
        system("{ ip link set lo up && ip link add weft0 type veth peer name weft1 &&"
               " ip addr add 192.0.2.1/24 dev weft0 && ip link set weft0 up; } 2>/dev/null") == 0)
        choose(pid);
    else
        tap_note("a network of our own is not permitted here");
}

void test_interfaces(void)
{
    tap_note("an interface that is up, but leads nowhere");
    check(run_alone(choose_in_own_network));
}
