/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/message/probe.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/guard.h"
#include "mpi/message/receive.h"
#include "mpi/start/ranks.h"
#include "transfer/net.h"

struct peeked {
    struct weft_list link;
    MPI_Comm comm;
    MPI_Status status; /* as MPI gave it: of the bytes below */
    union weft_mpi_envelope sent;
};

pthread_mutex_t weft_mpi_posting = PTHREAD_MUTEX_INITIALIZER;
static struct weft_list kept = {&kept, &kept};
atomic_uint weft_mpi_kept;

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
        weft_mpi_add(&weft_mpi_kept, -1);
    }
    weft_mpi_unlock(&weft_mpi.lock);
    return peeked;
}

static void keep(struct peeked *peeked)
{
    weft_mpi_lock(&weft_mpi.lock);
    weft_list_append(&kept, &peeked->link);
    weft_mpi_add(&weft_mpi_kept, 1);
    weft_mpi_unlock(&weft_mpi.lock);
}

static bool is_ticket(const struct peeked *peeked)
{
    return weft_mpi_is_ticket(&peeked->status, &peeked->sent);
}

static bool is_synchronous(const struct peeked *peeked)
{
    return is_ticket(peeked) && peeked->sent.ticket.is_synchronous;
}

/* What the program is told. */
static MPI_Status true_status(const struct peeked *peeked)
{
    MPI_Status status = peeked->status;
    if (is_ticket(peeked))
        weft_mpi_status_bytes(&status, peeked->sent.ticket.bytes);
    return status;
}

/* ---- Synchronous sends --------------------------------------------------------------------- */

/* To MPI a message that was taken out has been received, but the program does not want it yet. If
 * its sender waits for that, it must hear of it, also if the program goes where nobody sends. */
static void hold(const struct weft_mpi_ticket *ticket)
{
    weft_net_hold(weft_mpi.net, (int)ticket->sender, ticket->number);
    weft_mpi_thread_count(1);
    weft_mpi_thread_wake();
}

/* Now it does. */
static void let_go(const struct peeked *peeked)
{
    if (is_synchronous(peeked))
        weft_mpi_thread_count(-1);
}

/* ---- Delivering them ----------------------------------------------------------------------- */

/* A message as long as a ticket that is none. */
static int deliver_plain(const struct peeked *peeked, const struct weft_mpi_args *args)
{
    return weft_mpi_place(&peeked->sent, weft_mpi.ticket_size, args->buffer, (size_t)args->count,
                          args->type);
}

/* What is shorter than a ticket is shorter than its message. */
static enum weft_mpi_arrival open_for_ticket(const struct weft_mpi_args *args,
                                             struct weft_mpi_cargo *cargo)
{
    enum weft_mpi_arrival arrival = weft_mpi_cargo_open(args, cargo);
    if (arrival != WEFT_MPI_UNSEEN)
        return arrival;
    *cargo = (struct weft_mpi_cargo){0};
    return WEFT_MPI_SEEN;
}

/* Frees the message. */
static int receive_kept(struct peeked *peeked, const struct weft_mpi_args *args,
                        MPI_Status *status)
{
    struct weft_mpi_cargo cargo;
    MPI_Status own = true_status(peeked);
    int result;
    let_go(peeked);
    if (!is_ticket(peeked))
        result = weft_mpi_raise(args->comm, deliver_plain(peeked, args));
    else if (open_for_ticket(args, &cargo) == WEFT_MPI_SEEN)
        result = weft_mpi_receive_ticket(&peeked->sent.ticket, &cargo, args->comm, &own);
    else
        result = weft_mpi_raise_no_memory(args->comm);
    weft_mpi_status_copy(status, &own);
    free(peeked);
    return result;
}

static int ireceive_plain(const struct peeked *peeked, const struct weft_mpi_args *args,
                          MPI_Request *request)
{
    struct weft_mpi_operation *operation = weft_mpi_operation_new(WEFT_MPI_TAKE, args->comm, NULL);
    if (!operation)
        return weft_mpi_raise_no_memory(args->comm);
    operation->has_arrived = true;
    operation->status = peeked->status;
    operation->error = deliver_plain(peeked, args);
    return weft_mpi_operation_begin_general(operation, request);
}

