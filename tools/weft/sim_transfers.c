/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_transfers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft_net.h>

#include "packet/packet.h"
#include "portals/simulate.h"
#include "sim_nic_node.h"
#include "transfer/net.h"

#define PAYLOAD 2048u           /* bytes of a packet */
#define BEGIN UINT64_C(1000000) /* when all are there, and begin: in ticks, as all that follows   \
                                 */
#define SECOND UINT64_C(1000000000)
#define TAG 1
#define FOREVER (-1)
#define CYCLE WEFT_SIM_CYCLE
#define SAMPLES WEFT_SIM_SAMPLES

struct stage {
    const struct weft_sim_study *study;
    struct weft_sim_run run;
    ptl_process_t *map;
    size_t size; /* bytes of a message */
    unsigned char *data;
    uint64_t taken[SAMPLES], taken_by_slow[SAMPLES]; /* bytes, in the last samples */
    unsigned failures;                               /* of programs */
};

const char *sim_transfers_objection(const struct weft_sim_study *study)
{
    bool has_one_peer = study->pattern == WEFT_SIM_PAIRS ||
                        study->pattern == WEFT_SIM_PERMUTATION || study->pattern == WEFT_SIM_SHIFT;
    if (!has_one_peer)
        return "transfers want pattern = pairs, permutation or shift: a peer for each node";
    if (study->window == WEFT_SIM_WINDOW_MEASURED)
        return "transfers have a window of so many packets, or none";
    if (study->is_notified)
        return "transfers know no notification";
    if (study->by_flit)
        return "transfers are simulated packet by packet: by-flit = no";
    return NULL;
}

/* ---- Programs of nodes -------------------------------------------------------------------- */

struct endpoint {
    ptl_handle_ni_t ni;
    weft_net *net;
};

static bool open_endpoint(struct endpoint *end, const struct stage *stage, unsigned node)
{
    uint32_t nodes = stage->run.topology->nodes;
    return PtlInit() == PTL_OK &&
           PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, WEFT_SIM_PID, NULL, NULL,
                     &end->ni) == PTL_OK &&
           PtlSetMap(end->ni, nodes, stage->map) == PTL_OK &&
           weft_net_attach(end->ni, node, nodes, 0, &end->net) == WEFT_OK;
}

static void close_endpoint(struct endpoint *end)
{
    weft_close(end->net);
    PtlNIFini(end->ni);
    PtlFini();
}

static bool exchange(const struct stage *stage, weft_net *net, uint32_t peer, void *memory)
{
    const weft_type *byte = weft_basic(WEFT_BYTE);
    weft_request *in = NULL, *out = NULL;
    bool is_good = sim_nic_now() < BEGIN && weft_irecv(net, byte, stage->size, memory,
                                                       WEFT_ANY_SOURCE, TAG, &in) == WEFT_OK;
    sim_nic_spend((double)(BEGIN - sim_nic_now()));
    is_good = is_good &&
              weft_isend(net, byte, stage->size, stage->data, (int)peer, TAG, &out) == WEFT_OK;
    return is_good && weft_wait(&in, FOREVER, NULL) == WEFT_OK &&
           weft_wait(&out, FOREVER, NULL) == WEFT_OK &&
           memcmp(memory, stage->data, stage->size) == 0;
}

static void take_part(unsigned node, void *argument)
{
    struct stage *stage = argument;
    struct endpoint end;
    uint64_t random = 0; /* not drawn from: all peers are fixed */
    uint32_t peer = weft_sim_pattern_target(&stage->run.pattern, node, 0, &random);
    if (!open_endpoint(&end, stage, node)) {
        stage->failures++;
        return;
    }
    void *memory = malloc(stage->size);
    if (!memory || (peer != WEFT_SIM_NOWHERE && !exchange(stage, end.net, peer, memory)))
        stage->failures++;
    free(memory);
    close_endpoint(&end);
}

/* ---- What is counted ---------------------------------------------------------------------- */

static uint64_t cycles_of(const struct weft_sim_study *study)
{
    uint64_t samples = study->least / study->sample;
    return (samples > SAMPLES ? samples : SAMPLES) * study->sample;
}

static void count(void *argument, unsigned node, const struct weft_trace_line *record)
{
    struct stage *stage = argument;
    uint64_t kind = record->a & 255, sample = (uint64_t)stage->study->sample * CYCLE;
    uint64_t from = BEGIN + cycles_of(stage->study) * CYCLE - SAMPLES * sample;
    bool is_data = kind == WEFT_PACKET_REPLY || kind == WEFT_PACKET_REPLY_DATA;
    if (record->what != WEFT_TRACE_RECEIVE || !is_data || record->time < from)
        return;
    uint64_t which = (record->time - from) / sample;
    if (which >= SAMPLES)
        return;
    stage->taken[which] += record->b;
    if (stage->run.sinks[node] > 1)
        stage->taken_by_slow[which] += record->b;
}

