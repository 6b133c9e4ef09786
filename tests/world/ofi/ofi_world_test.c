/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ofi_world_test [provider]: processes that really fork, die and misbehave, over one provider of
 * libfabric.
 */
#include "support/tap.h"
#include "world/ofi/fabric.h"
#include "world/ofi/tests.h"

int main(int argc, char **argv)
{
    static void (*const tests[])(void) = {test_streams, test_talk,      test_credits,
                                          test_seeking, test_death,     test_stopped,
                                          test_parking, test_wrong_key, test_garbage};
    prepare_fabric(argc > 1 ? argv[1] : "net");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tests[i]();
    return tap_done();
}
