/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/pair/pair_options.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/setting.h"
#include "bench/harness/crew.h"
#include "bench/pair/bare_ofi.h"
#include "weft/command.h"
#include "weft/json.h"
#include "weft/number.h"

#define SMALLEST ((size_t)8)
#define LARGEST ((size_t)4 << 20)
#define MOST_BYTES ((size_t)1 << 30)
#define MOST_WINDOW 65536

#define ALL (PAIR_BENCH_PUT | PAIR_BENCH_GET | PAIR_BENCH_RATE | PAIR_BENCH_MATCH)
#define SIZED (PAIR_BENCH_PUT | PAIR_BENCH_GET)
#define STREAMED (PAIR_BENCH_PUT | PAIR_BENCH_RATE)
#define COMPARED (PAIR_BENCH_PUT | PAIR_BENCH_GET | PAIR_BENCH_RATE)
#define BARRED (PAIR_BENCH_PUT | PAIR_BENCH_RATE | PAIR_BENCH_MATCH)

enum option_key {
    SIZE = 1,
    WORLD,
    PROVIDER,
    LATENCY,
    STREAM,
    WINDOW,
    ROUNDS,
    QUICK,
    NO_UCX,
    CHECK,
    JSON,
    HELP
};

static const struct known_option {
    enum option_key key;
    int where; /* the benchmarks that have it */
    const char *name;
    const char *value; /* NULL: it takes none */
    const char *help;
} known[] = {
    {SIZE, SIZED, "size", "BYTES",
     "one size, such as 64K, instead of 8 bytes to 4 MiB by\n"
     "powers of two; may be repeated"},
    {WORLD, COMPARED, "world", "WORLD",
     "shm, which is the default, or ofi: through libfabric,\n"
     "beside plain libfabric on the same provider"},
    {PROVIDER, COMPARED, "provider", "NAME",
     "of libfabric, such as net or 'tcp;ofi_rxm', instead of\n"
     "what the settings say; needs --world ofi"},
    {LATENCY, PAIR_BENCH_PUT, "latency", NULL, "only half round trips"},
    {STREAM, PAIR_BENCH_PUT, "stream", NULL, "only streams"},
    {WINDOW, STREAMED, "window", "N",
     "messages of a stream before the receiver answers;\n64 unless given"},
    {ROUNDS, ALL, "rounds", "N", "rounds to take the medians of; 7 unless given, at most 33"},
    {QUICK, ALL, "quick", NULL, "3 short rounds, and fewer sizes: a first impression"},
    {NO_UCX, COMPARED, "no-ucx", NULL, "no comparison with UCX"},
    {CHECK, BARRED, "check", NULL,
     "exit with 1 unless the bars hold, and say which do; what\n"
     "misses is measured again, three times as long"},
    {JSON, ALL, "json", NULL, "for programs; times are in microseconds"},
    {HELP, ALL, "help", NULL, "this text"},
};

#define KNOWN (sizeof(known) / sizeof(known[0]))

/* ---- Help --------------------------------------------------------------------------------- */

static const char *name_of(enum pair_bench bench)
{
    switch (bench) {
    case PAIR_BENCH_PUT:
        return "put";
    case PAIR_BENCH_GET:
        return "get";
    case PAIR_BENCH_RATE:
        return "rate";
    case PAIR_BENCH_MATCH:
        break;
    }
    return "match";
}

static const char *description_of(enum pair_bench bench)
{
    switch (bench) {
    case PAIR_BENCH_PUT:
        return "Puts between two processes of this host, each on a core of its own: half round\n"
               "trips, from PtlPut to the event at the target, and streams. Beside them, in\n"
               "alternating rounds of the same run, a bare shared ring with memcpy at both ends\n"
               "and UCX's active messages (ucx_perftest with UCX_TLS=posix,self).\n"
               "\n"
               "The bars of --check: 8 bytes take at most 1.6 times as long as with UCX; 64 KiB\n"
               "at most 1.25 times as long as with the bare ring; streams of 1 MiB reach 1.0\n"
               "times the bandwidth of UCX and 0.8 times that of the bare ring. With --world "
               "ofi:\n"
               "8 bytes take at most 1.4 times as long as with plain libfabric, streams of 8\n"
               "bytes reach 0.7 times its messages per second and, on the provider net, those of\n"
               "64 KiB and more 0.9 times its bandwidth.\n";
    case PAIR_BENCH_GET:
        return "Gets between two processes of this host, each on a core of its own: from PtlGet\n"
               "to the REPLY event. The target does nothing but look after its NIC. Beside them\n"
               "a bare shared ring and UCX's active messages: 8 bytes there, the data back.\n";
    case PAIR_BENCH_RATE:
        return "Streams of 8-byte puts between two processes of this host, each on a core of its\n"
               "own: with a full event for each message, and with a counter only. Beside them a\n"
               "bare shared ring and UCX's active messages.\n"
               "\n"
               "The bar of --check, with --world ofi: 0.7 times the messages per second of plain\n"
               "libfabric.\n";
    case PAIR_BENCH_MATCH:
        break;
    }
    return "What matching costs. First, 8-byte puts, from PtlPut to the event, to a list of\n"
           "10 to 100,000 exact entries: to the one behind all the others; to one of them\n"
           "chosen at random; and to the one behind the others, with entries that match\n"
           "anything behind it. Second, appends of an entry that finds its message among 10\n"
           "to 10,000 that wait in the overflow list.\n"
           "\n"
           "The bar of --check: 100,000 entries cost at most twice what 10 cost.\n";
}

