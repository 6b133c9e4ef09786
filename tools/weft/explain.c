/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft explain`: what a type is and how Weft moves it. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft.h>

#include "bench/harness/picture.h"
#include "command.h"
#include "json.h"
#include "number.h"
#include "offload/offload.h"
#include "option.h"
#include "type/kernel.h"

/* As many pieces are looked at for the picture; a type may have many more. */
#define PICTURE_PIECES 4096

#define TITLE_COLUMNS 76
#define LABEL_COLUMNS 15
#define NOTATION_LINES 4

/* Bytes of the packets that the NIC is asked about. */
#define PACKET 2048

struct request {
    size_t count;
    size_t pieces;
    bool json;
};

struct pieces {
    struct weft_span span[PICTURE_PIECES];
    size_t count;
    bool more;
};

static const char usage[] =
    "usage: weft explain [--count N] [--pieces N] [--json] TYPE...\n"
    "\n"
    "  --count N   look at N elements, one extent apart, not one\n"
    "  --pieces N  list the first N pieces, not 8\n"
    "  --json      write one JSON object a line for each type\n"
    "\n"
    "TYPE is for example 'vector(64, 3, 100, double)'; - reads one from standard input.\n"
    "weft-types(7) has the notation.\n";

/* ---- Reading ------------------------------------------------------------------------------ */

static char *read_input(void)
{
    size_t length = 0, room = 4096;
    char *text = malloc(room);
    while (text) {
        length += fread(text + length, 1, room - length - 1, stdin);
        if (length < room - 1)
            break;
        char *grown = realloc(text, room *= 2);
        if (!grown)
            free(text);
        text = grown;
    }
    if (!text)
        return NULL;
    text[length] = '\0';
    return text;
}

/* Shows the part of the text around the error, on one line, with a caret below. */
static void show_error(const char *text, const struct weft_syntax_error *error)
{
    size_t from = error->at > TITLE_COLUMNS / 2 ? error->at - TITLE_COLUMNS / 2 : 0;
    size_t shown = strnlen(text + from, TITLE_COLUMNS);
    fprintf(stderr, "weft explain: at byte %zu: %s\n  ", error->at, error->message);
    for (size_t i = from; i < from + shown; i++)
        fputc(text[i] >= ' ' && text[i] <= '~' ? text[i] : ' ', stderr);
    fprintf(stderr, "\n  %*s^\n", (int)(error->at - from), "");
}

static weft_type *read_type(const char *text)
{
    weft_type *type;
    struct weft_syntax_error error = {0};
    int rc = weft_type_parse(text, &type, &error);
    if (rc) {
        show_error(text, &error);
        return NULL;
    }
    rc = weft_type_commit(type);
    if (rc) {
        fprintf(stderr, "weft explain: cannot commit the type: %s\n", weft_error_text(rc));
        weft_type_free(type);
        return NULL;
    }
    return type;
}

typedef ptrdiff_t (*printer)(const weft_type *type, char *text, size_t size);

/* NULL if memory ran out. */
static char *text_of(const weft_type *type, printer print)
{
    ptrdiff_t length = print(type, NULL, 0);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text)
        print(type, text, (size_t)length + 1);
    return text;
}

static int list_pieces(const weft_type *type, size_t count, size_t total, struct pieces *pieces)
{
    struct iovec iov[64];
    size_t offset = 0;
    pieces->count = 0;
    while (offset < total && pieces->count < PICTURE_PIECES) {
        size_t used, bytes, room = PICTURE_PIECES - pieces->count;
        int rc = weft_iov(type, count, NULL, offset, total - offset, iov, room < 64 ? room : 64,
                          &used, &bytes);
        if (rc)
            return rc;
        /* With a base of NULL, addresses are displacements. */
        for (size_t i = 0; i < used; i++)
            pieces->span[pieces->count++] =
                (struct weft_span){(intptr_t)iov[i].iov_base, iov[i].iov_len};
        offset += bytes;
    }
    pieces->more = offset < total;
    return WEFT_OK;
}

/* ---- For people --------------------------------------------------------------------------- */

static void print_title(const char *text)
{
    size_t length = strlen(text);
    while (length && strchr(" \t\n", text[length - 1]))
        length--;
    if (length <= TITLE_COLUMNS)
        printf("%.*s\n", (int)length, text);
    else
        printf("%.*s...\n", TITLE_COLUMNS, text);
}

static void print_facts(const struct weft_type_info *info)
{
    printf("  size         %zu bytes\n", info->size);
    printf("  extent       %td bytes, from %td\n", info->extent, info->lb);
    printf("  true extent  %td bytes, from %td\n", info->true_extent, info->true_lb);
    printf("  pieces       %zu", info->pieces);
    if (info->pieces > 1)
        printf(", %.1f bytes on average", (double)info->size / (double)info->pieces);
    printf("%s\n", info->contiguous ? "; elements follow each other without gaps" : "");
    printf("  memory       %zu bytes", info->memory);
    if (info->pieces > 1)
        printf(", %.2f for each piece", (double)info->memory / (double)info->pieces);
    printf("\n  kernel       %s (%s)\n", info->kernel, weft_type_kernels_name());
    printf("  may overlap  %s\n",
           info->may_overlap ? "yes: it may be packed, but not unpacked into" : "no");
}

/* How a message is received into such elements; NULL if nobody may do that. */
static struct weft_offload *receiver_of(const weft_type *type, const struct weft_type_info *info,
                                        size_t count)
{
    struct weft_offload *scatter = NULL;
    struct weft_offload_options wish = {
        .type = type, .count = count, .nic = weft_offload_nic_of_paper(PACKET)};
    if (info->may_overlap || info->size == 0 || count == 0 ||
        weft_offload_prepare(&wish, &scatter))
        return NULL;
    return scatter;
}

static void print_receiver(const weft_type *type, const struct weft_type_info *info, size_t count)
{
    struct weft_offload *scatter = receiver_of(type, info, count);
    if (!scatter)
        return;
    const struct weft_offload_facts *facts = weft_offload_facts(scatter);
    if (facts->is_contiguous)
        printf("  on a NIC     %s\n", facts->why);
    else
        printf("  on a NIC     %s %s, with %" PRIu64 " bytes\n",
               weft_offload_strategy_name(facts->strategy), facts->why, facts->image_bytes);
    weft_offload_close(scatter);
}

/* White space is free in the notation, so long ones are broken after a comma. */
static void print_notation(const char *text)
{
    for (unsigned line = 0; *text; line++) {
        if (line == NOTATION_LINES) {
            printf("%*s... (%zu more characters; --json shows all)\n", LABEL_COLUMNS, "",
                   strlen(text));
            return;
        }
        size_t length = strnlen(text, TITLE_COLUMNS - LABEL_COLUMNS);
        if (text[length])
            while (length > 1 && text[length - 1] != ' ')
                length--;
        size_t visible = length - (text[length - 1] == ' ');
        printf("%*s%.*s\n", LABEL_COLUMNS, line ? "" : "  notation     ", (int)visible, text);
        text += length;
    }
}

static void print_normal_form(const weft_type *type, unsigned depth)
{
    char *notation = text_of(type, weft_type_print);
    char *form = text_of(type, weft_type_describe);
    if (notation)
        print_notation(notation);
    if (form) {
        printf("  normal form, %u level%s:\n", depth, depth == 1 ? "" : "s");
        for (const char *line = form; *line;) {
            size_t length = strcspn(line, "\n");
            printf("    %.*s\n", (int)length, line);
            line += length + (line[length] == '\n');
        }
    }
    free(notation);
    free(form);
}

static void print_pieces(const struct pieces *pieces, size_t wanted)
{
    size_t shown = pieces->count < wanted ? pieces->count : wanted;
    bool all = shown == pieces->count && !pieces->more;
    printf("\n  %s%zu piece%s in packed order:\n", all ? "" : "the first ", shown,
           shown == 1 ? "" : "s");
    printf("  %16s  %20s  %12s\n", "packed offset", "displacement", "length");
    uint64_t offset = 0;
    for (size_t i = 0; i < shown; i++) {
        printf("  %16" PRIu64 "  %20" PRId64 "  %12" PRIu64 "\n", offset, pieces->span[i].at,
               pieces->span[i].length);
        offset += pieces->span[i].length;
    }
}

static void print_explanation(const weft_type *type, const char *text,
                              const struct weft_type_info *info, const struct pieces *pieces,
                              const struct request *request)
{
    print_title(text);
    print_facts(info);
    print_receiver(type, info, request->count);
    print_normal_form(type, info->depth);
    if (request->count != 1)
        printf("\n  %zu elements, %td bytes apart: %zu bytes packed\n", request->count,
               info->extent, info->size * request->count);
    if (!pieces->count)
        return;
    print_pieces(pieces, request->pieces);
    putchar('\n');
    weft_picture_print(pieces->span, pieces->count, pieces->more);
}

/* ---- For programs ------------------------------------------------------------------------- */

static void json_text(const char *key, const weft_type *type, printer print)
{
    char *text = text_of(type, print);
    weft_json_string(key, text ? text : "");
    free(text);
}

static void json_facts(const struct weft_type_info *info)
{
    weft_json_integer("size", (int64_t)info->size);
    weft_json_integer("lb", info->lb);
    weft_json_integer("extent", info->extent);
    weft_json_integer("true_lb", info->true_lb);
    weft_json_integer("true_extent", info->true_extent);
    weft_json_integer("pieces", (int64_t)info->pieces);
    weft_json_integer("memory", (int64_t)info->memory);
    weft_json_integer("depth", info->depth);
    weft_json_bool("contiguous", info->contiguous);
    weft_json_bool("may_overlap", info->may_overlap);
    weft_json_string("kernel", info->kernel);
    weft_json_string("instruction_set", weft_type_kernels_name());
}

static void json_receiver(const weft_type *type, const struct weft_type_info *info, size_t count)
{
    struct weft_offload *scatter = receiver_of(type, info, count);
    if (!scatter)
        return;
    const struct weft_offload_facts *facts = weft_offload_facts(scatter);
    weft_json_string("nic_strategy", weft_offload_strategy_name(facts->strategy));
    weft_json_string("nic_reason", facts->why);
    weft_json_integer("nic_memory", (int64_t)facts->image_bytes);
    weft_offload_close(scatter);
}

static void json_explanation(const weft_type *type, const char *text,
                             const struct weft_type_info *info, const struct pieces *pieces,
                             const struct request *request)
{
    weft_json_open(NULL, '{');
    weft_json_string("type", text);
    json_facts(info);
    json_receiver(type, info, request->count);
    json_text("notation", type, weft_type_print);
    json_text("normal_form", type, weft_type_describe);
    weft_json_integer("count", (int64_t)request->count);
    weft_json_open("first_pieces", '[');
    uint64_t offset = 0;
    for (size_t i = 0; i < pieces->count && i < request->pieces; i++) {
        weft_json_open(NULL, '{');
        weft_json_integer("packed_offset", (int64_t)offset);
        weft_json_integer("displacement", pieces->span[i].at);
        weft_json_integer("length", (int64_t)pieces->span[i].length);
        weft_json_close('}');
        offset += pieces->span[i].length;
    }
    weft_json_close(']');
    weft_json_close('}');
}

/* ---- The command -------------------------------------------------------------------------- */

static int explain_type(const weft_type *type, const char *text, const struct request *request)
{
    struct weft_type_info info;
    static struct pieces pieces;
    size_t total;
    int rc = weft_type_query(type, &info, sizeof(info));
    if (!rc && __builtin_mul_overflow(info.size, request->count, &total))
        rc = WEFT_ERR_OVERFLOW;
    if (!rc)
        rc = list_pieces(type, request->count, total, &pieces);
    if (rc) {
        fprintf(stderr, "weft explain: %s\n", weft_error_text(rc));
        return WEFT_EXIT_FAILED;
    }
    if (request->json)
        json_explanation(type, text, &info, &pieces, request);
    else
        print_explanation(type, text, &info, &pieces, request);
    return WEFT_EXIT_OK;
}

static int explain_argument(const char *argument, const struct request *request)
{
    char *input = NULL;
    if (strcmp(argument, "-") == 0) {
        input = read_input();
        if (!input) {
            fprintf(stderr, "weft explain: standard input does not fit in memory\n");
            return WEFT_EXIT_FAILED;
        }
    }
    const char *text = input ? input : argument;
    weft_type *type = read_type(text);
    int code = type ? explain_type(type, text, request) : WEFT_EXIT_FAILED;
    weft_type_free(type);
    free(input);
    return code;
}

/* WEFT_EXIT_OK, or what to end with. */
static int parse_options(int argc, char **argv, struct request *request, bool *help)
{
    static const struct option options[] = {{"count", required_argument, NULL, 'c'},
                                            {"pieces", required_argument, NULL, 'p'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        if (option == '?' || option == ':')
            return option_reject(option, argv);
        if (option == 'j')
            request->json = true;
        if (option == 'h')
            *help = true;
        size_t *number = option == 'c' ? &request->count : &request->pieces;
        if ((option == 'c' || option == 'p') && !number_parse(optarg, "", 0, SIZE_MAX, number)) {
            fprintf(stderr, "weft explain: '%s' is not a number\n", optarg);
            return WEFT_EXIT_USAGE;
        }
    }
    if (optind < argc || *help)
        return WEFT_EXIT_OK;
    fprintf(stderr, "weft explain: which type?\n%s", usage);
    return WEFT_EXIT_USAGE;
}

int weft_command_explain(int argc, char **argv)
{
    struct request request = {.count = 1, .pieces = 8};
    bool help = false;
    int code = parse_options(argc, argv, &request, &help);
    if (code != WEFT_EXIT_OK)
        return code;
    if (help) {
        fputs(usage, stdout);
        return WEFT_EXIT_OK;
    }
    for (int i = optind; i < argc; i++) {
        if (i > optind && !request.json)
            putchar('\n');
        if (explain_argument(argv[i], &request))
            code = WEFT_EXIT_FAILED;
    }
    return code;
}
