/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Weft: describe non-contiguous memory once, then move any byte range of it.
 *
 * A type says which bytes of memory belong to an element and in which order they travel: its
 * *packed stream*. Types are immutable, may be shared by threads, and every call that moves data
 * takes a byte range of the packed stream, keeps no state and allocates nothing. So ranges can be
 * processed in any order, by any thread, starting at any byte.
 *
 * Calls that can fail return WEFT_OK (0) or a negative code of WEFT_ERROR_MAP; outputs are set
 * only on success.
 */
#ifndef WEFT_H
#define WEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 2
#define WEFT_VERSION_PATCH 0

/* The version of the library that is loaded, for example "0.2.0". */
WEFT_API const char *weft_version(void);

/* ---- Errors ------------------------------------------------------------------------------- */

/* X(name, value, what happened and what to do about it) */
#define WEFT_ERROR_MAP(X)                                                                         \
    X(OK, 0, "success")                                                                           \
    X(ERR_ARGUMENT, -1, "an argument is not valid: check pointers, kinds and dimensions")         \
    X(ERR_MEMORY, -2, "out of memory")                                                            \
    X(ERR_OVERFLOW, -3, "a size or displacement does not fit in 63 bits: make the type smaller")  \
    X(ERR_DEPTH, -4, "the type nests deeper than WEFT_MAX_DEPTH levels: flatten it")              \
    X(ERR_NOT_COMMITTED, -5, "the type is not committed: call weft_type_commit first")            \
    X(ERR_RANGE, -6, "the byte range ends beyond the packed stream of count elements")            \
    X(ERR_SYNTAX, -7, "the text is not a type: see weft-types(7) for the notation")               \
    X(ERR_FORMAT, -8, "the bytes are not a serialised type, or were cut or damaged")              \
    X(ERR_VERSION, -9, "the serialised type was written by a newer version: update Weft")         \
    X(ERR_NETWORK, -10, "the network cannot be opened, or is open already; the log says why")     \
    X(ERR_PEER, -11, "the other process is dead or cannot be reached")                            \
    X(ERR_TRUNCATED, -12, "the message is longer than the memory for it: the rest is lost")       \
    X(ERR_REGION, -13,                                                                            \
      "the other process has no region of that key, or it ends before the range")                 \
    X(ERR_CANCELLED, -14, "the transfer was cancelled")                                           \
    X(ERR_TIMEOUT, -15, "the time is up; the transfer goes on")                                   \
    X(ERR_BUSY, -16,                                                                              \
      "too many transfers are under way (WEFT_REQUESTS), or it is too late to "                   \
      "cancel: wait for some to end")

enum weft_error {
#define WEFT_ERROR_ENUM(name, value, text) WEFT_##name = (value),
    WEFT_ERROR_MAP(WEFT_ERROR_ENUM)
#undef WEFT_ERROR_ENUM
};

/* "WEFT_ERR_RANGE" and a sentence for people. Neither ever returns NULL. */
WEFT_API const char *weft_error_name(int error);
WEFT_API const char *weft_error_text(int error);

/* ---- Describing memory -------------------------------------------------------------------- */

/* Levels of the normal form, after folding. */
#define WEFT_MAX_DEPTH 32

typedef struct weft_type weft_type;

/* X(enumerator, C type, name in the text notation) */
#define WEFT_BASIC_MAP(X)                                                                         \
    X(BYTE, unsigned char, "byte")                                                                \
    X(CHAR, char, "char")                                                                         \
    X(INT8, int8_t, "int8")                                                                       \
    X(INT16, int16_t, "int16")                                                                    \
    X(INT32, int32_t, "int32")                                                                    \
    X(INT64, int64_t, "int64")                                                                    \
    X(UINT8, uint8_t, "uint8")                                                                    \
    X(UINT16, uint16_t, "uint16")                                                                 \
    X(UINT32, uint32_t, "uint32")                                                                 \
    X(UINT64, uint64_t, "uint64")                                                                 \
    X(SHORT, short, "short")                                                                      \
    X(INT, int, "int")                                                                            \
    X(LONG, long, "long")                                                                         \
    X(FLOAT, float, "float")                                                                      \
    X(DOUBLE, double, "double")                                                                   \
    X(LONG_DOUBLE, long double, "longdouble")                                                     \
    X(COMPLEX, float[2], "complex")                                                               \
    X(DOUBLE_COMPLEX, double[2], "dcomplex")

