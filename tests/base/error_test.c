/* SPDX-License-Identifier: BSD-3-Clause */
/* Every error code: what provokes it, its name and its text. */
#include <string.h>

#include "support/allocations.h"
#include "support/notation.h"
#include "support/tap.h"

static void names_and_texts(void)
{
    check_string(weft_error_name(WEFT_OK), "WEFT_OK");
    check_string(weft_error_name(WEFT_ERR_RANGE), "WEFT_ERR_RANGE");
    check_string(weft_error_name(WEFT_ERR_VERSION), "WEFT_ERR_VERSION");
    for (int code = WEFT_ERR_VERSION; code <= WEFT_OK; code++)
        check(strlen(weft_error_text(code)) > 5);
    check_string(weft_error_text(WEFT_ERR_MEMORY), "out of memory");
    check(weft_error_name(1) && weft_error_name(-1000));
    check(weft_error_text(1) && weft_error_text(-1000));
    check(strcmp(weft_error_name(-1000), "WEFT_OK") != 0);
}

static void argument(void)
{
    weft_type *type = NULL;
    struct weft_type_info info;
    check_int(weft_type_contiguous(3, NULL, &type), WEFT_ERR_ARGUMENT);
    check_int(weft_type_contiguous(3, weft_basic(WEFT_INT), NULL), WEFT_ERR_ARGUMENT);
    check_int(weft_type_commit(NULL), WEFT_ERR_ARGUMENT);
    check_int(weft_type_query(NULL, &info, sizeof(info)), WEFT_ERR_ARGUMENT);
    check_int(weft_pack(NULL, 1, &info, 0, &info, 0), WEFT_ERR_ARGUMENT);
    check_int(weft_type_describe(NULL, NULL, 0), WEFT_ERR_ARGUMENT);
    check_int(weft_type_print(NULL, NULL, 0), WEFT_ERR_ARGUMENT);
    check_int(weft_type_serialize(NULL, NULL, 0), WEFT_ERR_ARGUMENT);
    check_int(weft_type_parse(NULL, &type, NULL), WEFT_ERR_ARGUMENT);
    check_int(weft_type_deserialize(NULL, 0, &type), WEFT_ERR_ARGUMENT);
    check(type == NULL);
    check(weft_basic((enum weft_basic)-1) == NULL);
    check(weft_basic(WEFT_BASIC_COUNT) == NULL);
    weft_type_free(NULL);
}

/* Whatever allocation fails, the call says so, sets nothing and loses nothing. */
static void memory(void)
{
    size_t lengths[] = {1, 2, 1, 3, 1}, working = 0;
    ptrdiff_t places[] = {0, 3, 17, 4000, 90};
    weft_type *type = NULL;
    int rc;
    do {
        allocations_fail_after(working++);
        rc = weft_type_indexed(5, lengths, places, weft_basic(WEFT_DOUBLE), &type);
        allocations_work_again();
        if (rc && (rc != WEFT_ERR_MEMORY || type))
            break;
    } while (rc);
    check_int(rc, WEFT_OK);
    check(working > 1);
    weft_type_free(type);
}

static void overflow(void)
{
    weft_type *half, *type = NULL;
    check_int(weft_type_contiguous((size_t)1 << 61, weft_basic(WEFT_BYTE), &half), WEFT_OK);
    check_int(weft_type_contiguous(4, half, &type), WEFT_ERR_OVERFLOW);
    check_int(weft_type_vector(2, 1, 4, half, &type), WEFT_ERR_OVERFLOW);
    check_int(weft_type_resized(half, PTRDIFF_MAX, 1, &type), WEFT_ERR_OVERFLOW);
    check(type == NULL);
    weft_type_free(half);
}

/* Each level steps by one byte more than twice the level below, so none can be folded. */
static int nest(unsigned levels)
{
    weft_type *type = weft_basic(WEFT_BYTE);
    ptrdiff_t stride = 3;
    int rc = WEFT_OK;
    for (unsigned i = 0; i < levels && !rc; i++) {
        weft_type *above;
        rc = weft_type_hvector(2, 1, stride, type, &above);
        weft_type_free(type);
        type = rc ? NULL : above;
        stride = 2 * stride + 1;
    }
    weft_type_free(type);
    return rc;
}

