/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A line: a socket, and the process at its other end.
 *
 *                 card            connected         WELCOME            READY
 *     SEEKING ---------> CONNECTING ------> GREETING ------> CONFIRMING ------> OPEN
 *        ^                   |                 |                 |              ^
 *        +-------------------+-----------------+-----------------+              |
 *            hung up: once more, until the deadline                             |
 *                             HELLO              CONFIRM            any frame   |
 *     accepted: KNOCKING ------------> WELCOMED --------> ADMITTED -------------->+
 *
 * Lines that were accepted are strangers until they have confirmed (listen.h). One that is cut
 * while it is ADMITTED was perhaps never open for the other: then we call. From OPEN on, either
 * side may say BYE, and the line ends when both have; one that ends otherwise ends the process at
 * its other end for us.
 */
#ifndef WEFT_WORLD_TCP_LINE_H
#define WEFT_WORLD_TCP_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "world/tcp/wire.h"

struct weft_tcp;
struct weft_tcp_peer;
struct weft_tcp_tx;
struct weft_nic_peer;

enum weft_tcp_line_state {
    WEFT_TCP_LINE_SEEKING, /* there is no socket: no card yet, or not yet time to try again */
    WEFT_TCP_LINE_CONNECTING,
    WEFT_TCP_LINE_GREETING,   /* our HELLO is out */
    WEFT_TCP_LINE_CONFIRMING, /* our CONFIRM is out */
    WEFT_TCP_LINE_KNOCKING,   /* its HELLO has yet to come */
    WEFT_TCP_LINE_WELCOMED,   /* our WELCOME is out */
    WEFT_TCP_LINE_ADMITTED,   /* our READY is out; nothing may go before something comes */
    WEFT_TCP_LINE_OPEN,
    WEFT_TCP_LINE_CLOSING, /* our BYE is out or about to be; theirs has yet to come */
    WEFT_TCP_LINE_PARTING, /* theirs has come, ours goes next */
    WEFT_TCP_LINE_GONE     /* and freed soon */
};

struct weft_tcp_line {
    enum weft_tcp_line_state state;
    int fd;                         /* or -1 */
    struct weft_tcp_peer *peer;     /* NULL: a stranger */
    struct weft_nic_peer *nic_peer; /* once it is open */
    uint64_t instance;              /* of the other process */

    /* The handshake: what was said, and how much of the message that comes next is there. */
    struct weft_tcp_hello hello;
    struct weft_tcp_answer answer;
    struct weft_tcp_head first;
    size_t heard_bytes;

    struct weft_tcp_seal in, out;

    /* What has come and was not looked at yet: bytes [begin, end). */
    unsigned char *bytes;
    size_t begin, end;

    /* What the socket has not taken: the rest of a frame without a packet, and then of one with.
     * `wants` has a bit for each kind of frame without one that has to go after them. */
    struct weft_tcp_head note;
    size_t note_left;
    struct weft_tcp_tx *unsent;
    uint32_t wants;

    uint8_t bye_in;     /* flags of the BYE that came */
    uint8_t bye_out;    /* of the one that goes */
    bool heard;         /* something came since the last look */
    bool spoke;         /* something went since the last look */
    bool hungry;        /* the NIC wanted to send and could not */
    bool calls_back;    /* it was admitted on another line a moment ago, and that was cut */
    bool is_cut;        /* it takes nothing any more; what has come before is still read */
    const char *broken; /* why it is to be given up; or NULL */
    uint64_t used;      /* when the NIC last sent or received, in looks */
    /* Times of weft_tcp.time. */
    uint64_t deadline; /* until it is open */
    uint64_t retry_at; /* of seeking or connecting */
    uint64_t pause;    /* before the next retry */
    uint64_t heard_at;
    uint64_t steady_at; /* since when it has been heard without a pause */
    uint64_t spoke_at;

    struct weft_list link;    /* of all lines, of the strangers, or of the graves */
    struct weft_list stalled; /* of those with something to send */
    struct weft_list waiting; /* of those whose frames wait for the NIC */
};

/* NULL without memory. The caller lists it. */
struct weft_tcp_line *weft_tcp_line_new(struct weft_tcp *tcp, enum weft_tcp_line_state state);

/* Gives it a socket that is then its own; false if that cannot be watched. */
bool weft_tcp_line_attach(struct weft_tcp *tcp, struct weft_tcp_line *line, int fd);
/* Whether it also waits for room to send. */
void weft_tcp_line_watch(struct weft_tcp *tcp, struct weft_tcp_line *line, bool for_room);
/* Without a socket, and without what was said on it. */
void weft_tcp_line_hang_up(struct weft_tcp *tcp, struct weft_tcp_line *line);

/* Ends it, whatever its state; the peer does not have it any more. Its memory stays until the next
 * poll, because others may be looking at it. */
void weft_tcp_line_free(struct weft_tcp *tcp, struct weft_tcp_line *line);
void weft_tcp_line_bury(struct weft_tcp *tcp);

static inline bool weft_tcp_line_is_up(const struct weft_tcp_line *line)
{
    return line->state >= WEFT_TCP_LINE_ADMITTED && line->state <= WEFT_TCP_LINE_PARTING;
}

/* Both seals; false without memory. */
bool weft_tcp_line_seal(struct weft_tcp *tcp, struct weft_tcp_line *line, bool has_called);

/* The handshake is done: it is ADMITTED, or OPEN. */
void weft_tcp_line_open(struct weft_tcp *tcp, struct weft_tcp_line *line,
                        enum weft_tcp_line_state state);

/* Says BYE. */
void weft_tcp_line_close(struct weft_tcp *tcp, struct weft_tcp_line *line, uint8_t flags);

/* Both have said BYE: parks the peer, or retires it if it has left. */
void weft_tcp_line_finish(struct weft_tcp *tcp, struct weft_tcp_line *line);

#endif
