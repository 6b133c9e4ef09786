/* SPDX-License-Identifier: BSD-3-Clause */
/* Those of libfabric alone. */
#ifndef WEFT_TESTS_WORLD_OFI_TESTS_H
#define WEFT_TESTS_WORLD_OFI_TESTS_H

void test_credits(void);
void test_devices(void);
void test_garbage(void);
void test_lying_provider(void);

#endif
