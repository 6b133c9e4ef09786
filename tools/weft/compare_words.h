/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two commands that `weft compare` runs. If `weft run` stands in the user's command, that is
 * where the program is, and the other command says `weft run --off` there. If not, `weft run` is
 * put before the first word that is a program with an MPI library: no option of a launcher and
 * none of its values is. Both hold for each part of a command with colons.
 */
#ifndef WEFT_TOOLS_COMPARE_WORDS_H
#define WEFT_TOOLS_COMPARE_WORDS_H

#include <stdbool.h>

struct compare_words {
    char **with, **without; /* each ends with NULL */
};

/* `weft` is the path of this command. NULL, or why there are no two commands. */
const char *compare_words_open(struct compare_words *words, char *const command[],
                               const char *weft);
void compare_words_close(struct compare_words *words);

#endif
