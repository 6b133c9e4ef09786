/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receives of datatypes by the NIC: a handler (portals4_spin.h) scatters each packet of a message
 * into its place as it arrives ([DiG19], section 3.2). A type is made ready once, with attributes
 * that say whether and how it is offloaded; any number of receives are then posted with it.
 *
 * What a receive needs in the memory of the NIC (WEFT_NIC_MEM) comes in two parts. The *image*,
 * the layout itself and perhaps checkpoints, is shared by all receives of equal types and stays
 * for the next until the room is wanted for another. The *head* belongs to one receive and stays
 * until that is over. Images that no receive uses leave in the order of their priority, then of
 * their last use. A receive for which there is no room even then goes into a buffer of the host,
 * which unpacks it: the data is always in place in the end.
 *
 * Calls that make types ready return WEFT_OK or a negative code of weft.h, those that speak to
 * the NIC a code of Portals; outputs are set only on success. weft_offload(7) is the overview.
 */
#ifndef WEFT_OFFLOAD_H
#define WEFT_OFFLOAD_H

#include <portals4_spin.h>
#include <weft.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The memory of the NIC ---------------------------------------------------------------- */

/* The images and receives of one interface. It is used by one thread at a time. */
typedef struct weft_offload_pool weft_offload_pool;

/* PTL_OK, or PTL_NO_INIT, PTL_ARG_INVALID (the handle is not that of an interface, or `out` is
 * NULL) or PTL_NO_SPACE. */
WEFT_API int weft_offload_pool_open(ptl_handle_ni_t ni, weft_offload_pool **out);

/* All receives must be over. NULL is allowed. */
WEFT_API void weft_offload_pool_close(weft_offload_pool *pool);

/* X(enumerator, text): why a receive was unpacked by the host. */
#define WEFT_OFFLOAD_FALLBACK_MAP(X)                                                              \
    X(NONE, "offloaded")                                                                          \
    X(NOT_WANTED, "the type's attributes say so")                                                 \
    X(NOT_SPECIALIZED, "no specialised handler has this shape")                                   \
    X(TOO_LARGE, "more than the NIC gives to one type")                                           \
    X(NO_SPACE, "the memory of the NIC is in use")                                                \
    X(UNEXPECTED, "the message came before the receive")

enum weft_offload_fallback {
#define WEFT_OFFLOAD_ENUM(name, text) WEFT_OFFLOAD_FALLBACK_##name,
    WEFT_OFFLOAD_FALLBACK_MAP(WEFT_OFFLOAD_ENUM)
#undef WEFT_OFFLOAD_ENUM
        WEFT_OFFLOAD_FALLBACKS
};

/* Never NULL. */
WEFT_API const char *weft_offload_fallback_text(enum weft_offload_fallback fallback);

/* Receives count from when they are posted, unless they are cancelled. */
struct weft_offload_counters {
    uint64_t offloaded;                        /* receives with handlers */
    uint64_t contiguous;                       /* receives that need none */
    uint64_t reused;                           /* of the offloaded, those whose image was there */
    uint64_t evicted;                          /* images */
    uint64_t images;                           /* on the NIC now */
    uint64_t bytes;                            /* of NIC memory, now: images and heads */
    uint64_t fallback[WEFT_OFFLOAD_FALLBACKS]; /* receives that the host unpacked, by reason */
    /* Of receives that are over, packets that came too late for an iterator: it began again at the
     * start (hpu-local), or at a checkpoint (rw-cp). */
    uint64_t resets;
    uint64_t reverts;
};

/* Fills the first `size` bytes of *counters: pass sizeof(*counters). WEFT_ERR_ARGUMENT if a
 * pointer is NULL. */
WEFT_API int weft_offload_pool_counters(const weft_offload_pool *pool,
                                        struct weft_offload_counters *counters, size_t size);

/* ---- Types -------------------------------------------------------------------------------- */

/* X(enumerator, name, what it does) */
#define WEFT_OFFLOAD_STRATEGY_MAP(X)                                                              \
    X(SEEK, "seek", "finds the place of any packet in the normal form; keeps no state")           \
    X(SPECIALIZED, "specialized", "a handler for one shape: blocks at a stride or in a list")     \
    X(HPU_LOCAL, "hpu-local", "an iterator for each HPU, which catches up with the packets")      \
    X(RO_CP, "ro-cp", "copies the iterator's nearest checkpoint for each packet")                 \
    X(RW_CP, "rw-cp", "a checkpoint of the iterator for each sequence of packets, which owns it")

enum weft_offload_strategy {
    WEFT_OFFLOAD_AUTO, /* what fits the type best */
#define WEFT_OFFLOAD_ENUM(name, text, what) WEFT_OFFLOAD_##name,
    WEFT_OFFLOAD_STRATEGY_MAP(WEFT_OFFLOAD_ENUM)
#undef WEFT_OFFLOAD_ENUM
        WEFT_OFFLOAD_STRATEGIES
};

