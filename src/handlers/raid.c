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

/* A message without data tells the parity node to expect so many bytes of a client. It is sent
 * before them, and those that will not come are taken back; what other HPUs apply before it is
 * taken is acknowledged at once. One piece needs no such word. */
static int announce(const struct weft_handler_raid_data *node, const ptl_header_t *message,
                    ptl_size_t bytes)
{
    if (message->length <= WEFT_HANDLER_PIECE || bytes == 0)
        return PTL_OK;
    return weft_handler_send(NULL, 0, node->parity, node->parity_bits, bytes,
                             pack_process(message->source_id));
}

static ptl_handler_result_t begin_write(const ptl_header_t *header, void *state)
{
    return announce(state, header, header->length) == PTL_OK ? PTL_HANDLER_PROCESS_DATA
                                                             : PTL_HANDLER_FAIL;
}

static ptl_handler_result_t end_write(ptl_size_t dropped_bytes, int flow_control_triggered,
                                      void *state)
{
    ptl_header_t message;
    (void)flow_control_triggered;
    PtlHandlerHeader(&message);
    return weft_handler_result(announce(state, &message, 0 - dropped_bytes));
}

int weft_handler_raid_data(ptl_handle_ni_t ni, const struct weft_handler_raid_data *data,
                           ptl_handlers_t *handlers)
{
    int result = weft_handler_open(ni, data, sizeof *data, handlers);
    handlers->header_handler = begin_write;
    handlers->payload_handler = write_packet;
    handlers->completion_handler = end_write;
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

static int apply_all(struct weft_handler_locks *locks, ptl_size_t place,
                     const ptl_payload_t *payload)
{
    int result = PTL_OK;
    for (ptl_size_t done = 0, piece; done < payload->length && result == PTL_OK; done += piece) {
        piece = weft_handler_piece(payload->length - done);
        weft_handler_lock(locks, place + done, piece);
        result = apply(place + done, payload->base + done, piece);
        weft_handler_unlock(locks, place + done, piece);
    }
    return result;
}

static int acknowledge(const struct weft_handler_raid_parity *node, const ptl_header_t *message,
                       ptl_size_t bytes)
{
    if (bytes == 0)
        return PTL_OK;
    return weft_handler_send(&bytes, sizeof bytes, message->source_id, node->relay_bits, 0,
                             message->hdr_data);
}

/* The account of a client at a data node; NULL if there are too many. The lock is held. */
static struct weft_handler_raid_account *account_of(struct weft_handler_raid_parity *node,
                                                    const ptl_header_t *message)
{
    ptl_hdr_data_t source = pack_process(message->source_id);
    for (unsigned i = 0; i < WEFT_HANDLER_RAID_ACCOUNTS; i++) {
        struct weft_handler_raid_account *account = &node->accounts[i];
        if (!account->is_used)
            *account = (struct weft_handler_raid_account){1, source, message->hdr_data, 0, 0, 0};
        if (account->source == source && account->client == message->hdr_data)
            return account;
    }
    return NULL;
}

/* Books so many bytes and says how many to acknowledge: nothing while some that were announced are
 * missing, then all that were not acknowledged yet. */
static ptl_size_t book(struct weft_handler_raid_parity *node, const ptl_header_t *message,
                       ptl_size_t announced, ptl_size_t applied)
{
    while (!PtlHandlerCAS(&node->accounts_held, 0, 1))
        PtlHandlerYield();
    struct weft_handler_raid_account *account = account_of(node, message);
    ptl_size_t due = applied;
    if (account) {
        account->announced += announced;
        account->applied += applied;
        bool is_complete = (int64_t)(account->applied - account->announced) >= 0;
        due = is_complete ? account->applied - account->acknowledged : 0;
        account->acknowledged += due;
    }
    PtlHandlerCAS(&node->accounts_held, 1, 0);
    return due;
}

static ptl_handler_result_t take_announcement(const ptl_header_t *header, void *state)
{
    struct weft_handler_raid_parity *node = state;
    if (header->length > 0)
        return PTL_HANDLER_PROCESS_DATA;
    int result = acknowledge(node, header, book(node, header, header->offset, 0));
    return result == PTL_OK ? PTL_HANDLER_DROP_PENDING : PTL_HANDLER_FAIL;
}

static ptl_handler_result_t apply_packet(const ptl_payload_t *payload, void *state)
{
    struct weft_handler_raid_parity *node = state;
    ptl_header_t message;
    PtlHandlerHeader(&message);
    if (apply_all(&node->locks, message.offset + payload->offset, payload) != PTL_OK)
        return PTL_HANDLER_FAIL;
    return weft_handler_result(
        acknowledge(node, &message, book(node, &message, 0, payload->length)));
}

int weft_handler_raid_parity(ptl_handle_ni_t ni, const struct weft_handler_raid_parity *parity,
                             ptl_handlers_t *handlers)
{
    int result = weft_handler_open(ni, parity, sizeof *parity, handlers);
    handlers->header_handler = take_announcement;
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

/* ---- Reading ------------------------------------------------------------------------------ */

static ptl_handler_result_t send_block(const ptl_header_t *header, void *state)
{
    struct weft_handler_raid_request request;
    (void)state;
    if (header->user_hdr_length != sizeof request)
        return PTL_HANDLER_FAIL;
    memcpy(&request, header->user_hdr, sizeof request);
    int result = PtlHandlerPutFromHost(request.offset, request.length, PTL_ME_HOST_MEM,
                                       PTL_NO_CT_REQ, PTL_NO_ACK_REQ, header->source_id,
                                       request.match_bits, request.at, NULL, 0);
    return result == PTL_OK ? PTL_HANDLER_DROP_PENDING : PTL_HANDLER_FAIL;
}

void weft_handler_raid_read(ptl_handlers_t *handlers)
{
    *handlers = (ptl_handlers_t){.header_handler = send_block,
                                 .hpu_memory = PTL_HPU_NONE,
                                 .user_hdr_size = sizeof(struct weft_handler_raid_request)};
}

static ptl_handler_result_t rebuild_packet(const ptl_payload_t *payload, void *state)
{
    struct weft_handler_raid_rebuild *rebuild = state;
    ptl_header_t message;
    PtlHandlerHeader(&message);
    return weft_handler_result(
        apply_all(&rebuild->locks, message.offset + payload->offset, payload));
}

int weft_handler_raid_rebuild(ptl_handle_ni_t ni, const struct weft_handler_raid_rebuild *rebuild,
                              ptl_handlers_t *handlers)
{
    int result = weft_handler_open(ni, rebuild, sizeof *rebuild, handlers);
    handlers->payload_handler = rebuild_packet;
    return result;
}
