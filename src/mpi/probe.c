/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/probe.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/buffer.h"
#include "mpi/guard.h"
#include "mpi/receive.h"

struct peeked {
    struct weft_list link;
    MPI_Comm comm;
    MPI_Status status; /* as MPI gave it: of the 64 bytes */
    struct weft_mpi_ticket bytes;
};

static struct weft_list kept = {&kept, &kept};
static atomic_uint kept_count;

bool weft_mpi_is_anything_peeked(void)
{
    return atomic_load_explicit(&kept_count, memory_order_relaxed) != 0;
}

/* ---- The messages kept --------------------------------------------------------------------- */

static bool fits(const struct peeked *peeked, int source, int tag, MPI_Comm comm)
{
    return peeked->comm == comm &&
           (source == MPI_ANY_SOURCE || source == peeked->status.MPI_SOURCE) &&
           (tag == MPI_ANY_TAG || tag == peeked->status.MPI_TAG);
}

static struct peeked *find(int source, int tag, MPI_Comm comm)
{
    for (struct weft_list *link = kept.next; link != &kept; link = link->next) {
        struct peeked *peeked = weft_list_object(link, struct peeked, link);
        if (fits(peeked, source, tag, comm))
            return peeked;
    }
    return NULL;
}

static struct peeked *take(int source, int tag, MPI_Comm comm)
{
    if (!weft_mpi_is_anything_peeked())
        return NULL;
    weft_mpi_lock(&weft_mpi.lock);
    struct peeked *peeked = find(source, tag, comm);
    if (peeked) {
        weft_list_remove(&peeked->link);
        weft_mpi_add(&kept_count, -1);
    }
    weft_mpi_unlock(&weft_mpi.lock);
    return peeked;
}

static void keep(struct peeked *peeked)
{
    weft_mpi_lock(&weft_mpi.lock);
    weft_list_append(&kept, &peeked->link);
    weft_mpi_add(&kept_count, 1);
    weft_mpi_unlock(&weft_mpi.lock);
}

static bool is_ticket(const struct peeked *peeked)
{
    return weft_mpi_is_ticket(&peeked->status, &peeked->bytes);
}

/* What the program is told. */
static MPI_Status true_status(const struct peeked *peeked)
{
    MPI_Status status = peeked->status;
    if (is_ticket(peeked))
        weft_mpi_status_bytes(&status, peeked->bytes.bytes);
    return status;
}

/* ---- Delivering them ----------------------------------------------------------------------- */

static int fresh_tag(void)
{
    static atomic_uint last;
    return (int)(atomic_fetch_add(&last, 1) % 30000) + 1;
}

/* A message of 64 bytes that is no ticket. MPI places it, as one from us to us. */
static int deliver_plain(const struct peeked *peeked, const struct weft_mpi_wish *wish)
{
    int tag = fresh_tag();
    return mpi.Sendrecv(&peeked->bytes, sizeof peeked->bytes, MPI_BYTE, weft_mpi.rank, tag,
                        wish->buffer, (int)wish->count, wish->type, weft_mpi.rank, tag,
                        weft_mpi.comm, MPI_STATUS_IGNORE);
}

/* For types that only MPI knows: all of the message first, then MPI places it. */
static int receive_by_copy(struct peeked *peeked, const struct weft_mpi_wish *wish)
{
    size_t bytes = peeked->bytes.bytes;
    MPI_Status ignored = peeked->status;
    void *buffer = weft_mpi_buffer_take(bytes);
    struct weft_mpi_data data = {.buffer = buffer, .bytes = bytes, .count = bytes};
    int position = 0;
    if (!buffer)
        return MPI_ERR_NO_MEM;
    int result = weft_mpi_receive_ticket(&peeked->bytes, &data, weft_mpi.comm, &ignored);
    if (result == MPI_SUCCESS)
        result = mpi.Unpack(buffer, (int)bytes, &position, wish->buffer, (int)wish->count,
                            wish->type, weft_mpi.comm);
    weft_mpi_buffer_give(buffer);
    return result;
}

/* Frees the message. */
static int receive_kept(struct peeked *peeked, const struct weft_mpi_wish *wish,
                        MPI_Status *status)
{
    struct weft_mpi_data data;
    MPI_Status own = true_status(peeked);
    int result;
    if (!is_ticket(peeked))
        result = weft_mpi_raise(wish->comm, deliver_plain(peeked, wish));
    else if (weft_mpi_receive_data(wish, &data))
        result = weft_mpi_receive_ticket(&peeked->bytes, &data, wish->comm, &own);
    else
        result = receive_by_copy(peeked, wish);
    weft_mpi_status_copy(status, &own);
    free(peeked);
    return result;
}

