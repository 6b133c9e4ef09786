/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_nic_native.h"

#include <stdlib.h>
#include <string.h>
#include <weft_handlers.h>

#include "nic/core.h"
#include "portals/process.h"
#include "sim_nic_side.h"

#define CLIENT 1                  /* the node; the other has the array */
#define ITEM (2 * sizeof(double)) /* a complex number */

struct exchange {
    const struct sim_nic_study *study;
    size_t size;
    double *sent, *array, *landed, *expected;
    uint64_t begin, end;
    struct weft_nic_stage_counts counts;
    struct sim_nic_fault fault;
};

/* ---- A core that takes as long as the study says ------------------------------------------- */

struct slow_core {
    struct weft_nic_core core;
    const struct sim_nic_study *study;
};

static ptl_handler_result_t run_slowly(struct weft_nic_core *core,
                                       const struct weft_nic_call *call, struct weft_nic_run *run)
{
    const struct sim_nic_study *study = ((const struct slow_core *)core)->study;
    double items = call->handler == WEFT_NIC_HANDLER_PAYLOAD
                       ? (double)call->argument.payload->length / ITEM
                       : 0;
    run->clock += (uint64_t)(study->way == SIM_NIC_BUSY ? study->busy : items * study->item);
    return weft_nic_core_call(call);
}

static ptl_handler_result_t store_packet(const ptl_payload_t *payload, void *state)
{
    ptl_dma_t handle;
    (void)state;
    int result = PtlHandlerDMAToHostNB(payload->base, payload->offset, payload->length,
                                       PTL_DMA_NO_EVENT, &handle);
    return result == PTL_OK ? PTL_HANDLER_SUCCESS : PTL_HANDLER_FAIL;
}

/* ---- Nodes -------------------------------------------------------------------------------- */

static void multiply(double *array, const double *others, size_t size)
{
    for (size_t i = 0; i < size / sizeof(double); i += 2) {
        double real = array[i] * others[i] - array[i + 1] * others[i + 1];
        array[i + 1] = array[i] * others[i + 1] + array[i + 1] * others[i];
        array[i] = real;
    }
}

static bool choose_handlers(const struct exchange *exchange, const struct sim_nic_side *side,
                            ptl_handlers_t *handlers)
{
    static const struct weft_handler_accumulate accumulate;
    *handlers = (ptl_handlers_t){.payload_handler = store_packet, .hpu_memory = PTL_HPU_NONE};
    return exchange->study->way == SIM_NIC_BUSY ||
           sim_nic_side_need(side, weft_handler_product(side->ni, &accumulate, handlers),
                             "weft_handler_product");
}

/* What came was written to memory; both arrays are read, and one is written. */
static void multiply_on_host(struct exchange *exchange)
{
    const struct sim_nic_study *study = exchange->study;
    double size = (double)exchange->size;
    multiply(exchange->array, exchange->landed, exchange->size);
    sim_nic_spend(study->poll + 3 * size / study->host_memory + size / ITEM * study->host_item);
}

static void serve(struct exchange *exchange)
{
    bool is_host = exchange->study->way == SIM_NIC_PRODUCT_HOST;
    struct sim_nic_side side;
    ptl_handlers_t handlers;
    if (!sim_nic_side_open(&side, &exchange->fault, NULL, 0))
        return;
    const ptl_me_t me =
        sim_nic_side_entry(&side, is_host ? exchange->landed : exchange->array, exchange->size);
    if (!is_host && !choose_handlers(exchange, &side, &handlers))
        return;
    if (!sim_nic_side_append(&side, &me, is_host ? NULL : &handlers) ||
        !sim_nic_side_await(&side, exchange->size))
        return;
    if (is_host)
        multiply_on_host(exchange);
    exchange->end = sim_nic_now();
    exchange->counts = weft_nic_stages_counts(weft_portals_process_self()->nic);
}

static void send(struct exchange *exchange)
{
    struct sim_nic_side side;
    if (!sim_nic_side_open(&side, &exchange->fault, exchange->sent, exchange->size))
        return;
    exchange->begin = sim_nic_now();
    sim_nic_spend(exchange->study->overhead);
    sim_nic_side_put(&side, 0, exchange->size);
}

static void program(unsigned node, void *argument)
{
    if (node == CLIENT)
        send(argument);
    else
        serve(argument);
}

/* ---- The simulation ----------------------------------------------------------------------- */

static void fill(struct exchange *exchange)
{
    for (size_t i = 0; i < exchange->size / sizeof(double); i++) {
        exchange->sent[i] = (double)(i % 17) - 8;
        exchange->array[i] = (double)(i % 23) + 0.5;
    }
    memcpy(exchange->expected, exchange->array, exchange->size);
    if (exchange->study->way == SIM_NIC_BUSY)
        memcpy(exchange->expected, exchange->sent, exchange->size);
    else
        multiply(exchange->expected, exchange->sent, exchange->size);
}

static void report(const struct exchange *exchange, struct sim_nic_finding *finding)
{
    double time = (double)(exchange->end - exchange->begin);
    *finding = sim_nic_finding_of(&exchange->counts, (double)exchange->size, time);
    finding->is_right = memcmp(exchange->array, exchange->expected, exchange->size) == 0;
}

static bool run(struct exchange *exchange, struct sim_nic_finding *finding)
{
    struct slow_core core = {{run_slowly, NULL}, exchange->study};
    struct weft_nic_stages stages;
    struct weft_sim_config config = sim_nic_config(exchange->study, &stages);
    config.nic.core = &core.core;
    fill(exchange);
    if (!sim_nic_side_simulate(&config, program, exchange, &exchange->fault))
        return false;
    report(exchange, finding);
    return true;
}

bool sim_nic_native(const struct sim_nic_study *study, struct sim_nic_finding *finding)
{
    size_t size = ((size_t)study->size + ITEM - 1) / ITEM * ITEM;
    double *memory = calloc(4, size);
    struct exchange exchange = {.study = study, .size = size};
    if (!memory)
        return false;
    exchange.sent = memory;
    exchange.array = memory + size / sizeof(double);
    exchange.landed = memory + 2 * size / sizeof(double);
    exchange.expected = memory + 3 * size / sizeof(double);
    bool is_good = run(&exchange, finding);
    free(memory);
    return is_good;
}
