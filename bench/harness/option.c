/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/option.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/word.h"
#include "weft/command.h"
#include "weft/number.h"

#define MOST_OPTIONS 32 /* fewer than any character that is an option */

/* ---- Help --------------------------------------------------------------------------------- */

/* Each line of the text behind the column; the name stands before the first if there is room. */
static void print_lines(const char *name, int width, const char *text)
{
    if ((int)strlen(name) > width) {
        printf("  %s\n", name);
        name = "";
    }
    if (!*text)
        printf("  %s\n", name);
    while (*text) {
        size_t length = strcspn(text, "\n");
        printf("  %-*s %.*s\n", width, name, (int)length, text);
        text += length + (text[length] == '\n');
        name = "";
    }
}

static void print_words(const struct option_words *words, int width)
{
    size_t longest = 0;
    for (size_t i = 0; i < words->count; i++)
        if (strlen(words->names[i]) > longest)
            longest = strlen(words->names[i]);
    for (size_t i = 0; i < words->count; i++)
        printf("%*s%-*s  %s\n", width + 3, "", (int)longest, words->names[i], words->help[i]);
}

static const char *command_of(const struct option_table *table)
{
    return table->command ? table->command : "bench";
}

static void print_synopsis(const struct option_table *table)
{
    const char *text = table->synopsis ? table->synopsis : "[OPTION...]";
    for (const char *head = "usage:"; *text; head = "") {
        size_t length = strcspn(text, "\n");
        printf("%-6s weft %s %s %.*s\n", head, command_of(table), table->name, (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_help(const struct option_table *table)
{
    char left[64] = "";
    print_synopsis(table);
    printf("\n%s\n", table->description);
    for (const struct option_entry *entry = table->entries; entry->name; entry++) {
        size_t used = strlen(left);
        snprintf(left + used, sizeof(left) - used, "%s--%s%s%s", used ? ", " : "", entry->name,
                 entry->value ? " " : "", entry->value ? entry->value : "");
        if (!entry->help)
            continue;
        print_lines(left, table->width, entry->help);
        if (entry->words && entry->words->help)
            print_words(entry->words, table->width);
        left[0] = '\0';
    }
    if (table->epilogue)
        printf("\n%s", table->epilogue);
}

/* ---- Values ------------------------------------------------------------------------------- */

struct given {
    const struct option_table *table;
    const struct option_entry *entry;
    const char *text;
};

/* Returns false. */
__attribute__((format(printf, 2, 3))) static bool refuse(const struct given *given,
                                                         const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "weft %s %s: --%s '%s' ", command_of(given->table), given->table->name,
            given->entry->name, given->text);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    return false;
}

static bool take_number(const struct given *given)
{
    const struct option_number *number = &given->entry->number;
    size_t value;
    if (!number_parse(given->text, number->units ? number->units : "", number->least, number->most,
                      &value))
        return refuse(given, "is not a number from %zu to %zu", number->least, number->most);
    if (number->count && *number->count == number->most_values)
        return refuse(given, "is one too many: at most %zu", number->most_values);
    number->value[number->count ? (*number->count)++ : 0] = value;
    return true;
}

static bool take_real(const struct given *given)
{
    const struct option_real *real = &given->entry->real;
    char *end;
    if (!given->entry->value) {
        *real->value = real->preset;
        return true;
    }
    *real->value = strtod(given->text, &end);
    if (*given->text && *end == '\0' && *real->value >= real->least && *real->value <= real->most)
        return true;
    return refuse(given, "is not a number from %g to %g", real->least, real->most);
}

static bool refuse_word(const struct given *given)
{
    const struct option_words *words = given->entry->words;
    char list[256] = "";
    for (size_t i = 0; i < words->count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof(list) - used, " %s", words->names[i]);
    }
    return refuse(given, "is not one of:%s", list);
}

static bool take_word(const struct given *given)
{
    const struct option_words *words = given->entry->words;
    int which = word_find(words->names, words->count, given->text);
    if (which < 0)
        return refuse_word(given);
    if (words->choice)
        *words->choice = which;
    else
        words->chosen[which] = true;
    return true;
}

void option_words_complete(const struct option_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->chosen[i])
            return;
    memset(words->chosen, true, words->count * sizeof(*words->chosen));
}

static bool take(const struct given *given)
{
    const struct option_entry *entry = given->entry;
    if (entry->flag)
        *entry->flag = true;
    if (entry->text)
        *entry->text = given->text;
    if (entry->number.value && !take_number(given))
        return false;
    if (entry->real.value && !take_real(given))
        return false;
    if (entry->words && !take_word(given))
        return false;
    if (!entry->take || entry->take(given->text, entry->context))
        return true;
    return entry->wants ? refuse(given, "is not %s", entry->wants)
                        : refuse(given, "makes no sense here");
}

/* ---- Parsing ------------------------------------------------------------------------------ */

static int reject(const struct option_table *table, const char *argument)
{
    fprintf(stderr,
            "weft %s %s: '%s' is not an option here, or lacks its value; --help lists them\n",
            command_of(table), table->name, argument);
    return WEFT_EXIT_USAGE;
}

static bool is_help(const char *name)
{
    return strcmp(name, "help") == 0;
}

/* The key of an option is its place in the table, but for --help, which all have. */
static void list_for_getopt(const struct option_table *table, struct option *list)
{
    int count = 0;
    for (; table->entries[count].name && count < MOST_OPTIONS; count++) {
        const struct option_entry *entry = &table->entries[count];
        list[count] = (struct option){entry->name, entry->value != NULL, NULL,
                                      is_help(entry->name) ? 'h' : count};
    }
    list[count] = (struct option){"help", no_argument, NULL, 'h'};
}

int option_parse(const struct option_table *table, int argc, char **argv)
{
    struct option list[MOST_OPTIONS + 2] = {{0}};
    list_for_getopt(table, list);
    opterr = 0;
    optind = 0;
    for (int key; (key = getopt_long(argc, argv, "h", list, NULL)) != -1;) {
        if (key == '?')
            return reject(table, argv[optind - 1]);
        if (key == 'h') {
            print_help(table);
            return WEFT_EXIT_OK;
        }
        if (!take(&(struct given){table, &table->entries[key], optarg}))
            return WEFT_EXIT_USAGE;
    }
    return optind < argc && !table->has_operands ? reject(table, argv[optind]) : -1;
}
