/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that really fork, die and misbehave, in shared memory. */
#include "support/tap.h"
#include "world/shm/host.h"
#include "world/shm/tests.h"

int main(void)
{
    prepare_host();
    test_addresses();
    test_streams();
    test_full_ring();
    test_sleep();
    test_seeking();
    test_killed_senders();
    test_killed_receivers();
    test_without_pidfd();
    test_without_descriptors();
    test_few_descriptors();
    test_without_memory();
    test_bad_files();
    test_private_folder();
    test_bad_peers();
    leave_host();
    return tap_done();
}
