/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of all other files of this folder where libfabric is not there. */
#include <stddef.h>

#include "base/log.h"
#include "world/ofi/ofi.h"

struct weft_nic_world *weft_ofi_open(const struct weft_world_config *config,
                                     struct weft_world_card *own)
{
    (void)config;
    (void)own;
    weft_log(WEFT_LOG_ERROR, "this library was built without libfabric and reaches no other host: "
                             "build it with -Dofi=enabled");
    return NULL;
}

struct weft_world_counts weft_ofi_counts(const struct weft_nic_world *world)
{
    (void)world;
    return (struct weft_world_counts){0};
}

const char *weft_ofi_provider(const struct weft_nic_world *world)
{
    (void)world;
    return "";
}

const char *weft_ofi_interface(const struct weft_nic_world *world)
{
    (void)world;
    return "";
}

bool weft_ofi_is_exposed(const struct weft_nic_world *world)
{
    (void)world;
    return false;
}

bool weft_ofi_isolates(const char *interface)
{
    (void)interface;
    return false;
}
