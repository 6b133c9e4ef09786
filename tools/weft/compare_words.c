/* SPDX-License-Identifier: BSD-3-Clause */
#include "compare_words.h"

#include <stdlib.h>
#include <string.h>

#include "launcher.h"
#include "mpi_flavour.h"

/* What a part of a command may become longer by. */
enum { MOST_ADDED = 2 };

static size_t length_of(char *const words[])
{
    size_t length = 0;
    while (words[length])
        length++;
    return length;
}

static bool is_colon(const char *word)
{
    return strcmp(word, ":") == 0;
}

static bool is_weft_run(char *const words[])
{
    const char *slash = words[0] ? strrchr(words[0], '/') : NULL;
    const char *name = slash ? slash + 1 : words[0];
    return name && strcmp(name, "weft") == 0 && words[1] && strcmp(words[1], "run") == 0;
}

static size_t end_of_part(char *const words[], size_t at)
{
    while (words[at] && !is_colon(words[at]))
        at++;
    return at;
}

/* Where `weft run` or a program is, whatever is looked for; `end` if nowhere. */
static size_t find(char *const words[], size_t begin, size_t end, bool is_program)
{
    while (begin < end &&
           !(is_program ? weft_mpi_is_program(words[begin]) : is_weft_run(words + begin)))
        begin++;
    return begin;
}

struct list {
    char **words;
    size_t count;
};

static void append(struct list *list, char *const words[], size_t count)
{
    memcpy(list->words + list->count, words, count * sizeof *words);
    list->count += count;
}

/* Options of `weft run` that are words of their own may come between. */
static bool runs_launcher(char *const words[], size_t begin, size_t end)
{
    while (begin < end && words[begin][0] == '-')
        begin++;
    return begin < end && launcher_is(words[begin]) &&
           weft_mpi_flavour(words[begin]) == WEFT_MPI_NONE;
}

/* NULL, or what is wrong with it. */
static const char *copy_part(struct list *with, struct list *without, char *const words[],
                             size_t begin, size_t end, char *weft)
{
    char *const run[] = {weft, (char *)"run"}, *const off[] = {(char *)"--off"};
    size_t place = find(words, begin, end, false);
    bool has_run = place < end;
    if (has_run) {
        place += 2;
        if (runs_launcher(words, place, end))
            return "`weft run` stands before the launcher, which does not compute; swap the two: "
                   "mpirun -n N weft run PROGRAM";
        append(without, words + begin, place - begin);
        append(without, off, 1);
        append(without, words + place, end - place);
        append(with, words + begin, end - begin);
        return NULL;
    }
    place = find(words, begin, end, true);
    append(without, words + begin, end - begin);
    append(with, words + begin, place - begin);
    append(with, run, 2);
    append(with, words + place, end - place);
    return place < end
               ? NULL
               : "no word of the command is a program linked with MPI: is it spelled "
                 "right? If a script or an interpreter runs it, put `weft run` before that";
}

const char *compare_words_open(struct compare_words *words, char *const command[],
                               const char *weft)
{
    size_t length = length_of(command), room = length * (1 + MOST_ADDED) + MOST_ADDED + 1;
    words->with = calloc(room, sizeof *words->with);
    words->without = calloc(room, sizeof *words->without);
    if (!words->with || !words->without)
        return "there is not enough memory";
    struct list with = {words->with, 0}, without = {words->without, 0};
    for (size_t begin = 0, end;; begin = end + 1) {
        end = end_of_part(command, begin);
        const char *mistake = copy_part(&with, &without, command, begin, end, (char *)weft);
        if (mistake || !command[end])
            return mistake;
        append(&with, command + end, 1);
        append(&without, command + end, 1);
    }
}

void compare_words_close(struct compare_words *words)
{
    free(words->with);
    free(words->without);
}
