/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_TRANSFER_REQUEST_H
#define WEFT_TRANSFER_REQUEST_H

#include "transfer/layout.h"
#include "transfer/net.h"

enum weft_net_request_kind {
    WEFT_NET_REQUEST_SEND,
    WEFT_NET_REQUEST_RECEIVE,
    WEFT_NET_REQUEST_PUT,
    WEFT_NET_REQUEST_GET,
    WEFT_NET_REQUEST_OFFER,
    WEFT_NET_REQUEST_TAKE,
    WEFT_NET_REQUEST_PING, /* these have no layout */
    WEFT_NET_REQUEST_DOOR,
    WEFT_NET_REQUEST_NOTE
};

/* Bytes [at, end) of the stream of a peer, to the same bytes of ours. */
struct weft_net_pull {
    uint32_t from;
    ptl_pt_index_t pt;
    ptl_match_bits_t bits;
    uint64_t shift; /* of the peer's stream against ours */
    uint64_t begin, end;
    uint64_t rest;           /* of a get: what is before `begin` and still to come begins here */
    uint64_t chunks, issued; /* of a chain */
    bool is_chain;
    bool is_told;   /* the sender of the message has been, by the end of the chain */
    bool is_gone;   /* the sender has it no more */
    unsigned tries; /* that came before the sender had exposed it */
    /* direct.c */
    bool is_direct;
    bool is_together;            /* by together.c */
    bool is_alone;               /* the sender cannot help */
    bool is_claimed;             /* the sender may take parts */
    unsigned looks;              /* after a sender who has not finished its part */
    struct weft_net_name *named; /* the type of our layout, for the sender */
    uint64_t locator_address;
    struct weft_net_locator locator; /* count 0: not read yet */
};

struct weft_request {
    struct weft_pool_slot slot;
    struct weft_net *net;
    struct weft_list all;  /* in net->pending or net->lingering */
    struct weft_list link; /* in a queue, net->retries, net->unfed or net->untold */
    enum weft_net_request_kind kind;
    bool is_done;
    bool is_detached; /* nobody will ask for it */
    bool is_queued;   /* a send that has not left */
    bool is_posted;   /* a receive that no message has come for */
    bool is_acked, is_pulled;
    bool has_left;   /* a put: its memory has been read */
    bool is_watched; /* counts in net->watched */
    bool has_locator;
    bool is_invited; /* help.c: its receiver has claimed it */
    bool is_held;    /* an offer: its receiver knows of it, and does not want it yet */
    struct weft_status status;
    struct weft_net_layout layout;
    struct weft_net_ready *ready; /* whose type the layout has; NULL: its own */
    uint32_t peer;                /* net->size: any */
    uint64_t bits;
    uint64_t number; /* of a message: what its sender calls it */
    char *copy;      /* of a send that has returned */
    ptl_handle_md_t md;
    ptl_handle_me_t me;
    ptl_handle_ct_t ct;
    struct weft_net_pull pull;
    ptl_match_bits_t news; /* tell.c: what the sender of the message must hear, and until when */
    uint64_t tell_until;
};

/* It takes a message: its sender is to hear of the end. */
static inline bool weft_net_request_is_message(const struct weft_request *request)
{
    return request->kind == WEFT_NET_REQUEST_RECEIVE || request->kind == WEFT_NET_REQUEST_TAKE;
}

/* All of these with the lock of the net held. */

/* WEFT_ERR_BUSY at the limit, or what is wrong with the type, which some do not have. */
int weft_net_request_new(struct weft_net *net, enum weft_net_request_kind kind, uint32_t peer,
                         const weft_type *type, size_t count, const void *base,
                         struct weft_request **out);

/* Ends the request and gives back what it has; if it is detached, the request itself, too. */
void weft_net_request_end(struct weft_request *request, int error);

/* Bytes that a send which has returned costs. */
size_t weft_net_request_cost(const struct weft_request *request);
/* Its copy was made, or goes. */
void weft_net_request_count_copy(struct weft_request *request, bool is_made);

/* Gives back a request that could not be begun. */
void weft_net_request_drop(struct weft_request *request);

/* From now on its memory is not read by others. */
void weft_net_request_hide(struct weft_request *request);

/* Tries again to give back what the NIC held. */
void weft_net_request_free_lingering(struct weft_net *net);

/* A descriptor of the layout; *offset is where its stream begins in it. */
int weft_net_request_bind(struct weft_request *request, ptl_handle_md_t *md, ptl_size_t *offset);

/* WEFT_OK, or what a call of Portals means here. */
int weft_net_request_error(int result);

/* ---- Steps of transfers ------------------------------------------------------------------- */

/* Puts the first bytes of a message. */
int weft_net_send_put(struct weft_request *request, size_t part);
void weft_net_send_acknowledged(struct weft_request *request, const ptl_event_t *event);
/* Sends what waits for its turn, as far as it may. */
void weft_net_send_queued(struct weft_net *net, uint32_t rank);
/* The receiver of a message has said what became of it. */
void weft_net_send_pulled(struct weft_net *net, uint32_t rank, uint64_t number,
                          ptl_match_bits_t what);
