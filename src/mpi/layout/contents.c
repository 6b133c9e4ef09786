/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks MPI how a type was made, and makes it again. */
#include "mpi/layout/contents.h"

#include <stdlib.h>
#include <string.h>

#include "base/setting.h"
#include "mpi/layout/type.h"

/* Types within types that are looked at for long lists. */
#define LOOK_DEPTH 8

/* ---- What MPI says ------------------------------------------------------------------------- */

int64_t weft_mpi_contents_integer(struct weft_mpi_contents *contents)
{
    return contents->integer[contents->next_integer++];
}

int64_t weft_mpi_contents_count(struct weft_mpi_contents *contents)
{
    return contents->is_large ? contents->large[contents->next_large++]
                              : weft_mpi_contents_integer(contents);
}

int64_t weft_mpi_contents_bytes(struct weft_mpi_contents *contents)
{
    return contents->is_large ? contents->large[contents->next_large++]
                              : contents->address[contents->next_address++];
}

static int ask_envelope(MPI_Datatype handle, struct weft_mpi_contents *contents)
{
    if (WEFT_MPI_HAS(Type_get_envelope_c))
        return mpi.Type_get_envelope_c(handle, &contents->integers, &contents->addresses,
                                       &contents->larges, &contents->types, &contents->combiner);
    int integers, addresses, types;
    int result = mpi.Type_get_envelope(handle, &integers, &addresses, &types, &contents->combiner);
    contents->integers = integers;
    contents->addresses = addresses;
    contents->types = types;
    return result;
}

static int ask_contents(MPI_Datatype handle, struct weft_mpi_contents *contents)
{
    if (WEFT_MPI_HAS(Type_get_contents_c))
        return mpi.Type_get_contents_c(handle, contents->integers, contents->addresses,
                                       contents->larges, contents->types, contents->integer,
                                       contents->address, contents->large, contents->type);
    return mpi.Type_get_contents(handle, (int)contents->integers, (int)contents->addresses,
                                 (int)contents->types, contents->integer, contents->address,
                                 contents->type);
}

static void *array(MPI_Count count, size_t size)
{
    return malloc(count > 0 ? (size_t)count * size : 1);
}

static void *array_or_few(MPI_Count count, size_t size, void *few)
{
    return count <= WEFT_MPI_FEW_ARGUMENTS ? few : array(count, size);
}

static void free_array(void *array, const void *few)
{
    if (array != few)
        free(array);
}

bool weft_mpi_contents_is_named(const struct weft_mpi_contents *contents)
{
    int combiner = contents->combiner;
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

/* The handles that MPI gives out are ours to free, unless they are its own types. */
static void free_member(MPI_Datatype handle)
{
    struct weft_mpi_contents contents;
    if (!weft_mpi_type_is_basic(handle) && ask_envelope(handle, &contents) == MPI_SUCCESS &&
        !weft_mpi_contents_is_named(&contents))
        mpi.Type_free(&handle);
}

void weft_mpi_contents_close(struct weft_mpi_contents *contents)
{
    for (MPI_Count i = 0; contents->type && i < contents->types; i++)
        free_member(contents->type[i]);
    free_array(contents->integer, contents->few.integer);
    free_array(contents->address, contents->few.address);
    free_array(contents->large, contents->few.large);
    free_array(contents->type, contents->few.type);
}

static bool read_contents(MPI_Datatype handle, struct weft_mpi_contents *contents)
{
    contents->is_large = contents->larges > 0;
    contents->integer =
        array_or_few(contents->integers, sizeof *contents->integer, contents->few.integer);
    contents->address =
        array_or_few(contents->addresses, sizeof *contents->address, contents->few.address);
    contents->large = array_or_few(contents->larges, sizeof *contents->large, contents->few.large);
    contents->type = array_or_few(contents->types, sizeof *contents->type, contents->few.type);
    if (contents->integer && contents->address && contents->large && contents->type &&
        ask_contents(handle, contents) == MPI_SUCCESS)
        return weft_mpi_contents_settle(contents);
    free_array(contents->type, contents->few.type);
    contents->type = NULL;
    return false;
}

bool weft_mpi_contents_open(MPI_Datatype handle, struct weft_mpi_contents *contents)
{
    *contents = (struct weft_mpi_contents){0};
    return ask_envelope(handle, contents) == MPI_SUCCESS &&
           (weft_mpi_contents_is_named(contents) || read_contents(handle, contents));
}

/* ---- Making it again ----------------------------------------------------------------------- */

static bool is_pair(MPI_Datatype handle)
{
    return handle == MPI_SHORT_INT || handle == MPI_LONG_INT || handle == MPI_DOUBLE_INT ||
           handle == MPI_LONG_DOUBLE_INT;
}

/* Pairs for MPI_MINLOC are structures of a value and an int, with the gaps that C gives them. */
static const struct pair {
    size_t value, place, extent;
} pairs[] = {
#define PAIR(type)                                                                                \
    {                                                                                             \
        sizeof(type),                                                                             \
            offsetof(                                                                             \
                struct {                                                                          \
                    type value;                                                                   \
                    int index;                                                                    \
                },                                                                                \
                index),                                                                           \
            sizeof(struct {                                                                       \
                type value;                                                                       \
                int index;                                                                        \
            })                                                                                    \
    }
    PAIR(short),
    PAIR(long),
    PAIR(double),
    PAIR(long double),
#undef PAIR
};

/* Long and double have the same place for the int. */
static const struct pair *find_pair(MPI_Count size, MPI_Count extent)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if ((MPI_Count)(pairs[i].value + sizeof(int)) == size &&
            (MPI_Count)pairs[i].extent == extent)
            return &pairs[i];
    return NULL;
}

