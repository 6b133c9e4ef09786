/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ofi_world_test [provider [interfaces]]: processes that really fork, die and misbehave, over one
 * provider of libfabric, on one interface or on a list of them.
 */
#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/far/tests.h"
#include "world/ofi/ofi.h"
#include "world/ofi/provider.h"
#include "world/ofi/tests.h"

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
    static void (*const with_one[])(void) = {test_devices, test_credits, test_garbage, NULL};
    static void (*const with_several[])(void) = {test_cards, test_rails, NULL};
    const char *interfaces = argc > 2 ? argv[2] : "";
    prepare_fabric(
        &(struct fabric){weft_ofi_open, weft_ofi_counts, weft_ofi_provider_interfaces(interfaces)},
        argc > 1 ? argv[1] : "net", interfaces);
    run(in_any_case);
    run(rail_count() == 1 ? with_one : with_several);
    return tap_done();
}
