/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/place.h"

#include <errno.h>
#include <ifaddrs.h>
#include <string.h>

#include "base/log.h"
#include "world/card.h"

/* ---- Interfaces ---------------------------------------------------------------------------- */

/* Whether it may be used: one that is not named must lead somewhere. A bridge of containers that
 * nothing is plugged into is up, and does not run. */
static bool is_wanted(const struct ifaddrs *candidate, const char *interface)
{
    if (*interface)
        return candidate->ifa_flags & IFF_UP && strcmp(candidate->ifa_name, interface) == 0;
    return candidate->ifa_flags & IFF_UP && candidate->ifa_flags & IFF_RUNNING;
}

/* The more, the better; 0: not at all. An address that is valid on one link only would need a name
 * of that link, which is another on each host. */
static unsigned merit(const struct ifaddrs *candidate, const char *interface)
{
    const struct sockaddr *address = candidate->ifa_addr;
    bool reaches_others = !(candidate->ifa_flags & IFF_LOOPBACK);
    if (!address || !is_wanted(candidate, interface))
        return 0;
    if (address->sa_family == AF_INET)
        return reaches_others ? 4 : 2;
    if (address->sa_family != AF_INET6 ||
        IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr))
        return 0;
    return reaches_others ? 3 : 1;
}

static void take(const struct ifaddrs *from, struct weft_tcp_place *place, char name[IF_NAMESIZE])
{
    *place = (struct weft_tcp_place){0};
    place->size = from->ifa_addr->sa_family == AF_INET ? sizeof place->four : sizeof place->six;
    memcpy(&place->any, from->ifa_addr, place->size);
    memset(name, 0, IF_NAMESIZE);
    memcpy(name, from->ifa_name, strnlen(from->ifa_name, IF_NAMESIZE - 1));
}

bool weft_tcp_place_own(const char *interface, struct weft_tcp_place *place,
                        char name[IF_NAMESIZE])
{
    struct ifaddrs *list = NULL;
    unsigned best = 0;
    if (getifaddrs(&list) < 0) {
        weft_log(WEFT_LOG_ERROR, "cannot list network interfaces: %s", strerror(errno));
        return false;
    }
    for (const struct ifaddrs *candidate = list; candidate; candidate = candidate->ifa_next) {
        unsigned better = merit(candidate, interface);
        if (better > best) {
            best = better;
            take(candidate, place, name);
        }
    }
    freeifaddrs(list);
    if (!best)
        weft_log(WEFT_LOG_ERROR, "no network interface '%s' (empty: any) is up and has an address",
                 interface);
    return best;
}

/* ---- Cards --------------------------------------------------------------------------------- */

struct place_on_card {
    uint16_t port;  /* in network order, as the address */
    uint8_t family; /* 4 or 6 */
    uint8_t address[sizeof(struct in6_addr)];
};

static const size_t card_size = WEFT_WORLD_CARD_HEAD + sizeof(struct place_on_card);

void weft_tcp_place_write(const struct weft_tcp_place *place, struct weft_world_card *card)
{
    struct place_on_card out = {.family = place->any.sa_family == AF_INET ? 4 : 6};
    if (out.family == 4) {
        out.port = place->four.sin_port;
        memcpy(out.address, &place->four.sin_addr, sizeof place->four.sin_addr);
    } else {
        out.port = place->six.sin6_port;
        memcpy(out.address, &place->six.sin6_addr, sizeof place->six.sin6_addr);
    }
    memcpy(card->bytes + WEFT_WORLD_CARD_HEAD, &out, sizeof out);
    card->size = (uint32_t)card_size;
}

bool weft_tcp_place_read(const struct weft_world_card *card, struct weft_tcp_place *place)
{
    struct place_on_card in;
    if (card->size != card_size)
        return false;
    memcpy(&in, card->bytes + WEFT_WORLD_CARD_HEAD, sizeof in);
    *place = (struct weft_tcp_place){0};
    if (in.family == 4) {
        place->four.sin_family = AF_INET;
        place->four.sin_port = in.port;
        memcpy(&place->four.sin_addr, in.address, sizeof place->four.sin_addr);
        place->size = sizeof place->four;
    } else {
        place->six.sin6_family = AF_INET6;
        place->six.sin6_port = in.port;
        memcpy(&place->six.sin6_addr, in.address, sizeof place->six.sin6_addr);
        place->size = sizeof place->six;
    }
    return in.family == 4 || in.family == 6;
}