/* Flits that a node takes in a cycle, if so many nodes have taken these bytes. */
static double rate(const struct stage *stage, const uint64_t *bytes, uint32_t nodes)
{
    double sum = 0;
    for (unsigned i = 0; i < SAMPLES; i++)
        sum += (double)bytes[i];
    double flits = sum / PAYLOAD * stage->study->packet;
    return nodes ? flits / ((double)SAMPLES * stage->study->sample * nodes) : 0;
}

static void conclude(const struct stage *stage, struct weft_sim_finding *finding)
{
    uint32_t nodes = stage->run.topology->nodes, slow = 0;
    double least = INFINITY, most = 0;
    for (uint32_t node = 0; node < nodes; node++)
        slow += stage->run.sinks[node] > 1;
    for (unsigned i = 0; i < SAMPLES; i++) {
        least = fmin(least, (double)stage->taken[i]);
        most = fmax(most, (double)stage->taken[i]);
    }
    finding->nodes = nodes;
    finding->cycles = cycles_of(stage->study);
    finding->throughput = rate(stage, stage->taken, nodes);
    finding->of_slow = rate(stage, stage->taken_by_slow, slow);
    finding->has_converged = most - least <= stage->study->tolerance * most;
}

/* ---- The simulation ----------------------------------------------------------------------- */

static void set(const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    setenv(name, text, 1);
}

/* Settings are where transfers get their window from. Without one, all is asked for at once. */
static void choose_window(const struct stage *stage)
{
    const struct weft_sim_study *study = stage->study;
    uint32_t chunks = study->window_size / study->chunk;
    bool has_window = study->window == WEFT_SIM_WINDOW_FIXED;
    set("WEFT_EAGER", PAYLOAD);
    set("WEFT_CHUNK", has_window ? (uint64_t)study->chunk * PAYLOAD : stage->size);
    set("WEFT_CHUNKS", chunks ? chunks : 1);
}

/* Messages are so long that no link carries one to its end while it is looked at. */
static bool set_stage(struct stage *stage, const struct weft_sim_study *study)
{
    *stage = (struct stage){.study = study};
    if (!weft_sim_run_prepare(&stage->run, study))
        return false;
    uint32_t nodes = stage->run.topology->nodes;
    stage->run.fabric.flit_size =
        (uint32_t)(PAYLOAD + WEFT_PACKET_HEADERS + study->packet - 1) / study->packet;
    stage->size = (cycles_of(study) / study->packet + 2) * PAYLOAD;
    stage->data = malloc(stage->size);
    stage->map = calloc(nodes, sizeof *stage->map);
    if (!stage->data || !stage->map)
        return false;
    for (size_t i = 0; i < stage->size; i++)
        stage->data[i] = (unsigned char)(i % 251);
    for (uint32_t node = 0; node < nodes; node++)
        stage->map[node] = (ptl_process_t){.phys = {.nid = node + 1, .pid = WEFT_SIM_PID}};
    return true;
}

static void clear_stage(struct stage *stage)
{
    free(stage->map);
    free(stage->data);
    weft_sim_run_close(&stage->run);
}

static bool simulate(struct stage *stage, struct weft_sim_finding *finding)
{
    struct weft_sim_totals totals = {.sent = 0};
    const struct weft_sim_config config = {.nodes = stage->run.topology->nodes,
                                           .seed = stage->study->seed,
                                           .routers = &stage->run.fabric,
                                           .packet_size = PAYLOAD,
                                           .timeout = 10 * SECOND,
                                           .reliable = true,
                                           .limit = 100 * SECOND,
                                           .trace = count,
                                           .trace_argument = stage};
    choose_window(stage);
    int result = weft_portals_simulate_plan(&config, take_part, stage,
                                            &(struct weft_portals_plan){.totals = &totals});
    finding->events = totals.events;
    conclude(stage, finding);
    return result == 0 && stage->failures == 0;
}

bool sim_transfers_run(const struct weft_sim_study *study, struct weft_sim_finding *finding)
{
    struct stage stage;
    bool is_good = set_stage(&stage, study);
    *finding = (struct weft_sim_finding){.cycles = 0};
    if (is_good && stage.run.topology->nodes > SIM_TRANSFERS_NODES) {
        fprintf(stderr,
                "weft sim: transfers keep the data of all nodes in memory: at most %u "
                "nodes, for example topology='dragonfly 3 6 3'\n",
                SIM_TRANSFERS_NODES);
        is_good = false;
    }
    is_good = is_good && simulate(&stage, finding);
    clear_stage(&stage);
    return is_good;
}
