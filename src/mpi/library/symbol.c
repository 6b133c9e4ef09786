/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugins, and languages that call C, ask for calls by the handle of the MPI library and a name.
 * That would lead past us: to receives that may find a ticket where they expect data. So we stand
 * before dlsym as well, and answer with ours where the library's own would have been found.
 *
 * This is called by all that is in the process, also before anything is initialised: by memory
 * allocators, sanitizers and other tools, for names that are not of MPI. Nothing is done then but
 * to go on. What comes of RTLD_NEXT and RTLD_DEFAULT depends on who asks, which libc sees by the
 * return address; so that stays the asker's. By RTLD_DEFAULT our names are found first anyway.
 */
#include <dlfcn.h>

#include "base/setting.h"
#include "mpi/state.h"

#ifdef WEFT_MPI_JUMP

typedef void *look_up(void *handle, const char *name);

/* Comes back in two registers. */
struct answer {
    void *ours;
    look_up *next; /* who shall answer if that is NULL */
};

/* Sanitizers ask before their own memory is there, in which they would look up ours. */
#define EARLY __attribute__((no_sanitize("address", "thread", "undefined")))

/* The first that there was: libc keeps it for old programs. Without a version it would be ours. */
#ifdef __x86_64__
#define VERSION "GLIBC_2.2.5"
#else
#define VERSION "GLIBC_2.17"
#endif

/* Mostly libc, but other tools may stand before it, too. Threads that look at the same time find
 * the same. */
EARLY static look_up *find_next(void)
{
    static look_up *_Atomic known;
    look_up *next = atomic_load_explicit(&known, memory_order_relaxed);
    if (next)
        return next;
    *(void **)&next = dlvsym(RTLD_NEXT, "dlsym", VERSION);
    *(void **)&next = next(RTLD_NEXT, "dlsym");
    atomic_store_explicit(&known, next, memory_order_relaxed);
    return next;
}

/* By hand, since sanitizers have a strncmp of their own. */
EARLY static bool is_of_mpi(const char *name)
{
    name += *name == 'P';
    return name[0] == 'M' && name[1] == 'P' && name[2] == 'I';
}

/* The library may look for what stands behind its own names; so do we. */
static bool is_from_within(const void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) &&
           (info.dli_fbase == weft_mpi_object_of((const void *)(uintptr_t)is_from_within) ||
            weft_mpi_is_part(caller) || weft_mpi_is_component(info.dli_fname));
}

/* What we export, and not what somebody before us does. */
static void *find_own(look_up *next, const char *name)
{
    const void *here = (const void *)(uintptr_t)find_own;
    Dl_info info;
    void *own = dladdr(here, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = own ? next(own, name) : NULL;
    return found && weft_mpi_object_of(found) == info.dli_fbase ? found : NULL;
}

/* Only in place of the library's own: a tool that has a call of the same name keeps it. */
static void *find_ours(look_up *next, void *handle, const char *name, const void *caller)
{
    if (is_from_within(caller) || weft_setting(WEFT_SETTING_DISABLE))
        return NULL;
    void *ours = find_own(next, name);
    void *theirs = ours ? next(handle, name) : NULL;
    if (!theirs)
        return NULL;
    weft_mpi_meet_library();
    if (!weft_mpi_is_part(theirs))
        return NULL;
    dlerror(); /* has nothing to tell of what the asker has not asked for */
    return ours;
}

static struct answer answer(void *handle, const char *name,
                            const void *caller) __asm__("weft_answer_for_dlsym");

EARLY __attribute__((used)) static struct answer answer(void *handle, const char *name,
                                                        const void *caller)
{
    look_up *next = find_next();
    bool may_be_ours = handle != RTLD_NEXT && handle != RTLD_DEFAULT && is_of_mpi(name);
    return (struct answer){may_be_ours ? find_ours(next, handle, name, caller) : NULL, next};
}

/* clang-format off */
__asm__(".pushsection .text\n"
        ".globl dlsym\n"
        ".type dlsym, %function\n"
        "dlsym:\n"
        ".cfi_startproc\n"
#ifdef __x86_64__
        "endbr64\n"
        "push %rsi\n.cfi_adjust_cfa_offset 8\n"
        "push %rdi\n.cfi_adjust_cfa_offset 8\n"
        "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
        "mov 24(%rsp), %rdx\n"
        "call weft_answer_for_dlsym\n"
        "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
        "pop %rdi\n.cfi_adjust_cfa_offset -8\n"
        "pop %rsi\n.cfi_adjust_cfa_offset -8\n"
        "test %rax, %rax\n"
        "jz 1f\n"
        "ret\n"
        "1: jmp *%rdx\n"
#else
        "hint 34\n"
        "stp x29, x30, [sp, -32]!\n.cfi_def_cfa_offset 32\n"
        ".cfi_offset x29, -32\n.cfi_offset x30, -24\n"
        "stp x0, x1, [sp, 16]\n"
        "mov x2, x30\n"
        "bl weft_answer_for_dlsym\n"
        "mov x16, x1\n"
        "mov x17, x0\n"
        "ldp x0, x1, [sp, 16]\n"
        "ldp x29, x30, [sp], 32\n.cfi_restore x29\n.cfi_restore x30\n.cfi_def_cfa_offset 0\n"
        "cbz x17, 1f\n"
        "mov x0, x17\n"
        "ret\n"
        "1: br x16\n"
#endif
        ".cfi_endproc\n"
        ".size dlsym, . - dlsym\n"
        ".popsection");
/* clang-format on */

#endif