/* Frees the message. */
static int ireceive_kept(struct peeked *peeked, const struct weft_mpi_args *args,
                         MPI_Request *request)
{
    struct weft_mpi_cargo cargo;
    int result;
    let_go(peeked);
    if (!is_ticket(peeked))
        result = ireceive_plain(peeked, args, request);
    else if (open_for_ticket(args, &cargo) == WEFT_MPI_SEEN)
        result = weft_mpi_ireceive_ticket(&peeked->sent.ticket, &peeked->status, &cargo,
                                          args->comm, request);
    else
        result = weft_mpi_raise_no_memory(args->comm);
    free(peeked);
    return result;
}

bool weft_mpi_peeked_receive(const struct weft_mpi_args *args, MPI_Status *status, int *result)
{
    struct peeked *peeked = take(args->peer, args->tag, args->comm);
    if (peeked)
        *result = receive_kept(peeked, args, status);
    return peeked != NULL;
}

bool weft_mpi_peeked_ireceive(const struct weft_mpi_args *args, MPI_Request *request, int *result)
{
    struct peeked *peeked = take(args->peer, args->tag, args->comm);
    if (peeked)
        *result = ireceive_kept(peeked, args, request);
    return peeked != NULL;
}

/* ---- Probing ------------------------------------------------------------------------------- */

/* From MPI_PROC_NULL nothing comes, and from this process itself and from strangers no tickets. */
static bool may_be_ticket(const MPI_Status *status, MPI_Comm comm)
{
    if (status->MPI_SOURCE < 0 || !weft_mpi_may_be_ticket(status))
        return false;
    int sender = weft_mpi_peer(comm, status->MPI_SOURCE);
    return sender >= 0 && sender != weft_mpi.rank;
}

static struct peeked *new_peeked(MPI_Comm comm)
{
    struct peeked *peeked = malloc(sizeof *peeked);
    if (peeked) {
        weft_list_init(&peeked->link);
        peeked->comm = comm;
    }
    return peeked;
}

/* The message itself, of which there is a handle. */
static int receive_peeked(struct peeked *peeked, MPI_Message *message)
{
    int result =
        mpi.Mrecv(&peeked->sent, (int)weft_mpi.ticket_size, MPI_BYTE, message, &peeked->status);
    if (result == MPI_SUCCESS && is_synchronous(peeked))
        hold(&peeked->sent.ticket);
    return result;
}

