/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several interfaces of a host at once. Each is a rail: a world between hosts by itself, with its
 * own connections, to the same rail of each other process. Packets take the rails in turn, so they
 * overtake each other; the NIC numbers them and puts up with that.
 *
 * A rail to a process that breaks, or is silent while another is not, is lost for good. The NIC
 * sends again what it had under way, and the others carry on. Who loses a rail refuses whatever
 * still comes by it, so that the other side loses it, too. When the last one is lost, the process
 * counts as dead, on all rails: nobody is connected with half of a process. All rails of a process
 * have the same instance, by which that is told.
 */
#ifndef WEFT_WORLD_RAILS_H
#define WEFT_WORLD_RAILS_H

#include <stdbool.h>
#include <stdint.h>

#include "world/fabric.h"

#define WEFT_WORLD_RAILS_MAX 8u
#define WEFT_WORLD_INTERFACE_MAX 64u

struct weft_world_rail;

/* What a world that can be a rail is asked. */
struct weft_world_rail_ops {
    /* NULL if it fails. The rail lives longer than the world; it is NULL for a world alone. */
    struct weft_nic_world *(*open)(const struct weft_world_config *config,
                                   struct weft_world_rail *rail, struct weft_world_card *own);

    /* Readable when there may be something to do; or -1. */
    int (*descriptor)(const struct weft_nic_world *world);

    /* Has no more to do with a process that was given up on all rails. */
    void (*disown)(struct weft_nic_world *world, struct weft_nic_address address,
                   uint64_t instance);

    /* Finds out whether the process is there, if nobody does yet. False without memory. */
    bool (*ask)(struct weft_nic_world *world, struct weft_nic_address address);

    /* Whether it is connected with the process, or about to be. */
    bool (*is_used)(const struct weft_nic_world *world, struct weft_nic_address address);

    /* Whether it hears the process now, and has for `span` without a pause. */
    bool (*is_steady)(const struct weft_nic_world *world, struct weft_nic_address address,
                      uint64_t span);
};

/* Names in a list with commas; an empty one has one, which is empty. */
unsigned weft_world_rails_interfaces(const char *list);
/* False if there is no name of that number, or it is too long. */
bool weft_world_rails_interface(const char *list, unsigned index,
                                char name[WEFT_WORLD_INTERFACE_MAX]);

/* For a list of interfaces, a world of this kind on each; for one, such a world alone. NULL if it
 * fails, and the log says why. */
struct weft_nic_world *weft_world_rails_open(const struct weft_world_rail_ops *kind,
                                             const struct weft_world_config *config,
                                             struct weft_world_card *own);

/* ---- For one of the rails ------------------------------------------------------------------ */

/* It is about to be connected with a process. False without memory. */
bool weft_world_rail_opened(struct weft_world_rail *rail, struct weft_nic *nic,
                            struct weft_nic_address address, uint64_t instance);

/* It is about to give up the process: whether other rails lead there. Then the loss is logged and
 * counted. */
bool weft_world_rail_lose(const struct weft_world_rail *rail, struct weft_nic_address address,
                          const char *why);

/* It has given up the process, or that has left. */
void weft_world_rail_ended(struct weft_world_rail *rail, struct weft_nic *nic,
                           struct weft_nic_address address, uint64_t instance, bool has_left);

/* Whether nothing has come by this rail, for `silence`, while the process was heard by another. */
bool weft_world_rail_is_cut(const struct weft_world_rail *rail, struct weft_nic_address address,
                            uint64_t silence);

/* ---- Questions ----------------------------------------------------------------------------- */

/* The worlds of the rails, or the world itself where there is only one; NULL after the last. */
const struct weft_nic_world *weft_world_rails_at(const struct weft_nic_world *world,
                                                 unsigned index);

/* Sums of what each counts, and the rails that were lost. */
struct weft_world_counts
weft_world_rails_counts(const struct weft_nic_world *world,
                        struct weft_world_counts (*of_one)(const struct weft_nic_world *world));

/* As the settings list them; NULL where there is only one. */
const char *weft_world_rails_names(const struct weft_nic_world *world);

#endif
