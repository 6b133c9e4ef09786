/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of a GPU, which we must not touch: an MPI library that knows such memory moves it. The
 * driver says of an address what is there. It may be loaded at any time, but a program has use for
 * such addresses only if its MPI library knows them; so of others it is looked for when MPI starts
 * and when a type is used for the first time, of these before every message, if anything was
 * loaded since.
 */
#include "mpi/library/device.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "mpi/library/tables.h"

/* Both drivers have a call of this form, with the same number for "what kind of memory", and 1 for
 * that of the host. Addresses that they do not know are no matter of theirs. */
typedef int ask_driver(unsigned *kind, int what, uintptr_t address);
enum { KIND_OF_MEMORY = 2, OF_HOST = 1 };

static const struct {
    const char *name, *library;
} drivers[] = {
    {"cuPointerGetAttribute", "libcuda.so.1"},
    {"hipPointerGetAttribute", "libamdhip64.so"},
};
enum { DRIVERS = sizeof drivers / sizeof *drivers };

static _Atomic(ask_driver *) calls[DRIVERS];
atomic_bool weft_mpi_has_device;
static bool is_aware;
static atomic_ullong loads;

struct driver {
    const char *library;
    char path[PATH_MAX]; /* of what was loaded; "" if nothing was */
};

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
    struct driver *driver = context;
    const char *soname = weft_mpi_tables_of(info).soname;
    (void)size;
    if (!soname || strcmp(soname, driver->library) != 0)
        return 0;
    int length = snprintf(driver->path, sizeof driver->path, "%s", info->dlpi_name);
    return length > 0 && length < (int)sizeof driver->path;
}

/* By what objects say of themselves: the dynamic linker, asked for a library that is not there,
 * would look into each folder of libraries, and a large job at its start into those of a file
 * system that all share. */
static ask_driver *find(const char *name, const char *library)
{
    struct driver driver = {.library = library};
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found && dl_iterate_phdr(look_at, &driver)) {
        void *opened = dlopen(driver.path, RTLD_LAZY | RTLD_NOLOAD);
        found = opened ? dlsym(opened, name) : NULL;
        if (opened)
            dlclose(opened);
    }
    return (ask_driver *)(uintptr_t)found;
}

static void look_for_drivers(void)
{
    bool has_any = is_aware;
    for (unsigned i = 0; i < DRIVERS; i++) {
        if (!atomic_load_explicit(&calls[i], memory_order_relaxed))
            atomic_store_explicit(&calls[i], find(drivers[i].name, drivers[i].library),
                                  memory_order_relaxed);
        has_any = has_any || atomic_load_explicit(&calls[i], memory_order_relaxed);
    }
    atomic_store_explicit(&weft_mpi_has_device, has_any, memory_order_relaxed);
}

/* Whoever comes while another looks does so, too: what was loaded before the call is known after
 * it. */
void weft_mpi_device_learn(void)
{
    unsigned long long now = weft_mpi_loads();
    if (atomic_load_explicit(&loads, memory_order_acquire) == now)
        return;
    look_for_drivers();
    atomic_store_explicit(&loads, now, memory_order_release);
}

void weft_mpi_device_begin(void)
{
    static const char *const questions[] = {"MPIX_Query_cuda_support", "MPIX_Query_hip_support",
                                            "MPIX_Query_rocm_support", "MPIX_Query_ze_support"};
    for (unsigned i = 0; i < sizeof questions / sizeof *questions; i++) {
        int (*question)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, questions[i]);
        is_aware = is_aware || (question && question());
    }
    weft_mpi_device_learn();
}

bool weft_mpi_ask_device(const void *address)
{
    if (is_aware)
        weft_mpi_device_learn();
    for (unsigned i = 0; i < DRIVERS; i++) {
        ask_driver *ask = atomic_load_explicit(&calls[i], memory_order_relaxed);
        unsigned kind = OF_HOST;
        if (ask && ask(&kind, KIND_OF_MEMORY, (uintptr_t)address) == 0 && kind != OF_HOST)
            return true;
    }
    return false;
}
