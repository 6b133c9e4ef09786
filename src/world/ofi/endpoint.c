/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/ofi/endpoint.h"

#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <string.h>

#include "base/log.h"
#include "world/ofi/provider.h"

/* Every frame under way to us and every send under way from us, and then some. */
#define CQ_SIZE 2048u

static bool worked(const struct weft_ofi_endpoint *endpoint, int result, const char *what)
{
    if (result == 0)
        return true;
    weft_log(WEFT_LOG_ERROR, "libfabric's provider %s cannot %s on %s: %s",
             endpoint->info->fabric_attr->prov_name, what, endpoint->info->domain_attr->name,
             fi_strerror(-result));
    return false;
}

/* ---- Opening ------------------------------------------------------------------------------- */

static int open_cq(struct weft_ofi_endpoint *endpoint)
{
    struct fi_cq_attr attributes = {
        .size = CQ_SIZE, .format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_FD};
    endpoint->wait = -1;
    if (fi_cq_open(endpoint->domain, &attributes, &endpoint->cq, NULL) == 0) {
        /* Some providers accept the wish and then have none. */
        if (fi_control(&endpoint->cq->fid, FI_GETWAIT, &endpoint->wait) != 0)
            endpoint->wait = -1;
        return 0;
    }
    attributes.wait_obj = FI_WAIT_NONE;
    return fi_cq_open(endpoint->domain, &attributes, &endpoint->cq, NULL);
}

static bool open_objects(struct weft_ofi_endpoint *endpoint)
{
    struct fi_av_attr av = {.type = FI_AV_TABLE};
    return worked(endpoint, fi_fabric(endpoint->info->fabric_attr, &endpoint->fabric, NULL),
                  "open its fabric") &&
           worked(endpoint, fi_domain(endpoint->fabric, endpoint->info, &endpoint->domain, NULL),
                  "open its domain") &&
           worked(endpoint, fi_av_open(endpoint->domain, &av, &endpoint->av, NULL),
                  "make a table of addresses") &&
           worked(endpoint, open_cq(endpoint), "make a completion queue") &&
           worked(endpoint, fi_endpoint(endpoint->domain, endpoint->info, &endpoint->ep, NULL),
                  "make an endpoint");
}

static bool enable(struct weft_ofi_endpoint *endpoint)
{
    struct fid_ep *ep = endpoint->ep;
    /* The option last: before it is enabled, an endpoint of shm has nowhere to keep it. */
    return worked(endpoint, fi_ep_bind(ep, &endpoint->cq->fid, FI_TRANSMIT | FI_RECV),
                  "use a completion queue") &&
           worked(endpoint, fi_ep_bind(ep, &endpoint->av->fid, 0), "use a table of addresses") &&
           worked(endpoint, fi_enable(ep), "listen") &&
           worked(endpoint,
                  fi_setopt(&ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV,
                            &endpoint->frame_size, sizeof endpoint->frame_size),
                  "receive several messages in one buffer");
}

bool weft_ofi_endpoint_open(struct weft_ofi_endpoint *endpoint, size_t frame_size,
                            const char *provider, const char *interface)
{
    *endpoint = (struct weft_ofi_endpoint){.wait = -1};
    endpoint->list = weft_ofi_provider_list(frame_size);
    if (!endpoint->list)
        return false;
    endpoint->info = weft_ofi_provider_choose(endpoint->list, provider, interface);
    if (!endpoint->info)
        return false;
    endpoint->frame_size = weft_ofi_provider_frame_size(endpoint->info, frame_size);
    endpoint->inject = endpoint->info->tx_attr->inject_size;
    endpoint->registers = endpoint->info->domain_attr->mr_mode & FI_MR_LOCAL;
    return open_objects(endpoint) && enable(endpoint);
}

static void close_object(struct fid *fid)
{
    int result = fi_close(fid);
    if (result)
        weft_log(WEFT_LOG_INFO, "libfabric does not close an object: %s", fi_strerror(-result));
}

void weft_ofi_endpoint_stop(struct weft_ofi_endpoint *endpoint)
{
    if (endpoint->ep)
        close_object(&endpoint->ep->fid);
    endpoint->ep = NULL;
}

void weft_ofi_endpoint_close(struct weft_ofi_endpoint *endpoint)
{
    weft_ofi_endpoint_stop(endpoint);
    if (endpoint->cq)
        close_object(&endpoint->cq->fid);
    if (endpoint->av)
        close_object(&endpoint->av->fid);
    if (endpoint->domain)
        close_object(&endpoint->domain->fid);
    if (endpoint->fabric)
        close_object(&endpoint->fabric->fid);
    if (endpoint->list)
        fi_freeinfo(endpoint->list);
    *endpoint = (struct weft_ofi_endpoint){.wait = -1};
}

/* ---- Addresses ----------------------------------------------------------------------------- */

size_t weft_ofi_endpoint_name(const struct weft_ofi_endpoint *endpoint, void *bytes, size_t room)
{
    size_t size = room;
    int result = fi_getname(&endpoint->ep->fid, bytes, &size);
    if (worked(endpoint, result, "tell its address") && size <= room)
        return size;
    return 0;
}

fi_addr_t weft_ofi_endpoint_insert(struct weft_ofi_endpoint *endpoint, const void *name)
{
    fi_addr_t address = FI_ADDR_NOTAVAIL;
    return fi_av_insert(endpoint->av, name, 1, &address, 0, NULL) == 1 ? address
                                                                       : FI_ADDR_NOTAVAIL;
}

/* ---- Memory and waiting -------------------------------------------------------------------- */

bool weft_ofi_endpoint_register(struct weft_ofi_endpoint *endpoint, void *bytes, size_t size,
                                uint64_t access, struct fid_mr **mr, void **descriptor)
{
    *mr = NULL;
    *descriptor = NULL;
    if (!endpoint->registers)
        return true;
    int result =
        fi_mr_reg(endpoint->domain, bytes, size, access, 0, endpoint->mr_key++, 0, mr, NULL);
    if (result == 0 && endpoint->info->domain_attr->mr_mode & FI_MR_ENDPOINT) {
        result = fi_mr_bind(*mr, &endpoint->ep->fid, 0);
        if (result == 0)
            result = fi_mr_enable(*mr);
    }
    if (!worked(endpoint, result, "register memory"))
        return false;
    *descriptor = fi_mr_desc(*mr);
    return true;
}

void weft_ofi_endpoint_arm(struct weft_ofi_endpoint *endpoint)
{
    struct fid *fid = &endpoint->cq->fid;
    if (endpoint->wait >= 0)
        fi_trywait(endpoint->fabric, &fid, 1);
}
