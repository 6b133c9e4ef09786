/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI-IO and one-sided communication inside the MPI library send messages by the very calls that
 * we export. Those are left alone: the library may wait for them by means that we do not see, and
 * they use communicators of the library's own, by which the program sends nothing.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/state.h"

/* Code of an object. */
struct range {
    uintptr_t begin, end;
    const char *name;
    bool is_library;
};

/* Sorted by address. A new one takes the place of an old one when objects have been loaded; the
 * old one stays, because other threads may still look into it. */
struct map {
    unsigned long long loads; /* how many objects had ever been loaded */
    size_t room, count;
    struct range ranges[];
};

static _Atomic(struct map *) known;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- What is loaded ------------------------------------------------------------------------ */

static bool is_code(const ElfW(Phdr) * part)
{
    return part->p_type == PT_LOAD && (part->p_flags & PF_X);
}

static int count_ranges(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        *(size_t *)context += is_code(&info->dlpi_phdr[i]);
    return 0;
}

static int read_loads(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    *(unsigned long long *)context = info->dlpi_adds;
    return 1;
}

static int add_ranges(struct dl_phdr_info *info, size_t size, void *context)
{
    struct map *map = context;
    (void)size;
    map->loads = info->dlpi_adds;
    for (unsigned i = 0; i < info->dlpi_phnum && map->count < map->room; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        if (is_code(part))
            map->ranges[map->count++] = (struct range){
                .begin = begin, .end = begin + part->p_memsz, .name = info->dlpi_name};
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    uintptr_t left = ((const struct range *)a)->begin, right = ((const struct range *)b)->begin;
    return left < right ? -1 : left > right;
}

/* ---- What is of the library ---------------------------------------------------------------- */

/* Components of Open MPI are loaded by name, and have a symbol of that name. Bindings of other
 * languages, which speak for the program, have none. */
bool weft_mpi_is_component(const char *path)
{
    char symbol[256];
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    int length = (int)strcspn(name, ".");
    if (strncmp(name, "mca_", 4) != 0 ||
        snprintf(symbol, sizeof symbol, "%.*s_component", length, name) >= (int)sizeof symbol)
        return false;
    void *component = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    bool has_symbol = component && dlsym(component, symbol);
    if (component)
        dlclose(component);
    return has_symbol;
}

static bool contains(const struct range *range, uintptr_t address)
{
    return address - range->begin < range->end - range->begin;
}

/* Not while objects are gone through: to open one takes a lock that another thread may hold. */
static void mark_library(struct map *map)
{
    for (size_t i = 0; i < map->count; i++) {
        struct range *range = &map->ranges[i];
        range->is_library = contains(range, (uintptr_t)mpi.Init) ||
                            contains(range, (uintptr_t)mpi.Recv) ||
                            weft_mpi_is_component(range->name);
    }
}

static struct map *draw_map(void)
{
    size_t room = 8; /* for what is loaded meanwhile */
    dl_iterate_phdr(count_ranges, &room);
    struct map *map = malloc(sizeof *map + room * sizeof map->ranges[0]);
    if (!map)
        return NULL;
    map->room = room;
    map->count = 0;
    dl_iterate_phdr(add_ranges, map);
    mark_library(map);
    qsort(map->ranges, map->count, sizeof map->ranges[0], compare);
    return map;
}

unsigned long long weft_mpi_loads(void)
{
    unsigned long long loads = 0;
    dl_iterate_phdr(read_loads, &loads);
    return loads;
}

bool weft_mpi_learn_library(void)
{
    unsigned long long loads = weft_mpi_loads();
    pthread_mutex_lock(&lock);
    struct map *map = atomic_load_explicit(&known, memory_order_acquire);
    if (!map || map->loads != loads) {
        map = draw_map();
        if (map)
            atomic_store_explicit(&known, map, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return map != NULL;
}

/* ---- Whose call ---------------------------------------------------------------------------- */

static const struct range *search(const struct map *map, uintptr_t address)
{
    size_t low = 0, high = map->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (address < map->ranges[middle].begin)
            high = middle;
        else if (address >= map->ranges[middle].end)
            low = middle + 1;
        else
            return &map->ranges[middle];
    }
    return NULL;
}

/* Most calls of a thread come from where the last one came from. */
static const struct range *find(uintptr_t address)
{
    static _Thread_local struct {
        const struct map *map;
        const struct range *range;
    } last;
    const struct map *map = atomic_load_explicit(&known, memory_order_acquire);
    if (last.map == map && last.range && contains(last.range, address))
        return last.range;
    last.map = map;
    return last.range = search(map, address);
}

/* Code that nobody has loaded was made by the program while it runs. */
bool weft_mpi_is_library(const void *caller)
{
    const struct range *range = find((uintptr_t)caller);
    if (!range && weft_mpi_learn_library())
        range = find((uintptr_t)caller);
    return range && range->is_library;
}
