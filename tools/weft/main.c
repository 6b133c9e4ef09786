/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <weft.h>

#include "base/distance.h"
#include "command.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
};

static const struct command commands[] = {
    {"explain", weft_command_explain, "show what a type is and how Weft moves it"},
    {"info", weft_command_info, "show the version, kernels, worlds, limits and every setting"},
    {"bench", weft_command_bench, "measure packing, messages and matching on this machine"},
    {"run", weft_command_run,
     "run an MPI program, unchanged, and let Weft move its non-contiguous data"},
    {"compare", weft_command_compare,
     "run an MPI job with and without Weft, and tell which is faster"},
    {"sim", weft_command_sim, "simulate networks of thousands of nodes"},
    {"trace", weft_command_trace, "run a command and write a timeline of its NICs"},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *out)
{
    fprintf(out, "usage: weft COMMAND [ARGUMENT...]\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].help);
    fprintf(out, "\n`weft help COMMAND` tells more; so do weft(1) and `man weft-COMMAND`.\n");
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* The command that a mistyped name may have meant. */
static const struct command *guess_command(const char *name)
{
    const struct command *meant = NULL;
    size_t length = strlen(name), least = length / 2 + 2;
    for (size_t i = 0; i < COMMANDS; i++) {
        size_t distance = weft_distance(name, length, commands[i].name);
        if (distance < least) {
            least = distance;
            meant = &commands[i];
        }
    }
    return meant;
}

static int reject(const char *name)
{
    const struct command *meant = guess_command(name);
    fprintf(stderr, "weft: there is no command '%s'", name);
    if (meant)
        fprintf(stderr, "; did you mean 'weft %s'?\n", meant->name);
    else
        fprintf(stderr, "; `weft --help` lists those there are\n");
    return WEFT_EXIT_USAGE;
}

/* A full disk or a closed pipe must not look like success. */
static int finish(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    perror("weft: cannot write the output");
    return WEFT_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
    const struct command *command = find_command(argv[0]);
    return command ? command->run(argc, argv) : reject(argv[0]);
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/* `weft help COMMAND` is `weft COMMAND --help`: the word takes the place of the first. */
static int help(int argc, char **argv)
{
    if (argc < 2 || is_one_of(argv[1], "--help", "-h")) {
        print_help(stdout);
        return WEFT_EXIT_OK;
    }
    for (int i = 0; i < argc - 1; i++)
        argv[i] = argv[i + 1];
    argv[argc - 1] = (char *)"--help";
    return run(argc, argv);
}

static int version(int argc, char **argv)
{
    if (argc > 1) {
        fprintf(stderr, "weft: '%s' is too much: `weft %s` stands alone\n", argv[1], argv[0]);
        return WEFT_EXIT_USAGE;
    }
    printf("weft %s\n", weft_version());
    return WEFT_EXIT_OK;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return WEFT_EXIT_USAGE;
    }
    if (is_one_of(argv[1], "--version", "version"))
        return finish(version(argc - 1, argv + 1));
    if (is_one_of(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0)
        return finish(help(argc - 1, argv + 1));
    return finish(run(argc - 1, argv + 1));
}
