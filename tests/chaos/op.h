/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A data movement operation: what the program asked for, what the model says becomes of it at its
 * target, and what the program was told.
 */
#ifndef WEFT_TESTS_CHAOS_OP_H
#define WEFT_TESTS_CHAOS_OP_H

#include "chaos/layout.h"

struct scene;
struct node;
struct entry;
struct header;

enum op_kind { OP_PUT, OP_GET, OP_ATOMIC, OP_FETCH, OP_SWAP };

/* A memory descriptor. */
struct md {
    ptl_handle_md_t handle;
    unsigned options; /* PTL_MD_ */
    bool has_queue;
    ptl_handle_ct_t counter; /* PTL_CT_NONE if it has none */
    struct layout layout;
    ptl_iovec_t vector[LAYOUT_SPANS];
};

#define OP_OPERAND 8u

struct op {
    unsigned number;
    struct node *initiator;
    unsigned target;
    enum op_kind kind;
    unsigned table; /* of the target */
    uint64_t length;
    uint64_t remote_offset;
    ptl_match_bits_t match_bits;
    ptl_hdr_data_t hdr_data;
    ptl_ack_req_t ack;
    struct md *md; /* NULL of a get */
    uint64_t local_offset;
    struct md *get_md;
    unsigned slot; /* where the reply goes */
    ptl_op_t operation;
    ptl_datatype_t type;
    unsigned char operand[OP_OPERAND];
    unsigned tries; /* of the same message before: flow control refused them */

    /* At the target, by the model. */
    struct op *next_in_pair;
    struct op *next_owed;
    bool arrived, ended;
    ptl_ni_fail_t fail;
    struct entry *entry; /* NULL: refused */
    struct header *header;
    bool last_use;
    bool is_quiet; /* the entry forbids acknowledgements */
    unsigned promised;
    uint64_t offset, mlength;
    uint64_t replied; /* bytes of the reply that have left the target */

    /* At the initiator, as it was told. */
    unsigned sends, results;
    ptl_ni_fail_t send_fail, result_fail;
};

/* The data that the initiator sends: bytes [offset, offset + size). */
void op_payload(const struct op *op, uint64_t offset, void *to, uint64_t size);

bool op_has_data(const struct op *op);
bool op_has_reply(const struct op *op);

/* What kind of acknowledgement can be noticed at all. */
ptl_ack_req_t op_useful_ack(const struct op *op);

/* Issues it: PTL_OK, and from then on it belongs to the scene. */
int op_issue(struct op *op);

/* An event of an initiator's queue; takes it to its operation and checks it. */
void op_event(struct node *node, const ptl_event_t *event);

/* All events that the program must see of it have come, */
bool op_is_told(const struct op *op);
/* and it has come to its end at the target, if that lives. */
bool op_is_done(const struct op *op);
/* The event that ends it has come. False if there is no such event. */
bool op_end_is_seen(const struct op *op);

/* Adds what the operation counts at the counter of a descriptor: at least, and at most. */
void op_count(const struct op *op, const struct md *md, ptl_ct_event_t *least,
              ptl_ct_event_t *most);

/* The reply must be in its slot, and nothing else; the slot is free again. */
void op_take_reply(const struct op *op);

/* For messages of failed checks. */
const char *op_text(const struct op *op);

#endif
