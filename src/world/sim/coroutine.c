/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/sim/coroutine.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "world/sim/sanitize.h"

/* One side of a switch: the coroutine, or whoever resumed it. */
struct side {
    ucontext_t context;
#ifdef WEFT_SIM_ADDRESS_SANITIZER
    void *fake_stack;
    const void *stack;
    size_t stack_size;
#endif
#ifdef WEFT_SIM_THREAD_SANITIZER
    void *fiber;
#endif
};

struct weft_sim_coroutine {
    struct side inside;
    struct side outside;
    void (*body)(void *);
    void *argument;
    unsigned char *mapping; /* a guard page, then the stack */
    size_t mapping_size;
    bool ended;
};

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* `from` is left for good if `last`: the sanitizer then frees what it keeps for that stack. */
static void leave(struct side *from, struct side *to, bool last)
{
#ifdef WEFT_SIM_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(last ? NULL : &from->fake_stack, to->stack, to->stack_size);
#endif
#ifdef WEFT_SIM_THREAD_SANITIZER
    from->fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to->fiber, 0);
#endif
    (void)last;
    swapcontext(&from->context, &to->context);
}

/* The first thing after every switch to `to`. */
static void arrive(struct side *to, struct side *from)
{
#ifdef WEFT_SIM_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(to->fake_stack, &from->stack, &from->stack_size);
#endif
    (void)to;
    (void)from;
}

/* makecontext passes only ints, so the address comes in halves. */
static void begin(unsigned high, unsigned low)
{
    struct weft_sim_coroutine *coroutine =
        (struct weft_sim_coroutine *)(uintptr_t)((uint64_t)high << 32 | low);
    arrive(&coroutine->inside, &coroutine->outside);
    coroutine->body(coroutine->argument);
    coroutine->ended = true;
    leave(&coroutine->inside, &coroutine->outside, true);
}

static bool map_stack(struct weft_sim_coroutine *coroutine, size_t stack)
{
    size_t page = page_size();
    size_t size = (stack + page - 1) / page * page + page;
    if (size < stack)
        return false;
    void *mapping = mmap(NULL, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (mapping == MAP_FAILED)
        return false;
    coroutine->mapping = mapping;
    coroutine->mapping_size = size;
    return mprotect(mapping, page, PROT_NONE) == 0;
}

/* Apart from its caller, whose variables getcontext would put in doubt by returning twice. */
static void prepare(struct weft_sim_coroutine *coroutine)
{
    ucontext_t *context = &coroutine->inside.context;
    getcontext(context);
    context->uc_stack.ss_sp = coroutine->mapping + page_size();
    context->uc_stack.ss_size = coroutine->mapping_size - page_size();
    uint64_t address = (uintptr_t)coroutine;
    makecontext(context, (void (*)(void))begin, 2, (unsigned)(address >> 32), (unsigned)address);
#ifdef WEFT_SIM_ADDRESS_SANITIZER
    coroutine->inside.stack = context->uc_stack.ss_sp;
    coroutine->inside.stack_size = context->uc_stack.ss_size;
#endif
#ifdef WEFT_SIM_THREAD_SANITIZER
    coroutine->inside.fiber = __tsan_create_fiber(0);
#endif
}

struct weft_sim_coroutine *weft_sim_coroutine_create(size_t stack, void (*body)(void *),
                                                     void *argument)
{
    struct weft_sim_coroutine *coroutine = calloc(1, sizeof *coroutine);
    if (!coroutine)
        return NULL;
    if (!map_stack(coroutine, stack)) {
        weft_sim_coroutine_destroy(coroutine);
        return NULL;
    }
    coroutine->body = body;
    coroutine->argument = argument;
    prepare(coroutine);
    return coroutine;
}

void weft_sim_coroutine_destroy(struct weft_sim_coroutine *coroutine)
{
    if (!coroutine)
        return;
#ifdef WEFT_SIM_THREAD_SANITIZER
    if (coroutine->inside.fiber)
        __tsan_destroy_fiber(coroutine->inside.fiber);
#endif
    if (coroutine->mapping) {
        /* Frames that never returned left their marks, which the next mapping would inherit. */
        weft_sim_unpoison(coroutine->mapping, coroutine->mapping_size);
        munmap(coroutine->mapping, coroutine->mapping_size);
    }
    free(coroutine);
}

bool weft_sim_coroutine_resume(struct weft_sim_coroutine *coroutine)
{
    leave(&coroutine->outside, &coroutine->inside, false);
    arrive(&coroutine->outside, &coroutine->inside);
    return coroutine->ended;
}

void weft_sim_coroutine_suspend(struct weft_sim_coroutine *coroutine)
{
    leave(&coroutine->inside, &coroutine->outside, false);
    arrive(&coroutine->inside, &coroutine->outside);
}
