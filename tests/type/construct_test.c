/* SPDX-License-Identifier: BSD-3-Clause */
/* The constructors' checks of their arguments, and their bounds. */
#include <string.h>
#include <sys/resource.h>

#include "support/notation.h"
#include "support/tap.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static weft_type *unset(void)
{
    static int mark;
    return (weft_type *)&mark;
}

/* The call must fail in that way and leave its output alone. */
#define check_refused(expected, call)                                                             \
    do {                                                                                          \
        weft_type *out = unset();                                                                 \
        check_int(call, expected);                                                                \
        check(out == unset());                                                                    \
    } while (0)

static void null_arguments(void)
{
    const weft_type *old = weft_basic(WEFT_INT), *members[] = {old, NULL};
    size_t lengths[] = {1, 1};
    ptrdiff_t places[] = {0, 8};
    check_refused(WEFT_ERR_ARGUMENT, weft_type_contiguous(2, NULL, &out));
    check_refused(WEFT_ERR_ARGUMENT, weft_type_vector(2, 1, 2, NULL, &out));
    check_refused(WEFT_ERR_ARGUMENT, weft_type_hvector(2, 1, 2, NULL, &out));
    check_refused(WEFT_ERR_ARGUMENT, weft_type_indexed(2, lengths, places, NULL, &out));
    check_refused(WEFT_ERR_ARGUMENT, weft_type_indexed(2, NULL, places, old, &out));
    check_refused(WEFT_ERR_ARGUMENT, weft_type_indexed(2, lengths, NULL, old, &out));
    check_refused(WEFT_ERR_ARGUMENT, weft_type_hindexed(2, lengths, NULL, old, &out));
    check_refused(WEFT_ERR_ARGUMENT, weft_type_indexed_block(2, 1, NULL, old, &out));
    check_refused(WEFT_ERR_ARGUMENT, weft_type_hindexed_block(2, 1, NULL, old, &out));
    check_refused(WEFT_ERR_ARGUMENT, weft_type_hindexed_block(2, 1, places, NULL, &out));
    check_refused(WEFT_ERR_ARGUMENT, weft_type_struct(2, lengths, places, members, &out));
    check_refused(WEFT_ERR_ARGUMENT, weft_type_struct(2, lengths, places, NULL, &out));
    check_refused(WEFT_ERR_ARGUMENT, weft_type_resized(NULL, 0, 1, &out));
    check_refused(WEFT_ERR_ARGUMENT, weft_type_dup(NULL, &out));
}

static void subarray_arguments(void)
{
    const weft_type *old = weft_basic(WEFT_INT);
    size_t sizes[] = {4, 5}, subsizes[] = {2, 3}, starts[] = {2, 2};
    size_t large[] = {5, 3}, late[] = {3, 2};
    check_refused(WEFT_ERR_ARGUMENT, weft_type_subarray(0, sizes, subsizes, starts,
                                                        WEFT_ORDER_C, old, &out));
    check_refused(WEFT_ERR_ARGUMENT,
                  weft_type_subarray(2, sizes, large, starts, WEFT_ORDER_C, old, &out));
    check_refused(WEFT_ERR_ARGUMENT,
                  weft_type_subarray(2, sizes, subsizes, late, WEFT_ORDER_C, old, &out));
    check_refused(WEFT_ERR_ARGUMENT,
                  weft_type_subarray(2, sizes, subsizes, starts, (enum weft_order)7, old, &out));
    check_refused(WEFT_ERR_ARGUMENT,
                  weft_type_subarray(2, NULL, subsizes, starts, WEFT_ORDER_C, old, &out));
}

/* One call of darray, with two dimensions of 6 elements over 2 x 3 processes. */
static int darray(size_t nprocs, size_t rank, enum weft_distribution first, size_t block,
                  weft_type **out)
{
    size_t gsizes[] = {6, 6}, blocks[] = {block, WEFT_DISTRIBUTE_DEFAULT}, psizes[] = {2, 3};
    enum weft_distribution kinds[] = {first, WEFT_DISTRIBUTE_CYCLIC};
    return weft_type_darray(nprocs, rank, 2, gsizes, kinds, blocks, psizes, WEFT_ORDER_C,
                            weft_basic(WEFT_INT), out);
}

