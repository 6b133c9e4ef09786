/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of all other files of this folder where libcrypto is not there. */
#include <stddef.h>

#include "base/log.h"
#include "world/tcp/tcp.h"

struct weft_nic_world *weft_tcp_open(const struct weft_world_config *config,
                                     struct weft_world_card *own)
{
    (void)config;
    (void)own;
    weft_log(WEFT_LOG_ERROR, "this library was built without libcrypto and has no sockets of its "
                             "own: build it with -Dtcp=enabled");
    return NULL;
}

struct weft_world_counts weft_tcp_counts(const struct weft_nic_world *world)
{
    (void)world;
    return (struct weft_world_counts){0};
}

const char *weft_tcp_interface(const struct weft_nic_world *world)
{
    (void)world;
    return "";
}

const char *weft_tcp_cipher_library(void)
{
    return NULL;
}

bool weft_tcp_is_built(void)
{
    return false;
}
