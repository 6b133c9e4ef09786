/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of a NIC: its interfaces with their tables, its peers, and what is under way. Objects
 * that a program can free refer to each other by pool ids, which go stale safely; objects that
 * are counted as pending refer by pointer.
 */
#ifndef WEFT_NIC_STATE_H
#define WEFT_NIC_STATE_H

#include <portals4_spin.h>

#include "base/index.h"
#include "base/list.h"
#include "base/pool.h"
#include "nic/nic.h"
#include "nic/region.h"
#include "packet/packet.h"

/* ---- Interfaces and what they hold -------------------------------------------------------- */

struct weft_nic_eq {
    struct weft_pool_slot slot;
    ptl_event_t *events; /* a ring of `room` */
    uint64_t count;      /* as asked for: more are there for PT_DISABLED events only */
    uint64_t room;
    uint64_t read; /* events taken out, and posted, since the beginning */
    uint64_t posted;
    uint64_t promised; /* to messages that are still arriving */
    uint64_t reserve;  /* one for each portal table entry with flow control */
    bool lost;         /* an event was overwritten since the last read */
};

struct weft_nic_ct {
    struct weft_pool_slot slot;
    struct weft_nic_ni *ni;
    ptl_ct_event_t value;
    struct weft_nic_trigger *triggers; /* a heap: the lowest threshold on top */
};

struct weft_nic_md {
    struct weft_pool_slot slot;
    struct weft_nic_ni *ni;
    struct weft_nic_region region;
    unsigned options;
    uint32_t eq; /* ids; 0: none */
    uint32_t ct;
    uint32_t pending;             /* operations, triggered ones included */
    struct weft_nic_entry *entry; /* of whose handlers this is one memory; NULL: of the program */
};

/* A list entry, matching or not. What a message needs of it comes first and close together: of
 * many entries, the one that matches is seldom in a cache. */
struct weft_nic_entry {
    struct weft_pool_slot slot;
    struct weft_index_node node; /* in the index if exact, in the list of wild ones if not */
    ptl_match_bits_t match_bits;
    ptl_pt_index_t pt_index;
    ptl_list_t list;
    unsigned options;
    ptl_uid_t uid;
    struct weft_nic_region region;
    void *user_ptr;
    uint32_t ct;
    uint32_t pending; /* messages that are moving data */
    bool linked;
    bool auto_unlinked;
    bool awaits_trigger; /* a triggered append will fill it in */
    bool is_exact;
    bool any_source;
    uint32_t headers; /* unexpected ones that point here */
    struct weft_nic_ni *ni;
    ptl_process_t match_id;
    ptl_match_bits_t ignore_bits;
    ptl_size_t min_free;
    ptl_size_t local_offset;
    uint64_t order;                       /* of being appended to its list */
    struct weft_nic_execution *execution; /* NULL: no handlers */
};

/* Memory of the NIC that handlers work on. */
struct weft_nic_memory {
    struct weft_pool_slot slot;
    unsigned char *bytes;
    uint64_t length;
    uint32_t users; /* entries */
};

/* Code that handlers were loaded from. What it is, the core knows that runs it. */
struct weft_nic_code {
    struct weft_pool_slot slot;
    const struct weft_nic_ni *ni;
    void *content;
    void (*close)(void *content);
    uint64_t bytes; /* memory of the NIC that it takes */
    uint32_t users; /* entries */
};

enum weft_nic_execution_memory {
    WEFT_NIC_MEMORY_ENTRY,
    WEFT_NIC_MEMORY_HOST,
    WEFT_NIC_MEMORY_DEVICE,
    WEFT_NIC_MEMORY_COUNT
};

/* The handlers of an entry and all that they work with. */
struct weft_nic_execution {
    ptl_handlers_t handlers;
    struct weft_nic_memory *memory; /* NULL: none */
    struct weft_nic_code *code;     /* NULL: functions of the program */
    struct weft_nic_core *core;     /* that runs the code, for this entry alone; or NULL */
    void *state;
    struct weft_nic_md mds[WEFT_NIC_MEMORY_COUNT]; /* for the operations that they start */
};

struct weft_nic_match_list {
    struct weft_list wild; /* entries that no hash finds, in order */
    uint32_t exact;        /* entries of one source and one value of the match bits */
    uint32_t any_source;   /* entries of any source and one value */
    uint32_t count;
};

struct weft_nic_pt {
    bool allocated;
    bool enabled;
    unsigned options;
    uint32_t eq;
    uint32_t pending;          /* messages under way */
    uint32_t contexts;         /* of handlers, that they have */
    struct weft_nic_eq *queue; /* what `eq` found, to spare each message the look-up; NULL: none */
    struct weft_nic_match_list lists[2];
    struct weft_list unexpected; /* headers in order of arrival */
};

