/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text notation of weft-types(7), read by recursive descent. A constructor's arguments are
 * collected first, then handed to the function of weft.h that has its name.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "type/type.h"

#define MAX_NESTING 100
/* The fuzzer has a shorter one, or it would spend its time on filling lists. */
#ifndef WEFT_PARSE_MAX_LIST
#define WEFT_PARSE_MAX_LIST (1u << 24)
#endif
#define MAX_LIST ((size_t)WEFT_PARSE_MAX_LIST)

struct parser {
    const char *text;
    const char *at;
    unsigned nesting;
    struct weft_syntax_error *error;
};

struct list {
    int64_t *values;
    size_t count, room;
};

static int parse_type(struct parser *parser, weft_type **out);

/* ---- Words and signs ---------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static int fail(struct parser *parser, const char *format,
                                                      ...)
{
    if (parser->error) {
        va_list arguments;
        va_start(arguments, format);
        parser->error->at = (size_t)(parser->at - parser->text);
        vsnprintf(parser->error->message, sizeof(parser->error->message), format, arguments);
        va_end(arguments);
    }
    return WEFT_ERR_SYNTAX;
}

/* A constructor refused its arguments: not a syntax error, but it has a place all the same. */
static int refuse(struct parser *parser, int rc)
{
    if (rc && rc != WEFT_ERR_SYNTAX)
        fail(parser, "%s", weft_error_text(rc));
    return rc;
}

static char peek(struct parser *parser)
{
    parser->at += strspn(parser->at, " \t\r\n");
    return *parser->at;
}

static bool accept(struct parser *parser, char sign)
{
    if (peek(parser) != sign)
        return false;
    parser->at++;
    return true;
}

