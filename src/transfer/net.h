/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Non-contiguous send, receive, put and get, by Portals calls alone. The files, in the order to
 * read them:
 *
 *   net.c        opens the interface and what all transfers share
 *   alloc.c      memory for the program that peers can map
 *   barrier.c    waits until every process of the job is there
 *   send.c       short messages travel whole, of longer ones the first bytes; the rest is exposed
 *   receive.c    posts entries; takes what has come; pulls the rest
 *   pull.c       gets in chunks, a few outstanding, chained by triggered operations
 *   overflow.c   memory for messages that nobody has asked for yet
 *   tell.c       what peers must hear, also while there is no memory to say it
 *   peer.c       how many messages may wait at a peer; what becomes of transfers when it dies
 *   offer.c      messages that somebody else matches
 *   expose.c     exposed memory, put and get
 *   ready.c      layouts that were used before
 *   locator.c    where messages and regions lie, for processes of the same host
 *   direct.c     reads them there
 *   together.c   copies them there, if they lie in a heap that both can reach
 *   help.c       the sender copies parts of it, too
 *   name.c       keys of types, which let the two sides speak of them
 *   request.c    the life of a transfer; test, wait, cancel
 *   progress.c   hands events to those whom they concern
 *   watch.c      does so while the program computes
 *
 * A message is one put to WEFT_NET_MESSAGES. Its match bits are the tag, its header data is the
 * sender's number for it, and its remote offset is the length of the whole message: entries of
 * receives manage their offsets themselves, so the field is free. A put that brought less than the
 * whole message is followed by gets from WEFT_NET_PULLS, whose match bits are the number, and by
 * one put to WEFT_NET_CONTROL that tells the sender the number when all is done.
 */
#ifndef WEFT_TRANSFER_NET_H
#define WEFT_TRANSFER_NET_H

#include <portals4.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <weft_net.h>

#include "base/list.h"
#include "base/pool.h"
#include "transfer/locator.h"
#include "transfer/name.h"
#include "transfer/ready.h"

/* Indices of the portal table, the same in all processes. */
enum { WEFT_NET_MESSAGES = 40, WEFT_NET_PULLS, WEFT_NET_REGIONS, WEFT_NET_CONTROL };

/* Match bits of WEFT_NET_CONTROL. */
enum {
    WEFT_NET_DONE,          /* the message of this number has been pulled */
    WEFT_NET_CREDIT,        /* so many messages do not wait any more */
    WEFT_NET_READ,          /* the message of this number has been read by direct.c */
    WEFT_NET_REFUSED,       /* the message of this number cannot be taken */
    WEFT_NET_PING = 4,      /* answered by the NIC alone */
    WEFT_NET_DOOR,          /* got by those who want to read */
    WEFT_NET_ASK = 8,       /* whether the message of this number is still to be had */
    WEFT_NET_GONE,          /* it is not */
    WEFT_NET_HELP,          /* the message of this number is being copied: both can */
    WEFT_NET_HELD,          /* nobody wants the message of this number yet */
    WEFT_NET_BARRIER = 256, /* barrier.c */
};

/* Ignored by the entry of WEFT_NET_CONTROL whose puts are news: all but ping, root and barrier. */
#define WEFT_NET_NEWS ((ptl_match_bits_t)11)

/* In the number of a message: its data follows, as a put that has the number as match bits. Those
 * of other messages are tags, with zeros above. */
#define WEFT_NET_FOLLOWS (UINT64_C(1) << 63)

/* Longer messages are not copied so that their senders can return: to wait for the acknowledgement
 * takes less time. */
#define WEFT_NET_COPIED ((size_t)16384)

/* Messages that one process may have waiting at another: headers cost memory. */
#define WEFT_NET_WINDOW 64u
/* How many of them are reported together when they do not wait any more. */
#define WEFT_NET_RETURN (WEFT_NET_WINDOW / 4)

struct weft_net_peer_state {
    struct weft_list queue; /* sends that wait for their turn; all 0 until the first */
    uint16_t waiting;       /* messages that count against the window there */
    uint16_t owed;          /* messages of this peer that wait no more, and it was not told */
    uint32_t followers;     /* bytes that follow announcements and were not acknowledged */
    bool is_lost;           /* something sent to it did not arrive */
    bool is_reader;         /* it has read the last message that it could */
    struct weft_net_neighbour *neighbour; /* NULL until there was something to read */
};

#define WEFT_NET_BUFFERS 8u

struct weft_net {
    pthread_mutex_t lock; /* of everything here; never held during a wait */
    pthread_cond_t moved; /* an event was handled */
    bool pumping;         /* a thread waits for the next event; events are handled in order */
    uint64_t turns;       /* how often one has */
    unsigned unseeing;    /* how often something was copied and no event looked for */
    unsigned waiters;     /* threads that wait for what it finds */
    pid_t owner;          /* the process that has opened it */
    ptl_handle_ni_t ni;
    bool owns_ni;
    bool is_abandoned; /* it closes: events are of requests that have ended */
    uint32_t rank, size;
    uint32_t generation; /* how often this process has opened a net */
    ptl_handle_eq_t eq;
    ptl_handle_md_t memory; /* all of the process, with events but those of sends */
    ptl_handle_md_t quiet;  /* the same without events */
    ptl_handle_md_t loud;   /* with those of sends */
    ptl_handle_ct_t one;    /* has counted to 1: what is triggered by it happens at once */
    unsigned tables;        /* entries of the portal table that are allocated */