struct weft_nic_ni {
    struct weft_nic *nic;
    unsigned number; /* of the four of a NIC */
    bool open;
    bool matching;
    bool logical;
    uint32_t incarnation; /* counts how often it was opened */
    ptl_rank_t rank;      /* our own; PTL_RANK_ANY without a map */
    ptl_ni_limits_t limits;
    int status[PTL_SR_LAYOUT_LAST];
    ptl_handler_limits_t handler_limits;
    struct weft_pool mds, entries, eqs, cts, headers, triggers, memories;
    struct weft_index entry_index, header_index;
    struct weft_nic_pt *pts;
    uint64_t order; /* counts appended entries */
    uint64_t trigger_order;
    const ptl_process_t *map; /* of a logical interface: rank to address */
    ptl_process_t *own_map;   /* the same, to be freed; NULL: it is shared */
    uint32_t *peer_ids;       /* of the same size as its own: peers that were used, 0 if not yet */
    ptl_size_t map_size;
};

/* ---- What is under way -------------------------------------------------------------------- */

/* A message at its target: what it asked for and what it matched. */
struct weft_nic_delivery {
    struct weft_nic_ni *ni;
    struct weft_packet_request request;
    ptl_process_t initiator; /* in the terms of the interface */
    uint32_t operation;
    uint8_t kind;
    ptl_ni_fail_t fail;
    bool last_use;                /* the entry was unlinked for this message: say so at its end */
    bool no_ack;                  /* the entry forbids acknowledgements */
    uint8_t list;                 /* ptl_list_t of the entry: the acknowledgement says it */
    uint8_t promised;             /* events held back for it in the queue */
    bool is_pending;              /* a handler wants the entry to stay, and no event */
    struct weft_nic_pt *pt;       /* NULL once nothing is left to do at its end */
    struct weft_nic_entry *entry; /* NULL: the data is thrown away */
    struct weft_nic_execution *execution; /* of the entry; NULL: no handlers */
    struct weft_nic_header *header;
    uint64_t offset; /* in the entry */
    uint64_t length; /* bytes that move, no more than asked for */
};

/* A message that a process has begun to send us. There is one at a time from each. */
struct weft_nic_inbound {
    struct weft_nic_delivery delivery;
    struct weft_nic_activation *activation; /* NULL: no handlers */
    uint64_t received;
    bool open;
};

/* A message in an overflow entry that no entry of the priority list has asked for yet. */
struct weft_nic_header {
    struct weft_pool_slot slot;
    struct weft_index_node node;
    struct weft_list link; /* in the portal table entry */
    struct weft_nic_pt *pt;
    struct weft_nic_entry *entry; /* where the data is */
    struct weft_nic_delivery delivery;
    bool arriving;
    /* Set when an entry took it before all of its data was there. */
    bool claimed;
    bool claimed_once;
    unsigned claim_options;
    uint32_t claim_ct;
    void *claim_user_ptr;
};

/* Where the data of a message comes from. */
enum weft_nic_source {
    WEFT_NIC_SOURCE_MD,      /* the range of the descriptor */
    WEFT_NIC_SOURCE_DEVICE,  /* memory of a handler */
    WEFT_NIC_SOURCE_HANDLER, /* an outbound handler, packet by packet */
    WEFT_NIC_SOURCE_STREAM,  /* pieces of the descriptor that come call by call */
    WEFT_NIC_SOURCE_GATHER   /* the first or the third, by HPUs: see gather.h */
};

/* A handler that writes the packets of a message. */
struct weft_nic_outbound {
    ptl_outbound_handler_t handler;
    void *state;
    struct weft_nic_memory *memory; /* NULL: the state is not of the NIC */
};

/* A data movement operation as the program asked for it. */
struct weft_nic_command {
    enum weft_packet_kind kind;
    struct weft_nic_md *md;     /* source of the data, and of the SEND and ACK events */
    struct weft_nic_md *get_md; /* destination of the reply, and its event */
    uint64_t local_offset;
    uint64_t get_offset;
    uint64_t length;
    uint64_t remote_offset;
    uint64_t match_bits;
    uint64_t hdr_data;
    void *user_ptr;
    ptl_process_t target;
    ptl_pt_index_t pt_index;
    ptl_ack_req_t ack;
    uint8_t atomic_operation;
    uint8_t atomic_type;
    uint8_t operand_size;
    unsigned char operand[WEFT_PACKET_OPERAND];
    enum weft_nic_source source;
    const unsigned char *device; /* only until the call returns */
    struct weft_nic_outbound outbound;
    unsigned options; /* as of a descriptor, of what a handler starts */
};

/* Each operation of a handler has options of its own. */
static inline unsigned weft_nic_command_options(const struct weft_nic_command *command,
                                                const struct weft_nic_md *md)
{
    return md->entry ? command->options : md->options;
}