/* Never NULL. */
WEFT_API const char *weft_offload_strategy_name(enum weft_offload_strategy strategy);

/* What a program may say of a type ([DiG19], section 3.2.6). Zeros are the defaults. */
struct weft_offload_attributes {
    bool stays_on_host;                  /* not offloaded: the host unpacks */
    unsigned priority;                   /* images of lower priority leave the NIC first */
    enum weft_offload_strategy strategy; /* AUTO: as WEFT_OFFLOAD_STRATEGY of the environment */
    /* Of rw-cp and ro-cp: by which part of the time for the message checkpoints that lie far
     * apart may delay it; finite, and 0 stands for WEFT_OFFLOAD_EPSILON. */
    double epsilon;
    /* Bytes of the NIC that image and head of one receive may have; the host unpacks what needs
     * more, and checkpoints lie farther apart. 0: as WEFT_OFFLOAD_MEM of the environment. */
    uint64_t memory;
};

#define WEFT_OFFLOAD_EPSILON 0.2

/* A type made ready for the NIC; it belongs to no buffer. */
typedef struct weft_offload weft_offload;

/*
 * Makes `count` elements of a type ready, which must not have one byte of memory twice.
 * `attributes` may be NULL. Whether it can be offloaded at all is for weft_offload_query to say:
 * receives can be posted in any case.
 *
 * WEFT_ERR_ARGUMENT: a pointer is NULL, there is no such strategy, or epsilon is negative or not a
 * finite number. WEFT_ERR_NOT_COMMITTED, WEFT_ERR_OVERFLOW, WEFT_ERR_MEMORY.
 */
WEFT_API int weft_offload_open(const weft_offload_pool *pool, const weft_type *type, size_t count,
                               const struct weft_offload_attributes *attributes,
                               weft_offload **out);

/* Receives that were posted with it go on, and so may its image. NULL is allowed. */
WEFT_API void weft_offload_close(weft_offload *offload);

struct weft_offload_info {
    enum weft_offload_strategy strategy; /* never AUTO, unless there are no bytes */
    enum weft_offload_fallback obstacle; /* NONE, or why the host will unpack every receive */
    bool is_contiguous;                  /* one block: receives need no memory of the NIC */
    uint64_t bytes;                      /* of the packed stream */
    uint64_t image_bytes;                /* of NIC memory, shared; also if there is an obstacle */
    uint64_t head_bytes;                 /* of NIC memory, for each receive */
    uint64_t interval;                   /* bytes between checkpoints; 0: there are none */
    /* Of the image: a receive that finds no image admits one, if there is room. */
    bool is_resident;  /* it is on the NIC, by whichever receive */
    uint64_t admitted; /* how often, by receives with this offload */
    uint64_t evicted;  /* how often that then had to make room for another */
};

/* Fills the first `size` bytes of *info: pass sizeof(*info). WEFT_ERR_ARGUMENT if a pointer is
 * NULL. */
WEFT_API int weft_offload_query(const weft_offload_pool *pool, const weft_offload *offload,
                                struct weft_offload_info *info, size_t size);

/* ---- Receives ----------------------------------------------------------------------------- */

/* A receive that was posted. */
typedef struct weft_offload_receive weft_offload_receive;

/*
 * Appends an entry that receives one message into `base`, which is to be put at offset 0. Of *me
 * all but start and length is used. The entry has the options PTL_ME_OP_PUT, PTL_ME_USE_ONCE,
 * PTL_ME_EVENT_LINK_DISABLE and PTL_ME_EVENT_UNLINK_DISABLE; those of *me may add
 * PTL_ME_EVENT_CT_COMM, PTL_ME_EVENT_CT_OVERFLOW and PTL_ME_EVENT_CT_BYTES. Events of the entry
 * have the receive as user_ptr: give all of them to weft_offload_receive_event.
 *
 * PTL_ARG_INVALID if a pointer other than base and user_ptr is NULL or there are other options;
 * else what PtlMEAppendHandlers returns. There is a receive only if it is PTL_OK.
 */
WEFT_API int weft_offload_receive_post(weft_offload_pool *pool, const weft_offload *offload,
                                       void *base, ptl_pt_index_t pt_index, const ptl_me_t *me,
                                       void *user_ptr, weft_offload_receive **out);

/* What became of a receive. */
struct weft_offload_result {
    bool is_over; /* if not, no field below means anything */
    void *user_ptr;
    ptl_ni_fail_t fail;
    uint64_t length; /* packed bytes received */
    enum weft_offload_fallback fallback;
};

/* When it is over, the data is in place and the receive is gone. */
WEFT_API struct weft_offload_result weft_offload_receive_event(weft_offload_receive *receive,
                                                               const ptl_event_t *event);

/* PTL_OK and the receive is gone, or PTL_IN_USE: a message is on its way into it. */
WEFT_API int weft_offload_receive_cancel(weft_offload_receive *receive);

#ifdef __cplusplus
}
#endif

#endif
