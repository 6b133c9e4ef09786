/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench_options.h"

#include "command.h"

static int complain(const struct bench_options *bench)
{
    bench->print_help(stderr);
    return WEFT_EXIT_USAGE;
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
