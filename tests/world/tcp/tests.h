/* SPDX-License-Identifier: BSD-3-Clause */
/* Those of sockets alone. */
#ifndef WEFT_TESTS_WORLD_TCP_TESTS_H
#define WEFT_TESTS_WORLD_TCP_TESTS_H

void test_callers(void);
void test_ciphers(void);
void test_few_ports(void);
void test_interfaces(void);
void test_landing(void);
void test_liars(void);
void test_messages(void);
void test_sealing(void);
void test_strangers(void);
void test_wiretap(void);

#endif