static void darray_arguments(void)
{
    weft_type *type;
    check_int(darray(6, 5, WEFT_DISTRIBUTE_BLOCK, 0, &type), WEFT_OK);
    check_uint(weft_type_size(type), 3 * 2 * sizeof(int));
    weft_type_free(type);
    check_refused(WEFT_ERR_ARGUMENT, darray(6, 6, WEFT_DISTRIBUTE_BLOCK, 0, &out));
    check_refused(WEFT_ERR_ARGUMENT, darray(5, 0, WEFT_DISTRIBUTE_BLOCK, 0, &out));
    /* Blocks of 2 over 2 processes do not hold 6; not distributed means one process. */
    check_refused(WEFT_ERR_ARGUMENT, darray(6, 0, WEFT_DISTRIBUTE_BLOCK, 2, &out));
    check_refused(WEFT_ERR_ARGUMENT, darray(6, 0, WEFT_DISTRIBUTE_NONE, 0, &out));
    check_refused(WEFT_ERR_ARGUMENT, darray(6, 0, (enum weft_distribution)9, 0, &out));
}

static void overflows(void)
{
    const weft_type *old = weft_basic(WEFT_DOUBLE), *members[] = {old, old};
    size_t lengths[] = {1, (size_t)1 << 62}, sizes[] = {(size_t)1 << 40, (size_t)1 << 40};
    size_t one[] = {1, 1}, zero[] = {0, 0};
    ptrdiff_t places[] = {0, PTRDIFF_MAX}, far[] = {PTRDIFF_MIN, PTRDIFF_MAX - 8};
    check_refused(WEFT_ERR_OVERFLOW, weft_type_contiguous(SIZE_MAX, old, &out));
    check_refused(WEFT_ERR_OVERFLOW, weft_type_vector(2, SIZE_MAX / 4, 1, old, &out));
    check_refused(WEFT_ERR_OVERFLOW, weft_type_vector(2, 1, PTRDIFF_MAX / 4, old, &out));
    check_refused(WEFT_ERR_OVERFLOW, weft_type_hvector(3, 1, PTRDIFF_MAX - 8, old, &out));
    check_refused(WEFT_ERR_OVERFLOW, weft_type_indexed(2, lengths, places, old, &out));
    check_refused(WEFT_ERR_OVERFLOW, weft_type_hindexed_block(2, 1, places, old, &out));
    check_refused(WEFT_ERR_OVERFLOW, weft_type_hindexed_block(2, 1, far, old, &out));
    check_refused(WEFT_ERR_OVERFLOW, weft_type_struct(2, lengths, places, members, &out));
    check_refused(WEFT_ERR_OVERFLOW,
                  weft_type_subarray(2, sizes, one, zero, WEFT_ORDER_C, old, &out));
    check_refused(WEFT_ERR_OVERFLOW, weft_type_resized(old, PTRDIFF_MAX - 1, 2, &out));
    check_refused(WEFT_ERR_OVERFLOW, weft_type_resized(old, PTRDIFF_MIN, -1, &out));
}

/* Nothing is cut at 2 or 4 GiB. */
static void large_types(void)
{
    weft_type *type;
    check_int(weft_type_contiguous((size_t)1 << 40, weft_basic(WEFT_DOUBLE), &type), WEFT_OK);
    check_uint(weft_type_size(type), (size_t)1 << 43);
    weft_type_free(type);
    check_int(weft_type_vector(3, 1, (ptrdiff_t)1 << 33, weft_basic(WEFT_INT), &type), WEFT_OK);
    check_int(weft_type_extent(type), ((ptrdiff_t)2 << 35) + 4);
    weft_type_free(type);
}

static void check_bounds(const char *text, ptrdiff_t lb, ptrdiff_t extent, ptrdiff_t true_lb,
                         ptrdiff_t true_extent)
{
    struct weft_type_info info = info_from(text);
    tap_note("%s", text);
    check_int(info.lb, lb);
    check_int(info.extent, extent);
    check_int(info.true_lb, true_lb);
    check_int(info.true_extent, true_extent);
}

