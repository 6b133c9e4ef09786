/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for messages that came before their receive. When it is used up, an entry without memory
 * takes the headers: the data stays with the sender until it is asked for.
 */
#include <stdlib.h>

#include "base/log.h"
#include "base/setting.h"
#include "client/client.h"
#include "transfer/net.h"

#define OPTIONS                                                                                   \
    (PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL | PTL_ME_MAY_ALIGN | PTL_ME_EVENT_COMM_DISABLE |         \
     PTL_ME_EVENT_LINK_DISABLE)

static int append(struct weft_net *net, char *start, size_t length, ptl_handle_me_t *handle)
{
    ptl_me_t me = {
        .start = start,
        .length = length,
        .ct_handle = PTL_CT_NONE,
        .uid = PTL_UID_ANY,
        .options = OPTIONS,
        .match_id = weft_net_process(PTL_RANK_ANY),
        .ignore_bits = ~(ptl_match_bits_t)0,
        .min_free = length ? net->eager : 0,
    };
    return PtlMEAppend(net->ni, WEFT_NET_MESSAGES, &me, PTL_OVERFLOW_LIST, start, handle);
}

static size_t index_of(const struct weft_net *net, const char *buffer)
{
    return (size_t)(buffer - net->overflow) / net->overflow_size;
}

bool weft_net_overflow_open(struct weft_net *net)
{
    size_t size = weft_setting(WEFT_SETTING_UNEXPECTED) / WEFT_NET_BUFFERS;
    net->overflow_size = size > net->eager ? size : net->eager;
    net->overflow = malloc(net->overflow_size * WEFT_NET_BUFFERS);
    bool is_open = net->overflow != NULL;
    for (unsigned i = 0; is_open && i < WEFT_NET_BUFFERS; i++)
        is_open = append(net, net->overflow + i * net->overflow_size, net->overflow_size,
                         &net->buffers[i]) == PTL_OK;
    return is_open && append(net, NULL, 0, &net->bottom) == PTL_OK;
}

/* The entry without memory must stay the last one. It may have headers, so it cannot be unlinked
 * at once; a trigger does it as soon as they are gone, and hides it before. */
void weft_net_overflow_renew(struct weft_net *net, char *buffer)
{
    ptl_handle_me_t old = net->bottom;
    int result = append(net, buffer, net->overflow_size, &net->buffers[index_of(net, buffer)]);
    if (result == PTL_OK)
        result = append(net, NULL, 0, &net->bottom);
    if (result == PTL_OK)
        result = PtlTriggeredMEUnlink(old, net->one, 1);
    if (result != PTL_OK)
        weft_log(WEFT_LOG_WARN, "memory for unexpected messages is lost: out of list entries");
}

bool weft_net_overflow_close(struct weft_net *net)
{
    bool is_free = PtlMEUnlink(net->bottom) != PTL_IN_USE;
    weft_client_forget(net->ni, WEFT_NET_MESSAGES);
    for (unsigned i = 0; i < WEFT_NET_BUFFERS; i++)
        is_free = PtlMEUnlink(net->buffers[i]) != PTL_IN_USE && is_free;
    if (!is_free)
        return false;
    free(net->overflow);
    net->overflow = NULL;
    return true;
}
