/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommands of `weft`. Each gets its own name as argv[0] and returns the exit code. */
#ifndef WEFT_TOOLS_COMMAND_H
#define WEFT_TOOLS_COMMAND_H

enum weft_exit {
    WEFT_EXIT_OK,
    WEFT_EXIT_FAILED,
    WEFT_EXIT_USAGE,
    /* As a shell says it of the command that it was to run. */
    WEFT_EXIT_NOT_STARTED = 127,
    WEFT_EXIT_SIGNAL = 128, /* and the number of the signal */
};

int weft_command_bench(int argc, char **argv);
int weft_command_compare(int argc, char **argv);
int weft_command_explain(int argc, char **argv);
int weft_command_info(int argc, char **argv);
int weft_command_run(int argc, char **argv);
int weft_command_sim(int argc, char **argv);
int weft_command_trace(int argc, char **argv);

#endif
