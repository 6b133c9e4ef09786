/* SPDX-License-Identifier: BSD-3-Clause */
#include <weft_handlers.h>

#include "spin/spin.h"

BEHAVIOUR("strided: blocks of no bytes are refused", SPIN)
{
    ptl_handlers_t handlers;
    struct weft_handler_strided strided = {.stride = 16, .count = 4};
    gives(PTL_ARG_INVALID, weft_handler_strided(job->ni, &strided, &handlers));
}

BEHAVIOUR("broadcasts: more peers than there is room for are refused", SPIN)
{
    ptl_handlers_t handlers;
    struct weft_handler_peers many = {.count = WEFT_HANDLER_PEERS + 1};
    struct weft_handler_broadcast broadcast = {.children = many};
    struct weft_handler_reliable reliable = {.neighbours = many};
    gives(PTL_ARG_INVALID, weft_handler_broadcast(job->ni, &broadcast, &handlers));
    gives(PTL_ARG_INVALID, weft_handler_reliable(job->ni, &reliable, &handlers));
}

BEHAVIOUR("keyvalue: a table without buckets, queue or memory is refused", SPIN)
{
    ptl_handlers_t handlers;
    uint64_t table[64];
    struct weft_handler_keyvalue no_buckets = {.heap = 64, .queue = 1};
    struct weft_handler_keyvalue no_queue = {.buckets = 1, .heap = 64};
    struct weft_handler_keyvalue whole = {.buckets = 1, .heap = 64, .queue = 1};
    gives(PTL_ARG_INVALID, weft_handler_keyvalue(job->ni, &no_buckets, table, &handlers));
    gives(PTL_ARG_INVALID, weft_handler_keyvalue(job->ni, &no_queue, table, &handlers));
    gives(PTL_ARG_INVALID, weft_handler_keyvalue(job->ni, &whole, NULL, &handlers));
}

BEHAVIOUR("stock: an interface that there is not is refused", SPIN)
{
    ptl_handlers_t handlers;
    struct weft_handler_pong pong = {.match_bits = 1};
    gives(PTL_ARG_INVALID, weft_handler_pong(PTL_INVALID_HANDLE, &pong, &handlers));
}