static weft_type *pair_of(MPI_Datatype handle, MPI_Count size, MPI_Count extent)
{
    weft_type *members = NULL, *type = NULL;
    const struct pair *pair = is_pair(handle) ? find_pair(size, extent) : NULL;
    if (!pair)
        return NULL;
    const size_t lengths[] = {pair->value, sizeof(int)};
    const ptrdiff_t places[] = {0, (ptrdiff_t)pair->place};
    if (weft_type_hindexed(2, lengths, places, weft_basic(WEFT_BYTE), &members) == WEFT_OK)
        weft_type_resized(members, 0, (ptrdiff_t)extent, &type);
    weft_type_free(members);
    return type;
}

static weft_type *basic_of_size(MPI_Datatype handle)
{
    MPI_Count size = 0, lb = 0, extent = 0;
    weft_type *type = NULL;
    if (mpi.Type_size_x(handle, &size) != MPI_SUCCESS ||
        mpi.Type_get_extent_x(handle, &lb, &extent) != MPI_SUCCESS || lb != 0 || size <= 0)
        return NULL;
    if (size == extent)
        weft_type_contiguous((size_t)size, weft_basic(WEFT_BYTE), &type);
    else
        type = pair_of(handle, size, extent);
    return type;
}

struct lists {
    size_t count;
    size_t *lengths;
    ptrdiff_t *where;
};

static bool open_lists(struct lists *lists, int64_t count)
{
    lists->count = (size_t)count;
    lists->lengths = array(count, sizeof *lists->lengths);
    lists->where = array(count, sizeof *lists->where);
    return lists->lengths && lists->where;
}

static void close_lists(struct lists *lists)
{
    free(lists->lengths);
    free(lists->where);
}

static void take_lengths(struct weft_mpi_contents *contents, struct lists *lists)
{
    for (size_t i = 0; i < lists->count; i++)
        lists->lengths[i] = (size_t)weft_mpi_contents_count(contents);
}

static void take_where(struct weft_mpi_contents *contents, struct lists *lists, bool in_bytes)
{
    for (size_t i = 0; i < lists->count; i++)
        lists->where[i] = (ptrdiff_t)(in_bytes ? weft_mpi_contents_bytes(contents)
                                               : weft_mpi_contents_count(contents));
}

