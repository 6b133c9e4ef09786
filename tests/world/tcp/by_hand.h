/* SPDX-License-Identifier: BSD-3-Clause */
/* Who calls process 1 and says what the test wants, byte by byte. */
#ifndef WEFT_TESTS_WORLD_TCP_BY_HAND_H
#define WEFT_TESTS_WORLD_TCP_BY_HAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "world/tcp/wire.h"

#define INSTANCE_BY_HAND 7u

/* A socket that is connected to a process. */
int call(uint32_t pid);
/* It may have been hung up on. */
void say(int fd, const void *bytes, size_t size);
/* Whether the other hangs up, without another word. */
bool is_hung_up_on(int fd);

/* The greeting of a process to process 1, not signed. */
struct weft_tcp_hello hello_of(uint32_t pid);

/* One that has the key. */
struct by_hand {
    int fd;
    uint32_t pid;
    struct weft_tcp_hello hello;
    struct weft_tcp_answer answer;
    struct weft_tcp_seal in, out;
};

/* Until process 1 has said WELCOME. */
void be_welcomed(struct by_hand *caller, uint32_t pid);
/* Until it has said READY. */
void be_admitted(struct by_hand *caller, uint32_t pid);

/* The bytes of a frame, sealed; says how many. */
size_t make_frame(struct by_hand *caller, struct weft_tcp_head head, const void *packet,
                  unsigned char *out);
void say_frame(struct by_hand *caller, struct weft_tcp_head head, const void *packet);
/* A packet that the NIC of the tests expects. */
void say_packet(struct by_hand *caller, uint32_t number);
/* The next frame, which has no packet; false if the other has hung up. */
bool hear_frame(struct by_hand *caller, struct weft_tcp_head *head);
void hang_up(struct by_hand *caller);

#endif
