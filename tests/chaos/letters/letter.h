/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A letter: a put, a get or an atomic operation of one node on an entry of its own at another,
 * whose handlers follow a script.
 * A script has several turns: each but the last ends PENDING, so that the entry stays for the
 * next. What handlers saw lies in their HPU memory, and a copy in handler host memory.
 */
#ifndef WEFT_TESTS_CHAOS_LETTERS_LETTER_H
#define WEFT_TESTS_CHAOS_LETTERS_LETTER_H

#include <portals4_spin.h>

#include "chaos/run.h"
#include "support/rng.h"

#define LETTER_TURNS 3u
#define LETTER_LONGEST 8192u
#define LETTER_OFFSET 64u   /* in the entry, at the most */
#define LETTER_GUARD 0xA5   /* fills what nobody may write to */
#define LETTER_MARGIN 64u   /* of the guards on each side */
#define LETTER_PACKETS 16u  /* of the longest, in the smallest packets */
#define LETTER_UNIFORM 256u /* bytes that are forwarded, all alike */
#define LETTER_REPORTS 64u  /* of attempts that a letter takes, at the most */
#define LETTER_PATTERN 65536u
#define LETTER_ATOMIC 512u /* the longest */

/* The bytes that letters are cut from. */
extern unsigned char letter_pattern[LETTER_PATTERN];

enum stage { STAGE_HEADER, STAGE_PAYLOAD, STAGE_COMPLETION, STAGES };

/* What a payload handler does with its packet. Those from ACTION_DROP on leave it unstored. */
enum action {
    ACTION_STORE,
    ACTION_STORE_NB,
    ACTION_STORE_TELL, /* with an event */
    ACTION_READ_BACK,
    ACTION_COUNT,   /* in HPU memory */
    ACTION_ADD,     /* in handler host memory */
    ACTION_SWAP,    /* there, too */
    ACTION_FORWARD, /* from the device to a tally */
    ACTION_FORWARD_HOST,
    ACTION_FETCH, /* from the library of another node */
    ACTION_YIELD,
    ACTION_INCREMENT, /* the counter of the entry */
    ACTION_DROP,
    ACTION_FAIL,
    ACTION_SEGV,
    ACTION_ODD,   /* a result that payload handlers do not have */
    ACTION_STRAY, /* out of range */
    ACTIONS
};

struct turn {
    ptl_handler_result_t header, completion;
    bool header_strays, completion_strays;
    bool is_calm; /* all packets are stored */
    uint64_t seed;
    uint32_t length, pattern;
};

struct script {
    ptl_request_type_t type; /* put, get or atomic: an exclusive or of bytes */
    struct turn turns[LETTER_TURNS];
    unsigned turn_count;
    bool has_header, has_payload, has_completion;
    ptl_process_t source, target;
    ptl_process_t third; /* what is forwarded goes there */
    ptl_match_bits_t match_bits, tally_bits, library_bits;
    uint32_t offset, room, user_header, packet_size;
    ptl_sched_policy_t policy;
    unsigned delta_p, vhpus;
};

/* One call of a handler. */
struct visit {
    uint32_t offset, length;
    uint32_t hpu, vhpu;
    uint64_t begin, end;
};

/* Of one turn. `broken`: a number for the rule, 0 if none is. */
struct seen {
    uint64_t turn, headers, payloads, completions, broken;
    uint64_t adds, swaps, counts;
    uint64_t told_dropped, told_flow;
    struct visit header, completion, visits[LETTER_PACKETS];
};

struct letter_state {
    struct script script;
    struct seen seen;
    uint64_t fetched[8];
};

/* Handler host memory. Numbers are of all turns. */
struct letter_host {
    uint64_t adds, swaps, tells, forwards, fetches, increments;
    struct seen seen;
    uint64_t fetched[8];
    unsigned char uniform[LETTER_UNIFORM];
};

/* As the event of the target and the acknowledgement say it. */
struct report {
    unsigned turn;
    ptl_ni_fail_t fail;
    ptl_size_t mlength;
};

enum tag { TAG_LETTER, TAG_TALLY };

struct letter {
    enum tag tag; /* first: events name letters and tallies alike */
    unsigned from, to;
    struct script script;
    /* At the target. */
    unsigned char *memory, *shadow; /* with their guards */
    struct letter_host host;
    ptl_handle_hpu_t hpu_memory;
    ptl_handle_me_t entry;
    bool is_linked, is_repostable;
    uint64_t tells, adds_before, swaps_before;
    struct report events[LETTER_REPORTS];
    unsigned event_count;
    /* At the sender. */
    unsigned turn, tries;
    uint64_t not_before;                   /* the time of the next attempt */
    uint64_t sent_at;                      /* that of the last */
    unsigned char landing[LETTER_LONGEST]; /* of what a get brings */
    ptl_handle_md_t landing_md;
    bool is_sent; /* and not acknowledged */
    bool is_finished;
    struct report acks[LETTER_REPORTS];
    unsigned ack_count;
    bool is_concluded; /* the last attempt */
};

/* ---- Scripts: script.c -------------------------------------------------------------------- */

void script_draw(struct rng *rng, struct script *script, uint32_t packet_size);
enum action script_action(const struct turn *turn, uint64_t offset);
uint32_t script_user_header(const struct script *script, const struct turn *turn);

/* The packets of a turn, one after the other: starts as zeros, and false after the last. */
struct piece {
    uint64_t begin, end;     /* in the message */
    unsigned number;         /* counted from 1 */
    uint64_t offset, length; /* of the payload: without the user header */
};
bool script_next_piece(const struct script *script, const struct turn *turn, struct piece *piece);

/* ---- What must come of a turn: forecast.c ------------------------------------------------- */

struct forecast {
    unsigned fails; /* bits; 0: PTL_NI_OK */
    bool is_pending, is_dropped, is_deposited, completes;
    uint64_t mlength, dropped, payloads;
};

struct forecast forecast_turn(const struct script *script, unsigned turn);

/* Its payload is in the memory of the entry afterwards. */
bool forecast_is_stored(const struct script *script, const struct turn *turn,
                        const struct piece *piece);

/* ---- Handlers: handlers.c ----------------------------------------------------------------- */

ptl_handlers_t letter_handlers(struct letter *letter, const struct letter_state *state);

/* ---- Checks: verdict.c -------------------------------------------------------------------- */

/* How the world can cut a letter. */
struct hazards {
    bool flow_control;
    bool sender_is_dead;
    bool reorders; /* packets may overtake each other, or be sent again */
};

/* Keeps a report; false if there are more than there can be. */
bool verdict_note(struct report reports[LETTER_REPORTS], unsigned *count, struct report report);

/* An attempt has ended; NULL if all is as it must be, else what is not. */
const char *verdict_attempt(struct letter *letter, struct report report, struct hazards hazards);

/* All attempts have; the sender lives. */
const char *verdict_reports(const struct letter *letter);

#endif
