/* SPDX-License-Identifier: BSD-3-Clause */
/* In the order in which they run. */
#ifndef WEFT_TESTS_WORLD_OFI_TESTS_H
#define WEFT_TESTS_WORLD_OFI_TESTS_H

void test_streams(void);
void test_talk(void);
void test_credits(void);
void test_seeking(void);
void test_death(void);
void test_stopped(void);
void test_parking(void);
void test_wrong_key(void);
void test_garbage(void);
void test_cards(void);
void test_rails(void);

#endif
