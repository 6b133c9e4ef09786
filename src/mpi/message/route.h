/* SPDX-License-Identifier: BSD-3-Clause */
/* Which way a message goes. */
#ifndef WEFT_MPI_MESSAGE_ROUTE_H
#define WEFT_MPI_MESSAGE_ROUTE_H

#include "mpi/layout/type.h"
#include "mpi/report/counter.h"

/* What a call names by buffer, count and datatype. */
struct weft_mpi_data {
    void *buffer;
    size_t count, bytes;
    struct weft_mpi_type *type; /* held; NULL: contiguous bytes */
    bool is_device;             /* only MPI may touch it */
};

enum weft_mpi_mode {
    WEFT_MPI_STANDARD,
    WEFT_MPI_READY,
    WEFT_MPI_BUFFERED,
    WEFT_MPI_SYNCHRONOUS,
};

/* The arguments of a call. */
struct weft_mpi_args {
    bool is_send;
    bool is_blocking; /* the call that receives */
    enum weft_mpi_mode mode;
    void *buffer;
    int64_t count;
    MPI_Datatype type;
    int peer, tag;
    MPI_Comm comm;
    bool is_judged; /* the caller has found out that it should go by ticket */
    bool is_made;   /* the request of a receive is one of MPI's that has only to be started */
};

enum weft_mpi_route {
    WEFT_MPI_NATIVE,
    WEFT_MPI_AS_BYTES, /* natively, but data in one piece as the bytes that they are */
    WEFT_MPI_BY_BUFFER,
    WEFT_MPI_BY_TICKET,
    WEFT_MPI_TOGETHER, /* by a ticket, too, for data that the receiver copies where it lies */
};

/* Whether it is too short, and its type too new, to be looked at. To ask counts as a use. */
bool weft_mpi_route_is_brief(const void *buffer, int64_t count, MPI_Datatype type);
/* Whether there is a choice of ways to send; then `data` is filled in and must be closed. */
bool weft_mpi_route_is_open(const void *buffer, int64_t count, MPI_Datatype type, int peer,
                            struct weft_mpi_data *data);
/* How to send. Unless it is natively, `data` is filled in and must be closed. */
enum weft_mpi_route weft_mpi_route_send(const struct weft_mpi_args *args, bool is_blocking,
                                        struct weft_mpi_data *data);

/* Whether bytes that lie together, and are not too few, lie in the shared heap. */
bool weft_mpi_route_is_shared(const void *buffer, size_t bytes);

/* Whether WEFT_WAY leaves everything to MPI; whether it leaves nothing; and whether all that it
 * does not leave is packed. */
bool weft_mpi_route_is_forced_to_mpi(void);
bool weft_mpi_route_is_forced_to_us(void);
bool weft_mpi_route_is_forced_to_pack(void);
/* Whether it forces no way. */
bool weft_mpi_route_is_free(void);
/* The way of the next message of these data: what WEFT_WAY says, or what was found out. Then
 * `awaited` is set as weft_mpi_choose does. */
enum weft_mpi_way weft_mpi_data_choose(const struct weft_mpi_data *data,
                                       const struct weft_mpi_args *args, bool is_blocking,
                                       struct weft_mpi_choice **awaited);

/* Whether the next call that is no message goes our way: its data are handed over packed, or
 * copied. */
bool weft_mpi_data_is_staged(const struct weft_mpi_data *data, enum weft_mpi_staged call,
                             struct weft_mpi_pattern pattern);

/* Elements of one of MPI's own types, together surely not longer than so many bytes. */
static inline bool weft_mpi_is_within(int64_t count, MPI_Datatype type, size_t bytes)
{
    enum { WEFT_MPI_LONGEST_BASIC = 32 };
    return count <= (int64_t)(bytes / WEFT_MPI_LONGEST_BASIC) && weft_mpi_type_is_basic(type);
}

/* For a quick look before: there is no room for a ticket, and the type is one of MPI's own. */
static inline bool weft_mpi_is_short(int64_t count, MPI_Datatype type)
{
    return weft_mpi_is_within(count, type, weft_mpi.ticket_size - 1);
}

/* For a quick look before a send: there is nothing that we could do better. */
static inline bool weft_mpi_route_is_of_mpi(int64_t count, MPI_Datatype type)
{
    return weft_mpi_is_within(count, type, weft_mpi.least_piece - 1);
}

/* Of a type that the caller has, and drops. `bytes` is SIZE_MAX if there are more. */
struct weft_mpi_data weft_mpi_data_of(const void *buffer, int64_t count,
                                      struct weft_mpi_type *type);
/* On WEFT_MPI_FOUND it must be closed. */
enum weft_mpi_finding weft_mpi_data_open(const void *buffer, int64_t count, MPI_Datatype handle,
                                         struct weft_mpi_data *data);
void weft_mpi_data_close(struct weft_mpi_data *data);
/* Forgets the type of data in one piece: what is left are bytes, at their place. Some MPI
 * libraries send those twice as fast as the same bytes by a type of the program's. */
void weft_mpi_data_see_as_bytes(struct weft_mpi_data *data);
/* Both return a class of MPI's errors. */
int weft_mpi_data_pack(const struct weft_mpi_data *data, void *packed);
int weft_mpi_data_unpack(const struct weft_mpi_data *data, const void *packed, size_t bytes);
/* A tag for a message of this process to itself, which no other on its way has. */
int weft_mpi_fresh_tag(void);
/* MPI places packed bytes as it would those of a message, one from this process to itself. A class
 * of its errors. */
int weft_mpi_place(const void *packed, size_t bytes, void *buffer, size_t count,
                   MPI_Datatype handle);
/* The other way: MPI packs. */
int weft_mpi_fetch(const void *buffer, size_t count, MPI_Datatype handle, void *packed,
                   size_t bytes);
/* Somebody has waited since then for a message. Contiguous ones are not counted. */
void weft_mpi_data_count_waited(const struct weft_mpi_data *data, uint64_t since);
/* And so many bytes have come by ticket. */
void weft_mpi_data_count_pulled(const struct weft_mpi_data *data, size_t bytes, uint64_t since);
/* As arguments of weft_offer and weft_take. */
const weft_type *weft_mpi_data_type(const struct weft_mpi_data *data);
size_t weft_mpi_data_count(const struct weft_mpi_data *data);

#endif
