/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Weft between processes: send, receive, put and get of data that lies anywhere.
 *
 * The processes of a job, which a launcher or WEFT_RANK and WEFT_SIZE number from 0, exchange the
 * packed streams of types (weft.h). Each side says where its own bytes are, by a type of its own;
 * neither knows the other's, and nothing is packed on the way. All calls may be made from any
 * thread. What waits at one side for its turn moves on during calls of that side, or at any time
 * if there are HPU threads (WEFT_HPUS).
 *
 * Calls return WEFT_OK or a negative code of weft.h, and set their outputs only on success.
 */
#ifndef WEFT_NET_H
#define WEFT_NET_H

#include <weft.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_net weft_net;

/* Joins the job, and returns when all its processes have. A process has one net at a time. */
WEFT_API int weft_open(weft_net **out);

/* Leaves it. Messages that were sent are delivered first; what else is under way ends with
 * WEFT_ERR_CANCELLED, and its requests are gone. NULL is allowed, and also, in a child that was
 * forked, the net of its parent: nothing happens then. All other calls on that are not allowed. */
WEFT_API void weft_close(weft_net *net);

WEFT_API int weft_rank(const weft_net *net);
WEFT_API int weft_size(const weft_net *net);

#define WEFT_ANY_SOURCE (-1)
#define WEFT_ANY_TAG (-1)

/* How a transfer ended. */
struct weft_status {
    int error;  /* WEFT_OK or a negative code */
    int source; /* who sent the message, and with which tag */
    int tag;
    size_t bytes; /* of the packed stream that were moved */
};

/*
 * Messages. A receive takes the first message that fits its source and tag: messages of one
 * process never overtake each other, nor do receives. A message may be shorter than the memory for
 * it. `status` may be NULL.
 *
 * When a send has returned, its memory may be used again; the message may still be on its way.
 */
WEFT_API int weft_send(weft_net *net, const weft_type *type, size_t count, const void *base,
                       int destination, int tag);
WEFT_API int weft_recv(weft_net *net, const weft_type *type, size_t count, void *base, int source,
                       int tag, struct weft_status *status);

/*
 * Memory that processes of the job on the same host can map. A message between two such places is
 * copied once, by sender and receiver together. It is zero, begins on a line of the cache, and is
 * for what is large: each allocation takes whole pages. Nets that are opened after the first call
 * know of it. NULL without memory or rights; weft_free also takes NULL.
 */
WEFT_API void *weft_alloc(size_t bytes);
WEFT_API void weft_free(void *memory);

/*
 * Memory of one process that others read and write. Its key is a secret number that the owner
 * tells to those who may; they name bytes [offset, offset + length) of its packed stream, where
 * length is that of their own. The region stays until it is withdrawn; then nobody touches it.
 */
WEFT_API int weft_expose(weft_net *net, const weft_type *type, size_t count, void *base,
                         uint64_t *key);
WEFT_API int weft_withdraw(weft_net *net, uint64_t key);

/* When a put has returned, the data is in the region. */
WEFT_API int weft_put(weft_net *net, const weft_type *type, size_t count, const void *base,
                      int target, uint64_t key, size_t offset);
WEFT_API int weft_get(weft_net *net, const weft_type *type, size_t count, void *base, int target,
                      uint64_t key, size_t offset);

/*
 * Messages that somebody else matches, for example an MPI library: the sender offers, its number
 * and size get to the receiver in some other way, and that takes. The request of an offer ends
 * when all has been taken.
 */
typedef struct weft_request weft_request;

WEFT_API int weft_offer(weft_net *net, const weft_type *type, size_t count, const void *base,
                        int taker, uint64_t *number, weft_request **out);
WEFT_API int weft_take(weft_net *net, const weft_type *type, size_t count, void *base, int from,
                       uint64_t number, size_t bytes, weft_request **out);

/* As weft_offer; but short data is not asked for, it follows its number: with weft_follow, which
 * must come once the number is on its way. WEFT_ERR_BUSY: this will be asked for. */
WEFT_API int weft_announce(weft_net *net, const weft_type *type, size_t count, const void *base,
                           int taker, uint64_t *number, weft_request **out);
