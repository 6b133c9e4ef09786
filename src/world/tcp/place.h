/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a process listens: an address of one network interface, and how cards tell of it. */
#ifndef WEFT_WORLD_TCP_PLACE_H
#define WEFT_WORLD_TCP_PLACE_H

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "world/fabric.h"

struct weft_tcp_place {
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    };
    socklen_t size;
};

/* An address of the interface, without a port; "": of the first that reaches other hosts, or else
 * of the loopback. Its name goes to `name`. False if there is none, and the log says so. */
bool weft_tcp_place_own(const char *interface, struct weft_tcp_place *place,
                        char name[IF_NAMESIZE]);

/* Adds a place to a card that has the instance only, or reads it again. */
void weft_tcp_place_write(const struct weft_tcp_place *place, struct weft_world_card *card);
bool weft_tcp_place_read(const struct weft_world_card *card, struct weft_tcp_place *place);

#endif
