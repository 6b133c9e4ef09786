/* SPDX-License-Identifier: BSD-3-Clause */
/* Worlds over one provider of libfabric, which find each other's cards in memory they share. */
#ifndef WEFT_TESTS_WORLD_OFI_FABRIC_H
#define WEFT_TESTS_WORLD_OFI_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "world/children.h"
#include "world/fake_nic.h"
#include "world/ofi/ofi.h"
#include "world/traffic.h"

#define PAYLOAD 4096u
#define WINDOW 16u

#define SHORT_TIMEOUT (WEFT_CLOCK_SECOND * 3 / 2)

struct posted_card {
    _Atomic bool is_there;
    struct weft_ofi_card card;
};

extern struct posted_card *cards; /* MOST_PEERS of them */

/* For the worlds that are opened from now on; a process may change its own. */
extern struct weft_ofi_config config;

/* `interfaces` is a list with commas, or "". */
void prepare_fabric(const char *provider, const char *interfaces);

/* How many interfaces the worlds have. */
unsigned rail_count(void);

/* Before each test: everything is as usual, and nobody is there. */
void begin(const char *what);

#endif