/* Takes it out of MPI; *out is NULL if another thread was faster. */
static int take_out(const MPI_Status *status, MPI_Comm comm, struct peeked **out)
{
    MPI_Message message;
    int flag = 0;
    struct peeked *peeked = new_peeked(comm);
    *out = NULL;
    if (!peeked)
        return weft_mpi_raise_no_memory(comm);
    int result =
        mpi.Improbe(status->MPI_SOURCE, status->MPI_TAG, comm, &flag, &message, &peeked->status);
    if (result == MPI_SUCCESS && flag)
        result = receive_peeked(peeked, &message);
    if (result == MPI_SUCCESS && flag)
        *out = peeked;
    else
        free(peeked);
    return result;
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

/* MPI has found a message; `own` says which. *flag is cleared if it is not to be had any more. */
static int look_at(const MPI_Status *own, MPI_Comm comm, int *flag, MPI_Status *status)
{
    struct peeked *peeked;
    if (!may_be_ticket(own, comm)) {
        weft_mpi_status_copy(status, own);
        return MPI_SUCCESS;
    }
    MPI_Status known = *own;
    weft_mpi_lock(&weft_mpi_posting);
    int result = take_out(own, comm, &peeked);
    *flag = peeked != NULL;
    if (peeked) {
        known = true_status(peeked);
        keep(peeked);
    }
    weft_mpi_unlock(&weft_mpi_posting);
    if (*flag)
        weft_mpi_status_copy(status, &known);
    return result;
}

static int iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    MPI_Status own;
    *flag = probe_kept(source, tag, comm, status);
    if (*flag)
        return MPI_SUCCESS;
    weft_mpi_progress();
    int result = mpi.Iprobe(source, tag, comm, flag, &own);
    return result == MPI_SUCCESS && *flag ? look_at(&own, comm, flag, status) : result;
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

/* Without memory or an answer of MPI the message stays among those that were peeked at. */
static int send_again(struct peeked *peeked, MPI_Message *message)
{
    struct reentry *reentry = malloc(sizeof *reentry);
    int tag = weft_mpi_fresh_tag(), result = MPI_ERR_NO_MEM;
    if (reentry) {
        reentry->peeked = peeked;
        result = mpi.Isend(&peeked->sent, (int)weft_mpi.ticket_size, MPI_BYTE, 0, tag,
                           weft_mpi.self, &reentry->sent);
    }
    if (result == MPI_SUCCESS)
        result = mpi.Mprobe(0, tag, weft_mpi.self, &reentry->handle, MPI_STATUS_IGNORE);
    if (result != MPI_SUCCESS) {
        free(reentry);
        keep(peeked);
        return result;
    }
    *message = reentry->handle;
    weft_mpi_lock(&weft_mpi.lock);
    weft_list_append(&reentries, &reentry->link);
    weft_mpi_unlock(&weft_mpi.lock);
    return MPI_SUCCESS;
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
    union weft_mpi_envelope ignored;
    struct peeked *peeked = found->peeked;
    mpi.Mrecv(&ignored, sizeof ignored, MPI_BYTE, message, MPI_STATUS_IGNORE);
    mpi.Wait(&found->sent, MPI_STATUS_IGNORE);
    free(found);
    return peeked;
}

/* The memory comes first: a message that MPI has handed out cannot be given back to it. */
static int improbe_by_mpi(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                          MPI_Status *status, struct peeked **out)
{
    MPI_Status own;
    struct peeked *peeked = new_peeked(comm);
    *out = NULL;
    *flag = 0;
    if (!peeked)
        return weft_mpi_raise_no_memory(comm);
    int result = mpi.Improbe(source, tag, comm, flag, message, &own);
    if (result == MPI_SUCCESS && *flag && may_be_ticket(&own, comm))
        result = receive_peeked(peeked, message);
    else {
        free(peeked);
        peeked = NULL;
        if (result == MPI_SUCCESS && *flag)
            weft_mpi_status_copy(status, &own);
    }
    *out = peeked;
    return result;
}

static int improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                   MPI_Status *status)
{
    struct peeked *peeked = take(source, tag, comm);
    if (!peeked) {
        weft_mpi_progress();
        int result = improbe_by_mpi(source, tag, comm, flag, message, status, &peeked);
        if (!peeked)
            return result;
    }
    *flag = 1;
    MPI_Status own = true_status(peeked);
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

/* The last argument is a status, or a request if the call only begins to receive. */
#define DEFINE_MRECV(name, number, answer, by_us)                                                 \
    int MPI_##name(void *buf, number count, MPI_Datatype type, MPI_Message *message, answer *end) \
    {                                                                                             \
        struct peeked *peeked = weft_mpi.net && WEFT_MPI_IS_OURS ? come_back(message) : NULL;     \
        if (!peeked)                                                                              \
            return mpi.name(buf, count, type, message, end);                                      \
        const struct weft_mpi_args args = {                                                       \
            .buffer = buf, .count = count, .type = type, .comm = peeked->comm};                   \
        return by_us(peeked, &args, end);                                                         \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

WEFT_MPI_BOTH_COUNTS(DEFINE_MRECV, Mrecv, MPI_Status, receive_kept);
WEFT_MPI_BOTH_COUNTS(DEFINE_MRECV, Imrecv, MPI_Request, ireceive_kept);
