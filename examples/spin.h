/* SPDX-License-Identifier: BSD-3-Clause */
/* What the spin_ examples have in common: a job whose ranks know each other, and short forms of
 * the calls of Portals that each of them makes. */
#ifndef WEFT_EXAMPLES_SPIN_H
#define WEFT_EXAMPLES_SPIN_H

#include <portals4_spin.h>
#include <stdbool.h>

struct spin {
    ptl_handle_ni_t ni;
    ptl_rank_t rank, size;
    ptl_handle_eq_t events; /* of all entries */
    ptl_pt_index_t pt;
    /* Of the barrier. */
    ptl_handle_ct_t arrived;
    ptl_size_t expected;
    ptl_rank_t absent; /* does not come to barriers; at first PTL_RANK_ANY */
};

/* Ends the program with a message if a call does not return PTL_OK. */
#define NEED(call) spin_need((call), #call)
void spin_need(int result, const char *call);

/* Fewer ranks than `fewest` cannot run the example. */
void spin_open(struct spin *spin, unsigned fewest);
void spin_close(struct spin *spin);
void spin_barrier(struct spin *spin);

/* Zeroed memory that lives as long as the program. */
void *spin_memory(ptl_size_t size);

/* An entry for everybody; `handlers` may be NULL, and `ct` PTL_CT_NONE. */
ptl_handle_me_t spin_post(struct spin *spin, void *start, ptl_size_t length, unsigned options,
                          ptl_match_bits_t bits, ptl_handle_ct_t ct,
                          const ptl_handlers_t *handlers);

/* Puts without events here. The memory stays as it is until somebody has answered. */
void spin_put(struct spin *spin, const void *start, ptl_size_t length, ptl_rank_t rank,
              ptl_match_bits_t bits, ptl_size_t remote_offset, ptl_hdr_data_t hdr_data);
/* Gets, and waits for the data. */
void spin_get(struct spin *spin, void *start, ptl_size_t length, ptl_rank_t rank,
              ptl_match_bits_t bits, ptl_size_t remote_offset);

/* A counter of bytes, for entries with PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_BYTES. */
#define SPIN_BYTES (PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_BYTES | PTL_ME_EVENT_COMM_DISABLE)
ptl_handle_ct_t spin_counter(struct spin *spin);
/* These end the program if nothing comes for a long time, or a failure does. */
void spin_wait(ptl_handle_ct_t ct, ptl_size_t count);
ptl_event_t spin_event(struct spin *spin, ptl_event_kind_t type);

/* The last words of a rank: what it has found out, and whether that is right. */
__attribute__((format(printf, 2, 3))) void spin_say(bool is_right, const char *format, ...);

#endif
