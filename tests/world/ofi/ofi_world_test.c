/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ofi_world_test [provider [interfaces]]: processes that really fork, die and misbehave, over one
 * provider of libfabric, on one interface or on a list of them.
 */
#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/far/tests.h"
#include "world/ofi/ofi.h"
#include "world/ofi/peer.h"
#include "world/ofi/tests.h"
#include "world/rails.h"

static struct weft_ofi_session *session_with(const struct weft_nic_world *rail,
                                             struct weft_nic_address address)
{
    const struct weft_ofi_peer *peer = weft_ofi_peer_find((const struct weft_ofi *)rail, address);
    return peer ? peer->session : NULL;
}

static bool is_up(const struct weft_nic_world *rail, struct weft_nic_address address)
{
    const struct weft_ofi_session *session = session_with(rail, address);
    return session && weft_ofi_session_is_up(session);
}

static void cut(struct weft_nic_world *rail, struct weft_nic_address address)
{
    session_with(rail, address)->broken = "the test has broken it";
}

static void park(struct weft_nic_world *rail, struct weft_nic_address address)
{
    weft_ofi_session_close((struct weft_ofi *)rail, session_with(rail, address), 0);
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
    static void (*const with_one[])(void) = {test_devices, test_credits, test_garbage,
                                             test_lying_provider, NULL};
    static void (*const with_several[])(void) = {test_cards, test_rails, NULL};
    const char *interfaces = argc > 2 ? argv[2] : "";
    prepare_fabric(&(struct fabric){.open = weft_ofi_open,
                                    .counts = weft_ofi_counts,
                                    .rails = weft_world_rails_interfaces(interfaces),
                                    .is_up = is_up,
                                    .cut = cut,
                                    .park = park},
                   argc > 1 ? argv[1] : "net", interfaces);
    run(in_any_case);
    run(rail_count() == 1 ? with_one : with_several);
    return tap_done();
}