enum weft_basic {
#define WEFT_BASIC_ENUM(name, ctype, text) WEFT_##name,
    WEFT_BASIC_MAP(WEFT_BASIC_ENUM)
#undef WEFT_BASIC_ENUM
        WEFT_BASIC_COUNT
};

/* A basic type. It is committed and lives as long as the process; freeing it does nothing.
 * NULL if kind is none of the above. */
WEFT_API weft_type *weft_basic(enum weft_basic kind);

/*
 * Constructors. They have the meaning of MPI's constructors of the same name, with sizes in
 * size_t and displacements in ptrdiff_t. `old` need not be committed and may be freed afterwards.
 * Unlike MPI, weft_type_struct adds no padding at the end: say weft_type_resized where the C
 * compiler would.
 */
WEFT_API int weft_type_contiguous(size_t count, const weft_type *old, weft_type **out);
WEFT_API int weft_type_vector(size_t count, size_t blocklength, ptrdiff_t stride,
                              const weft_type *old, weft_type **out);
WEFT_API int weft_type_hvector(size_t count, size_t blocklength, ptrdiff_t stride_bytes,
                               const weft_type *old, weft_type **out);
WEFT_API int weft_type_indexed(size_t count, const size_t blocklengths[],
                               const ptrdiff_t displacements[], const weft_type *old,
                               weft_type **out);
WEFT_API int weft_type_hindexed(size_t count, const size_t blocklengths[],
                                const ptrdiff_t displacements_bytes[], const weft_type *old,
                                weft_type **out);
WEFT_API int weft_type_indexed_block(size_t count, size_t blocklength,
                                     const ptrdiff_t displacements[], const weft_type *old,
                                     weft_type **out);
WEFT_API int weft_type_hindexed_block(size_t count, size_t blocklength,
                                      const ptrdiff_t displacements_bytes[], const weft_type *old,
                                      weft_type **out);
WEFT_API int weft_type_struct(size_t count, const size_t blocklengths[],
                              const ptrdiff_t displacements_bytes[],
                              const weft_type *const types[], weft_type **out);

enum weft_order { WEFT_ORDER_C, WEFT_ORDER_FORTRAN };

WEFT_API int weft_type_subarray(size_t ndims, const size_t sizes[], const size_t subsizes[],
                                const size_t starts[], enum weft_order order, const weft_type *old,
                                weft_type **out);

enum weft_distribution { WEFT_DISTRIBUTE_NONE, WEFT_DISTRIBUTE_BLOCK, WEFT_DISTRIBUTE_CYCLIC };

/* A block size of WEFT_DISTRIBUTE_DEFAULT is chosen as MPI chooses it. */
#define WEFT_DISTRIBUTE_DEFAULT 0

WEFT_API int weft_type_darray(size_t nprocs, size_t rank, size_t ndims, const size_t gsizes[],
                              const enum weft_distribution distributions[],
                              const size_t blocksizes[], const size_t psizes[],
                              enum weft_order order, const weft_type *old, weft_type **out);

/* The same bytes with another lower bound and extent. */
WEFT_API int weft_type_resized(const weft_type *old, ptrdiff_t lb, ptrdiff_t extent,
                               weft_type **out);
WEFT_API int weft_type_dup(const weft_type *old, weft_type **out);

/* Makes a type ready to move data. Idempotent; an equal type that was committed before, even if
 * it has been freed since, makes this a look-up. */
WEFT_API int weft_type_commit(weft_type *type);

/* Where HPU threads move messages (WEFT_HPUS) and the memory of the NIC is taken (WEFT_NIC_MEM),
 * layouts of lower priority leave it first; 0 unless set. A duplicate has that of its original,
 * and equal types may differ in it. WEFT_ERR_ARGUMENT: the type is NULL or a basic one. */
WEFT_API int weft_type_set_priority(weft_type *type, unsigned priority);

/* NULL is allowed. */
WEFT_API void weft_type_free(weft_type *type);

