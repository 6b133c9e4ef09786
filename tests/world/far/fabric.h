/* SPDX-License-Identifier: BSD-3-Clause */
/* Worlds of one kind between hosts, which find each other's cards in memory they share. */
#ifndef WEFT_TESTS_WORLD_FAR_FABRIC_H
#define WEFT_TESTS_WORLD_FAR_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "world/children.h"
#include "world/fabric.h"
#include "world/fake_nic.h"
#include "world/traffic.h"

#define PAYLOAD 4096u
#define WINDOW 16u

#define SHORT_TIMEOUT (WEFT_CLOCK_SECOND * 3 / 2)

struct posted_card {
    _Atomic bool is_there;
    struct weft_world_card card;
};

extern struct posted_card *cards; /* MOST_PEERS of them */

/* For the worlds that are opened from now on; a process may change its own. */
extern struct weft_world_config config;

/* A kind of them. */
struct fabric {
    struct weft_nic_world *(*open)(const struct weft_world_config *config,
                                   struct weft_world_card *own);
    struct weft_world_counts (*counts)(const struct weft_nic_world *world);
    unsigned rails; /* how many interfaces its worlds have */

    /* Of one rail, and its connection with a process: whether there is one, breaking it as an
     * error would, closing it as if it were idle. */
    bool (*is_up)(const struct weft_nic_world *rail, struct weft_nic_address address);
    void (*cut)(struct weft_nic_world *rail, struct weft_nic_address address);
    void (*park)(struct weft_nic_world *rail, struct weft_nic_address address);
};

/* That the worlds are of. */
extern struct fabric fabric;

/* `interfaces` is a list with commas, or "". */
void prepare_fabric(const struct fabric *kind, const char *provider, const char *interfaces);

/* Of this process's world. */
struct weft_world_counts counts(void);

/* How many interfaces the worlds have. */
unsigned rail_count(void);

/* Before each test: everything is as usual, and nobody is there. */
void begin(const char *what);

#endif
