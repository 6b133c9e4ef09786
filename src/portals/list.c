/* SPDX-License-Identifier: BSD-3-Clause */
/* List entries, matching and not. */
#include "portals/list.h"

#define LE_OPTIONS                                                                                \
    (PTL_IOVEC | PTL_LAYOUT | PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_USE_ONCE |                   \
     PTL_ME_ACK_DISABLE | PTL_ME_UNEXPECTED_HDR_DISABLE | PTL_ME_IS_ACCESSIBLE |                  \
     PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_FLOWCTRL_DISABLE |      \
     PTL_ME_EVENT_SUCCESS_DISABLE | PTL_ME_EVENT_OVER_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE |     \
     PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_OVERFLOW | PTL_ME_EVENT_CT_BYTES)
#define ME_OPTIONS (LE_OPTIONS | PTL_ME_MANAGE_LOCAL | PTL_ME_NO_TRUNCATE | PTL_ME_MAY_ALIGN)

static bool source_is_valid(const struct weft_nic_ni *ni, ptl_process_t id)
{
    return !ni->logical || !ni->map || id.rank == PTL_RANK_ANY || id.rank < ni->map_size;
}

/* A portal table entry can be promised that all its entries are of one kind. */
static bool keeps_promise(const struct weft_nic_pt *pt, unsigned options, ptl_list_t list)
{
    if (pt->options & PTL_PT_ONLY_TRUNCATE && options & PTL_ME_NO_TRUNCATE)
        return list == PTL_OVERFLOW_LIST;
    return true;
}

int weft_portals_list_spec(const struct weft_nic_ni *ni, ptl_pt_index_t pt_index,
                           const ptl_me_t *me, ptl_list_t list, void *user_ptr,
                           struct weft_nic_entry_spec *spec)
{
    unsigned known = ni->matching ? ME_OPTIONS : LE_OPTIONS;
    if (!me || (me->options & ~known) || (list != PTL_PRIORITY_LIST && list != PTL_OVERFLOW_LIST))
        return PTL_ARG_INVALID;
    if (pt_index > (ptl_pt_index_t)ni->limits.max_pt_index || !ni->pts[pt_index].allocated ||
        !source_is_valid(ni, me->match_id) ||
        !keeps_promise(&ni->pts[pt_index], me->options, list))
        return PTL_ARG_INVALID;
    *spec = (struct weft_nic_entry_spec){
        .pt_index = pt_index, .list = list, .me = *me, .user_ptr = user_ptr};
    return weft_portals_find_id(ni, me->ct_handle, WEFT_PORTALS_HANDLE_CT, PTL_CT_NONE, &spec->ct)
               ? PTL_OK
               : PTL_ARG_INVALID;
}

/* Enters a call of the family for matching interfaces, or of the other. */
static bool enter(struct weft_portals_scope *scope, ptl_handle_any_t handle,
                  enum weft_portals_handle_kind kind, bool matching)
{
    if (weft_portals_enter(scope, handle, kind) && scope->ni->matching != matching)
        scope->result = weft_portals_leave(scope, PTL_ARG_INVALID);
    return scope->result == PTL_OK;
}

static int append(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_me_t *me,
                  ptl_list_t list, void *user_ptr, ptl_handle_any_t *handle, bool matching)
{
    struct weft_portals_scope scope;
    if (!enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI, matching))
        return scope.result;
    struct weft_nic_entry_spec spec;
    uint32_t id;
    int result = handle ? weft_portals_list_spec(scope.ni, pt_index, me, list, user_ptr, &spec)
                        : PTL_ARG_INVALID;
    if (result == PTL_OK)
        result = weft_nic_entry_append(scope.ni, &spec, &id);
    if (result == PTL_OK)
        *handle = weft_portals_handle(WEFT_PORTALS_HANDLE_ENTRY, scope.ni->number, id);
    return weft_portals_leave(&scope, result);
}

static int unlink(ptl_handle_any_t handle, bool matching)
{
    struct weft_portals_scope scope;
    if (!enter(&scope, handle, WEFT_PORTALS_HANDLE_ENTRY, matching))
        return scope.result;
    int result = weft_nic_entry_unlink(scope.ni, weft_portals_handle_id(handle));
    if (result == PTL_IN_USE)
        weft_portals_process_advance(scope.process);
    return weft_portals_leave(&scope, result);
}

static int search(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_me_t *me,
                  ptl_search_op_t op, void *user_ptr, bool matching)
{
    struct weft_portals_scope scope;
    if (!enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI, matching))
        return scope.result;
    struct weft_nic_entry_spec spec;
    int result =
        op == PTL_SEARCH_ONLY || op == PTL_SEARCH_DELETE
            ? weft_portals_list_spec(scope.ni, pt_index, me, PTL_PRIORITY_LIST, user_ptr, &spec)
            : PTL_ARG_INVALID;
    /* What has arrived but was not looked at yet counts as arrived. */
    if (result == PTL_OK) {
        weft_portals_process_step(scope.process);
        result = weft_nic_entry_search(scope.ni, &spec, op);
    }
    return weft_portals_leave(&scope, result);
}

/* ---- The calls ---------------------------------------------------------------------------- */

static const ptl_me_t *as_me(const ptl_le_t *le, ptl_me_t *me)
{
    if (!le)
        return NULL;
    *me = (ptl_me_t){.start = le->start,
                     .length = le->length,
                     .ct_handle = le->ct_handle,
                     .uid = le->uid,
                     .options = le->options,
                     .match_id = {.phys = {PTL_NID_ANY, PTL_PID_ANY}}};
    return me;
}

int PtlMEAppend(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_me_t *me,
                ptl_list_t ptl_list, void *user_ptr, ptl_handle_me_t *me_handle)
{
    return append(ni_handle, pt_index, me, ptl_list, user_ptr, me_handle, true);
}

int PtlMEUnlink(ptl_handle_me_t me_handle)
{
    return unlink(me_handle, true);
}

int PtlMESearch(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_me_t *me,
                ptl_search_op_t ptl_search_op, void *user_ptr)
{
    return search(ni_handle, pt_index, me, ptl_search_op, user_ptr, true);
}

int PtlLEAppend(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_le_t *le,
                ptl_list_t ptl_list, void *user_ptr, ptl_handle_le_t *le_handle)
{
    ptl_me_t me;
    return append(ni_handle, pt_index, as_me(le, &me), ptl_list, user_ptr, le_handle, false);
}

int PtlLEUnlink(ptl_handle_le_t le_handle)
{
    return unlink(le_handle, false);
}

int PtlLESearch(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_le_t *le,
                ptl_search_op_t ptl_search_op, void *user_ptr)
{
    ptl_me_t me;
    return search(ni_handle, pt_index, as_me(le, &me), ptl_search_op, user_ptr, false);
}
