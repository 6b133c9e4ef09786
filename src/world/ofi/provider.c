/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/ofi/provider.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"

#define LIBFABRIC FI_VERSION(1, 17)

/* Best first: hardware that delivers messages by itself, then TCP, then UDP. `shm` reaches only
 * this host and `sockets` is no longer maintained, so both are taken only when asked for. */
static const char *const preferred[] = {
    "cxi", "efa", "psm3", "psm2", "opx", "verbs;ofi_rxm", "net", "tcp;ofi_rxm", "udp;ofi_rxd",
};

#define PREFERRED (sizeof preferred / sizeof *preferred)

/* ---- What there is ------------------------------------------------------------------------- */

static struct fi_info *wishes(void)
{
    struct fi_info *hints = fi_allocinfo();
    if (!hints)
        return NULL;
    hints->ep_attr->type = FI_EP_RDM;
    hints->caps = FI_MSG | FI_MULTI_RECV;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->tx_attr->msg_order = FI_ORDER_SAS;
    hints->rx_attr->msg_order = FI_ORDER_SAS;
    /* The NIC has one owner at a time, and only it calls libfabric. */
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_ENDPOINT | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_VIRT_ADDR;
    return hints;
}

struct fi_info *weft_ofi_provider_list(size_t frame_size)
{
    struct fi_info *hints = wishes(), *list = NULL;
    int result = -FI_ENOMEM;
    if (hints) {
        hints->ep_attr->max_msg_size = frame_size;
        result = fi_getinfo(LIBFABRIC, NULL, NULL, 0, hints, &list);
        fi_freeinfo(hints);
    }
    if (result)
        weft_log(WEFT_LOG_ERROR,
                 "libfabric offers nothing that carries messages of %zu bytes in order: %s; see "
                 "what fi_info prints",
                 frame_size, fi_strerror(-result));
    return list;
}

/* Order of messages is that in which they find their buffers. Whoever does not also promise it of
 * their completions moves messages that are longer than this in several steps, so that shorter
 * ones overtake them, and says of a buffer that it is used up while such a message still comes. */
#define IN_ONE_STEP 16384u

size_t weft_ofi_provider_frame_size(const struct fi_info *info, size_t wanted)
{
    /* Who promises it sets all bits of an order; FI_ORDER_STRICT, their name, is deprecated. */
    bool is_strict = info->rx_attr->comp_order & FI_ORDER_SAS;
    return is_strict || wanted < IN_ONE_STEP ? wanted : IN_ONE_STEP;
}

/* ---- Strangers ----------------------------------------------------------------------------- */

static bool is_of_sockets(const char *provider)
{
    static const char *const names[] = {"net", "tcp", "udp", "sockets"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(provider, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static bool is_loopback(const struct sockaddr *address)
{
    const struct sockaddr_in *four = (const void *)address;
    const struct sockaddr_in6 *six = (const void *)address;
    if (!address)
        return false;
    if (address->sa_family == AF_INET)
        return ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

bool weft_ofi_provider_is_exposed(const struct fi_info *info)
{
    return is_of_sockets(info->fabric_attr->prov_name) && !is_loopback(info->src_addr);
}

/* ---- The choice ---------------------------------------------------------------------------- */

/* The provider of reliable datagrams over TCP is called `net` up to libfabric 1.17 and `tcp` from
 * 1.18 on. Before, a `tcp` had none, so that the names cannot be confused. */
static const char *name_of(const char *provider)
{
    return strcmp(provider, "tcp") == 0 ? "net" : provider;
}

bool weft_ofi_provider_is(const struct fi_info *info, const char *name)
{
    return strcmp(name_of(info->fabric_attr->prov_name), name_of(name)) == 0;
}

size_t weft_ofi_provider_rank(const struct fi_info *info)
{
    for (size_t i = 0; i < PREFERRED; i++)
        if (weft_ofi_provider_is(info, preferred[i]))
            return i;
    return SIZE_MAX;
}

static bool keeps_order(const struct fi_info *info)
{
    return info->tx_attr->msg_order & FI_ORDER_SAS && info->rx_attr->msg_order & FI_ORDER_SAS;
}

static bool is_on(const struct fi_info *info, const char *interface)
{
    return !*interface || strcmp(info->domain_attr->name, interface) == 0;
}

/* Without a name the rank decides; with one, any provider of that name has the same. */
static size_t rank_for(const struct fi_info *info, const char *provider)
{
    if (!*provider)
        return weft_ofi_provider_rank(info);
    return weft_ofi_provider_is(info, provider) ? 0 : SIZE_MAX;
}

bool weft_ofi_provider_isolates(const struct fi_info *list, const char *interface)
{
    for (const struct fi_info *info = list; info; info = info->next)
        if (weft_ofi_provider_rank(info) < SIZE_MAX && is_on(info, interface) &&
            keeps_order(info) && !is_of_sockets(info->fabric_attr->prov_name))
            return true;
    return false;
}

struct fi_info *weft_ofi_provider_choose(struct fi_info *list, const char *provider,
                                         const char *interface)
{
    struct fi_info *best = NULL;
    size_t best_rank = SIZE_MAX;
    for (struct fi_info *info = list; info; info = info->next) {
        size_t rank = rank_for(info, provider);
        /* Of equals the first: libfabric lists the better interface before. */
        if (rank < best_rank && is_on(info, interface) && keeps_order(info)) {
            best = info;
            best_rank = rank;
        }
    }
    if (!best)
        weft_log(WEFT_LOG_ERROR,
                 "libfabric has no provider '%s' with an interface '%s' (empty: any) that carries "
                 "our messages; see what fi_info -t FI_EP_RDM prints",
                 provider, interface);
    return best;
}
