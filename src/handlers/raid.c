/* SPDX-License-Identifier: BSD-3-Clause */
#include "handlers/handler.h"
#include "handlers/lock.h"

#include <assert.h>
#include <string.h>

/* The client's address travels with the differences and the acknowledgements. */
static_assert(sizeof(ptl_process_t) == sizeof(ptl_hdr_data_t), "an address fits");

static ptl_hdr_data_t pack_process(ptl_process_t process)
{
    ptl_hdr_data_t packed;
    memcpy(&packed, &process, sizeof packed);
    return packed;
}

static ptl_process_t unpack_process(ptl_hdr_data_t packed)
{
    ptl_process_t process;
    memcpy(&process, &packed, sizeof process);
    return process;
}

typedef uintptr_t __attribute__((may_alias)) word;

/* In words where both sides are aligned: a core of a NIC has no wider registers. */
static void exclusive_or(unsigned char *bytes, const unsigned char *others, ptl_size_t length)
{
    ptl_size_t done = 0;
    if ((((uintptr_t)bytes | (uintptr_t)others) & (sizeof(word) - 1)) == 0)
        for (; length - done >= sizeof(word); done += sizeof(word))
            *(word *)(void *)(bytes + done) ^= *(const word *)(const void *)(others + done);
    for (; done < length; done++)
        bytes[done] ^= others[done];
}

/* ---- The data node ------------------------------------------------------------------------ */

static int replace(ptl_size_t place, const unsigned char *data, unsigned char *old,
                   ptl_size_t length)
{
    int result = PtlHandlerDMAFromHostB(place, old, length, PTL_ME_HOST_MEM);
    if (result != PTL_OK)
        return result;
    return PtlHandlerDMAToHostB(data, place, length, PTL_ME_HOST_MEM);
}

static int write_piece(struct weft_handler_raid_data *node, ptl_process_t client, ptl_size_t place,
                       const unsigned char *data, ptl_size_t length)
{
    _Alignas(word) unsigned char difference[WEFT_HANDLER_PIECE];
    weft_handler_lock(&node->locks, place, length);
    int result = replace(place, data, difference, length);
    weft_handler_unlock(&node->locks, place, length);
    if (result != PTL_OK)
        return result;
    exclusive_or(difference, data, length);
    return weft_handler_send(difference, length, node->parity, node->parity_bits, place,
                             pack_process(client));
}

static ptl_handler_result_t write_packet(const ptl_payload_t *payload, void *state)
{
    ptl_header_t message;
    PtlHandlerHeader(&message);
    ptl_size_t place = message.offset + payload->offset;
    int result = PTL_OK;
    for (ptl_size_t done = 0, piece; done < payload->length && result == PTL_OK; done += piece) {
        piece = weft_handler_piece(payload->length - done);
        result = write_piece(state, message.source_id, place + done, payload->base + done, piece);
    }
    return weft_handler_result(result);
}

int weft_handler_raid_data(ptl_handle_ni_t ni, const struct weft_handler_raid_data *data,
                           ptl_handlers_t *handlers)
{
    int result = weft_handler_open(ni, data, sizeof *data, handlers);
    handlers->payload_handler = write_packet;
    return result;
}

/* ---- The parity node ---------------------------------------------------------------------- */

static int apply(ptl_size_t place, const unsigned char *difference, ptl_size_t length)
{
    _Alignas(word) unsigned char parity[WEFT_HANDLER_PIECE];
    int result = PtlHandlerDMAFromHostB(place, parity, length, PTL_ME_HOST_MEM);
    if (result != PTL_OK)
        return result;
    exclusive_or(parity, difference, length);
    return PtlHandlerDMAToHostB(parity, place, length, PTL_ME_HOST_MEM);
}

static ptl_handler_result_t apply_packet(const ptl_payload_t *payload, void *state)
{
    struct weft_handler_raid_parity *node = state;
    ptl_header_t message;
    PtlHandlerHeader(&message);
    ptl_size_t place = message.offset + payload->offset;
    for (ptl_size_t done = 0, piece; done < payload->length; done += piece) {
        piece = weft_handler_piece(payload->length - done);
        weft_handler_lock(&node->locks, place + done, piece);
        int result = apply(place + done, payload->base + done, piece);
        weft_handler_unlock(&node->locks, place + done, piece);
        if (result != PTL_OK)
            return PTL_HANDLER_FAIL;
    }
    return weft_handler_result(weft_handler_send(&payload->length, sizeof payload->length,
                                                 message.source_id, node->relay_bits, 0,
                                                 message.hdr_data));
}

int weft_handler_raid_parity(ptl_handle_ni_t ni, const struct weft_handler_raid_parity *parity,
                             ptl_handlers_t *handlers)
{
    int result = weft_handler_open(ni, parity, sizeof *parity, handlers);
    handlers->payload_handler = apply_packet;
    return result;
}

/* ---- Acknowledgements: bytes, as a user header -------------------------------------------- */

static ptl_handler_result_t relay_bytes(const ptl_header_t *header, void *state)
{
    const struct weft_handler_raid_relay *relay = state;
    int result = weft_handler_send(header->user_hdr, header->user_hdr_length,
                                   unpack_process(header->hdr_data), relay->client_bits, 0, 0);
    return result == PTL_OK ? PTL_HANDLER_DROP_PENDING : PTL_HANDLER_FAIL;
}

int weft_handler_raid_relay(ptl_handle_ni_t ni, const struct weft_handler_raid_relay *relay,
                            ptl_handlers_t *handlers)
{
    int result = weft_handler_open(ni, relay, sizeof *relay, handlers);
    handlers->header_handler = relay_bytes;
    handlers->user_hdr_size = sizeof(ptl_size_t);
    return result;
}

static ptl_handler_result_t count_bytes(const ptl_header_t *header, void *state)
{
    ptl_ct_event_t bytes = {0, 0};
    (void)state;
    if (header->user_hdr_length != sizeof bytes.success)
        return PTL_HANDLER_FAIL;
    memcpy(&bytes.success, header->user_hdr, sizeof bytes.success);
    return PtlHandlerCTInc(bytes) == PTL_OK ? PTL_HANDLER_DROP_PENDING : PTL_HANDLER_FAIL;
}

void weft_handler_raid_client(ptl_handlers_t *handlers)
{
    *handlers = (ptl_handlers_t){.header_handler = count_bytes,
                                 .hpu_memory = PTL_HPU_NONE,
                                 .user_hdr_size = sizeof(ptl_size_t)};
}
