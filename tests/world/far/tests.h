/* SPDX-License-Identifier: BSD-3-Clause */
/* Those of all worlds between hosts, in the order in which they run. */
#ifndef WEFT_TESTS_WORLD_FAR_TESTS_H
#define WEFT_TESTS_WORLD_FAR_TESTS_H

#include <stdint.h>

void test_streams(void);
void test_talk(void);
void test_seeking(void);
void test_death(void);
void test_stopped(void);
void test_parking(void);
void test_wrong_key(void);
void test_farewell(void);

/* Only where more than a window of packets is under way. */
void test_slow_listener(void);

/* Only with several interfaces. */
void test_cards(void);
void test_rails(void);

/* Two processes send to one of this role. */
void check_streams(void (*receive)(uint32_t pid));

/* A role: takes a stream from process 2 while process 3 tries what it can. */
void withstand(uint32_t pid);

#endif