static void bounds(void)
{
    check_bounds("vector(3, 1, -2, int)", -16, 20, -16, 20);
    check_bounds("hvector(2, 2, 0, int)", 0, 8, 0, 8);
    check_bounds("indexed([1, 0, 2], [3, 100, 6], int)", 12, 20, 12, 20);
    check_bounds("struct(1 int @ 8, 1 byte @ 20)", 8, 13, 8, 13);
    check_bounds("resized(-4, 40, struct(1 int @ 8, 1 byte @ 20))", -4, 40, 8, 13);
    check_bounds("contiguous(2, resized(-4, 40, int))", -4, 80, 0, 44);
    check_bounds("contiguous(2, resized(0, -8, int))", -8, 0, -8, 12);
    check_bounds("subarray([4, 5], [2, 2], [1, 3], C, int)", 0, 80, 32, 28);
    check_bounds("subarray([4, 5], [2, 2], [1, 3], F, int)", 0, 80, 52, 24);
    check_bounds("subarray([4], [1], [2], C, resized(-4, 40, int))", 0, 160, 80, 4);
    check_bounds("darray(2, 1, [5], [block], [2], C, int)", 0, 20, 12, 8);
    check_bounds("contiguous(0, int)", 0, 0, 0, 0);
    check_bounds("dup(resized(2, 6, byte))", 2, 6, 0, 1);
}

/* An old caller's smaller structure is filled as far as it goes. */
static void query_by_size(void)
{
    struct weft_type_info info = {.size = 1, .lb = 77};
    check_int(weft_type_query(weft_basic(WEFT_DOUBLE), &info, sizeof(info.size)), WEFT_OK);
    check_uint(info.size, sizeof(double));
    check_int(info.lb, 77);
}

/* No part of the form: equal types may differ in it, and a duplicate does not. */
static void priorities(void)
{
    weft_type *type, *other, *copy;
    check_int(weft_type_vector(4, 1, 2, weft_basic(WEFT_DOUBLE), &type), WEFT_OK);
    check_int(weft_type_vector(4, 1, 2, weft_basic(WEFT_DOUBLE), &other), WEFT_OK);
    check_uint(type_info(type).priority, 0);
    check_int(weft_type_set_priority(type, 7), WEFT_OK);
    check_int(weft_type_dup(type, &copy), WEFT_OK);
    check_uint(type_info(type).priority, 7);
    check_uint(type_info(copy).priority, 7);
    check_uint(type_info(other).priority, 0);
    check(weft_type_equal(type, other));
    check_int(weft_type_set_priority(NULL, 1), WEFT_ERR_ARGUMENT);
    check_int(weft_type_set_priority(weft_basic(WEFT_DOUBLE), 1), WEFT_ERR_ARGUMENT);
    weft_type_free(type);
    weft_type_free(other);
    weft_type_free(copy);
}

static void basics(void)
{
    static const size_t sizes[] = {
#define BASIC_SIZE(name, ctype, text) sizeof(ctype),
        WEFT_BASIC_MAP(BASIC_SIZE)
#undef BASIC_SIZE
    };
    check_uint(COUNT_OF(sizes), WEFT_BASIC_COUNT);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        weft_type *type = weft_basic((enum weft_basic)i);
        check_uint(weft_type_size(type), sizes[i]);
        check(type_info(type).contiguous && type_info(type).committed);
        weft_type_free(type);
        check(weft_basic((enum weft_basic)i) == type);
    }
}

/* Each of the nodes of this serial form is a seq that names the one before twice and the one
 * before that once: written out, they would be 2^30. */
static size_t write_doubling(unsigned char *bytes)
{
    static const unsigned char head[] = {'W', 'E', 'F', 'T', 1, 0, 0, 0, 32,
                                         0,   8,   1,   2,   0, 48};
    memcpy(bytes, head, sizeof(head));
    size_t length = sizeof(head);
    for (unsigned char node = 2; node < 32; node++) {
        const unsigned char seq[] = {4, 3, 0, 2 * node, 2 * node, node - 1, node - 2, node - 1};
        memcpy(bytes + length, seq, sizeof(seq));
        length += sizeof(seq);
    }
    return length;
}

static void serial_bomb(void)
{
    unsigned char bytes[512];
    weft_type *type;
    struct rusage before, after;
    size_t length = write_doubling(bytes);
    getrusage(RUSAGE_SELF, &before);
    check_int(weft_type_deserialize(bytes, length, &type), WEFT_ERR_FORMAT);
    getrusage(RUSAGE_SELF, &after);
    check(after.ru_maxrss - before.ru_maxrss < 4096); /* KiB */
}

int main(void)
{
    null_arguments();
    subarray_arguments();
    darray_arguments();
    overflows();
    large_types();
    bounds();
    query_by_size();
    priorities();
    basics();
    serial_bomb();
    return tap_done();
}
