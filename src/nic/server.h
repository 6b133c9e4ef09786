/* SPDX-License-Identifier: BSD-3-Clause */
/* What serves one after the other, in virtual time: in picoseconds, so that many short services do
 * not add up roundings. */
#ifndef WEFT_NIC_SERVER_H
#define WEFT_NIC_SERVER_H

#include <stdint.h>

#define WEFT_NIC_SERVER_PS 1000u /* in a nanosecond */

/* Starts as zeros. */
struct weft_nic_server {
    uint64_t free; /* when the last service ends */
};

/* What bytes take at a rate of bytes in a microsecond; 0 has no end. */
static inline uint64_t weft_nic_server_time(uint64_t bytes, uint64_t rate)
{
    return rate ? bytes * WEFT_NIC_SERVER_PS * 1000 / rate : 0;
}

static inline uint64_t weft_nic_server_nanoseconds(uint64_t picoseconds)
{
    return (picoseconds + WEFT_NIC_SERVER_PS - 1) / WEFT_NIC_SERVER_PS;
}

/* When a service that is asked for at `now`, in nanoseconds, ends, in picoseconds. */
static inline uint64_t weft_nic_server_serve(struct weft_nic_server *server, uint64_t now,
                                             uint64_t service)
{
    uint64_t begin = now * WEFT_NIC_SERVER_PS;
    server->free = (server->free > begin ? server->free : begin) + service;
    return server->free;
}

#endif