static int make_indexed(struct weft_mpi_contents *contents, const weft_type *old, weft_type **out)
{
    bool in_bytes = contents->combiner == MPI_COMBINER_HINDEXED;
    struct lists lists;
    int result = WEFT_ERR_MEMORY;
    if (open_lists(&lists, weft_mpi_contents_count(contents))) {
        take_lengths(contents, &lists);
        take_where(contents, &lists, in_bytes);
        result = in_bytes ? weft_type_hindexed(lists.count, lists.lengths, lists.where, old, out)
                          : weft_type_indexed(lists.count, lists.lengths, lists.where, old, out);
    }
    close_lists(&lists);
    return result;
}

static int make_blocks(struct weft_mpi_contents *contents, const weft_type *old, weft_type **out)
{
    bool in_bytes = contents->combiner == MPI_COMBINER_HINDEXED_BLOCK;
    struct lists lists;
    int64_t count = weft_mpi_contents_count(contents);
    size_t length = (size_t)weft_mpi_contents_count(contents);
    int result = WEFT_ERR_MEMORY;
    if (open_lists(&lists, count)) {
        take_where(contents, &lists, in_bytes);
        result = in_bytes ? weft_type_hindexed_block(lists.count, length, lists.where, old, out)
                          : weft_type_indexed_block(lists.count, length, lists.where, old, out);
    }
    close_lists(&lists);
    return result;
}

static int make_vector(struct weft_mpi_contents *contents, const weft_type *old, weft_type **out)
{
    bool in_bytes = contents->combiner != MPI_COMBINER_VECTOR;
    size_t count = (size_t)weft_mpi_contents_count(contents),
           length = (size_t)weft_mpi_contents_count(contents);
    ptrdiff_t stride = (ptrdiff_t)(in_bytes ? weft_mpi_contents_bytes(contents)
                                            : weft_mpi_contents_count(contents));
    return in_bytes ? weft_type_hvector(count, length, stride, old, out)
                    : weft_type_vector(count, length, stride, old, out);
}

static int make_subarray(struct weft_mpi_contents *contents, const weft_type *old, weft_type **out)
{
    size_t count = (size_t)weft_mpi_contents_integer(contents);
    size_t *numbers = array((MPI_Count)(3 * count), sizeof *numbers);
    if (!numbers)
        return WEFT_ERR_MEMORY;
    for (size_t i = 0; i < 3 * count; i++)
        numbers[i] = (size_t)weft_mpi_contents_count(contents);
    enum weft_order order =
        weft_mpi_contents_integer(contents) == MPI_ORDER_C ? WEFT_ORDER_C : WEFT_ORDER_FORTRAN;
    int result =
        weft_type_subarray(count, numbers, numbers + count, numbers + 2 * count, order, old, out);
    free(numbers);
    return result;
}

static enum weft_distribution distribution_of(int64_t number)
{
    return number == MPI_DISTRIBUTE_BLOCK    ? WEFT_DISTRIBUTE_BLOCK
           : number == MPI_DISTRIBUTE_CYCLIC ? WEFT_DISTRIBUTE_CYCLIC
                                             : WEFT_DISTRIBUTE_NONE;
}

static int make_darray(struct weft_mpi_contents *contents, const weft_type *old, weft_type **out)
{
    size_t processes = (size_t)weft_mpi_contents_integer(contents),
           rank = (size_t)weft_mpi_contents_integer(contents);
    size_t count = (size_t)weft_mpi_contents_integer(contents);
    size_t *numbers = array((MPI_Count)(3 * count), sizeof *numbers);
    enum weft_distribution *kinds = array((MPI_Count)count, sizeof *kinds);
    int result = WEFT_ERR_MEMORY;
    if (numbers && kinds) {
        size_t *shares = numbers + count, *grid = numbers + 2 * count;
        for (size_t i = 0; i < count; i++)
            numbers[i] = (size_t)weft_mpi_contents_count(contents);
        for (size_t i = 0; i < count; i++)
            kinds[i] = distribution_of(weft_mpi_contents_integer(contents));
        for (size_t i = 0; i < count; i++) {
            int64_t share = weft_mpi_contents_integer(contents);
            shares[i] =
                share == MPI_DISTRIBUTE_DFLT_DARG ? WEFT_DISTRIBUTE_DEFAULT : (size_t)share;
        }
        for (size_t i = 0; i < count; i++)
            grid[i] = (size_t)weft_mpi_contents_integer(contents);
        enum weft_order order =
            weft_mpi_contents_integer(contents) == MPI_ORDER_C ? WEFT_ORDER_C : WEFT_ORDER_FORTRAN;
        result = weft_type_darray(processes, rank, count, numbers, kinds, shares, grid, order, old,
                                  out);
    }
    free(numbers);
    free(kinds);
    return result;
}

