/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/message/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/message/label.h"

static const char *const action_names[WEFT_SIM_ACTIONS] = {"send", "put",  "tput",
                                                           "recv", "calc", "tcalc"};

/* ---- Words -------------------------------------------------------------------------------- */

enum word_kind { WORD_NAME, WORD_NUMBER, WORD_SIGN, WORD_LINE_END, WORD_END };

struct word {
    enum word_kind kind;
    const char *text;
    size_t length;
    uint64_t number;
};

struct reader {
    const char *at, *end;
    unsigned line;
    struct word word; /* the next */
    struct weft_sim_graph *graph;
    struct weft_sim_labels labels; /* of the rank whose block this is */
    bool *had_block;               /* of each rank */
    uint32_t rank;                 /* NONE outside of blocks */
    struct weft_sim_mistake *mistake;
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct reader *reader, const char *format,
                                                         ...)
{
    va_list arguments;
    va_start(arguments, format);
    reader->mistake->line = reader->line;
    vsnprintf(reader->mistake->text, sizeof reader->mistake->text, format, arguments);
    va_end(arguments);
    return false;
}

/* What is there, for a message. */
static int shown(const struct word *word)
{
    return word->length < 24 ? (int)word->length : 24;
}

static bool refuse_word(struct reader *reader, const char *wanted)
{
    const struct word *word = &reader->word;
    if (word->kind == WORD_END)
        return refuse(reader, "%s is wanted here, but the text ends", wanted);
    if (word->kind == WORD_LINE_END)
        return refuse(reader, "%s is wanted at the end of the line", wanted);
    return refuse(reader, "%s is wanted instead of '%.*s'", wanted, shown(word), word->text);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool begins_with(const struct reader *reader, const char *sign)
{
    return reader->end - reader->at >= 2 && memcmp(reader->at, sign, 2) == 0;
}

static bool skip_comment(struct reader *reader)
{
    for (reader->at += 2; reader->at < reader->end; reader->at++) {
        if (begins_with(reader, "*/")) {
            reader->at += 2;
            return true;
        }
        reader->line += *reader->at == '\n';
    }
    return refuse(reader, "a comment does not end");
}

static bool skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end) {
        if (strchr(" \t\r", *reader->at) && *reader->at) {
            reader->at++;
        } else if (begins_with(reader, "//")) {
            while (reader->at < reader->end && *reader->at != '\n')
                reader->at++;
        } else if (begins_with(reader, "/*")) {
            if (!skip_comment(reader))
                return false;
        } else {
            break;
        }
    }
    return true;
}

static bool read_number(struct reader *reader, struct word *word)
{
    for (word->number = 0; reader->at < reader->end && is_digit(*reader->at); reader->at++)
        if (__builtin_mul_overflow(word->number, 10, &word->number) ||
            __builtin_add_overflow(word->number, *reader->at - '0', &word->number))
            return refuse(reader, "a number is too large");
    return true;
}

/* Reads the word behind the next one. */
static bool advance(struct reader *reader)
{
    if (reader->word.kind == WORD_LINE_END)
        reader->line++;
    if (!skip_blanks(reader))
        return false;
    struct word *word = &reader->word;
    *word = (struct word){.kind = WORD_END, .text = reader->at};
    if (reader->at == reader->end)
        return true;
    char c = *reader->at;
    bool is_good = true;
    if (is_digit(c)) {
        word->kind = WORD_NUMBER;
        is_good = read_number(reader, word);
    } else if (is_letter(c)) {
        word->kind = WORD_NAME;
        while (reader->at < reader->end && (is_letter(*reader->at) || is_digit(*reader->at)))
            reader->at++;
    } else {
        word->kind = c == '\n' ? WORD_LINE_END : WORD_SIGN;
        reader->at++;
    }
    word->length = (size_t)(reader->at - word->text);
    return is_good;
}

static bool is_next(const struct reader *reader, const char *text)
{
    return reader->word.length == strlen(text) &&
           memcmp(reader->word.text, text, reader->word.length) == 0;
}

static bool expect(struct reader *reader, const char *text)
{
    return is_next(reader, text) ? advance(reader) : refuse_word(reader, text);
}

static bool expect_number(struct reader *reader, const char *what, uint64_t least, uint64_t most,
                          uint64_t *number)
{
    if (reader->word.kind != WORD_NUMBER)
        return refuse_word(reader, what);
    *number = reader->word.number;
    if (*number < least || *number > most)
        return refuse(reader, "%s is from %" PRIu64 " to %" PRIu64, what, least, most);
    return advance(reader);
}