static void print_option(const struct known_option *option)
{
    char left[32];
    snprintf(left, sizeof(left), "--%s%s%s", option->name, option->value ? " " : "",
             option->value ? option->value : "");
    const char *text = option->help;
    for (const char *line = text; line; text = line) {
        size_t length = strcspn(text, "\n");
        printf("  %-16s %.*s\n", line == option->help ? left : "", (int)length, text);
        line = text[length] ? text + length + 1 : NULL;
    }
}

static void print_help(enum pair_bench bench)
{
    printf("usage: weft bench %s [OPTION...]\n\n%s\n", name_of(bench), description_of(bench));
    for (size_t i = 0; i < KNOWN; i++)
        if (known[i].where & bench)
            print_option(&known[i]);
}

/* ---- Parsing ------------------------------------------------------------------------------ */

/* A whole number from 1 to `most`, with K or M behind it for sizes. */
static bool take_number(const char *option, const char *text, bool is_size, size_t most,
                        size_t *value)
{
    if (number_parse(text, is_size ? "KM" : "", 1, most, value))
        return true;
    fprintf(stderr, "weft bench: --%s '%s' is not a number from 1 to %zu\n", option, text, most);
    return false;
}

static bool take_size(struct pair_options *options)
{
    if (options->size_count == PAIR_MAX_SIZES) {
        fprintf(stderr, "weft bench: at most %d times --size\n", PAIR_MAX_SIZES);
        return false;
    }
    return take_number("size", optarg, true, MOST_BYTES, &options->sizes[options->size_count++]);
}

static bool take_world(struct pair_options *options)
{
    if (strcmp(optarg, "shm") == 0)
        options->world = PAIR_SHM;
    else if (strcmp(optarg, "ofi") == 0)
        options->world = PAIR_OFI;
    else
        fprintf(stderr, "weft bench: --world '%s' is neither shm nor ofi\n", optarg);
    return strcmp(optarg, "shm") == 0 || strcmp(optarg, "ofi") == 0;
}

static bool take_option(int key, struct pair_options *options)
{
    switch (key) {
    case SIZE:
        return take_size(options);
    case WORLD:
        return take_world(options);
    case PROVIDER:
        options->provider = optarg;
        return true;
    case LATENCY:
        return options->latency = true;
    case STREAM:
        return options->stream = true;
    case WINDOW:
        return take_number("window", optarg, false, MOST_WINDOW, &options->window);
    case ROUNDS:
        return take_number("rounds", optarg, false, CONTEST_MAX_ROUNDS / 3,
                           &options->contest.rounds);
    case QUICK:
        options->contest = (struct contest_options){.rounds = 3, .seconds = 0.005};
        return true;
    case NO_UCX:
        return options->no_ucx = true;
    case CHECK:
        return options->check = true;
    case JSON:
        return options->json = true;
    default:
        return false;
    }
}

/* Quick runs skip sizes, but none that has a bar. */
static void choose_sizes(enum pair_bench bench, bool quick, struct pair_options *options)
{
    if (options->size_count == 0 && bench & SIZED)
        for (size_t size = SMALLEST, i = 0; size <= LARGEST; size *= 2, i++)
            if (!quick || size == SMALLEST || size == (size_t)64 << 10 || size == (size_t)1 << 20)
                options->sizes[options->size_count++] = size;
    if (options->size_count == 0)
        options->sizes[options->size_count++] = SMALLEST;
    if (!options->latency && !options->stream)
        options->latency = options->stream = true;
}

static int reject(enum pair_bench bench, const char *argument)
{
    fprintf(stderr,
            "weft bench %s: '%s' is not an option here, or lacks its value; --help lists "
            "them\n",
            name_of(bench), argument);
    return WEFT_EXIT_USAGE;
}

