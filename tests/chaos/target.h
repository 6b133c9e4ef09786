/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The model of a target: plain lists, walked from the front. What comes in is what the program
 * called and which packets arrived when (wire.c tells); everything else is worked out here, also
 * the contents of the memory, and must be what the program sees.
 */
#ifndef WEFT_TESTS_CHAOS_TARGET_H
#define WEFT_TESTS_CHAOS_TARGET_H

#include "chaos/op.h"
#include "chaos/queue.h"
#include "chaos/scenario.h"

#define TARGET_TABLES 3u
#define TARGET_COUNTERS 4u
#define TARGET_AREA 24576u /* bytes of memory that entries may name */

/* A list entry. Its address is its user_ptr. */
struct entry {
    struct entry *next; /* in its list */
    unsigned table;
    ptl_list_t list;
    ptl_me_t me; /* as the program gave it; read late by a triggered append */
    ptl_iovec_t vector[LAYOUT_SPANS];
    struct layout layout;
    int counter; /* -1: none */
    ptl_handle_me_t handle;
    uint64_t local_offset;
    bool is_linked;
    bool was_used_up;    /* unlinked by its last message */
    bool awaits_trigger; /* of an append that has not been triggered */
    unsigned pending;    /* messages that are moving data */
    unsigned headers;    /* of unexpected messages in it */
};

/* A message in an overflow entry. */
struct header {
    struct header *next; /* of its table */
    struct op *op;
    struct entry *entry;
    bool is_arriving;
    const struct entry *claimant; /* that took it before all of it was there; or a search */
    bool is_claimed_once;
};

struct table {
    bool is_allocated;
    bool is_enabled;
    bool has_flow_control;
    ptl_pt_index_t index;
    unsigned queue;
    struct entry *lists[2];
    struct header *unexpected;
    uint64_t last_end;  /* when a message last ended */
    unsigned enable_in; /* steps until the program enables it again; 0: it need not */
};

struct counter {
    ptl_handle_ct_t handle;
    ptl_ct_event_t value;
};

/* A message of which the rest has yet to come. */
struct inbound {
    struct op *op;
    uint64_t received;
};

struct target {
    struct scene *scene;
    unsigned number; /* of the node */
    ptl_ni_limits_t limits;
    unsigned char *area;   /* what the NIC writes to */
    unsigned char *shadow; /* what it should look like */
    struct queue queues[TARGET_TABLES];
    unsigned queue_count;
    struct table tables[TARGET_TABLES];
    struct counter counters[TARGET_COUNTERS];
    int status[PTL_SR_LAST];
    unsigned entry_count; /* in use, of the interface's */
    unsigned header_count;
    struct inbound inbound[SCENARIO_NODES + 1]; /* the ghost, too: it fails like any other */
    struct op *owed[SCENARIO_NODES + 1];        /* replies, in order */
};

/* ---- The program's calls: match.c, list.c ------------------------------------------------- */

/* What the call must return. If PTL_OK, the model has done the same. */
int target_append(struct target *target, struct entry *entry);
int target_unlink(struct target *target, struct entry *entry);
void target_search(struct target *target, const struct entry *seeker, ptl_search_op_t how);

/* The same, by a trigger. */
bool target_list_is_full(const struct target *target, const struct entry *entry);
int target_reserve(struct target *target, struct entry *entry);
void target_append_late(struct target *target, struct entry *entry);
void target_unlink_late(struct target *target, struct entry *entry);

/* ---- The network: message.c --------------------------------------------------------------- */

void target_request(struct target *target, struct op *op, uint64_t payload);
void target_data(struct target *target, unsigned source, uint64_t offset, uint64_t payload);
uint64_t target_received(const struct target *target, unsigned source);
void target_replies(struct target *target, unsigned initiator, uint64_t payload);
void target_peer_failed(struct target *target, unsigned peer);
bool target_is_receiving(const struct target *target);

/* ---- Between these files ------------------------------------------------------------------ */

bool target_fits(const struct target *target, const struct entry *entry, const struct op *op);
void target_match(struct target *target, struct op *op);
void target_remove(struct target *target, struct entry *entry);
void target_settle(struct target *target, struct entry *entry);
void target_open_header(struct target *target, struct op *op);
void target_close_header(struct target *target, struct header *header);
void target_post_entry(struct target *target, const struct entry *entry, ptl_event_kind_t type);
void target_post_message(struct target *target, const struct op *op, ptl_event_kind_t type,
                         const struct entry *entry, void *user_ptr);
void target_count(struct target *target, const struct entry *entry, const struct op *op);

/* ---- Checks ------------------------------------------------------------------------------- */

/* The program has read an event of a queue. */
void target_event(struct target *target, unsigned queue, int result, const ptl_event_t *event);

/* The memory is what it should be, all of it. */
void target_check_memory(const struct target *target);

#endif