static int make_struct(struct weft_mpi_contents *contents, weft_type **members, weft_type **out)
{
    struct lists lists;
    int result = WEFT_ERR_MEMORY;
    if (open_lists(&lists, weft_mpi_contents_count(contents))) {
        take_lengths(contents, &lists);
        take_where(contents, &lists, true);
        result = weft_type_struct(lists.count, lists.lengths, lists.where,
                                  (const weft_type *const *)members, out);
    }
    close_lists(&lists);
    return result;
}

static int make_resized(struct weft_mpi_contents *contents, const weft_type *old, weft_type **out)
{
    ptrdiff_t lb = (ptrdiff_t)weft_mpi_contents_bytes(contents);
    return weft_type_resized(old, lb, (ptrdiff_t)weft_mpi_contents_bytes(contents), out);
}

static int make(struct weft_mpi_contents *contents, weft_type **members, weft_type **out)
{
    switch (contents->combiner) {
    case MPI_COMBINER_DUP:
        return weft_type_dup(members[0], out);
    case MPI_COMBINER_CONTIGUOUS:
        return weft_type_contiguous((size_t)weft_mpi_contents_count(contents), members[0], out);
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
        return make_vector(contents, members[0], out);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
        return make_indexed(contents, members[0], out);
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        return make_blocks(contents, members[0], out);
    case MPI_COMBINER_STRUCT:
        return make_struct(contents, members, out);
    case MPI_COMBINER_SUBARRAY:
        return make_subarray(contents, members[0], out);
    case MPI_COMBINER_DARRAY:
        return make_darray(contents, members[0], out);
    case MPI_COMBINER_RESIZED:
        return make_resized(contents, members[0], out);
    default:
        return WEFT_ERR_ARGUMENT;
    }
}

/* MPI pads structures as a C compiler would, each library in its own way. The sizes must agree, or
 * we have not understood the type. */
static weft_type *with_bounds_of(weft_type *type, MPI_Datatype handle)
{
    MPI_Count size = 0, lb = 0, extent = 0;
    weft_type *same = NULL;
    mpi.Type_size_x(handle, &size);
    mpi.Type_get_extent_x(handle, &lb, &extent);
    if (size == (MPI_Count)weft_type_size(type))
        weft_type_resized(type, (ptrdiff_t)lb, (ptrdiff_t)extent, &same);
    weft_type_free(type);
    return same;
}

static weft_type *convert_made(MPI_Datatype handle, struct weft_mpi_contents *contents)
{
    weft_type **members = calloc((size_t)contents->types + 1, sizeof *members), *type = NULL;
    bool has_all = members != NULL;
    for (MPI_Count i = 0; has_all && i < contents->types; i++) {
        members[i] = weft_mpi_type_convert(contents->type[i]);
        has_all = members[i] != NULL;
    }
    if (has_all && make(contents, members, &type) == WEFT_OK)
        type = with_bounds_of(type, handle);
    for (MPI_Count i = 0; members && i < contents->types; i++)
        weft_type_free(members[i]);
    free(members);
    return type;
}

weft_type *weft_mpi_type_convert(MPI_Datatype handle)
{
    struct weft_mpi_contents contents;
    weft_type *type = NULL;
    if (weft_mpi_contents_open(handle, &contents))
        type = weft_mpi_contents_is_named(&contents) ? basic_of_size(handle)
                                                     : convert_made(handle, &contents);
    weft_mpi_contents_close(&contents);
    return type;
}