WEFT_API int weft_follow(weft_request *request);

/* Copies what is offered and sets the request to NULL, for senders who cannot wait: the memory may
 * be used again. WEFT_ERR_BUSY if it is being taken at this moment: wait for it. */
WEFT_API int weft_release(weft_request **request);

/*
 * The same without waiting. The memory must not be used until the request has ended; the type may
 * be freed at once. Every request is given back by weft_test or weft_wait, which then set it to
 * NULL; of a request that is NULL they say that it has ended well.
 */
WEFT_API int weft_isend(weft_net *net, const weft_type *type, size_t count, const void *base,
                        int destination, int tag, weft_request **out);
WEFT_API int weft_irecv(weft_net *net, const weft_type *type, size_t count, void *base, int source,
                        int tag, weft_request **out);
WEFT_API int weft_iput(weft_net *net, const weft_type *type, size_t count, const void *base,
                       int target, uint64_t key, size_t offset, weft_request **out);
WEFT_API int weft_iget(weft_net *net, const weft_type *type, size_t count, void *base, int target,
                       uint64_t key, size_t offset, weft_request **out);

/* Both return how the transfer ended. While it has not, weft_test returns WEFT_ERR_TIMEOUT at
 * once, and weft_wait when so many milliseconds are over; a negative number stands for ever. */
WEFT_API int weft_test(weft_request **request, struct weft_status *status);
WEFT_API int weft_wait(weft_request **request, int milliseconds, struct weft_status *status);

/* Ends a receive that no message has come for, a send that has not left, or an offer: it is still
 * to be waited for, and ends with WEFT_ERR_CANCELLED. WEFT_ERR_BUSY if it is too late. */
WEFT_API int weft_cancel(weft_request *request);

/*
 * Data of a process of the same host is read where it lies, if both sides have it in long pieces
 * (WEFT_DIRECT), and else comes in packets. To read a layout, the reader must know its type: each
 * is read once and then known by a key.
 */

/* X(name, text): why a long message or a get came in packets. */
#define WEFT_NET_FALLBACK_MAP(X)                                                                  \
    X(PIECES, "pieces are too short or the whole too long, or reading is switched off")           \
    X(STRANGER, "the other process has just been asked where to read")                            \
    X(ELSEWHERE, "the other process is on another host, or does not want to be read")             \
    X(DENIED, "the system does not let this process read the other")                              \
    X(GONE, "its sender had made a copy instead, or it was not there")                            \
    X(LAYOUT, "the type is too long to be sent, or makes no sense")

enum weft_net_fallback {
#define WEFT_NET_FALLBACK_ENUM(name, text) WEFT_NET_FALLBACK_##name,
    WEFT_NET_FALLBACK_MAP(WEFT_NET_FALLBACK_ENUM)
#undef WEFT_NET_FALLBACK_ENUM
        WEFT_NET_FALLBACKS
};

WEFT_API const char *weft_net_fallback_text(enum weft_net_fallback reason);

/* What this process has done since it joined. */
struct weft_net_counters {
    uint64_t direct; /* messages and gets that were read */
    uint64_t direct_bytes;
    uint64_t layout_hits; /* types of others that were known by their key */
    uint64_t layout_misses;
    uint64_t layout_bytes; /* of types that were not known */
    uint64_t fallbacks[WEFT_NET_FALLBACKS];
    uint64_t together; /* messages that were copied once, because both heaps are shared */
    uint64_t together_bytes;
    uint64_t helped_bytes; /* of messages of ours, that this process has copied to their place */
    uint64_t scattered;    /* packets, by HPU threads, into layouts of this process */
    uint64_t gathered;     /* and out of them */
    uint64_t refused;      /* those that they were to move, but there was no room on the NIC */
    uint64_t rails_lost;   /* interfaces to another process, of several that go on */
};

/* Fills the first `size` bytes of *counters: pass sizeof(*counters). */
WEFT_API int weft_net_counters(const weft_net *net, struct weft_net_counters *counters,
                               size_t size);

#ifdef __cplusplus
}
#endif

#endif
