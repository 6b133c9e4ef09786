/* SPDX-License-Identifier: BSD-3-Clause */
/* What a NIC tells of itself. */
#ifndef WEFT_TRACE_RECORD_H
#define WEFT_TRACE_RECORD_H

#include <stdint.h>

/* One line of a trace. */
struct weft_trace_line {
    uint64_t time;
    uint64_t a;
    uint64_t b;
    uint32_t what;
    uint32_t peer_nid; /* 0: it is about no other process */
    uint32_t peer_pid;
};

/* With the address of the process that it belongs to. */
struct weft_trace_record {
    struct weft_trace_line trace;
    uint32_t nid;
    uint32_t pid;
};

/* What a record says that the NIC did, in numbers that depend on nothing but the input. Where two
 * things share a number, the first is in its low 8 bits. */
enum weft_trace_what {
    WEFT_TRACE_RECEIVE,     /* a: kind and sequence, b: payload bytes */
    WEFT_TRACE_SEND,        /* the same */
    WEFT_TRACE_EVENT,       /* a: type and failure, b: mlength */
    WEFT_TRACE_COUNT,       /* a: success, b: failure, and in its upper half the counter */
    WEFT_TRACE_DROP,        /* a: fault of the packet */
    WEFT_TRACE_RESEND,      /* a: sequence */
    WEFT_TRACE_TAKE,        /* where packets have numbers: it passes; a: kind and sequence,
                               b: offset of payload in its message */
    WEFT_TRACE_FAILED,      /* the peer counts as dead */
    WEFT_TRACE_MATCH,       /* a: enum weft_trace_match and failure, b: bytes of the message */
    WEFT_TRACE_HANDLER,     /* begins; a: enum weft_trace_handler and HPU, b: bytes it gets */
    WEFT_TRACE_HANDLER_END, /* a: the same, b: what it returned */
    WEFT_TRACE_DMA,         /* a: enum weft_trace_dma and HPU, b: bytes */
    WEFT_TRACE_CALL,        /* of the program, when it has ended; a: its number, b: nanoseconds */
    /* Of schedules, whose operations have names, a: */
    WEFT_TRACE_OPERATION,       /* posted; a: and enum weft_trace_operation, b: bytes,
                                   peer_pid: the other rank */
    WEFT_TRACE_OPERATION_AFTER, /* b: the name of one that it waits for */
    WEFT_TRACE_OPERATION_ENDS,  /* when a counter is there; b: threshold, peer_pid: the counter */
    WEFT_TRACE_OPERATION_BEGUN, /* now, */
    WEFT_TRACE_OPERATION_OVER,  /* and now */
    WEFT_TRACE_WHATS
};

/* The lowest 8 bits are free. */
#define WEFT_TRACE_OPERATION_NAME(schedule, number) ((uint64_t)(schedule) << 40 | (number) << 8)

/* As the kinds of operations of a schedule. */
enum weft_trace_operation {
    WEFT_TRACE_OPERATION_SEND,
    WEFT_TRACE_OPERATION_RECEIVE,
    WEFT_TRACE_OPERATION_COMPUTE,
    WEFT_TRACE_OPERATION_COPY,
    WEFT_TRACE_OPERATION_NOP
};

/* Which list the entry was in; none if nothing took the message. */
enum weft_trace_match {
    WEFT_TRACE_MATCH_PRIORITY,
    WEFT_TRACE_MATCH_OVERFLOW,
    WEFT_TRACE_MATCH_NONE
};

enum weft_trace_handler {
    WEFT_TRACE_HANDLER_HEADER,
    WEFT_TRACE_HANDLER_PAYLOAD,
    WEFT_TRACE_HANDLER_COMPLETION,
    WEFT_TRACE_HANDLER_OUTBOUND,
    WEFT_TRACE_HANDLER_SCATTER, /* of the NIC itself, into a layout, */
    WEFT_TRACE_HANDLER_GATHER   /* and out of it */
};

enum weft_trace_dma { WEFT_TRACE_DMA_TO_HOST, WEFT_TRACE_DMA_FROM_HOST, WEFT_TRACE_DMA_ATOMIC };

#endif
