/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/bench_options.h"

#include <portals4_spin.h>
#include <string.h>

#include "weft/command.h"
#include "weft/number.h"

static bool add_from(const char *file, struct bench_turns *turns)
{
    size_t count = 0;
    while (turns->from[count])
        count++;
    if (count == BENCH_MOST_FROM)
        return false;
    turns->from[count] = file;
    return true;
}

bool bench_turns_are_stored(const struct bench_turns *turns)
{
    return turns->from[0] != NULL;
}

bool bench_turns_take(int key, struct bench_turns *turns)
{
    size_t number;
    switch (key) {
    case 'n':
        if (!number_parse(optarg, "", 0, PTL_MAX_HPUS, &number))
            return false;
        turns->hpus = (unsigned)number;
        return true;
    case 'r':
        return number_parse(optarg, "", 1, BENCH_MOST_ROUNDS, &turns->rounds);
    case 'q':
        turns->rounds = 3;
        turns->seconds = 0.005;
        return true;
    case 'c':
        return turns->check = true;
    case 'o':
        turns->plot = optarg;
        return true;
    case 'F':
        return add_from(optarg, turns);
    case 'j':
        return turns->json = true;
    default:
        return false;
    }
}

static int complain(const struct bench_options *bench)
{
    bench->print_help(stderr);
    return WEFT_EXIT_USAGE;
}

static bool add_pair(const char *text, struct bench_layouts *layouts)
{
    if (layouts->pair_count == layouts->most_pairs || strlen(text) >= layouts->most_text)
        return false;
    layouts->pairs[layouts->pair_count++] = (struct bench_pair){text, text};
    return true;
}

static bool set_receive(const char *text, struct bench_layouts *layouts)
{
    if (layouts->pair_count == 0 || strlen(text) >= layouts->most_text)
        return false;
    layouts->pairs[layouts->pair_count - 1].receive = text;
    return true;
}

bool bench_layouts_take(int key, struct bench_layouts *layouts)
{
    switch (key) {
    case 'l':
        return add_pair(optarg, layouts);
    case 'e':
        return set_receive(optarg, layouts);
    case 's':
        return layouts->size_count < layouts->most_sizes &&
               number_parse(optarg, "KMG", 1, BENCH_MOST_BYTES,
                            &layouts->sizes[layouts->size_count++]);
    default:
        return false;
    }
}

int bench_options_parse(const struct bench_options *bench, int argc, char **argv)
{
    int key;
    while ((key = getopt_long(argc, argv, "h", bench->known, NULL)) != -1) {
        if (key == 'h') {
            bench->print_help(stdout);
            return WEFT_EXIT_OK;
        }
        if (bench->take(key, bench->options))
            continue;
        if (key != '?')
            fprintf(stderr, "weft bench %s: '%s' is no value for this option\n", bench->name,
                    optarg);
        return complain(bench);
    }
    if (optind == argc)
        return -1;
    fprintf(stderr, "weft bench %s: there is no argument '%s'\n\n", bench->name, argv[optind]);
    return complain(bench);
}
