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
#include "mpi_flavour.h"

#define EXIT_NOT_STARTED 127

static const char usage[] =
    "usage: mpirun -n N weft run [OPTION...] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Runs an MPI program, unchanged, so that its messages of non-contiguous data (derived\n"
    "datatypes) go through Weft. Open MPI or MPICH is recognised by the program's libraries.\n"
    "All processes of the job must be run this way.\n"
    "\n"
    "  --report[=FILE]  say at the end what went which way and what that saved: a table on\n"
    "                   standard error, or JSON in FILE\n"
    "  --trace FILE     write a timeline of each process; %r in the name is its rank, and is\n"
    "                   put before the ending if it is not there\n"
    "  --off            run the program as if there were no Weft, to compare\n"
    "  --help           this text\n"
    "\n"
    "Settings are variables; `weft info` lists them. WEFT_TICKET is the size above which\n"
    "messages are pulled by their receiver.\n";

static int fail(const char *what, const char *name)
{
    fprintf(stderr, "weft run: %s %s: %s\n", what, name, strerror(errno));
    return EXIT_NOT_STARTED;
}

static void set(enum weft_setting setting, const char *value)
{
    setenv(weft_setting_info(setting)->name, value, 1);
}

/* ---- The library --------------------------------------------------------------------------- */

/* Beside the command as it is installed, or as it is built. */
static bool find_library(const char *name, char path[PATH_MAX])
{
    static const char *const folders[] = {WEFT_PRELOAD, "../../src"};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return false;
    self[length] = 0;
    char *slash = strrchr(self, '/');
    *slash = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char wish[3 * PATH_MAX];
        snprintf(wish, sizeof wish, "%s/%s/libweft_mpi_%s.so", self, folders[i], name);
        if (realpath(wish, path))
            return true;
    }
    return false;
}

/* In front of what is there: tools that trace MPI see what the program calls, not what we do. */
static void preload(const char *path)
{
    char list[4 * PATH_MAX];
    const char *before = weft_environment(WEFT_ENVIRONMENT_LD_PRELOAD);
    snprintf(list, sizeof list, "%s%s%s", before ? before : "", before && *before ? ":" : "",
             path);
    setenv("LD_PRELOAD", list, 1);
}

/* Whatever is missing, the program runs. */
static void prepare(const char *program)
{
    static const char *const names[] = {
        [WEFT_MPI_OPENMPI] = "openmpi", [WEFT_MPI_MPICH] = "mpich"};
    char path[PATH_MAX];
    enum weft_mpi_flavour flavour = weft_mpi_flavour(program);
    if (flavour == WEFT_MPI_STATIC)
        fprintf(stderr, "weft run: %s is linked statically, so it runs without Weft\n", program);
    else if (flavour == WEFT_MPI_NONE)
        fprintf(stderr,
                "weft run: %s uses neither Open MPI nor MPICH, and no launcher of theirs has "
                "started it, so it runs without Weft\n",
                program);
    else if (!find_library(names[flavour], path))
        fprintf(stderr,
                "weft run: libweft_mpi_%s.so is not installed, so %s runs without Weft: build "
                "Weft where this MPI is\n",
                names[flavour], program);
    else
        preload(path);
}

/* Each process has a file of its own: without a place for the rank, it comes before the ending. */
static void trace_to(const char *name)
{
    char path[PATH_MAX];
    const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    int stem = (int)(dot && (!slash || dot > slash) ? (size_t)(dot - name) : strlen(name));
    if (strstr(name, "%r") || strstr(name, "%p"))
        snprintf(path, sizeof path, "%s", name);
    else
        snprintf(path, sizeof path, "%.*s-%%r%s", stem, name, name + stem);
    set(WEFT_SETTING_TRACE, path);
}

/* ---- The command --------------------------------------------------------------------------- */

struct request {
    bool is_off;
    bool is_help;
};

static bool parse(int argc, char **argv, struct request *request)
{
    static const struct option options[] = {{"report", optional_argument, NULL, 'r'},
                                            {"trace", required_argument, NULL, 't'},
                                            {"off", no_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    int option;
    optind = 0;
    while ((option = getopt_long(argc, argv, "+h", options, NULL)) != -1)
        switch (option) {
        case 'r':
            set(WEFT_SETTING_REPORT, optarg ? optarg : "-");
            break;
        case 't':
            trace_to(optarg);
            break;
        case 'o':
            request->is_off = true;
            break;
        case 'h':
            request->is_help = true;
            break;
        default:
            return false;
        }
    return request->is_help || optind < argc;
}

int weft_command_run(int argc, char **argv)
{
    struct request request = {0};
    if (!parse(argc, argv, &request)) {
        fputs(usage, stderr);
        return WEFT_EXIT_USAGE;
    }
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