static int ireceive_kept(struct peeked *peeked, const struct weft_mpi_wish *wish,
                         MPI_Request *request)
{
    struct weft_mpi_data data;
    int result;
    if (is_ticket(peeked) && weft_mpi_receive_data(wish, &data)) {
        result =
            weft_mpi_ireceive_ticket(&peeked->bytes, &peeked->status, &data, wish->comm, request);
        free(peeked);
        return result;
    }
    struct weft_mpi_operation *operation = weft_mpi_operation_new(WEFT_MPI_TAKE, wish->comm, NULL);
    if (!operation)
        return weft_mpi_raise(wish->comm, MPI_ERR_NO_MEM);
    operation->has_arrived = true;
    operation->status = true_status(peeked);
    operation->error =
        is_ticket(peeked) ? receive_by_copy(peeked, wish) : deliver_plain(peeked, wish);
    free(peeked);
    return weft_mpi_operation_begin_general(operation, request);
}

bool weft_mpi_peeked_receive(const struct weft_mpi_wish *wish, MPI_Status *status, int *result)
{
    struct peeked *peeked = take(wish->peer, wish->tag, wish->comm);
    if (peeked)
        *result = receive_kept(peeked, wish, status);
    return peeked != NULL;
}

bool weft_mpi_peeked_ireceive(const struct weft_mpi_wish *wish, MPI_Request *request, int *result)
{
    struct peeked *peeked = take(wish->peer, wish->tag, wish->comm);
    if (peeked)
        *result = ireceive_kept(peeked, wish, request);
    return peeked != NULL;
}

/* ---- Probing ------------------------------------------------------------------------------- */

static bool may_be_ticket(const MPI_Status *status)
{
    return weft_mpi.net && status->MPI_SOURCE >= 0 &&
           weft_mpi_bytes_of(status) == sizeof(struct weft_mpi_ticket);
}

/* NULL without memory, or if another thread was faster. */
static struct peeked *take_out(const MPI_Status *status, MPI_Comm comm)
{
    MPI_Message message;
    int flag = 0;
    struct peeked *peeked = malloc(sizeof *peeked);
    if (!peeked)
        return NULL;
    weft_list_init(&peeked->link);
    peeked->comm = comm;
    mpi.Improbe(status->MPI_SOURCE, status->MPI_TAG, comm, &flag, &message, &peeked->status);
    if (flag && mpi.Mrecv(&peeked->bytes, sizeof peeked->bytes, MPI_BYTE, &message,
                          &peeked->status) == MPI_SUCCESS)
        return peeked;
    free(peeked);
    return NULL;
}

static bool probe_kept(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    if (!weft_mpi_is_anything_peeked())
        return false;
    weft_mpi_lock(&weft_mpi.lock);
    const struct peeked *peeked = find(source, tag, comm);
    MPI_Status known;
    if (peeked)
        known = true_status(peeked);
    weft_mpi_unlock(&weft_mpi.lock);
    if (peeked)
        weft_mpi_status_copy(status, &known);
    return peeked != NULL;
}

/* MPI has found a message; `own` says which. False if it is not to be had any more. */
static bool look_at(const MPI_Status *own, MPI_Comm comm, MPI_Status *status)
{
    if (!may_be_ticket(own)) {
        weft_mpi_status_copy(status, own);
        return true;
    }
    struct peeked *peeked = take_out(own, comm);
    if (!peeked)
        return false;
    MPI_Status known = true_status(peeked);
    keep(peeked);
    weft_mpi_status_copy(status, &known);
    return true;
}

static int iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    MPI_Status own;
    *flag = probe_kept(source, tag, comm, status);
    if (*flag)
        return MPI_SUCCESS;
    weft_mpi_progress();
    int result = mpi.Iprobe(source, tag, comm, flag, &own);
    if (result == MPI_SUCCESS && *flag)
        *flag = look_at(&own, comm, status);
    return result;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    return weft_mpi.net && WEFT_MPI_IS_OURS ? iprobe(source, tag, comm, flag, status)
                                            : mpi.Iprobe(source, tag, comm, flag, status);
}
WEFT_MPI_ALSO_PMPI(Iprobe);

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    int flag = 0, result = MPI_SUCCESS;
    unsigned looks = 0;
    if (!weft_mpi.net || !WEFT_MPI_IS_OURS)
        return mpi.Probe(source, tag, comm, status);
    while (!flag && result == MPI_SUCCESS) {
        result = iprobe(source, tag, comm, &flag, status);
        if (!flag)
            weft_mpi_idle(&looks);
    }
    weft_mpi_go_on(looks);
    return result;
}
WEFT_MPI_ALSO_PMPI(Probe);

/* ---- Matched probes ------------------------------------------------------------------------ */

/* A message that was taken out goes back into MPI, from us to us, for the handle. */
struct reentry {
    struct weft_list link;
    MPI_Message handle;
    MPI_Request sent;
    struct peeked *peeked;
};

static struct weft_list reentries = {&reentries, &reentries};

