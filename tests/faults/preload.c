/* SPDX-License-Identifier: BSD-3-Clause */
#include "faults/preload.h"

#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "faults/inject.h"

#define OBJECTS 16u

static struct {
    struct range {
        uintptr_t from, to;
    } ranges[OBJECTS];
    unsigned count;
    const char *objects;
    struct fault fault;
    const char *report;
    pid_t process;
} preload;

/* ---- Whose calls -------------------------------------------------------------------------- */

static bool is_named(const char *objects, const char *name)
{
    for (const char *each = objects; *each; each += *each == ',') {
        size_t length = strcspn(each, ",");
        if (length && strncmp(name, each, length) == 0)
            return true;
        each += length;
    }
    return false;
}

static void add_code(const struct dl_phdr_info *object)
{
    for (unsigned i = 0; i < object->dlpi_phnum && preload.count < OBJECTS; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t from = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && part->p_flags & PF_X)
            preload.ranges[preload.count++] = (struct range){from, from + part->p_memsz};
    }
}

static int look_at(struct dl_phdr_info *object, size_t size, void *argument)
{
    (void)size;
    (void)argument;
    const char *slash = strrchr(object->dlpi_name, '/');
    const char *name = slash ? slash + 1 : object->dlpi_name;
    if (is_named(preload.objects, *name ? name : "main"))
        add_code(object);
    return 0;
}

bool preload_counts(const void *address)
{
    uintptr_t at = (uintptr_t)address;
    for (unsigned i = 0; i < preload.count; i++)
        if (at >= preload.ranges[i].from && at < preload.ranges[i].to)
            return true;
    return false;
}

/* ---- What to do --------------------------------------------------------------------------- */

static bool is_here(const char *where)
{
    char name[64];
    size_t length = strcspn(where, "=");
    if (length >= sizeof name || !where[length])
        return false;
    memcpy(name, where, length);
    name[length] = '\0';
    const char *value = getenv(name);
    return value && strcmp(value, where + length + 1) == 0;
}

static void read_fault(struct fault *fault)
{
    const char *kind = getenv("FAULT_KIND"), *nth = getenv("FAULT_NTH");
    fault->kind = kind ? fault_kind_of(kind) : FAULT_KINDS;
    fault->nth = nth ? strtoull(nth, NULL, 10) : 0;
    fault->for_ever = getenv("FAULT_FOREVER") != NULL;
}

/* As early as the loader lets us: other preloaded libraries have constructors, too. */
__attribute__((constructor(101))) static void begin(void)
{
    const char *where = getenv("FAULT_WHERE"), *objects = getenv("FAULT_OBJECTS");
    if (where && !is_here(where))
        return;
    preload.objects = objects ? objects : "libweft,libportals";
    preload.report = getenv("FAULT_REPORT");
    preload.process = getpid();
    read_fault(&preload.fault);
    dl_iterate_phdr(look_at, NULL);
    fault_arm(&preload.fault);
}

/* ---- What happened ------------------------------------------------------------------------ */

/* One line, written at once: several processes may share the file. */
__attribute__((destructor)) static void end(void)
{
    char line[512];
    int length = 0;
    if (!preload.report || preload.process != getpid())
        return;
    fault_arm(NULL);
    for (unsigned kind = 0; kind < FAULT_KINDS; kind++)
        length +=
            snprintf(line + length, sizeof line - (size_t)length, "%s%s %" PRIu64, kind ? " " : "",
                     fault_kind_text(kind), (uint64_t)preload.fault.calls[kind]);
    line[length++] = '\n';
    int file = open(preload.report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    if (write(file, line, (size_t)length) != length)
        perror(preload.report);
    close(file);
}