/* ---- Asking ------------------------------------------------------------------------------- */

struct weft_type_info {
    size_t size;  /* bytes of the packed stream of one element */
    ptrdiff_t lb; /* lower bound and extent: where the next element begins */
    ptrdiff_t extent;
    ptrdiff_t true_lb; /* the bytes really touched */
    ptrdiff_t true_extent;
    size_t pieces;  /* contiguous pieces of memory, as the normal form has them */
    size_t memory;  /* bytes that the normal form occupies */
    unsigned depth; /* levels of the normal form */
    bool committed;
    bool contiguous;    /* any count of elements is one piece of memory */
    bool may_overlap;   /* two packed bytes may have one address: legal to pack only.
                           Known once the type is committed. */
    uint64_t hash;      /* structural: equal for equal normal forms and bounds */
    const char *kernel; /* what copies the innermost level, for example "strided 64 B" */
    unsigned priority;  /* as weft_type_set_priority has set it */
};

/* Fills the first info_size bytes of *info: pass sizeof(*info). */
WEFT_API int weft_type_query(const weft_type *type, struct weft_type_info *info, size_t info_size);

/* Shorthand for the two most wanted. */
WEFT_API size_t weft_type_size(const weft_type *type);
WEFT_API ptrdiff_t weft_type_extent(const weft_type *type);

/* Whether two types have the same packed stream and the same bounds, however they were built.
 * Takes the same time for all types. */
WEFT_API bool weft_type_equal(const weft_type *a, const weft_type *b);

/*
 * Text. The three printers write at most `size` bytes including the final NUL, and return the
 * length of the whole text as snprintf does, or a negative error.
 */

/* The normal form for people, one level a line. */
WEFT_API ptrdiff_t weft_type_describe(const weft_type *type, char *text, size_t size);

/* The normal form in the notation that weft_type_parse reads. Parsing it gives an equal type. */
WEFT_API ptrdiff_t weft_type_print(const weft_type *type, char *text, size_t size);

/* What is wrong with a text, and at which byte of it. */
struct weft_syntax_error {
    size_t at;
    char message[120];
};

/* Reads a type such as "vector(64, 3, 100, double)"; weft-types(7) has the notation. The result
 * is not committed. `error` may be NULL. */
WEFT_API int weft_type_parse(const char *text, weft_type **out, struct weft_syntax_error *error);

/* Portable bytes for a peer. Returns the length needed, writing only if `size` suffices. */
WEFT_API ptrdiff_t weft_type_serialize(const weft_type *type, void *bytes, size_t size);
WEFT_API int weft_type_deserialize(const void *bytes, size_t size, weft_type **out);

/* ---- Moving data -------------------------------------------------------------------------- */

/*
 * All of these work on bytes [offset, offset + length) of the packed stream of `count` elements
 * that lie `extent` apart, the first at `base`. The range may start and end anywhere.
 */
WEFT_API int weft_pack(const weft_type *type, size_t count, const void *base, size_t offset,
                       void *packed, size_t length);
WEFT_API int weft_unpack(const weft_type *type, size_t count, void *base, size_t offset,
                         const void *packed, size_t length);

/* From one layout straight into another: the two packed streams are the same bytes. Source and
 * destination memory must not overlap. */
WEFT_API int weft_copy(const weft_type *to_type, size_t to_count, void *to_base,
                       const weft_type *from_type, size_t from_count, const void *from_base,
                       size_t offset, size_t length);

/* Lists the contiguous pieces of the range, at most `max` of them. *used pieces hold *bytes
 * bytes; call again at offset + *bytes for more. */
WEFT_API int weft_iov(const weft_type *type, size_t count, const void *base, size_t offset,
                      size_t length, struct iovec *iov, size_t max, size_t *used, size_t *bytes);

struct weft_place {
    ptrdiff_t displacement; /* of the packed byte, from the address of element 0 */
    size_t contiguous;      /* bytes from there on that lie together, at least 1 */
    unsigned steps;         /* levels entered plus comparisons made while searching */
};

/* Where is packed byte `offset`? */
WEFT_API int weft_locate(const weft_type *type, size_t count, size_t offset,
                         struct weft_place *place);

#ifdef __cplusplus
}
#endif

#endif
