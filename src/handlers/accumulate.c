/* SPDX-License-Identifier: BSD-3-Clause */
#include "handlers/handler.h"
#include "handlers/lock.h"

#define MOST (WEFT_HANDLER_PIECE / sizeof(double))

/* `count` doubles, of whole elements. */
typedef void combine(double *memory, const double *data, ptl_size_t count);

static void add(double *memory, const double *data, ptl_size_t count)
{
    for (ptl_size_t i = 0; i < count; i++)
        memory[i] += data[i];
}

/* Written out: the operator of C also looks for infinities, which costs a call for each. */
static void multiply(double *memory, const double *data, ptl_size_t count)
{
    for (ptl_size_t i = 0; i < count; i += 2) {
        double real = memory[i] * data[i] - memory[i + 1] * data[i + 1];
        memory[i + 1] = memory[i] * data[i + 1] + memory[i + 1] * data[i];
        memory[i] = real;
    }
}

static int update(ptl_size_t place, const double *data, ptl_size_t length, combine *operation)
{
    double memory[MOST];
    int result = PtlHandlerDMAFromHostB(place, memory, length, PTL_ME_HOST_MEM);
    if (result != PTL_OK)
        return result;
    operation(memory, data, length / sizeof(double));
    return PtlHandlerDMAToHostB(memory, place, length, PTL_ME_HOST_MEM);
}

static ptl_handler_result_t accumulate(const ptl_payload_t *payload, void *state,
                                       ptl_size_t element, combine *operation)
{
    struct weft_handler_accumulate *accumulate = state;
    ptl_header_t message;
    PtlHandlerHeader(&message);
    ptl_size_t place = message.offset + payload->offset;
    int result = place % element || payload->length % element ? PTL_ARG_INVALID : PTL_OK;
    for (ptl_size_t done = 0, piece; done < payload->length && result == PTL_OK; done += piece) {
        piece = weft_handler_piece(payload->length - done);
        weft_handler_lock(&accumulate->locks, place + done, piece);
        result = update(place + done, (const double *)(const void *)(payload->base + done), piece,
                        operation);
        weft_handler_unlock(&accumulate->locks, place + done, piece);
    }
    return weft_handler_result(result);
}

static ptl_handler_result_t add_packet(const ptl_payload_t *payload, void *state)
{
    return accumulate(payload, state, sizeof(double), add);
}

static ptl_handler_result_t multiply_packet(const ptl_payload_t *payload, void *state)
{
    return accumulate(payload, state, 2 * sizeof(double), multiply);
}

int weft_handler_sum(ptl_handle_ni_t ni, const struct weft_handler_accumulate *accumulate,
                     ptl_handlers_t *handlers)
{
    int result = weft_handler_open(ni, accumulate, sizeof *accumulate, handlers);
    handlers->payload_handler = add_packet;
    return result;
}

int weft_handler_product(ptl_handle_ni_t ni, const struct weft_handler_accumulate *accumulate,
                         ptl_handlers_t *handlers)
{
    int result = weft_handler_open(ni, accumulate, sizeof *accumulate, handlers);
    handlers->payload_handler = multiply_packet;
    return result;
}
