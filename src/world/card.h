/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process must know of another to reach it. A card has the instance, a random number that
 * tells a process from others that had its address before, and the address of libfabric or of a
 * socket. With several rails it has the addresses of all, each behind a byte that says how long it
 * is.
 */
#ifndef WEFT_WORLD_CARD_H
#define WEFT_WORLD_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "world/fabric.h"

/* Bytes before the address. */
#define WEFT_WORLD_CARD_HEAD sizeof(uint64_t)

uint64_t weft_world_card_instance(const struct weft_world_card *card);

/* Begins a card of several rails, and adds the address of a rail's own card. False if there is no
 * room for it. */
void weft_world_card_begin(struct weft_world_card *card, uint64_t instance);
bool weft_world_card_add(struct weft_world_card *card, const struct weft_world_card *rail);

/* The card of one of `count` rails. False if it is not a card of so many. */
bool weft_world_card_part(const struct weft_world_card *card, unsigned count, unsigned index,
                          struct weft_world_card *rail);

/* As the directory says, but the process whose instance is `retired` is not there. */
int weft_world_card_find(struct weft_world_card *card, struct weft_world_directory *directory,
                         struct weft_nic_address address, uint64_t retired);

#endif
