/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/combine.h"

#include <stdint.h>
#include <string.h>

/* Bytes of host memory that a handler has at a time. */
#define PIECE 4096u
/* Items of a loop whose length the compiler knows. */
#define BLOCK 16u

/* `to` and `from` are of whole items, `to` is aligned. */
typedef void combine_items(void *to, const void *from, size_t bytes);

static ptl_handler_result_t combine(const ptl_payload_t *payload, combine_items *apply)
{
    _Alignas(64) unsigned char items[PIECE];
    int result = PTL_OK;
    for (size_t done = 0; result == PTL_OK && done < payload->length; done += PIECE) {
        size_t left = payload->length - done, size = left < PIECE ? left : PIECE;
        result = PtlHandlerDMAFromHostB(payload->offset + done, items, size, PTL_ME_HOST_MEM);
        if (result != PTL_OK)
            break;
        apply(items, payload->base + done, size);
        result = PtlHandlerDMAToHostB(items, payload->offset + done, size, PTL_ME_HOST_MEM);
    }
    return result == PTL_OK ? PTL_HANDLER_SUCCESS : PTL_HANDLER_SEGV;
}

/* X(name of Portals, type of C to calculate in): those that programs reduce. */
#define TYPES(X, operation)                                                                       \
    X(operation, INT32_T, int32_t, uint32_t)                                                      \
    X(operation, UINT32_T, uint32_t, uint32_t)                                                    \
    X(operation, INT64_T, int64_t, uint64_t)                                                      \
    X(operation, UINT64_T, uint64_t, uint64_t)                                                    \
    X(operation, FLOAT, float, float)                                                             \
    X(operation, DOUBLE, double, double)

#define CALCULATIONS(X) TYPES(X, MIN) TYPES(X, MAX) TYPES(X, SUM) TYPES(X, PROD)

/* The same results as those of atomic operations, also of numbers that do not compare. */
#define RESULT_MIN(T, W, t, s) ((s) < (t) ? (s) : (t))
#define RESULT_MAX(T, W, t, s) ((s) > (t) ? (s) : (t))
#define RESULT_SUM(T, W, t, s) ((T)((W)(t) + (W)(s)))
#define RESULT_PROD(T, W, t, s) ((T)((W)(t) * (W)(s)))

#define DEFINE(operation, name, T, W)                                                             \
    static void apply_##operation##_##name(void *to, const void *from, size_t bytes)              \
    {                                                                                             \
        T *t = to, s[BLOCK];                                                                      \
        const unsigned char *rest = from;                                                         \
        for (; bytes >= sizeof s; bytes -= sizeof s, rest += sizeof s, t += BLOCK) {              \
            memcpy(s, rest, sizeof s);                                                            \
            for (unsigned i = 0; i < BLOCK; i++)                                                  \
                t[i] = RESULT_##operation(T, W, t[i], s[i]);                                      \
        }                                                                                         \
        memcpy(s, rest, bytes);                                                                   \
        for (unsigned i = 0; i < bytes / sizeof *s; i++)                                          \
            t[i] = RESULT_##operation(T, W, t[i], s[i]);                                          \
    }                                                                                             \
    static ptl_handler_result_t operation##_##name(const ptl_payload_t *payload, void *state)     \
    {                                                                                             \
        (void)state;                                                                              \
        return combine(payload, apply_##operation##_##name);                                      \
    }
CALCULATIONS(DEFINE)
#undef DEFINE

ptl_payload_handler_t weft_schedule_combine(ptl_op_t operation, ptl_datatype_t datatype)
{
    static const ptl_payload_handler_t table[PTL_OP_LAST][PTL_DATATYPE_LAST] = {
#define ENTRY(operation, name, T, W) [PTL_##operation][PTL_##name] = operation##_##name,
        CALCULATIONS(ENTRY)
#undef ENTRY
    };
    return table[operation][datatype];
}
