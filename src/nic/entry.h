/* SPDX-License-Identifier: BSD-3-Clause */
/* List entries: appended, unlinked, searched with. */
#ifndef WEFT_NIC_ENTRY_H
#define WEFT_NIC_ENTRY_H

#include "nic/state.h"

/* What a program appends or searches with; of a list entry without matching, the rest is zero. */
struct weft_nic_entry_spec {
    ptl_pt_index_t pt_index;
    ptl_list_t list;
    ptl_me_t me;
    uint32_t ct;
    void *user_ptr;
    const ptl_handlers_t *handlers; /* NULL: none */
    struct weft_nic_memory *memory; /* of the handlers; NULL: none */
    struct weft_nic_code *code;     /* that they are part of; NULL: the program */
    struct weft_nic_core *core;     /* that runs it, which the entry then frees */
};

/* Appends an entry, which first takes the messages that wait for one like it. PTL_OK and its id,
 * which is stale at once if it was for one message and took it. */
int weft_nic_entry_append(struct weft_nic_ni *ni, const struct weft_nic_entry_spec *spec,
                          uint32_t *id);

/* PTL_OK, PTL_IN_USE, or PTL_ARG_INVALID if there is no such entry any more. */
int weft_nic_entry_unlink(struct weft_nic_ni *ni, uint32_t id);

int weft_nic_entry_search(struct weft_nic_ni *ni, const struct weft_nic_entry_spec *spec,
                          ptl_search_op_t op);

/* An entry that a trigger will append: its id is known now. */
int weft_nic_entry_reserve(struct weft_nic_ni *ni, const struct weft_nic_entry_spec *spec,
                           uint32_t *id);
void weft_nic_entry_append_late(struct weft_nic_ni *ni, uint32_t id, const ptl_me_t *me);
void weft_nic_entry_unlink_late(struct weft_nic_ni *ni, uint32_t id);
void weft_nic_entry_forget(struct weft_nic_ni *ni, uint32_t id);

/* A message for which it was unlinked has ended, and the entry is not done. */
void weft_nic_entry_relink(struct weft_nic_entry *entry);

/* Once the entry is out of its list and nothing refers to it, it goes. */
void weft_nic_entry_settle(struct weft_nic_entry *entry);

/* A message of the entry has ended. */
static inline void weft_nic_entry_release(struct weft_nic_entry *entry)
{
    entry->pending--;
    if (!entry->linked)
        weft_nic_entry_settle(entry);
}

#endif