static int send_again(struct peeked *peeked, MPI_Message *message)
{
    struct reentry *reentry = malloc(sizeof *reentry);
    int tag = fresh_tag();
    if (!reentry)
        return MPI_ERR_NO_MEM;
    reentry->peeked = peeked;
    int result = mpi.Isend(&peeked->bytes, sizeof peeked->bytes, MPI_BYTE, weft_mpi.rank, tag,
                           weft_mpi.comm, &reentry->sent);
    if (result == MPI_SUCCESS)
        result =
            mpi.Mprobe(weft_mpi.rank, tag, weft_mpi.comm, &reentry->handle, MPI_STATUS_IGNORE);
    *message = reentry->handle;
    weft_mpi_lock(&weft_mpi.lock);
    weft_list_append(&reentries, &reentry->link);
    weft_mpi_unlock(&weft_mpi.lock);
    return result;
}

/* Takes it back out. NULL if the handle is MPI's alone. */
static struct peeked *come_back(MPI_Message *message)
{
    struct reentry *found = NULL;
    weft_mpi_lock(&weft_mpi.lock);
    for (struct weft_list *link = reentries.next; link != &reentries && !found;
         link = link->next) {
        struct reentry *reentry = weft_list_object(link, struct reentry, link);
        if (reentry->handle == *message)
            found = reentry;
    }
    if (found)
        weft_list_remove(&found->link);
    weft_mpi_unlock(&weft_mpi.lock);
    if (!found)
        return NULL;
    struct weft_mpi_ticket ignored;
    struct peeked *peeked = found->peeked;
    mpi.Mrecv(&ignored, sizeof ignored, MPI_BYTE, message, MPI_STATUS_IGNORE);
    mpi.Wait(&found->sent, MPI_STATUS_IGNORE);
    free(found);
    return peeked;
}

static int improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                   MPI_Status *status)
{
    MPI_Status own;
    struct peeked *peeked = take(source, tag, comm);
    if (!peeked) {
        weft_mpi_progress();
        int result = mpi.Improbe(source, tag, comm, flag, message, &own);
        if (result != MPI_SUCCESS || !*flag)
            return result;
        if (!may_be_ticket(&own)) {
            weft_mpi_status_copy(status, &own);
            return result;
        }
        peeked = malloc(sizeof *peeked);
        if (!peeked)
            return weft_mpi_raise(comm, MPI_ERR_NO_MEM);
        weft_list_init(&peeked->link);
        peeked->comm = comm;
        mpi.Mrecv(&peeked->bytes, sizeof peeked->bytes, MPI_BYTE, message, &peeked->status);
    }
    *flag = 1;
    own = true_status(peeked);
    weft_mpi_status_copy(status, &own);
    return weft_mpi_raise(comm, send_again(peeked, message));
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    return weft_mpi.net && WEFT_MPI_IS_OURS
               ? improbe(source, tag, comm, flag, message, status)
               : mpi.Improbe(source, tag, comm, flag, message, status);
}
WEFT_MPI_ALSO_PMPI(Improbe);

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    int flag = 0, result = MPI_SUCCESS;
    unsigned looks = 0;
    if (!weft_mpi.net || !WEFT_MPI_IS_OURS)
        return mpi.Mprobe(source, tag, comm, message, status);
    while (!flag && result == MPI_SUCCESS) {
        result = improbe(source, tag, comm, &flag, message, status);
        if (!flag)
            weft_mpi_idle(&looks);
    }
    weft_mpi_go_on(looks);
    return result;
}
WEFT_MPI_ALSO_PMPI(Mprobe);

#define DEFINE_MRECV(name, number)                                                                \
    int MPI_##name(void *buf, number count, MPI_Datatype type, MPI_Message *message,              \
                   MPI_Status *status)                                                            \
    {                                                                                             \
        struct peeked *peeked = weft_mpi.net && WEFT_MPI_IS_OURS ? come_back(message) : NULL;     \
        if (!peeked)                                                                              \
            return mpi.name(buf, count, type, message, status);                                   \
        const struct weft_mpi_wish wish = {                                                       \
            .buffer = buf, .count = count, .type = type, .comm = peeked->comm};                   \
        return receive_kept(peeked, &wish, status);                                               \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

#define DEFINE_IMRECV(name, number)                                                               \
    int MPI_##name(void *buf, number count, MPI_Datatype type, MPI_Message *message,              \
                   MPI_Request *request)                                                          \
    {                                                                                             \
        struct peeked *peeked = weft_mpi.net && WEFT_MPI_IS_OURS ? come_back(message) : NULL;     \
        if (!peeked)                                                                              \
            return mpi.name(buf, count, type, message, request);                                  \
        const struct weft_mpi_wish wish = {                                                       \
            .buffer = buf, .count = count, .type = type, .comm = peeked->comm};                   \
        return ireceive_kept(peeked, &wish, request);                                             \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

DEFINE_MRECV(Mrecv, int);
DEFINE_IMRECV(Imrecv, int);

#if MPI_VERSION >= 4
DEFINE_MRECV(Mrecv_c, MPI_Count);
DEFINE_IMRECV(Imrecv_c, MPI_Count);
#endif
