/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's datatypes as ours, found by their handles. */
#ifndef WEFT_MPI_LAYOUT_TYPE_H
#define WEFT_MPI_LAYOUT_TYPE_H

#include "mpi/state.h"

struct weft_mpi_form;

struct weft_mpi_type {
    MPI_Datatype handle;
    weft_type *type;              /* NULL: new, or of a kind that only MPI knows */
    struct weft_mpi_type *origin; /* whose it is, see recipe.h; NULL: its own */
    atomic_bool is_new;           /* not understood yet, see weft_mpi_type_find */
    unsigned uses;                /* while it is new */
    bool is_copy;                 /* the handle is ours */
    size_t size;                  /* of one element */
    ptrdiff_t first;              /* its lowest byte, from the buffer */
    bool is_contiguous;         /* any number of elements is one piece, which begins at `first` */
    bool is_block;              /* one element is */
    bool is_receivable;         /* no byte of it lies at two places of the stream */
    bool holds_ticket;          /* MPI would receive a ticket by it */
    size_t element;             /* the size of its basic elements; 0: they differ */
    MPI_Datatype basic;         /* all its elements are of this one; or MPI_DATATYPE_NULL */
    struct weft_mpi_form *form; /* what is counted of messages of this type */
    atomic_uint users;          /* the program, and every message under way */
    struct weft_mpi_type *next;
};

static inline bool weft_mpi_type_is_one_piece(const struct weft_mpi_type *type, int64_t count)
{
    return type->is_contiguous || (type->is_block && count == 1);
}

#ifdef OPEN_MPI

/* Types of MPI itself are objects in the memory of the library, or in that of the program, to
 * which the linker has moved those that it names; types that the program makes are elsewhere. */
extern struct weft_mpi_object {
    uintptr_t begin, end;
} weft_mpi_library_object, weft_mpi_program_object;

static inline bool weft_mpi_object_has(const struct weft_mpi_object *object, MPI_Datatype handle)
{
    return (uintptr_t)handle - object->begin < object->end - object->begin;
}

#endif

/* Cheap, without a look-up: a type of MPI itself. True is certain, false is not. */
static inline bool weft_mpi_type_is_basic(MPI_Datatype handle)
{
#if defined(OPEN_MPI)
    return weft_mpi_object_has(&weft_mpi_program_object, handle) ||
           weft_mpi_object_has(&weft_mpi_library_object, handle);
#elif defined(WEFT_MPI_STANDARD_ABI)
    return (uintptr_t)handle < WEFT_MPI_ABI_HANDLES;
#else
    /* The upper two bits of a handle say where its object is: 1 is "built in". */
    return (unsigned)handle >> 30 == 1;
#endif
}

/* Whether it has no bytes. Does not count as a use of a new type. */
bool weft_mpi_type_is_empty(MPI_Datatype handle);

enum weft_mpi_finding {
    WEFT_MPI_FOUND,
    WEFT_MPI_INVALID, /* MPI would not take it either */
    WEFT_MPI_UNFOUND, /* there is no memory for it */
};

/* Of all that is known of types, where threads call MPI. */
void weft_mpi_type_lock(void);
void weft_mpi_type_unlock(void);

/* A number that changes whenever the program frees a type. */
extern atomic_uint weft_mpi_types_freed;
static inline unsigned weft_mpi_type_generation(void)
{
    return atomic_load_explicit(&weft_mpi_types_freed, memory_order_acquire);
}

/* The type of a handle, to be dropped again. To understand long lists takes longer than to send
 * them a few times, and many are made for one message. So a type that has some is new at first,
 * and MPI moves its data. */
enum weft_mpi_finding weft_mpi_type_find(MPI_Datatype handle, struct weft_mpi_type **type);
/* What a new type will be is written by another thread, perhaps: it may be looked at when it is
 * not new any more. */
static inline bool weft_mpi_type_is_known(const struct weft_mpi_type *type)
{
    return !atomic_load_explicit(&type->is_new, memory_order_acquire) && type->type;
}

/* A type of our own for the same data, which outlives the program's; false without memory. To be
 * freed by MPI_Type_free. */
bool weft_mpi_type_copy(MPI_Datatype handle, MPI_Datatype *copy);

/* Understands a new type now; false if MPI must deal with it. */
bool weft_mpi_type_understand(struct weft_mpi_type *type);

/* Whether MPI looks where a message ends that it receives by this type. MPICH does, unless data of
 * the type lie together: who has sent half a basic element has sent one of another type. */
static inline bool weft_mpi_type_is_measured(const struct weft_mpi_type *type)
{
    return !weft_mpi_is_open_mpi && !type->is_contiguous;
}

/* How many of the first bytes of a message are basic elements as a whole: all, unless that is
 * measured. The others MPICH would not deliver, and say MPI_ERR_TRUNCATE. */
size_t weft_mpi_type_whole(struct weft_mpi_type *type, size_t bytes);
/* One user more, who drops it. */
struct weft_mpi_type *weft_mpi_type_hold(struct weft_mpi_type *type);
void weft_mpi_type_drop(struct weft_mpi_type *type);

/* contents.c: our description of a committed type; NULL if there is none. */
weft_type *weft_mpi_type_convert(MPI_Datatype handle);
/* The size of its basic elements; 0 if they differ, or if there are none. */
size_t weft_mpi_type_element(MPI_Datatype handle);
/* How many of the first bytes of a message of this type are such elements as a whole; all, if MPI
 * does not tell. A type of MPI's own is one, and MPICH takes a pair for one, too. */
size_t weft_mpi_type_whole_of(MPI_Datatype handle, size_t bytes);
/* The type of MPI itself that all of them are; MPI_DATATYPE_NULL if they differ, or have gaps. */
MPI_Datatype weft_mpi_type_basic(MPI_Datatype handle);
/* Whether one of its lists has more entries than WEFT_LONG_LIST. */
bool weft_mpi_type_has_long_list(MPI_Datatype handle);

/* When MPI is there, and before it goes. */
void weft_mpi_type_begin(void);
void weft_mpi_type_end(void);

#endif
