/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommands of `weft`. Each gets its own name as argv[0] and returns the exit code. */
#ifndef WEFT_TOOLS_COMMAND_H
#define WEFT_TOOLS_COMMAND_H

enum weft_exit { WEFT_EXIT_OK, WEFT_EXIT_FAILED, WEFT_EXIT_USAGE };

int weft_command_bench(int argc, char **argv);
int weft_command_explain(int argc, char **argv);
int weft_command_info(int argc, char **argv);
int weft_command_run(int argc, char **argv);
int weft_command_trace(int argc, char **argv);

#endif