static void depth(void)
{
    check_int(nest(WEFT_MAX_DEPTH - 1), WEFT_OK);
    check_int(nest(WEFT_MAX_DEPTH), WEFT_ERR_DEPTH);
    /* Levels that fold are not counted. */
    weft_type *type = weft_basic(WEFT_BYTE);
    int rc = WEFT_OK;
    for (int i = 0; i < 60 && !rc; i++) {
        weft_type *above;
        rc = weft_type_contiguous(2, type, &above);
        weft_type_free(type);
        type = rc ? NULL : above;
    }
    check_int(rc, WEFT_OK);
    check_uint(type_info(type).depth, 1);
    weft_type_free(type);
}

static void not_committed(void)
{
    weft_type *type;
    struct weft_place place;
    char memory[16] = {0}, packed[16];
    struct iovec iov;
    size_t used, bytes;
    check_int(weft_type_contiguous(3, weft_basic(WEFT_INT), &type), WEFT_OK);
    check_int(weft_pack(type, 1, memory, 0, packed, 12), WEFT_ERR_NOT_COMMITTED);
    check_int(weft_unpack(type, 1, memory, 0, packed, 12), WEFT_ERR_NOT_COMMITTED);
    check_int(weft_copy(type, 1, memory, weft_basic(WEFT_INT), 3, packed, 0, 12),
              WEFT_ERR_NOT_COMMITTED);
    check_int(weft_iov(type, 1, memory, 0, 12, &iov, 1, &used, &bytes), WEFT_ERR_NOT_COMMITTED);
    check_int(weft_locate(type, 1, 0, &place), WEFT_ERR_NOT_COMMITTED);
    check(!type_info(type).committed);
    check_int(weft_type_commit(type), WEFT_OK);
    check(type_info(type).committed);
    check_int(weft_pack(type, 1, memory, 0, packed, 12), WEFT_OK);
    weft_type_free(type);
    check(type_info(weft_basic(WEFT_INT)).committed);
}

static void range(void)
{
    weft_type *type = type_from("vector(2, 1, 2, int)");
    char memory[64] = {0}, packed[64];
    struct weft_place place;
    check_int(weft_pack(type, 2, memory, 0, packed, 17), WEFT_ERR_RANGE);
    check_int(weft_pack(type, 2, memory, 16, packed, 0), WEFT_OK);
    check_int(weft_pack(type, 2, memory, 17, packed, 0), WEFT_ERR_RANGE);
    check_int(weft_unpack(type, 2, memory, SIZE_MAX, packed, 2), WEFT_ERR_RANGE);
    check_int(weft_unpack(type, 0, memory, 0, packed, 1), WEFT_ERR_RANGE);
    check_int(weft_copy(type, 1, memory, weft_basic(WEFT_BYTE), 7, packed, 0, 8),
              WEFT_ERR_RANGE);
    check_int(weft_copy(weft_basic(WEFT_BYTE), 7, memory, type, 1, packed, 0, 8),
              WEFT_ERR_RANGE);
    check_int(weft_locate(type, 2, 16, &place), WEFT_ERR_RANGE);
    weft_type_free(type);
}

static void syntax(void)
{
    weft_type *type = NULL;
    check_int(weft_type_parse("vector(", &type, NULL), WEFT_ERR_SYNTAX);
    check(type == NULL);
}

static void format_and_version(void)
{
    unsigned char bytes[64];
    weft_type *type = type_from("vector(2, 1, 2, int)"), *copy = NULL;
    ptrdiff_t length = weft_type_serialize(type, bytes, sizeof(bytes));
    check(length > 0 && length < 64);
    check_int(weft_type_deserialize(bytes, (size_t)length, &copy), WEFT_OK);
    weft_type_free(copy);
    copy = NULL;
    check_int(weft_type_deserialize(bytes, (size_t)length - 1, &copy), WEFT_ERR_FORMAT);
    check_int(weft_type_deserialize("what is this", 12, &copy), WEFT_ERR_FORMAT);
    bytes[4]++; /* the version follows the four letters */
    check_int(weft_type_deserialize(bytes, (size_t)length, &copy), WEFT_ERR_VERSION);
    check(copy == NULL);
    /* Nothing is written if there is no room for all. */
    memset(bytes, 77, sizeof(bytes));
    check_int(weft_type_serialize(type, bytes, (size_t)length - 1), length);
    check_int(bytes[0], 77);
    weft_type_free(type);
}

int main(void)
{
    names_and_texts();
    argument();
    memory();
    overflow();
    depth();
    not_committed();
    range();
    syntax();
    format_and_version();
    return tap_done();
}