#define WEFT_NIC_VOLATILE_MAX 64u

/* Its record, from the call until the last event. */
struct weft_nic_operation {
    struct weft_pool_slot slot;
    struct weft_list link; /* in the peer's queue, then among those that await a result */
    struct weft_nic_command command;
    struct weft_nic_ni *ni;
    struct weft_nic_peer *peer;
    uint64_t sent;
    uint64_t received; /* of the reply */
    uint64_t reply_length;
    uint64_t reply_offset;
    bool is_begun;    /* its first packet is on its way */
    bool is_all_sent; /* and its last: the answer may come */
    bool is_replied;  /* the first packet of the reply has come */
    ptl_ni_fail_t reply_fail;
    struct weft_nic_activation *activation; /* of the reply, if HPUs scatter it */
    bool wants_result;                      /* an acknowledgement or a reply will come */
    bool is_copied; /* the data is in `copy`: the program may change the original */
    unsigned char copy[WEFT_NIC_VOLATILE_MAX];
    unsigned char *data;            /* a handler's data, allocated; or NULL */
    struct weft_nic_stream *stream; /* of WEFT_NIC_SOURCE_STREAM */
    struct weft_nic_gather *gather; /* of WEFT_NIC_SOURCE_GATHER */
    ptl_ni_fail_t send_fail;        /* of outbound handlers */
};

/* An answer that did not fit on its way at once: an acknowledgement, or a reply with data. */
struct weft_nic_response {
    struct weft_pool_slot slot;
    struct weft_list link;
    struct weft_nic_peer *peer;
    struct weft_nic_delivery delivery;
    enum weft_packet_kind kind;
    uint8_t flags;
    uint64_t sent;
    bool is_begun;
    struct weft_nic_gather *gather; /* NULL: its data is read when it leaves */
    bool is_copied;                 /* the data is in `copy`: what an atomic operation found */
    unsigned char copy[WEFT_PACKET_ATOMIC_MAX];
};

enum weft_nic_trigger_what {
    WEFT_NIC_TRIGGER_COMMAND,
    WEFT_NIC_TRIGGER_INCREMENT,
    WEFT_NIC_TRIGGER_SET,
    WEFT_NIC_TRIGGER_APPEND,
    WEFT_NIC_TRIGGER_UNLINK
};

struct weft_nic_trigger {
    struct weft_pool_slot slot;
    struct weft_nic_trigger *child; /* of the heap: lowest child, then its siblings */
    struct weft_nic_trigger *sibling;
    struct weft_list fired;
    struct weft_nic_ni *ni;
    uint64_t threshold;
    uint64_t order; /* of being issued: the earlier first at equal thresholds */
    enum weft_nic_trigger_what what;
    struct weft_nic_command command;
    uint32_t object; /* the counter or list entry to change */
    ptl_ct_event_t value;
    const ptl_me_t *me; /* read when it fires, as buffers are */
};

/* ---- Handlers ----------------------------------------------------------------------------- */

#define WEFT_NIC_USER_HEADER_MAX 256u

enum weft_nic_handler {
    WEFT_NIC_HANDLER_HEADER,
    WEFT_NIC_HANDLER_PAYLOAD,
    WEFT_NIC_HANDLER_COMPLETION,
    WEFT_NIC_HANDLER_OUTBOUND,
    WEFT_NIC_HANDLER_SCATTER, /* a packet into a layout: no handler of anybody, but work for HPUs
                               */
    WEFT_NIC_HANDLER_GATHER   /* one out of it */
};

/* One call of a handler: a packet in its context, from arrival until the handler has returned. */
struct weft_nic_task {
    struct weft_list link;
    struct weft_list at_work;               /* among those of its message */
    struct weft_nic_activation *activation; /* or else, of a packet that leaves, */
    struct weft_nic_gather *gather;
    enum weft_nic_handler handler;
    uint32_t vhpu;
    uint32_t hpu;
    ptl_payload_t payload; /* with the user header, of which a header handler gets only that */
    ptl_handler_result_t result;
    bool is_done;          /* of a packet that leaves */
    ptl_ni_fail_t fault;   /* of what the handler did, whatever it returned */
    uint64_t ready;        /* where stages take time: when an HPU may have it */
    uint64_t end;          /* where the NIC keeps time */
    uint64_t waited;       /* until then, for the host, while its HPU may do something else */
    unsigned char bytes[]; /* of the payload, if it has to wait */
};

/* What a message has of the memory of the NIC for its layout: see room.h. */
struct weft_nic_room {
    struct weft_list link; /* among all of the NIC; only with bytes */
    uint64_t bytes;
    unsigned priority;
    const uint32_t *packets; /* of the message, that HPUs have now */
    bool is_wanted;          /* by another: HPUs get no more of its packets */
};

