/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft sim`: what is simulated is the second word. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "sim.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} simulators[] = {
    {"goal", sim_goal,
     "messages and computations of a job with up to 100,000 ranks, by their costs"},
    {"nic", sim_nic, "a message of blocks through a NIC whose handlers are instructions"},
    {"collective", sim_collective, "collectives that run on NICs, and closed forms of them"},
    {"net", sim_net, "throughput of a network with thousands of nodes, some of them slow"},
};

#define SIMULATORS (sizeof simulators / sizeof *simulators)

static void print_help(FILE *out)
{
    fprintf(out, "usage: weft sim WHAT [OPTION...]\n\n");
    for (size_t i = 0; i < SIMULATORS; i++)
        fprintf(out, "  %-10s %s\n", simulators[i].name, simulators[i].help);
    fprintf(out, "\n`weft sim WHAT --help` tells more; so does weft-sim(1).\n");
}

int weft_command_sim(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < SIMULATORS; i++)
        if (strcmp(argv[1], simulators[i].name) == 0)
            return simulators[i].run(argc - 1, argv + 1);
    if (argc > 1 && argv[1][0] != '-') {
        fprintf(stderr,
                "weft sim: there is no simulator '%s'; `weft sim --help` lists those there "
                "are\n",
                argv[1]);
        return WEFT_EXIT_USAGE;
    }
    bool is_help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    print_help(is_help ? stdout : stderr);
    return is_help ? WEFT_EXIT_OK : WEFT_EXIT_USAGE;
}