/* Each option may make sense, but not together, or not here. */
static bool fit_together(enum pair_bench bench, const struct pair_options *options)
{
    if (options->world == PAIR_OFI && !bare_ofi_is_here()) {
        fprintf(stderr, "weft bench: --world ofi needs libfabric, which this program was built "
                        "without: install libfabric-dev and build it with -Dofi=enabled\n");
        return false;
    }
    if (options->provider && options->world != PAIR_OFI) {
        fprintf(stderr, "weft bench: --provider is libfabric's, so it needs --world ofi\n");
        return false;
    }
    if (options->check && bench == PAIR_BENCH_RATE && options->world != PAIR_OFI) {
        fprintf(stderr, "weft bench: rate has bars, for --check, only with --world ofi\n");
        return false;
    }
    return true;
}

int pair_options_parse(enum pair_bench bench, int argc, char **argv, struct pair_options *options)
{
    struct option list[KNOWN + 1] = {{0}};
    size_t count = 0;
    bool quick = false;
    for (size_t i = 0; i < KNOWN; i++)
        if (known[i].where & bench)
            list[count++] =
                (struct option){known[i].name, known[i].value != NULL, NULL, (int)known[i].key};
    *options = (struct pair_options){.window = 64, .contest = {.rounds = 7, .seconds = 0.02}};
    opterr = 0;
    for (int key; (key = getopt_long(argc, argv, "", list, NULL)) != -1;) {
        if (key == HELP) {
            print_help(bench);
            return WEFT_EXIT_OK;
        }
        quick |= key == QUICK;
        if (key == '?')
            return reject(bench, argv[optind - 1]);
        if (!take_option(key, options))
            return WEFT_EXIT_USAGE;
    }
    if (optind < argc)
        return reject(bench, argv[optind]);
    if (!fit_together(bench, options))
        return WEFT_EXIT_USAGE;
    choose_sizes(bench, quick, options);
    return -1;
}

/* ---- Starting ----------------------------------------------------------------------------- */

static struct pair_shape shape_of(const struct pair_options *options)
{
    struct pair_shape shape = {
        .world = options->world, .provider = options->provider, .window = options->window};
    if (options->world == PAIR_OFI) {
        shape.packet = (size_t)weft_setting(WEFT_SETTING_OFI_PACKET_SIZE);
    } else {
        shape.slots = (size_t)weft_setting(WEFT_SETTING_SHM_SLOTS);
        shape.packet = (size_t)weft_setting(WEFT_SETTING_PACKET_SIZE);
    }
    for (size_t i = 0; i < options->size_count; i++)
        if (options->sizes[i] > shape.largest)
            shape.largest = options->sizes[i];
    return shape;
}

static double load_average(void)
{
    double load;
    return getloadavg(&load, 1) == 1 ? load : 0;
}

static void print_world(const struct pair_shape *shape)
{
    if (shape->world == PAIR_OFI)
        printf(", libfabric's %s on %s, packets of %zu bytes", pair_network()->provider,
               pair_network()->interface, pair_network()->packet);
    else
        printf(", %zu slots of %zu bytes", shape->slots, shape->packet);
}

static void print_heading(enum pair_bench bench, const struct pair_options *options, double load)
{
    struct pair_shape shape = shape_of(options);
    int cores[2];
    printf("# weft bench %s: two processes", name_of(bench));
    if (crew_cores(cores))
        printf(" on cores %d and %d", cores[0], cores[1]);
    print_world(&shape);
    if (bench & STREAMED)
        printf(", windows of %zu", shape.window);
    printf("\n# medians of %zu alternating rounds; load average before: %.2f\n",
           options->contest.rounds, load);
}

void pair_options_start(enum pair_bench bench, const struct pair_options *options)
{
    struct pair_shape shape = shape_of(options);
    double load = load_average();
    int cores[2];
    if (!crew_cores(cores))
        fprintf(stderr, "weft bench: there is only one core: the two processes take turns, and "
                        "the figures say little\n");
    pair_start(&shape);
    if (!options->json)
        print_heading(bench, options, load);
    fflush(stdout);
}

void pair_options_json(enum pair_bench bench, const struct pair_options *options)
{
    struct pair_shape shape = shape_of(options);
    bool is_ofi = options->world == PAIR_OFI;
    weft_json_open(NULL, '{');
    weft_json_string("benchmark", name_of(bench));
    weft_json_string("world", is_ofi ? "ofi" : "shm");
    if (is_ofi) {
        weft_json_string("provider", pair_network()->provider);
        weft_json_string("interface", pair_network()->interface);
    } else {
        weft_json_integer("slots", (int64_t)shape.slots);
    }
    weft_json_integer("packet", (int64_t)(is_ofi ? pair_network()->packet : shape.packet));
    weft_json_integer("rounds", (int64_t)options->contest.rounds);
    if (bench & STREAMED)
        weft_json_integer("window", (int64_t)options->window);
    weft_json_number("load", load_average());
}
