/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft trace`: runs a command and puts the timelines of its processes together. */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/setting.h"
#include "child.h"
#include "command.h"
#include "option.h"
#include "trace_file.h"

static const char usage[] =
    "usage: weft trace [-o FILE] [--records N] COMMAND [ARGUMENT...]\n"
    "       weft trace --summary FILE\n"
    "\n"
    "Runs a command and writes what the NIC of each of its processes did to one timeline.\n"
    "Open it with https://ui.perfetto.dev or chrome://tracing. For an MPI program, say\n"
    "\n"
    "  weft trace mpirun -n 2 weft run ./app\n"
    "\n"
    "  -o, --output FILE  the timeline; weft-trace.json unless given\n"
    "  --records N        how many records each process keeps, the last ones; suffixes K, M\n"
    "                     and G; 256K unless given\n"
    "  --summary FILE     run nothing, and sum up this timeline\n"
    "  --help             this text\n"
    "\n"
    "Processes on other hosts take part if they see the folder of FILE, and if the launcher\n"
    "gives them the variables WEFT_TRACE and WEFT_TRACE_RECORDS.\n";

struct request {
    const char *output;
    const char *records; /* NULL: as many as usual */
    char **command;
};

static int fail(const char *what, const char *name)
{
    fprintf(stderr, "weft trace: %s %s: %s\n", what, name, strerror(errno));
    return WEFT_EXIT_FAILED;
}

/* ---- The folder of the parts -------------------------------------------------------------- */

static void name_parent(const char *output, char parent[PATH_MAX])
{
    const char *slash = strrchr(output, '/');
    int length = slash ? (int)(slash - output) + 1 : 0;
    snprintf(parent, PATH_MAX, "%.*s.", length, output);
}

/* Beside the output, where hosts that share its file system find it, too. */
static bool make_folder(const char *output, char folder[PATH_MAX])
{
    char parent[PATH_MAX], whole[PATH_MAX];
    name_parent(output, parent);
    if (!realpath(parent, whole))
        return false;
    errno = ENAMETOOLONG;
    return snprintf(folder, PATH_MAX, "%s/weft-trace-%d-XXXXXX", whole, (int)getpid()) <
               PATH_MAX - NAME_MAX &&
           mkdtemp(folder);
}

/* `what` is done to each; the folder has nothing but the parts. */
static size_t for_each_part(const char *folder, void (*what)(void *argument, const char *path),
                            void *argument)
{
    size_t count = 0;
    struct dirent **names;
    int found = scandir(folder, &names, NULL, versionsort);
    for (int i = 0; i < found; i++) {
        char path[PATH_MAX + NAME_MAX + 2];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        if (names[i]->d_name[0] != '.') {
            what(argument, path);
            count++;
        }
        free(names[i]);
    }
    if (found >= 0)
        free(names);
    return count;
}

static void remove_part(void *argument, const char *path)
{
    (void)argument;
    unlink(path);
}

static void remove_folder(const char *folder)
{
    for_each_part(folder, remove_part, NULL);
    rmdir(folder);
}

/* ---- Running the command ------------------------------------------------------------------ */

static void set(enum weft_setting setting, const char *value)
{
    setenv(weft_setting_info(setting)->name, value, 1);
}

static void set_trace(const struct request *request, const char *folder)
{
    static char pattern[2 * PATH_MAX + 16];
    size_t length = 0;
    for (; *folder; folder++) {
        if (*folder == '%')
            pattern[length++] = '%';
        pattern[length++] = *folder;
    }
    snprintf(pattern + length, sizeof pattern - length, "/%%r-%%p");
    set(WEFT_SETTING_TRACE, pattern);
    if (request->records)
        set(WEFT_SETTING_TRACE_RECORDS, request->records);
}

/* ---- The result --------------------------------------------------------------------------- */

struct parts {
    struct trace_file *files;
    size_t count;
};

static void read_part(void *argument, const char *path)
{
    struct parts *parts = argument;
    struct trace_file file;
    if (!trace_file_read(&file, path)) {
        fprintf(stderr, "weft trace: a process left a timeline that is not whole: %s\n",
                errno ? strerror(errno) : "it ended while it wrote");
        return;
    }
    struct trace_file *files = realloc(parts->files, (parts->count + 1) * sizeof *files);
    if (!files) {
        trace_file_free(&file);
        return;
    }
    parts->files = files;
    parts->files[parts->count++] = file;
}

static void print_summary(const struct parts *parts, FILE *out)
{
    unsigned long long lost = 0;
    trace_file_print_head(out);
    for (size_t i = 0; i < parts->count; i++)
        lost += trace_file_print(&parts->files[i], out);
    if (lost)
        fprintf(out, "# Records are lost: these numbers are of the last ones; --records keeps "
                     "more.\n");
}

static void free_parts(struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        trace_file_free(&parts->files[i]);
    free(parts->files);
}

/* Standard output is the command's own, so what we say goes to the other. */
static int put_together(const char *folder, const char *output, FILE *out)
{
    struct parts parts = {0};
    int code = WEFT_EXIT_OK;
    size_t count = for_each_part(folder, read_part, &parts);
    if (count == 0)
        fprintf(stderr, "weft trace: no process has opened a Portals interface of Weft, or it was "
                        "killed before it could write its timeline; an MPI program needs `weft "
                        "run` before its name\n");
    if (parts.count == 0)
        code = WEFT_EXIT_FAILED;
    if (!trace_file_merge(parts.files, parts.count, out))
        code = fail("cannot write", output);
    if (code == WEFT_EXIT_OK) {
        print_summary(&parts, stderr);
        fprintf(stderr, "# %s: open it with https://ui.perfetto.dev\n", output);
    }
    free_parts(&parts);
    return code;
}

