/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommands of `weft sim`. Each gets its own name as argv[0] and returns the exit code. */
#ifndef WEFT_TOOLS_SIM_H
#define WEFT_TOOLS_SIM_H

#include <stdbool.h>

int sim_goal(int argc, char **argv);
int sim_collective(int argc, char **argv);
int sim_net(int argc, char **argv);
int sim_nic(int argc, char **argv);

#endif