    size_t eager, chunk;
    uint64_t chunks;
    uint64_t direct; /* least average piece of what is read; 0: never */
    uint64_t direct_most;
    bool is_near;           /* data may go past the world, between processes of a host */
    struct weft_heap *heap; /* whose memory peers can map; NULL: there is none */
    uint64_t together_least;
    uint64_t window; /* messages that may wait at all peers together: events of their returns */
    uint64_t waiting;
    struct weft_net_peer_state *peers;
    struct weft_pool requests;
    struct weft_net_ready_table ready;
    struct weft_list pending; /* all requests that have not ended */
    struct weft_list retries; /* pulls from a sender that had not exposed its message yet */
    struct weft_list unfed;   /* chains that are not issued to their end */
    struct weft_list direct_pulls;
    struct weft_list watched_offers; /* help.c */
    struct weft_list untold;         /* over, but a peer must hear of it first */
    bool owes;                  /* a peer was not told that its messages do not wait any more */
    struct weft_list lingering; /* ended, but the NIC still holds what belongs to them */
    uint32_t sequence;          /* upper half of the numbers of messages */
    atomic_size_t buffered; /* bytes of sends that have returned; whoever has the lock writes */
    uint32_t pinged;        /* who is being asked whether it lives; net->size: nobody */
    uint64_t ask_until;     /* since memory lacks to ask; 0: it does not */
    unsigned fruitless;     /* looks that found nothing */
    uint64_t met;           /* rounds of the barrier that others have come to */

    /* watch.c */
    pthread_t watch;
    pthread_cond_t wanted; /* it should look now */
    bool has_watch, watch_ends;
    uint32_t watched; /* requests whose next event is not to wait for a call of the program */

    /* overflow.c */
    char *overflow;
    size_t overflow_size; /* of one buffer */
    ptl_handle_me_t buffers[WEFT_NET_BUFFERS], bottom;

    struct weft_net_locator_table locators;
    struct weft_net_name_table names;
    struct weft_net_counters counters;
    ptl_handle_me_t news, echo, barrier, root; /* of WEFT_NET_CONTROL */
    struct weft_list regions;
};

/* On an interface whose map is set. Returns when all ranks have come. */
int weft_net_attach(ptl_handle_ni_t ni, uint32_t rank, uint32_t size, uint32_t generation,
                    struct weft_net **out);
/* The same, and weft_open, for a job that meets otherwise: messages to a process that has not come
 * are lost. */
int weft_net_attach_alone(ptl_handle_ni_t ni, uint32_t rank, uint32_t size, uint32_t generation,
                          struct weft_net **out);
int weft_net_open_alone(struct weft_net **out);

int weft_net_barrier(struct weft_net *net);

/* weft_announce for data that may lie in the shared heap: then its receiver copies it there. */
int weft_net_offer_together(weft_net *net, const weft_type *type, size_t count, const void *base,
                            int taker, uint64_t *number, weft_request **out);

/* Tells the sender of an offer that its number is here, but nobody wants to take it yet: from then
 * on weft_release leaves it alone. */
void weft_net_hold(weft_net *net, int from, uint64_t number);

/* For a process that ends without weft_close: sends that have returned without their receivers get
 * as long as a silent peer would. */
void weft_net_deliver_at_exit(struct weft_net *net);

/* Withdraws the copies that released offers have left: nobody will come for them. */
void weft_net_offer_forget(struct weft_net *net);

/* For a thread that serves peers while the program does something else. */
enum weft_net_look {
    WEFT_NET_LOOK_OTHERS, /* another thread does, or has since the last look */
    WEFT_NET_LOOK_QUIET,  /* there was nothing to do */
    WEFT_NET_LOOK_FOUND
};

/* Handles all events that are there; never waits. `turns` is what the last look has left in it;
 * with NULL it does not matter whether others have looked. */
enum weft_net_look weft_net_look_in(struct weft_net *net, uint64_t *turns);

/* Bytes that this process holds of sends that have returned: somebody may still come for them. */
static inline size_t weft_net_copied(const struct weft_net *net)
{
    return atomic_load_explicit(&net->buffered, memory_order_relaxed);
}

/* If there are HPU threads: starts the thread that waits for events while no call does. */
void weft_net_watch_start(struct weft_net *net);
/* With the lock held, which it lets go of. */
void weft_net_watch_stop(struct weft_net *net);

bool weft_net_overflow_open(struct weft_net *net);
/* False while messages are still arriving. */
bool weft_net_overflow_close(struct weft_net *net);
/* A buffer of the overflow list is free again. */
void weft_net_overflow_renew(struct weft_net *net, char *buffer);

static inline ptl_process_t weft_net_process(uint32_t rank)
{
    return (ptl_process_t){.rank = rank};
}

#endif