/* The system says "no such file" of one that it was to make, if the folder is missing. */
static int fail_to_create(const char *output)
{
    char parent[PATH_MAX];
    int code = fail("cannot write", output);
    name_parent(output, parent);
    if (access(parent, F_OK) != 0)
        fprintf(stderr, "weft trace: there is no folder %.*s; make it first\n",
                (int)(strlen(parent) - strlen("/.")), parent);
    return code;
}

static int trace_command(const struct request *request)
{
    char folder[PATH_MAX];
    FILE *out = fopen(request->output, "w");
    if (!out)
        return fail_to_create(request->output);
    if (!make_folder(request->output, folder)) {
        int code = fail("cannot make a folder beside", request->output);
        fclose(out);
        return code;
    }
    set_trace(request, folder);
    int ran = child_run("trace", request->command, true);
    int code = ran == WEFT_EXIT_NOT_STARTED ? ran : put_together(folder, request->output, out);
    remove_folder(folder);
    fclose(out);
    return ran ? ran : code;
}

static int summarize(const char *path)
{
    struct trace_file file;
    if (!trace_file_read(&file, path)) {
        if (errno)
            return fail("cannot read", path);
        fprintf(stderr, "weft trace: %s is not a timeline of Weft\n", path);
        return WEFT_EXIT_FAILED;
    }
    print_summary(&(struct parts){&file, 1}, stdout);
    trace_file_free(&file);
    return WEFT_EXIT_OK;
}

/* ---- Options ------------------------------------------------------------------------------ */

static bool is_count(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    const char *suffix = text + digits;
    return digits > 0 && digits < 19 && strspn(suffix, "KMG") == strlen(suffix) &&
           strlen(suffix) <= 1;
}

static int complain(const char *what)
{
    fprintf(stderr, "weft trace: %s\n%s", what, usage);
    return WEFT_EXIT_USAGE;
}

int weft_command_trace(int argc, char **argv)
{
    enum { RECORDS = 256, SUMMARY };
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"records", required_argument, NULL, RECORDS},
                                            {"summary", required_argument, NULL, SUMMARY},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    struct request request = {.output = "weft-trace.json"};
    const char *summary = NULL;
    /* "+": the options of the command are not ours. */
    for (int option; (option = getopt_long(argc, argv, "+:o:h", options, NULL)) != -1;)
        switch (option) {
        case 'o':
            request.output = optarg;
            break;
        case RECORDS:
            request.records = optarg;
            break;
        case SUMMARY:
            summary = optarg;
            break;
        default:
            return option_end(option, usage, argv);
        }
    request.command = argv + optind;
    if (request.records && !is_count(request.records))
        return complain("--records wants a number, such as 64K");
    if (summary)
        return *request.command ? complain("--summary takes one file") : summarize(summary);
    if (!*request.command)
        return complain("which command?");
    return trace_command(&request);
}
