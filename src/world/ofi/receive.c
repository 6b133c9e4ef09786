/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/ofi/receive.h"

#include <rdma/fi_errno.h>

#include "base/log.h"
#include "world/ofi/handshake.h"
#include "world/ofi/peer.h"
#include "world/ofi/send.h"

/* Reports of one call. */
#define BATCH 16

/* ---- Frames -------------------------------------------------------------------------------- */

/* The session that a frame belongs to: the sender must have said the right token. */
static struct weft_ofi_session *session_of(struct weft_ofi *ofi,
                                           const struct weft_ofi_frame_head *head)
{
    struct weft_ofi_peer *peer = weft_ofi_peer_find(ofi, weft_ofi_frame_source(head));
    if (!peer)
        return NULL;
    struct weft_ofi_session *session = peer->session;
    if (session && weft_ofi_session_is_up(session) && head->token == session->token_in)
        return session;
    if (peer->pending && head->token == peer->pending->token_in && !peer->pending->broken &&
        ofi->nic) {
        weft_ofi_handshake_confirm(ofi, peer);
        return peer->session;
    }
    if (peer->retired_in && head->token == peer->retired_in)
        weft_ofi_send_refuse(ofi, peer, peer->retired_to, peer->retired_out,
                             WEFT_WORLD_REASON_GONE);
    return NULL;
}

static void take_frame(struct weft_ofi *ofi, const void *bytes, size_t size)
{
    struct weft_ofi_frame frame;
    if (!weft_ofi_frame_decode(&frame, bytes, size)) {
        ofi->counts.strangers++;
        return;
    }
    if (frame.head.kind == WEFT_OFI_FRAME_HELLO) {
        weft_ofi_handshake_take_hello(ofi, &frame);
    } else if (frame.head.kind == WEFT_OFI_FRAME_WELCOME) {
        weft_ofi_handshake_take_welcome(ofi, &frame);
    } else if (frame.head.kind == WEFT_OFI_FRAME_REFUSE) {
        weft_ofi_handshake_take_refuse(ofi, &frame);
    } else {
        struct weft_ofi_session *session = session_of(ofi, &frame.head);
        if (session)
            weft_ofi_session_receive(ofi, session, &frame, bytes, size);
        else
            ofi->counts.strangers++;
    }
}

/* ---- Reports ------------------------------------------------------------------------------- */

/* We send and receive messages. Whatever else is reported, a stranger has made happen: a provider
 * may let anybody write to nowhere, and reports that without a buffer of ours. */
static bool is_of_a_message(uint64_t flags)
{
    return !(flags & (FI_RMA | FI_ATOMIC | FI_REMOTE_READ | FI_REMOTE_WRITE));
}

static struct weft_ofi_tx *sent_buffer(const struct weft_ofi *ofi, const void *context)
{
    struct weft_ofi_tx *tx = weft_ofi_tx_pool_find(&ofi->packets, context);
    return tx ? tx : weft_ofi_tx_pool_find(&ofi->controls, context);
}

/* That a receive buffer is used up comes with its last frame or alone. */
static unsigned take_received(struct weft_ofi *ofi, struct weft_ofi_buffer *buffer,
                              const struct fi_cq_data_entry *entry)
{
    bool has_frame = entry->flags & FI_RECV;
    if (has_frame && weft_ofi_rx_holds(&ofi->rx, buffer, entry->buf, entry->len))
        take_frame(ofi, entry->buf, entry->len);
    else if (has_frame)
        ofi->counts.strangers++;
    if (entry->flags & FI_MULTI_RECV)
        weft_ofi_rx_release(&ofi->rx, buffer);
    return has_frame;
}

/* What it names is used only if it is ours: strangers may have a hand in what a provider says. */
static unsigned take_report(struct weft_ofi *ofi, const struct fi_cq_data_entry *entry)
{
    bool is_message = is_of_a_message(entry->flags);
    struct weft_ofi_buffer *buffer =
        is_message ? weft_ofi_rx_find(&ofi->rx, entry->op_context) : NULL;
    if (buffer)
        return take_received(ofi, buffer, entry);
    struct weft_ofi_tx *tx = is_message ? sent_buffer(ofi, entry->op_context) : NULL;
    if (tx)
        weft_ofi_send_done(ofi, tx, 0);
    else
        ofi->counts.strangers++;
    return 0;
}

/* One without a buffer of ours is of what was injected, and the other side will miss it; or of no
 * concern to us. */
static void take_error(struct weft_ofi *ofi)
{
    struct fi_cq_err_entry error = {0};
    if (fi_cq_readerr(ofi->endpoint.cq, &error, 0) != 1 || !is_of_a_message(error.flags))
        return;
    struct weft_ofi_tx *tx = sent_buffer(ofi, error.op_context);
    if (tx)
        weft_ofi_send_done(ofi, tx, error.err);
    struct weft_ofi_buffer *buffer = weft_ofi_rx_find(&ofi->rx, error.op_context);
    if (!buffer)
        return;
    /* A frame of more bytes than any of ours: a stranger's. */
    ofi->counts.strangers++;
    if (error.flags & FI_MULTI_RECV)
        weft_ofi_rx_release(&ofi->rx, buffer);
}

unsigned weft_ofi_receive(struct weft_ofi *ofi)
{
    struct fi_cq_data_entry entries[BATCH];
    unsigned frames = 0;
    ssize_t count = fi_cq_read(ofi->endpoint.cq, entries, BATCH);
    if (count == -FI_EAVAIL)
        take_error(ofi);
    if (count <= 0)
        return 0;
    for (ssize_t i = 0; i < count; i++)
        frames += take_report(ofi, &entries[i]);
    weft_world_doze_progress(&ofi->doze);
    return frames;
}

unsigned weft_ofi_receive_self(struct weft_ofi *ofi)
{
    unsigned count = 0;
    if (!ofi->self_nic_peer)
        ofi->self_nic_peer = weft_nic_peer(ofi->nic, ofi->world.self);
    for (; count < BATCH && !weft_list_is_empty(&ofi->loop) && ofi->self_nic_peer; count++) {
        if (weft_nic_peer_waits(ofi->nic, ofi->self_nic_peer))
            break;
        struct weft_ofi_tx *tx = weft_list_object(ofi->loop.next, struct weft_ofi_tx, link);
        weft_list_remove(&tx->link);
        weft_nic_receive(ofi->nic, ofi->self_nic_peer, tx->buffer.bytes + WEFT_OFI_FRAME_HEAD,
                         tx->size);
        weft_ofi_tx_give(tx);
    }
    return count;
}
