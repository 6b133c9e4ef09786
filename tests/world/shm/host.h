/* SPDX-License-Identifier: BSD-3-Clause */
/* Worlds of one host: the settings that they read, and the file where they meet. */
#ifndef WEFT_TESTS_WORLD_SHM_HOST_H
#define WEFT_TESTS_WORLD_SHM_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "world/children.h"
#include "world/fake_nic.h"
#include "world/traffic.h"
#include "world/world.h"

#define SLOTS 4u

extern char rendezvous[];

/* What processes that open a world from now on find: the call pidfd_open, or not. */
extern bool has_pidfd;

void prepare_host(void);
/* Checks that nothing was left behind. */
void leave_host(void);

/* Before each test: all settings are as usual. */
void begin(const char *what);

/* Checks that process 1 ends well, which sets the stage's step to 1 when it hears, and to 2 when
 * it has heard enough of process 2, which is then killed. */
void check_outlives_sender(void (*role)(uint32_t pid));

/* Checks that a role ends well and writes `expected` to standard error, run alone. */
void check_says(void (*role)(uint32_t pid), const char *expected);

#endif