enum weft_nic_phase {
    WEFT_NIC_PHASE_HEADER,
    WEFT_NIC_PHASE_PAYLOAD,
    WEFT_NIC_PHASE_COMPLETION,
    WEFT_NIC_PHASE_END
};

/* A message whose handlers are at work. */
struct weft_nic_activation {
    struct weft_pool_slot slot;
    struct weft_list link; /* among all of the NIC */
    struct weft_nic_delivery delivery;
    struct weft_nic_peer *peer;
    struct weft_nic_operation *reply; /* of a reply: what it answers */
    struct weft_list held;            /* tasks that may not start yet, in order */
    struct weft_list at_work;         /* tasks that are ready, or on an HPU */
    struct weft_nic_room room;        /* of its layout */
    enum weft_nic_phase phase;
    uint32_t running; /* those at work, and the one that runs without an HPU */
    uint32_t packets; /* that have come, or come before the next in the message */
    bool has_all_packets;
    bool is_dropped; /* the header handler wants no payload */
    bool is_default; /* it wants what happens without handlers */
    bool is_direct;  /* payload handlers are simply called */
    bool flow_control;
    uint64_t dropped;
    bool is_settling; /* the next is final */
    uint64_t settled; /* where stages take time: when what it has written is in host memory */
    const unsigned char *request; /* payload of an atomic operation */
    unsigned char *request_copy;  /* the same, allocated, if it has to wait */
};

struct weft_nic_hpu_stage {
    struct weft_nic_hpus config;
    struct weft_pool activations;
    struct weft_list active;      /* activations */
    struct weft_list ready;       /* tasks, in order */
    struct weft_list free;        /* tasks to use again */
    struct weft_nic_task **units; /* what HPUs do, in turn; where the NIC keeps time */
    uint64_t *idle;               /* when each has done all that it has begun, but for waiting */
    uint32_t used;                /* contexts */
    bool has_room;                /* again, for packets of a peer that had to wait */
    uint64_t deadline;            /* when the next HPU is done */
    uint64_t memory;              /* bytes of the NIC for handlers, */
    uint64_t memory_used;         /* and how many programs have */
    struct weft_list rooms;       /* that layouts have of the rest, */
    uint64_t rooms_used;          /* and their bytes: more than it, if programs took some since */
    struct weft_pool codes;
    bool scatters;                    /* packets of long messages into layouts, and gathers */
    struct weft_nic_execution layout; /* of such messages: no handlers */
    struct weft_pool gathers;         /* messages that HPUs write, and all of them */
    struct weft_list gathering;
    struct weft_nic_pt replies; /* counts their contexts, as entries count those of others */
};

/* ---- Peers and the NIC -------------------------------------------------------------------- */

struct weft_nic_peer {
    struct weft_pool_slot slot;
    struct weft_index_node node;
    struct weft_nic_address address;
    struct weft_nic_route *route; /* NULL until something is sent */
    bool failed;
    struct weft_list busy;      /* among the peers with something to send */
    struct weft_list requests;  /* operations to send, in order */
    struct weft_list responses; /* answers to send: they go first */
    struct weft_list awaiting;  /* operations that were sent and await a result */
    bool has_lost;              /* there was no memory for an answer: it must be told, */
    uint32_t lost;              /* of which of its operations, as LOST says it */
    struct weft_nic_inbound inbound;
    struct weft_nic_pt *waits_for;  /* for contexts of it; NULL: its packets need not wait */
    struct weft_nic_window *window; /* where packets have numbers */
};

#define WEFT_NIC_NIS 4

struct weft_nic {
    struct weft_nic_world *world;
    bool numbers;                   /* packets: some may be lost, doubled or overtaken */
    bool traces;                    /* the world wants to know what happens */
    struct weft_nic_core *core;     /* NULL: this processor */
    struct weft_nic_timing *timing; /* NULL: stages take no time */
    bool is_watched;                /* messages, by traces, stages or HPUs */
    bool is_plain;                  /* no HPUs, no core, no traces: handlers are simply called */
    bool has_short_cut;             /* what is sent to oneself without order skips the world */
    struct weft_nic_ni nis[WEFT_NIC_NIS];
    struct weft_pool peers, operations, responses;
    struct weft_nic_hpu_stage hpu;
    struct weft_index peer_index;
    struct weft_list busy;    /* peers with something to send */
    struct weft_list windows; /* of peers whose packets have numbers */
    struct weft_list fired;   /* triggers whose time has come, in order */
    uint64_t deadline;        /* when the windows want to be looked at */
    uint64_t posted;  /* events and counts since the beginning: tells who waits to look again */
    uint64_t refused; /* packets that made no sense */
    bool fires;       /* the triggers are being worked off */
};

#endif
