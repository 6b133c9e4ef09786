/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory descriptors. */
#include "portals/process.h"

#define MD_OPTIONS                                                                                \
    (PTL_IOVEC | PTL_LAYOUT | PTL_MD_EVENT_SUCCESS_DISABLE | PTL_MD_EVENT_SEND_DISABLE |          \
     PTL_MD_EVENT_CT_SEND | PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_BYTES | \
     PTL_MD_UNORDERED | PTL_MD_VOLATILE)

static int bind(struct weft_nic_ni *ni, const ptl_md_t *spec, ptl_handle_md_t *handle)
{
    uint32_t eq, ct;
    if (!spec || !handle || (spec->options & ~MD_OPTIONS) ||
        !weft_portals_find_id(ni, spec->eq_handle, WEFT_PORTALS_HANDLE_EQ, PTL_EQ_NONE, &eq) ||
        !weft_portals_find_id(ni, spec->ct_handle, WEFT_PORTALS_HANDLE_CT, PTL_CT_NONE, &ct))
        return PTL_ARG_INVALID;
    struct weft_nic_md *md = weft_pool_take(&ni->mds);
    if (!md)
        return PTL_NO_SPACE;
    enum weft_nic_region_result opened = weft_nic_region_open(
        &md->region, spec->start, spec->length, spec->options, (uint64_t)ni->limits.max_iovecs);
    if (opened != WEFT_NIC_REGION_OK) {
        weft_pool_give(&ni->mds, md);
        return opened == WEFT_NIC_REGION_INVALID ? PTL_ARG_INVALID : PTL_NO_SPACE;
    }
    md->ni = ni;
    md->options = spec->options;
    md->eq = eq;
    md->ct = ct;
    *handle = weft_portals_handle(WEFT_PORTALS_HANDLE_MD, ni->number, md->slot.id);
    return PTL_OK;
}

int PtlMDBind(ptl_handle_ni_t ni_handle, const ptl_md_t *md, ptl_handle_md_t *md_handle)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    return weft_portals_leave(&scope, bind(scope.ni, md, md_handle));
}

int PtlMDRelease(ptl_handle_md_t md_handle)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, md_handle, WEFT_PORTALS_HANDLE_MD))
        return scope.result;
    struct weft_nic_md *md = scope.object;
    if (md->pending)
        weft_portals_process_advance(scope.process);
    if (md->pending)
        return weft_portals_leave(&scope, PTL_IN_USE);
    weft_nic_region_close(&md->region);
    weft_pool_give(&scope.ni->mds, md);
    return weft_portals_leave(&scope, PTL_OK);
}
