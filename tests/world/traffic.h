/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process does in a world of any kind. */
#ifndef WEFT_TESTS_WORLD_TRAFFIC_H
#define WEFT_TESTS_WORLD_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "nic/world_ops.h"

/* Those of the test of one kind. */
void open_as(uint32_t pid);

void close_world(void);
struct weft_nic_route *route_to(uint32_t pid);

void step_world(void);
void step_or_sleep(void);

/* False if there is no room now. */
bool try_to_send(struct weft_nic_route *route, uint32_t number);
/* False if the route failed. */
bool send_packet(struct weft_nic_route *route, uint32_t number);

/* ---- Roles --------------------------------------------------------------------------------- */

/* Process 1 takes the whole streams of the stage's senders, who are processes 2 and up. */
void receive_from_many(uint32_t pid);
void send_many(uint32_t pid);

void send_to_self(uint32_t pid);

/* Until process 1 is gone. */
void send_for_ever(uint32_t pid);

/* Comes when the stage's step is 1, sets it to 2 for the first packet of process 2, and stays
 * until that has gone. */
void appear_late(uint32_t pid);

#endif