/* Or -1, for any. */
static bool expect_choice(struct reader *reader, const char *what, uint64_t most, bool may_be_any,
                          uint32_t *value)
{
    uint64_t number = 0;
    if (may_be_any && is_next(reader, "-")) {
        *value = WEFT_SIM_ANY;
        return advance(reader) && expect(reader, "1");
    }
    if (!expect_number(reader, what, 0, most, &number))
        return false;
    *value = (uint32_t)number;
    return true;
}

static bool expect_line_end(struct reader *reader)
{
    if (reader->word.kind == WORD_END || is_next(reader, "}"))
        return true;
    return reader->word.kind == WORD_LINE_END ? advance(reader)
                                              : refuse_word(reader, "the end of the line");
}

/* ---- Operations --------------------------------------------------------------------------- */

static bool read_unit(struct reader *reader, const char *what, uint8_t *value)
{
    uint64_t number = 0;
    if (!advance(reader) || !expect_number(reader, what, 0, WEFT_SIM_MOST_UNITS - 1, &number))
        return false;
    *value = (uint8_t)number;
    return true;
}

static bool read_rest(struct reader *reader, struct weft_sim_operation *operation, bool has_tag)
{
    bool is_receive = operation->action == WEFT_SIM_RECEIVE, is_good = true;
    while (is_good && reader->word.kind == WORD_NAME) {
        if (has_tag && is_next(reader, "tag"))
            is_good = advance(reader) && expect_choice(reader, "a tag", WEFT_SIM_ANY - 1,
                                                       is_receive, &operation->tag);
        else if (is_next(reader, "cpu"))
            is_good = read_unit(reader, "the number of a CPU", &operation->cpu);
        else if (is_next(reader, "nic"))
            is_good = read_unit(reader, "the number of a NIC", &operation->nic);
        else
            return refuse_word(reader, has_tag ? "tag, cpu or nic" : "cpu or nic");
    }
    return is_good;
}

static bool read_message(struct reader *reader, struct weft_sim_operation *operation)
{
    bool is_receive = operation->action == WEFT_SIM_RECEIVE;
    return expect_number(reader, "a number of bytes", 0, WEFT_SIM_MOST_BYTES, &operation->size) &&
           expect(reader, "b") && expect(reader, is_receive ? "from" : "to") &&
           expect_choice(reader, "a rank", reader->graph->ranks - 1, is_receive,
                         &operation->peer) &&
           read_rest(reader, operation, true);
}

static bool read_computation(struct reader *reader, struct weft_sim_operation *operation)
{
    return expect_number(reader, "a number of nanoseconds", 0, WEFT_SIM_MOST_NANOSECONDS,
                         &operation->size) &&
           read_rest(reader, operation, false);
}

static int find_action(const struct reader *reader)
{
    for (int i = 0; i < WEFT_SIM_ACTIONS; i++)
        if (is_next(reader, action_names[i]))
            return i;
    return -1;
}

static bool read_operation(struct reader *reader, int action, const struct word *label)
{
    struct weft_sim_operation operation = {.rank = reader->rank, .action = (uint8_t)action};
    bool is_computation = action >= WEFT_SIM_CALCULATE;
    if (!advance(reader) || !(is_computation ? read_computation(reader, &operation)
                                             : read_message(reader, &operation)))
        return false;
    uint32_t number = weft_sim_graph_add(reader->graph, &operation);
    if (number == WEFT_SIM_NONE ||
        (label && !weft_sim_labels_add(&reader->labels, label->text, label->length, number)))
        return refuse(reader, "there is no memory for so many operations");
    return expect_line_end(reader);
}

/* ---- Lines -------------------------------------------------------------------------------- */

static bool find_label(struct reader *reader, const struct word *name, uint32_t *operation)
{
    *operation = weft_sim_labels_find(&reader->labels, name->text, name->length);
    return *operation != WEFT_SIM_NONE ||
           refuse(reader, "no operation above is called '%.*s'", shown(name), name->text);
}

static bool read_wait(struct reader *reader, const struct word *later)
{
    uint32_t after, before;
    enum weft_sim_wait wait =
        is_next(reader, "irequires") ? WEFT_SIM_WAIT_BEGUN : WEFT_SIM_WAIT_ALL;
    if (!advance(reader))
        return false;
    struct word earlier = reader->word;
    if (earlier.kind != WORD_NAME)
        return refuse_word(reader, "the name of an operation");
    bool is_any = is_next(reader, "any");
    if (!advance(reader))
        return false;
    if (is_any && wait == WEFT_SIM_WAIT_ALL && reader->word.kind == WORD_NAME) {
        earlier = reader->word;
        wait = WEFT_SIM_WAIT_ANY;
        if (!advance(reader))
            return false;
    }
    if (!find_label(reader, later, &after) || !find_label(reader, &earlier, &before))
        return false;
    if (!weft_sim_graph_wait(reader->graph, after, before, wait))
        return refuse(reader, "'%.*s' waits for any of some, and for all of others", shown(later),
                      later->text);
    return expect_line_end(reader);
}

