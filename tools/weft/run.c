/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft run`: an MPI program with the preload library. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/setting.h"
#include "command.h"
#include "launcher.h"
#include "mpi_flavour.h"
#include "option.h"
#include "preload.h"

static const char usage[] =
    "usage: mpirun -n N weft run [OPTION...] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Runs an MPI program, unchanged, so that its messages of non-contiguous data (derived\n"
    "datatypes) go through Weft. Open MPI, MPICH or the standard ABI of MPI 5 is recognised by\n"
    "the program's libraries.\n"
    "Run all processes of the job this way; if some are not, messages are only packed by Weft.\n"
    "\n"
    "  --report[=FILE]  say at the end how messages travelled and how much time that saved:\n"
    "                   a table on standard error, or JSON in FILE\n"
    "  --trace FILE     write a timeline of each process; %r in the name is its rank, and\n"
    "                   without it t.json becomes t.3.json\n"
    "  --record FILE    write what the program does as a graph that `weft sim goal` simulates\n"
    "  --shared-heap    the program's large allocations come from memory that its peers on\n"
    "                   this host can map, so that messages are copied once\n"
    "  --off            run the program as if there were no Weft, to compare\n"
    "  --help           this text\n"
    "\n"
    "Settings are variables; `weft info` lists them. WEFT_TICKET is the size above which\n"
    "messages are pulled by their receiver.\n";

static int fail(const char *what, const char *name)
{
    fprintf(stderr, "weft run: %s %s: %s\n", what, name, strerror(errno));
    return WEFT_EXIT_NOT_STARTED;
}

static void set(enum weft_setting setting, const char *value)
{
    setenv(weft_setting_info(setting)->name, value, 1);
}

/* ---- The library --------------------------------------------------------------------------- */

/* Behind what is there: tools that trace MPI see what the program calls, not what we do. What an
 * outer `weft run` has put there goes: it may be for another MPI. */
static bool preload(const char *paths)
{
    const char *variable = weft_setting_environment(WEFT_SETTING_ENVIRONMENT_LD_PRELOAD);
    char *before = strdup(variable ? variable : ""), *list = NULL;
    size_t size;
    FILE *out = open_memstream(&list, &size);
    for (char *rest = before, *entry; out && (entry = strsep(&rest, ": "));)
        if (*entry && !preload_is_ours(entry))
            fprintf(out, "%s:", entry);
    if (out)
        fprintf(out, "%s", paths);
    bool is_set = out && before && fclose(out) == 0 && setenv("LD_PRELOAD", list, 1) == 0;
    free(list);
    free(before);
    return is_set;
}

/* AddressSanitizer ends a program into which something is loaded before itself, for fear that it
 * defines malloc. We do so only if asked to, and leave it what is small. What the user has set
 * comes behind, and counts. */
static bool calm_sanitizer(void)
{
    const char *before = weft_setting_environment(WEFT_SETTING_ENVIRONMENT_ASAN_OPTIONS);
    char *options = NULL;
    bool is_set = asprintf(&options, "verify_asan_link_order=0:%s", before ? before : "") > 0 &&
                  setenv("ASAN_OPTIONS", options, 1) == 0;
    free(options);
    return is_set;
}

/* Says why the program runs as if there were no Weft. */
static void say_without(const char *program, const char *reason)
{
    fprintf(stderr, "weft run: %s runs without Weft: %s\n", program, reason);
}

/* The library for its MPI, and in front of it that of the heap, if one is wanted. */
static bool preload_all(const char *program, const char *path)
{
    char heap[PATH_MAX], *paths = NULL;
    bool is_wanted = weft_setting(WEFT_SETTING_SHARED_HEAP);
    bool is_there = is_wanted && preload_find("heap", heap);
    if (is_wanted && !is_there)
        fprintf(stderr, "weft run: %s runs without a shared heap: its library is not installed\n",
                program);
    int length = is_there ? asprintf(&paths, "%s:%s", heap, path) : asprintf(&paths, "%s", path);
    bool is_set = length > 0 && preload(paths);
    free(paths);
    return is_set;
}

static void prepare_for(const char *program, const char *name)
{
    char path[PATH_MAX];
    if (access("/proc/self/exe", F_OK) != 0)
        say_without(program, "there is no /proc, which tells where Weft is");
    else if (!preload_find(name, path))
        say_without(program, "the library for its MPI is not installed; build Weft where that is");
    else if (strpbrk(path, ": \t"))
        say_without(program, "LD_PRELOAD cannot name a folder with a blank or a colon; install "
                             "Weft elsewhere");
    else if (!calm_sanitizer() || !preload_all(program, path))
        say_without(program, "no memory");
}

/* Whatever is missing, the program runs. Of one that is missing itself execvp will tell. */
static void prepare(const char *program)
{
    static const char *const reasons[] = {
        [WEFT_MPI_STATIC] = "it is linked statically, or its MPI is",
        [WEFT_MPI_FOREIGN] = "it is for another processor",
        [WEFT_MPI_NONE] = "it uses neither Open MPI nor MPICH, and no launcher of theirs has "
                          "started it (mpirun -n N weft run PROGRAM)",
    };
    enum weft_mpi_flavour flavour = weft_mpi_flavour(program);
    const struct weft_mpi_flavour_info *info = weft_mpi_flavour_info(flavour);
    if (info)
        prepare_for(program, info->preload);
    else if (flavour == WEFT_MPI_NONE && launcher_is(program))
        say_without(program, "it is a launcher; swap the two: mpirun -n N weft run PROGRAM");
    else if (flavour != WEFT_MPI_MISSING)
        say_without(program, reasons[flavour]);
}

/* ---- The command --------------------------------------------------------------------------- */

struct request {
    bool is_off;
    bool is_help;
};

/* WEFT_EXIT_OK, or what to end with. */
static int parse(int argc, char **argv, struct request *request)
{
    static const struct option options[] = {{"report", optional_argument, NULL, 'r'},
                                            {"trace", required_argument, NULL, 't'},
                                            {"shared-heap", no_argument, NULL, 's'},
                                            {"off", no_argument, NULL, 'o'},
                                            {"record", required_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    optind = 0;
    for (int option; (option = getopt_long(argc, argv, "+:h", options, NULL)) != -1;)
        switch (option) {
        case 'r':
            set(WEFT_SETTING_REPORT, optarg ? optarg : "-");
            break;
        case 't':
            set(WEFT_SETTING_TRACE, optarg);
            break;
        case 'c':
            set(WEFT_SETTING_RECORD, optarg);
            break;
        case 's':
            set(WEFT_SETTING_SHARED_HEAP, "1");
            break;
        case 'o':
            request->is_off = true;
            break;
        case 'h':
            request->is_help = true;
            break;
        default:
            return option_reject(option, argv);
        }
    if (request->is_help || optind < argc)
        return WEFT_EXIT_OK;
    fprintf(stderr, "weft run: which program?\n%s", usage);
    return WEFT_EXIT_USAGE;
}

int weft_command_run(int argc, char **argv)
{
    struct request request = {0};
    int code = parse(argc, argv, &request);
    if (code != WEFT_EXIT_OK)
        return code;
    if (request.is_help) {
        fputs(usage, stdout);
        return WEFT_EXIT_OK;
    }
    char **program = argv + optind;
    if (!request.is_off)
        prepare(program[0]);
    execvp(program[0], program);
    return fail("cannot run", program[0]);
}
