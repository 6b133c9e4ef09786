/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/library/calls.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mpi/state.h"

struct weft_mpi_calls mpi;
bool weft_mpi_is_open_mpi;
#ifdef OPEN_MPI
struct weft_mpi_objects weft_mpi_objects;
#endif
static bool has_all;
static const char *lacking;
static bool is_for_good; /* the library stays as long as the process */

enum { LONGEST_VERSION = 8192 }; /* of all libraries, each of which has a constant of its own */

/* ---- The library --------------------------------------------------------------------------- */

/* A program that uses what its MPI library does not have would not have started without us. */
static int answer_for_missing(void)
{
    weft_log(WEFT_LOG_ERROR, "the program calls what its MPI library does not have");
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

bool weft_mpi_is_there(uintptr_t call)
{
    return call && call != (uintptr_t)answer_for_missing;
}

const void *weft_mpi_object_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Python loads MPI so that nobody else sees it. Then some library that is loaded uses it: the one
 * that has the calls, whatever it is called, but for us. It stays open. */
static void *find_hidden_library(void)
{
    const void *own = weft_mpi_object_of(&has_all);
    for (struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        void *candidate = *map->l_name ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        void *found = candidate ? dlsym(candidate, "PMPI_Init") : NULL;
        if (found && weft_mpi_object_of(found) != own)
            return candidate;
        if (candidate)
            dlclose(candidate);
    }
    return NULL;
}

/* ---- The way past us ----------------------------------------------------------------------- */

/* NULL: what comes behind us. */
static void *library;

#ifdef WEFT_MPI_JUMP

/* The linker names the ends of the sections. */
extern struct weft_mpi_export __start_weft_exports[], __stop_weft_exports[];
extern struct weft_mpi_export __start_weft_counted[], __stop_weft_counted[];
extern struct weft_mpi_export __start_weft_recorded[], __stop_weft_recorded[];

static void lead_past_us(struct weft_mpi_export *first, const struct weft_mpi_export *end)
{
    for (struct weft_mpi_export *at = first; at < end; at++) {
        void *theirs = dlsym(library ? library : RTLD_NEXT, at->name);
        if (theirs)
            *(void **)&at->target = theirs;
    }
}

static void step_aside_at_first(void)
{
    lead_past_us(__start_weft_counted, __stop_weft_counted);
    lead_past_us(__start_weft_recorded, __stop_weft_recorded);
}

void weft_mpi_step_aside(void)
{
    lead_past_us(__start_weft_exports, __stop_weft_exports);
}

static void step_in(struct weft_mpi_export *first, const struct weft_mpi_export *end)
{
    for (struct weft_mpi_export *at = first; at < end; at++)
        at->target = at->own;
}

static void step_in_to_begin(void)
{
    step_in(__start_weft_exports, __stop_weft_exports);
}

void weft_mpi_step_in_to_count(void)
{
    step_in(__start_weft_counted, __stop_weft_counted);
}

void weft_mpi_step_in_to_record(void)
{
    step_in(__start_weft_recorded, __stop_weft_recorded);
}

static struct weft_mpi_export *find(struct weft_mpi_export *first,
                                    const struct weft_mpi_export *end, const char *name)
{
    for (struct weft_mpi_export *at = first; at < end; at++)
        if (strcmp(at->name, name) == 0)
            return at;
    return NULL;
}

weft_mpi_function *weft_mpi_step_between(const char *name, weft_mpi_function *function)
{
    struct weft_mpi_export *export = find(__start_weft_exports, __stop_weft_exports, name);
    if (!export)
        export = find(__start_weft_counted, __stop_weft_counted, name);
    if (!export)
        export = find(__start_weft_recorded, __stop_weft_recorded, name);
    weft_mpi_function *before = export->target;
    export->target = function;
    return before;
}

#else

static bool is_our_kind(void);

static void step_aside_at_first(void)
{
}

void weft_mpi_step_aside(void)
{
    if (is_our_kind())
        return;
    weft_log(WEFT_LOG_ERROR, "there is no way to leave this MPI library alone: run the program "
                             "without weft");
    abort();
}

static void step_in_to_begin(void)
{
}

void weft_mpi_step_in_to_count(void)
{
}

void weft_mpi_step_in_to_record(void)
{
}

weft_mpi_function *weft_mpi_step_between(const char *name, weft_mpi_function *function)
{
    (void)name;
    return function;
}

#endif

/* ---- Its calls ----------------------------------------------------------------------------- */

void *weft_mpi_look_for(const char *name)
{
    void *found = dlsym(library ? library : RTLD_NEXT, name);
    return found ? found : (void *)(uintptr_t)answer_for_missing;
}

/* "PMPI_..." or, if a library has only that, "MPI_...": MPICH 5 of the standard ABI closes files by
 * one name alone. */
static void *find_call(const char *name)
{
    void *found = weft_mpi_look_for(name);
    return weft_mpi_is_there((uintptr_t)found) ? found : weft_mpi_look_for(name + 1);
}

static void note(uintptr_t found, const char *name)
{
    if (weft_mpi_is_there(found))
        return;
    if (has_all)
        lacking = name;
    has_all = false;
}

static void load(void)
{
    has_all = true;
#define FIND(name) *(void **)&mpi.name = find_call("PMPI_" #name);
    WEFT_MPI_CALLS(FIND)
#undef FIND
#define NOTE(name) note((uintptr_t)mpi.name, "MPI_" #name);
    WEFT_MPI_CALLS_ALWAYS(NOTE)
#undef NOTE
/* The program itself may have them: then its own are those that all use. */
#define FIND(name)                                                                                \
    weft_mpi_objects.name = dlsym(library ? library : RTLD_DEFAULT, #name);                       \
    note((uintptr_t)weft_mpi_objects.name, #name);
    WEFT_MPI_OBJECTS(FIND)
#undef FIND
    step_aside_at_first();
}

/* Constructors of others may ask for calls before this is run as one. */
__attribute__((constructor)) static void load_early(void)
{
    static bool has_begun;
    if (has_begun)
        return;
    has_begun = true;
    load();
    is_for_good = WEFT_MPI_HAS(Init);
}

static bool ask_for_open_mpi(void)
{
    static char version[LONGEST_VERSION + 1];
    int length = 0;
    mpi.Get_library_version(version, &length);
    return strstr(version, "Open MPI") != NULL;
}

/* Older libraries have no such call. Those with handles of their own say -1. */
static bool has_standard_abi(void)
{
    int major = -1, minor = -1, (*ask)(int *, int *);
    *(void **)&ask = weft_mpi_look_for("PMPI_Abi_get_version");
    return weft_mpi_is_there((uintptr_t)ask) && ask(&major, &minor) == MPI_SUCCESS && major > 0;
}

/* Whether the library is of the kind that we were compiled for: the handles of others are
 * something else. */
static bool is_our_kind(void)
{
#if defined WEFT_MPI_STANDARD_ABI
    return has_standard_abi();
#elif defined OPEN_MPI
    return weft_mpi_is_open_mpi && !has_standard_abi();
#else
    return !weft_mpi_is_open_mpi && !has_standard_abi();
#endif
}

static void load_hidden(void)
{
    library = find_hidden_library();
    if (!library) {
        weft_log(WEFT_LOG_ERROR, "the program has no MPI library that we can find: run it without "
                                 "weft");
        abort();
    }
    load();
    step_in_to_begin();
    is_for_good = true;
}

bool weft_mpi_load(void)
{
    if (!is_for_good)
        load_hidden();
    weft_mpi_is_open_mpi = ask_for_open_mpi();
    bool is_ours = is_our_kind();
    if (!is_ours)
        weft_log(WEFT_LOG_WARN, "the MPI library is not the one that weft run took it for: all "
                                "messages are left to it");
    else if (!has_all)
        weft_log(WEFT_LOG_WARN, "the MPI library has no %s: all messages are left to it", lacking);
    return has_all && is_ours;
}

/* ---- Before MPI is initialised ------------------------------------------------------------- */

static bool is_beside(uintptr_t call, const void *object)
{
    return weft_mpi_is_there(call) && weft_mpi_object_of((const void *)call) == object;
}

bool weft_mpi_is_part(const void *address)
{
    const void *object = weft_mpi_object_of(address);
    return object &&
           (is_beside((uintptr_t)mpi.Init, object) || is_beside((uintptr_t)mpi.Recv, object));
}

#ifdef WEFT_MPI_JUMP

/* Its user may close it again and open another. It may also be initialised past us, and be of
 * another kind than we are. So until it is, all calls but those that do so lead past us. */
void weft_mpi_meet_library(void)
{
    static _Atomic unsigned long long met;
    unsigned long long loads = weft_mpi_loads();
    load_early();
    if (is_for_good || met == loads)
        return;
    library = find_hidden_library();
    load();
    weft_mpi_step_aside();
    weft_mpi_step_between("PMPI_Init", (weft_mpi_function *)MPI_Init);
    weft_mpi_step_between("PMPI_Init_thread", (weft_mpi_function *)MPI_Init_thread);
    if (library)
        dlclose(library);
    met = loads; /* threads that have come meanwhile have found the same */
}

#endif