static bool has_long_list(MPI_Datatype handle, MPI_Count most, unsigned depth)
{
    struct weft_mpi_contents contents = {0};
    if (ask_envelope(handle, &contents) != MPI_SUCCESS || weft_mpi_contents_is_named(&contents))
        return false;
    if (contents.integers > most || contents.addresses > most || contents.larges > most)
        return true;
    bool has = false;
    if (depth > 0 && read_contents(handle, &contents))
        for (MPI_Count i = 0; !has && i < contents.types; i++)
            has = has_long_list(contents.type[i], most, depth - 1);
    weft_mpi_contents_close(&contents);
    return has;
}

bool weft_mpi_type_has_long_list(MPI_Datatype handle)
{
    uint64_t most = weft_setting(WEFT_SETTING_LONG_LIST);
    return has_long_list(handle, most < INT32_MAX ? (MPI_Count)most : INT32_MAX, LOOK_DEPTH);
}

static size_t size_of(MPI_Datatype handle)
{
    MPI_Count size = 0;
    mpi.Type_size_x(handle, &size);
    return size > 0 ? (size_t)size : 0;
}

size_t weft_mpi_type_element(MPI_Datatype handle)
{
    struct weft_mpi_contents contents;
    size_t element = 0;
    bool is_uniform = weft_mpi_contents_open(handle, &contents);
    if (is_uniform && weft_mpi_contents_is_named(&contents))
        element = size_of(handle);
    for (MPI_Count i = 0; is_uniform && i < contents.types; i++) {
        size_t one = weft_mpi_type_element(contents.type[i]);
        is_uniform = i == 0 || one == element;
        element = one;
    }
    weft_mpi_contents_close(&contents);
    return is_uniform ? element : 0;
}

/* Of a structure, whose members follow each other in each element. */
static size_t whole_of_members(struct weft_mpi_contents *contents, size_t bytes)
{
    size_t before = 0;
    (void)weft_mpi_contents_count(contents);
    for (MPI_Count i = 0; i < contents->types; i++) {
        size_t length = (size_t)weft_mpi_contents_count(contents);
        size_t member = length * size_of(contents->type[i]);
        if (bytes - before < member)
            return before + weft_mpi_type_whole_of(contents->type[i], bytes - before);
        before += member;
    }
    return bytes;
}

/* All constructors but that of structures repeat one type. */
size_t weft_mpi_type_whole_of(MPI_Datatype handle, size_t bytes)
{
    struct weft_mpi_contents contents;
    size_t size = size_of(handle), rest = size > 0 ? bytes % size : 0, whole = rest;
    if (rest == 0)
        return bytes;
    if (weft_mpi_contents_open(handle, &contents)) {
        if (weft_mpi_contents_is_named(&contents))
            whole = 0;
        else if (contents.combiner == MPI_COMBINER_STRUCT)
            whole = whole_of_members(&contents, rest);
        else if (contents.types == 1)
            whole = weft_mpi_type_whole_of(contents.type[0], rest);
    }
    weft_mpi_contents_close(&contents);
    return bytes - rest + whole;
}

/* Of pairs MPI knows the gaps, and of packed bytes what they are. */
static MPI_Datatype plain_of(MPI_Datatype handle)
{
    MPI_Count lb = 0, extent = 0;
    mpi.Type_get_extent_x(handle, &lb, &extent);
    return handle != MPI_PACKED && extent == (MPI_Count)size_of(handle) ? handle
                                                                        : MPI_DATATYPE_NULL;
}

MPI_Datatype weft_mpi_type_basic(MPI_Datatype handle)
{
    struct weft_mpi_contents contents;
    MPI_Datatype basic = MPI_DATATYPE_NULL;
    if (weft_mpi_contents_open(handle, &contents) && weft_mpi_contents_is_named(&contents))
        basic = plain_of(handle);
    for (MPI_Count i = 0; contents.type && i < contents.types; i++) {
        MPI_Datatype one = weft_mpi_type_basic(contents.type[i]);
        if (i > 0 && one != basic)
            one = MPI_DATATYPE_NULL;
        if ((basic = one) == MPI_DATATYPE_NULL)
            break;
    }
    weft_mpi_contents_close(&contents);
    return basic;
}
