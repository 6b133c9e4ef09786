/* SPDX-License-Identifier: BSD-3-Clause */
/* In the order in which they run. */
#ifndef WEFT_TESTS_WORLD_SHM_TESTS_H
#define WEFT_TESTS_WORLD_SHM_TESTS_H

void test_addresses(void);
void test_streams(void);
void test_full_ring(void);
void test_sleep(void);
void test_seeking(void);
void test_killed_senders(void);
void test_killed_receivers(void);
void test_without_pidfd(void);
void test_without_descriptors(void);
void test_few_descriptors(void);
void test_without_memory(void);
void test_bad_files(void);
void test_private_folder(void);
void test_bad_peers(void);

#endif