/* A line that begins with a name. */
static bool read_named(struct reader *reader)
{
    struct word name = reader->word;
    if (!advance(reader))
        return false;
    if (is_next(reader, "requires") || is_next(reader, "irequires"))
        return read_wait(reader, &name);
    if (!is_next(reader, ":"))
        return refuse_word(reader, "':' or requires");
    if (weft_sim_labels_find(&reader->labels, name.text, name.length) != WEFT_SIM_NONE)
        return refuse(reader, "two operations are called '%.*s'", shown(&name), name.text);
    if (!advance(reader))
        return false;
    int action = find_action(reader);
    return action >= 0 ? read_operation(reader, action, &name)
                       : refuse_word(reader, "send, recv or calc");
}

static bool read_in_block(struct reader *reader)
{
    if (is_next(reader, "}")) {
        reader->rank = WEFT_SIM_NONE;
        return advance(reader);
    }
    int action = find_action(reader);
    if (action >= 0)
        return read_operation(reader, action, NULL);
    return reader->word.kind == WORD_NAME ? read_named(reader)
                                          : refuse_word(reader, "an operation or '}'");
}

static bool open_block(struct reader *reader)
{
    uint64_t rank = 0;
    if (!reader->graph->ranks)
        return refuse(reader, "num_ranks is wanted before the first rank");
    if (!advance(reader) || !expect_number(reader, "a rank", 0, reader->graph->ranks - 1, &rank) ||
        !expect(reader, "{"))
        return false;
    if (reader->had_block[rank])
        return refuse(reader, "rank %" PRIu64 " has two blocks", rank);
    reader->had_block[rank] = true;
    reader->rank = (uint32_t)rank;
    weft_sim_labels_clear(&reader->labels);
    return true;
}

static bool read_ranks(struct reader *reader)
{
    uint64_t ranks = 0;
    if (reader->graph->ranks)
        return refuse(reader, "num_ranks is there twice");
    if (!advance(reader) ||
        !expect_number(reader, "the number of ranks", 1, WEFT_SIM_MOST_RANKS, &ranks))
        return false;
    reader->graph->ranks = (uint32_t)ranks;
    reader->had_block = calloc(ranks, sizeof *reader->had_block);
    return reader->had_block || refuse(reader, "there is no memory for so many ranks");
}

static bool read_line(struct reader *reader)
{
    if (reader->word.kind == WORD_LINE_END)
        return advance(reader);
    if (reader->rank != WEFT_SIM_NONE)
        return read_in_block(reader);
    if (is_next(reader, "num_ranks"))
        return read_ranks(reader);
    return is_next(reader, "rank") ? open_block(reader) : refuse_word(reader, "num_ranks or rank");
}

/* ---- What others call --------------------------------------------------------------------- */

static bool read_text(struct reader *reader)
{
    if (!advance(reader))
        return false;
    while (reader->word.kind != WORD_END)
        if (!read_line(reader))
            return false;
    if (reader->rank != WEFT_SIM_NONE)
        return refuse_word(reader, "'}'");
    if (!reader->graph->ranks)
        return refuse_word(reader, "num_ranks");
    return weft_sim_graph_finish(reader->graph) ||
           refuse(reader, "there is no memory for so many operations");
}

bool weft_sim_text_read(struct weft_sim_graph *graph, const char *text, size_t size,
                        struct weft_sim_mistake *mistake)
{
    struct reader reader = {.at = text,
                            .end = text + size,
                            .line = 1,
                            .word.kind = WORD_END,
                            .graph = graph,
                            .rank = WEFT_SIM_NONE,
                            .mistake = mistake};
    bool is_good = read_text(&reader);
    weft_sim_labels_fini(&reader.labels);
    free(reader.had_block);
    return is_good;
}

void weft_sim_text_name(const struct weft_sim_operation *operation, char *text, size_t size)
{
    const char *action = action_names[operation->action];
    if (operation->action >= WEFT_SIM_CALCULATE)
        snprintf(text, size, "%s %" PRIu64, action, operation->size);
    else
        snprintf(text, size, "%s %" PRIu64 "b %s %" PRId64 " tag %" PRId64, action,
                 operation->size, operation->action == WEFT_SIM_RECEIVE ? "from" : "to",
                 operation->peer == WEFT_SIM_ANY ? INT64_C(-1) : (int64_t)operation->peer,
                 operation->tag == WEFT_SIM_ANY ? INT64_C(-1) : (int64_t)operation->tag);
}