/* The message of ours that a peer means; NULL if there is none any more. */
struct weft_request *weft_net_send_find(struct weft_net *net, uint32_t rank, uint64_t number);
/* The receiver of a message finds it not exposed. */
void weft_net_send_asked(struct weft_net *net, uint32_t rank, uint64_t number);
/* Gives a message the number under which its receiver can pull it, once it is exposed. */
void weft_net_send_number(struct weft_request *request);
int weft_net_send_expose(struct weft_request *request);
/* Lets processes of this host read it, if that pays; the number then says so. */
void weft_net_send_show(struct weft_request *request);
/* Lets them copy it, if it lies in the shared heap; true if they can. */
bool weft_net_send_share(struct weft_request *request);

void weft_net_receive_arrived(struct weft_request *request, const ptl_event_t *event);
void weft_net_receive_pulled(struct weft_request *request, int error);
/* Takes the first message of these match bits but for those that are ignored. */
int weft_net_receive_post(struct weft_request *request, ptl_match_bits_t bits,
                          ptl_match_bits_t ignored);
/* Pulls bytes [begin, status.bytes) of the message from its sender. */
int weft_net_receive_pull(struct weft_request *request, size_t begin);

void weft_net_expose_put_done(struct weft_request *request, const ptl_event_t *event);
void weft_net_expose_pulled(struct weft_request *request, int error);

/* Withdraws all regions. */
void weft_net_expose_end(struct weft_net *net);

/* Gets what request->pull says. */
void weft_net_pull_packets(struct weft_request *request);
int weft_net_receive_packets(struct weft_request *request);
int weft_net_expose_packets(struct weft_request *request);
/* All that was pulled is there, or could not be. */
void weft_net_pull_ended(struct weft_request *request, int error);

/* The two ways to get: at once, which ends with weft_net_pull_replied; or by a chain, which
 * tells the sender of a message that it has been pulled, and ends with weft_net_pull_sent. */
int weft_net_pull_one(struct weft_request *request);
int weft_net_pull_chain(struct weft_request *request);
void weft_net_pull_feed(struct weft_request *request);
void weft_net_pull_replied(struct weft_request *request, const ptl_event_t *event);
void weft_net_pull_sent(struct weft_request *request, const ptl_event_t *event);
/* Tries once more to get what was not exposed. */
void weft_net_pull_again(struct weft_request *request);
void weft_net_pull_gone(struct weft_net *net, uint32_t rank, uint64_t number);

/* ---- Telling ------------------------------------------------------------------------------ */

/* A put of nothing to a peer's WEFT_NET_CONTROL; false if there is no memory for it. */
bool weft_net_tell(struct weft_net *net, uint32_t rank, ptl_match_bits_t what, uint64_t data);
/* Tells the sender of a message what has become of it, then ends the request. */
void weft_net_tell_end(struct weft_request *request, ptl_match_bits_t news, int error);
/* The same of a message that there is no request for. */
void weft_net_tell_of(struct weft_net *net, uint32_t rank, ptl_match_bits_t news, uint64_t number);
/* The receiver of an offer has said that nobody wants it yet. */
void weft_net_offer_held(struct weft_net *net, uint32_t rank, uint64_t number);
/* Tells that messages of the peer do not wait any more. */
void weft_net_tell_credit(struct weft_net *net, uint32_t rank);
bool weft_net_tell_is_due(const struct weft_net *net);
/* Tries again what could not be told; a peer that nothing can be told in time is lost. */
void weft_net_tell_again(struct weft_net *net);

/* ---- Peers -------------------------------------------------------------------------------- */

/* Messages of ours do not wait there any more. */
void weft_net_peer_returned(struct weft_net *net, uint32_t rank, uint64_t count);
/* A message of a peer does not wait here any more. */
void weft_net_peer_owe(struct weft_net *net, uint32_t rank);
/* A message of ours that followed its announcement is there, or will not be. */
void weft_net_peer_followed(const struct weft_request *request);
/* It will not follow: its place is free. */
void weft_net_peer_unannounced(const struct weft_request *request);
void weft_net_peer_lost(struct weft_net *net, uint32_t rank);
/* Asks whether a peer lives that a request waits for. */
void weft_net_peer_ping(struct weft_request *request);
void weft_net_peer_answered(struct weft_request *ping, const ptl_event_t *event);

/* ---- Progress ----------------------------------------------------------------------------- */

/* Handles one event, or waits so many milliseconds for it; false if there was none. The lock is
 * let go of meanwhile. */
bool weft_net_advance(struct weft_net *net, unsigned milliseconds);
/* What is to be done when nothing happens. */
void weft_net_idle(struct weft_net *net, struct weft_request *waited_for);

/* Its next event is to be handled soon, even if the program makes no calls; it has been. */
void weft_net_watch_begin(struct weft_request *request);
void weft_net_watch_end(struct weft_request *request);

#endif