static int expect(struct parser *parser, char sign)
{
    return accept(parser, sign) ? WEFT_OK : fail(parser, "expected '%c'", sign);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t word_length(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
}

static bool accept_word(struct parser *parser, const char *word)
{
    peek(parser);
    size_t length = word_length(parser->at);
    if (length != strlen(word) || memcmp(parser->at, word, length) != 0)
        return false;
    parser->at += length;
    return true;
}

/* ---- Numbers and lists -------------------------------------------------------------------- */

static int parse_number(struct parser *parser, int64_t *value)
{
    bool negative = accept(parser, '-');
    if (!is_digit(peek(parser)))
        return fail(parser, "expected a number");
    /* Counted downwards: there is one more negative number than positive ones. */
    *value = 0;
    for (; is_digit(*parser->at); parser->at++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_sub_overflow(*value, *parser->at - '0', value))
            return fail(parser, "the number is too large");
    if (!negative && __builtin_sub_overflow(0, *value, value))
        return fail(parser, "the number is too large");
    return WEFT_OK;
}

static int parse_size(struct parser *parser, size_t *value)
{
    int64_t number;
    if (peek(parser) == '-')
        return fail(parser, "expected a number that is not negative");
    int rc = parse_number(parser, &number);
    if (!rc)
        *value = (size_t)number;
    return rc;
}

static int append(struct parser *parser, struct list *list, int64_t value)
{
    if (list->count == MAX_LIST)
        return fail(parser, "a list may have at most %zu entries", MAX_LIST);
    if (!weft_array_reserve(&list->values, list->count, &list->room, sizeof(*list->values)))
        return WEFT_ERR_MEMORY;
    list->values[list->count++] = value;
    return WEFT_OK;
}

/* "3", or "0..12", or "0..12:4", whose last value is included if it is met. */
static int parse_values(struct parser *parser, struct list *list)
{
    int64_t first, last, step = 1;
    int rc = parse_number(parser, &first);
    if (rc || peek(parser) != '.')
        return rc ? rc : append(parser, list, first);
    rc = expect(parser, '.');
    if (!rc)
        rc = expect(parser, '.');
    if (!rc)
        rc = parse_number(parser, &last);
    if (!rc && accept(parser, ':'))
        rc = parse_number(parser, &step);
    if (!rc && step == 0)
        return fail(parser, "the step of a range must not be 0");
    while (!rc && (step > 0 ? first <= last : first >= last)) {
        rc = append(parser, list, first);
        if (__builtin_add_overflow(first, step, &first))
            break;
    }
    return rc;
}

static int parse_list(struct parser *parser, struct list *list)
{
    int rc = expect(parser, '[');
    if (rc || accept(parser, ']'))
        return rc;
    do
        rc = parse_values(parser, list);
    while (!rc && accept(parser, ','));
    return rc ? rc : expect(parser, ']');
}

/* Lists of lengths and sizes must not hold negative numbers. Afterwards values can be read as
 * size_t, which has the same width and, for these values, the same representation. */
static int parse_sizes(struct parser *parser, struct list *list)
{
    int rc = parse_list(parser, list);
    for (size_t i = 0; i < list->count && !rc; i++)
        if (list->values[i] < 0)
            rc = fail(parser, "this list must not hold negative numbers");
    return rc;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

#define MAX_NUMBERS 3
#define MAX_LISTS 4

struct arguments {
    int64_t numbers[MAX_NUMBERS];
    size_t number_count;
    struct list lists[MAX_LISTS];
    size_t list_count;
    enum weft_order order;
    weft_type *type;
};

static int parse_order(struct parser *parser, enum weft_order *order)
{
    if (accept_word(parser, "C"))
        *order = WEFT_ORDER_C;
    else if (accept_word(parser, "F"))
        *order = WEFT_ORDER_FORTRAN;
    else
        return fail(parser, "expected the order of the array: C or F");
    return WEFT_OK;
}

/* "block", "block(4)", "cyclic", "cyclic(4)" or "none": the kind goes to one list, the block
 * size to the next. */
static int parse_distribution(struct parser *parser, struct list *kinds, struct list *blocks)
{
    enum weft_distribution kind;
    size_t block = WEFT_DISTRIBUTE_DEFAULT;
    if (accept_word(parser, "block"))
        kind = WEFT_DISTRIBUTE_BLOCK;
    else if (accept_word(parser, "cyclic"))
        kind = WEFT_DISTRIBUTE_CYCLIC;
    else if (accept_word(parser, "none"))
        kind = WEFT_DISTRIBUTE_NONE;
    else
        return fail(parser, "expected a distribution: block, cyclic or none");
    int rc = WEFT_OK;
    if (kind != WEFT_DISTRIBUTE_NONE && accept(parser, '(')) {
        rc = parse_size(parser, &block);
        if (!rc)
            rc = expect(parser, ')');
    }
    if (!rc)
        rc = append(parser, kinds, kind);
    return rc ? rc : append(parser, blocks, (int64_t)block);
}

static int parse_distributions(struct parser *parser, struct list *kinds, struct list *blocks)
{
    int rc = expect(parser, '[');
    if (rc)
        return rc;
    do
        rc = parse_distribution(parser, kinds, blocks);
    while (!rc && accept(parser, ','));
    return rc ? rc : expect(parser, ']');
}

/* One argument, as a letter of a constructor's signature says: n a size, d a displacement, s a
 * list of sizes, l a list of displacements, x distributions, o an order, t a type. */
static int parse_argument(struct parser *parser, char kind, struct arguments *into)
{
    size_t size = 0;
    int rc;
    switch (kind) {
    case 'n':
        rc = parse_size(parser, &size);
        if (!rc)
            into->numbers[into->number_count++] = (int64_t)size;
        return rc;
    case 'd':
        return parse_number(parser, &into->numbers[into->number_count++]);
    case 's':
        return parse_sizes(parser, &into->lists[into->list_count++]);
    case 'l':
        return parse_list(parser, &into->lists[into->list_count++]);
    case 'x':
        into->list_count += 2;
        return parse_distributions(parser, &into->lists[into->list_count - 2],
                                   &into->lists[into->list_count - 1]);
    case 'o':
        return parse_order(parser, &into->order);
    default:
        return parse_type(parser, &into->type);
    }
}

static void free_arguments(struct arguments *arguments)
{
    for (size_t i = 0; i < MAX_LISTS; i++)
        free(arguments->lists[i].values);
    weft_type_free(arguments->type);
}

static int parse_arguments(struct parser *parser, const char *signature, struct arguments *into)
{
    int rc = expect(parser, '(');
    for (size_t i = 0; signature[i] && !rc; i++) {
        if (i)
            rc = expect(parser, ',');
        if (!rc)
            rc = parse_argument(parser, signature[i], into);
    }
    return rc ? rc : expect(parser, ')');
}

/* ---- Constructors ------------------------------------------------------------------------- */

static const size_t *sizes_of(const struct list *list)
{
    return (const size_t *)list->values;
}

static int same_length(struct parser *parser, const struct list *a, const struct list *b)
{
    return a->count == b->count ? WEFT_OK : fail(parser, "the lists differ in length");
}

static int make_bytes(struct parser *parser, const struct arguments *with, weft_type **out)
{
    (void)parser;
    return weft_type_contiguous((size_t)with->numbers[0], weft_basic(WEFT_BYTE), out);
}

static int make_contiguous(struct parser *parser, const struct arguments *with, weft_type **out)
{
    (void)parser;
    return weft_type_contiguous((size_t)with->numbers[0], with->type, out);
}

static int make_vector(struct parser *parser, const struct arguments *with, weft_type **out)
{
    (void)parser;
    return weft_type_vector((size_t)with->numbers[0], (size_t)with->numbers[1], with->numbers[2],
                            with->type, out);
}

static int make_hvector(struct parser *parser, const struct arguments *with, weft_type **out)
{
    (void)parser;
    return weft_type_hvector((size_t)with->numbers[0], (size_t)with->numbers[1], with->numbers[2],
                             with->type, out);
}

static int make_by_lists(__typeof__(weft_type_indexed) *make, struct parser *parser,
                         const struct arguments *with, weft_type **out)
{
    const struct list *lengths = &with->lists[0], *places = &with->lists[1];
    int rc = same_length(parser, lengths, places);
    return rc ? rc : make(lengths->count, sizes_of(lengths), places->values, with->type, out);
}

static int make_indexed(struct parser *parser, const struct arguments *with, weft_type **out)
{
    return make_by_lists(weft_type_indexed, parser, with, out);
}

static int make_hindexed(struct parser *parser, const struct arguments *with, weft_type **out)
{
    return make_by_lists(weft_type_hindexed, parser, with, out);
}

static int make_indexed_block(struct parser *parser, const struct arguments *with, weft_type **out)
{
    (void)parser;
    return weft_type_indexed_block(with->lists[0].count, (size_t)with->numbers[0],
                                   with->lists[0].values, with->type, out);
}

static int make_hindexed_block(struct parser *parser, const struct arguments *with,
                               weft_type **out)
{
    (void)parser;
    return weft_type_hindexed_block(with->lists[0].count, (size_t)with->numbers[0],
                                    with->lists[0].values, with->type, out);
}

static int make_subarray(struct parser *parser, const struct arguments *with, weft_type **out)
{
    const struct list *lists = with->lists;
    int rc = same_length(parser, &lists[0], &lists[1]);
    if (!rc)
        rc = same_length(parser, &lists[0], &lists[2]);
    return rc ? rc
              : weft_type_subarray(lists[0].count, sizes_of(&lists[0]), sizes_of(&lists[1]),
                                   sizes_of(&lists[2]), with->order, with->type, out);
}

static int make_darray(struct parser *parser, const struct arguments *with, weft_type **out)
{
    const struct list *gsizes = &with->lists[0], *kinds = &with->lists[1];
    const struct list *blocks = &with->lists[2], *psizes = &with->lists[3];
    int rc = same_length(parser, gsizes, kinds);
    if (!rc)
        rc = same_length(parser, gsizes, psizes);
    if (rc)
        return rc;
    enum weft_distribution *distributions = calloc(kinds->count, sizeof(*distributions));
    if (!distributions)
        return WEFT_ERR_MEMORY;
    for (size_t i = 0; i < kinds->count; i++)
        distributions[i] = (enum weft_distribution)kinds->values[i];
    rc = weft_type_darray((size_t)with->numbers[0], (size_t)with->numbers[1], gsizes->count,
                          sizes_of(gsizes), distributions, sizes_of(blocks), sizes_of(psizes),
                          with->order, with->type, out);
    free(distributions);
    return rc;
}

static int make_resized(struct parser *parser, const struct arguments *with, weft_type **out)
{
    (void)parser;
    return weft_type_resized(with->type, with->numbers[0], with->numbers[1], out);
}

static int make_dup(struct parser *parser, const struct arguments *with, weft_type **out)
{
    (void)parser;
    return weft_type_dup(with->type, out);
}

static const struct constructor {
    const char *name;
    const char *signature;
    int (*make)(struct parser *parser, const struct arguments *with, weft_type **out);
} constructors[] = {
    {"bytes", "n", make_bytes},
    {"contiguous", "nt", make_contiguous},
    {"vector", "nndt", make_vector},
    {"hvector", "nndt", make_hvector},
    {"indexed", "slt", make_indexed},
    {"hindexed", "slt", make_hindexed},
    {"indexed_block", "nlt", make_indexed_block},
    {"hindexed_block", "nlt", make_hindexed_block},
    {"subarray", "sssot", make_subarray},
    {"darray", "nnsxsot", make_darray},
    {"resized", "ddt", make_resized},
    {"dup", "t", make_dup},
};

/* ---- Struct: its members have a form of their own, "3 double @ 24" ------------------------- */

struct members {
    struct list lengths, places;
    weft_type **types;
    size_t count, room;
};

static int add_member(struct members *members, weft_type *type)
{
    if (!weft_array_reserve(&members->types, members->count, &members->room,
                            sizeof(*members->types)))
        return WEFT_ERR_MEMORY;
    members->types[members->count++] = type;
    return WEFT_OK;
}

static int parse_member(struct parser *parser, struct members *members)
{
    size_t length = 0;
    int64_t place;
    weft_type *type;
    int rc = parse_size(parser, &length);
    if (!rc)
        rc = append(parser, &members->lengths, (int64_t)length);
    if (!rc)
        rc = parse_type(parser, &type);
    if (rc)
        return rc;
    rc = add_member(members, type);
    if (rc) {
        weft_type_free(type);
        return rc;
    }
    rc = expect(parser, '@');
    if (!rc)
        rc = parse_number(parser, &place);
    return rc ? rc : append(parser, &members->places, place);
}

static int parse_struct(struct parser *parser, weft_type **out)
{
    struct members members = {0};
    int rc = expect(parser, '(');
    if (!rc && !accept(parser, ')')) {
        do
            rc = parse_member(parser, &members);
        while (!rc && accept(parser, ','));
        if (!rc)
            rc = expect(parser, ')');
    }
    if (!rc)
        rc = weft_type_struct(members.count, sizes_of(&members.lengths), members.places.values,
                              (const weft_type *const *)members.types, out);
    for (size_t i = 0; i < members.count; i++)
        weft_type_free(members.types[i]);
    free(members.types);
    free(members.lengths.values);
    free(members.places.values);
    return rc;
}

/* ---- Types -------------------------------------------------------------------------------- */

static weft_type *parse_basic(struct parser *parser)
{
#define BASIC(name, ctype, text)                                                                  \
    if (accept_word(parser, text))                                                                \
        return weft_basic(WEFT_##name);
    WEFT_BASIC_MAP(BASIC)
#undef BASIC
    return NULL;
}

static int parse_constructor(struct parser *parser, weft_type **out)
{
    if (accept_word(parser, "struct"))
        return parse_struct(parser, out);
    for (size_t i = 0; i < sizeof(constructors) / sizeof(*constructors); i++)
        if (accept_word(parser, constructors[i].name)) {
            struct arguments arguments = {0};
            int rc = parse_arguments(parser, constructors[i].signature, &arguments);
            if (!rc)
                rc = constructors[i].make(parser, &arguments, out);
            free_arguments(&arguments);
            return rc;
        }
    peek(parser);
    int length = (int)word_length(parser->at);
    return length ? fail(parser, "'%.*s' is not a type", length < 40 ? length : 40, parser->at)
                  : fail(parser, "expected a type");
}

static int parse_type(struct parser *parser, weft_type **out)
{
    weft_type *basic = parse_basic(parser);
    if (basic) {
        *out = basic;
        return WEFT_OK;
    }
    if (parser->nesting == MAX_NESTING)
        return fail(parser, "the text nests deeper than %d levels", MAX_NESTING);
    parser->nesting++;
    int rc = refuse(parser, parse_constructor(parser, out));
    parser->nesting--;
    return rc;
}

int weft_type_parse(const char *text, weft_type **out, struct weft_syntax_error *error)
{
    if (!text || !out)
        return WEFT_ERR_ARGUMENT;
    struct parser parser = {.text = text, .at = text, .error = error};
    weft_type *type;
    int rc = parse_type(&parser, &type);
    if (rc)
        return rc;
    if (peek(&parser)) {
        weft_type_free(type);
        return fail(&parser, "expected the end of the text");
    }
    *out = type;
    return WEFT_OK;
}
