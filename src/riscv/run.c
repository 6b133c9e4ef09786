/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter, compiled once with -DWEFT_RISCV_XLEN=32 and once with 64. */
#include "riscv/run.h"

#include <string.h>

#include "base/rare.h"

#define XLEN WEFT_RISCV_XLEN
#if XLEN == 32
#define RUN weft_riscv_run32
typedef uint32_t ux;
typedef int32_t sx;
typedef uint64_t uxx;
typedef int64_t sxx;
#else
#define RUN weft_riscv_run64
typedef uint64_t ux;
typedef int64_t sx;
__extension__ typedef unsigned __int128 uxx;
__extension__ typedef __int128 sxx;
#endif

/* The lower 32 bits, extended by their sign. */
#define LOW(value) ((sx)(int32_t)(uint32_t)(value))

static inline unsigned leading_zeros(uint64_t value, unsigned bits)
{
    return value ? (unsigned)__builtin_clzll(value) - (64 - bits) : bits;
}

#define HERE ((ux)(base + 2 * (uint64_t)(i - first)))

#define STOP(why)                                                                                 \
    do {                                                                                          \
        stop = (why);                                                                             \
        goto stopped;                                                                             \
    } while (0)

/* More ticks of an instruction that has paid its cost. */
#define PAY(ticks)                                                                                \
    do {                                                                                          \
        uint64_t more = (ticks);                                                                  \
        if (weft_rare(more > left)) {                                                             \
            left += i->cost;                                                                      \
            STOP(WEFT_RISCV_PAUSED);                                                              \
        }                                                                                         \
        left -= more;                                                                             \
    } while (0)

#define FAULT(why, address)                                                                       \
    do {                                                                                          \
        core->fault = (address);                                                                  \
        left += i->cost;                                                                          \
        STOP(why);                                                                                \
    } while (0)

/* `memory` is where the address leads to. */
#define ACCESS(type, room, why)                                                                   \
    const ux address = a + c;                                                                     \
    const struct weft_riscv_window *window = weft_riscv_core_window(core, address);               \
    const uint64_t offset = address - window->base;                                               \
    if (weft_rare(offset >= window->room || window->room - offset < sizeof(type)))                \
        FAULT(why, address);                                                                      \
    unsigned char *memory = window->bytes + offset;                                               \
    uint64_t wait = 0;                                                                            \
    if (weft_rare(window->latency && offset >= window->near)) {                                   \
        wait = window->latency;                                                                   \
        core->far++;                                                                              \
    }                                                                                             \
    if (weft_rare(address % sizeof(type) != 0))                                                   \
        wait += profile->misaligned;                                                              \
    if (wait)                                                                                     \
    PAY(wait)

#define ARITHMETIC(name, value)                                                                   \
    case WEFT_RISCV_##name:                                                                       \
        x[i->rd] = (ux)(value);                                                                   \
        break;

#define DIVISION(name, type, value)                                                               \
    case WEFT_RISCV_##name: {                                                                     \
        const sxx n = (type)a, d = (type)b;                                                       \
        const uint64_t magnitude = (uint64_t)(d < 0 ? -d : d);                                    \
        PAY((uint64_t)profile->divide_zero *leading_zeros(magnitude, 8 * sizeof(type)));          \
        x[i->rd] = (ux)(value);                                                                   \
        break;                                                                                    \
    }

#define LOAD(name, type)                                                                          \
    case WEFT_RISCV_##name: {                                                                     \
        ACCESS(type, readable, WEFT_RISCV_NO_LOAD);                                               \
        type value;                                                                               \
        memcpy(&value, memory, sizeof value);                                                     \
        x[i->rd] = (ux)(sx)value;                                                                 \
        break;                                                                                    \
    }

#define STORE(name, type)                                                                         \
    case WEFT_RISCV_##name: {                                                                     \
        ACCESS(type, writable, WEFT_RISCV_NO_STORE);                                              \
        const type value = (type)b;                                                               \
        memcpy(memory, &value, sizeof value);                                                     \
        break;                                                                                    \
    }

#define BRANCH(name, condition)                                                                   \
    case WEFT_RISCV_##name:                                                                       \
        if (!(condition))                                                                         \
            break;                                                                                \
        PAY(profile->taken);                                                                      \
        GO(HERE + c);

#define JUMP(name, to)                                                                            \
    case WEFT_RISCV_##name: {                                                                     \
        const ux goal = (to);                                                                     \
        x[i->rd] = (ux)(HERE + 2 * i->halves);                                                    \
        GO(goal);                                                                                 \
    }

#define SYSTEM                                                                                    \
    case WEFT_RISCV_ECALL:                                                                        \
        i += i->halves;                                                                           \
        STOP(WEFT_RISCV_CALLED);                                                                  \
    case WEFT_RISCV_ILLEGAL:                                                                      \
        FAULT(WEFT_RISCV_NO_INSTRUCTION, HERE);                                                   \
    case WEFT_RISCV_OUTSIDE:                                                                      \
        FAULT(WEFT_RISCV_NO_FETCH, HERE);

/* Addresses of instructions are even: JALR clears the lowest bit, and immediates have none. */
#define GO(to)                                                                                    \
    do {                                                                                          \
        const ux target = (to);                                                                   \
        const uint64_t index = ((uint64_t)target - base) / 2;                                     \
        if (weft_rare(index >= count)) {                                                          \
            pc = target;                                                                          \
            goto left_text;                                                                       \
        }                                                                                         \
        i = first + index;                                                                        \
        goto next;                                                                                \
    } while (0)

enum weft_riscv_stop RUN(struct weft_riscv_core *core, uint64_t budget)
{
    const struct weft_riscv_text *text = core->text;
    const struct weft_riscv_profile *profile = &text->profile;
    const struct weft_riscv_instruction *const first = text->instructions, *i;
    const uint64_t base = text->base, count = text->count;
    uint64_t *const x = core->x;
    uint64_t pc = core->pc, left = budget - core->spent;
    enum weft_riscv_stop stop;
    if (core->spent > budget)
        return WEFT_RISCV_PAUSED;
    if (!weft_riscv_text_has(text, pc))
        goto left_text;
    i = first + (pc - base) / 2;
next:
    for (;; i += i->halves) {
        if (weft_rare(i->cost > left))
            STOP(WEFT_RISCV_PAUSED);
        left -= i->cost;
        const ux a = (ux)x[i->rs1], b = (ux)x[i->rs2], c = (ux)(sx)i->immediate;
        switch ((enum weft_riscv_operation)i->operation) {
            WEFT_RISCV_ARITHMETIC(ARITHMETIC)
            WEFT_RISCV_DIVISIONS(DIVISION)
            WEFT_RISCV_LOADS(LOAD)
            WEFT_RISCV_STORES(STORE)
            WEFT_RISCV_BRANCHES(BRANCH)
            WEFT_RISCV_JUMPS(JUMP)
            SYSTEM
        }
    }
left_text:
    stop = pc == WEFT_RISCV_RETURN ? WEFT_RISCV_RETURNED : WEFT_RISCV_NO_FETCH;
    core->fault = pc;
    goto out;
stopped:
    pc = HERE;
out:
    core->pc = pc;
    core->spent = budget - left;
    return stop;
}
