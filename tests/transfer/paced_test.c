/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The study of paper "Fast networks and slow memories", in small: four nodes receive at once, one
 * of which takes data at an eighth of the speed of the others. The network is one switch that
 * loses nothing and whose memory all share. What a receiver pulls in chunks leaves the others
 * alone; one long put fills the switch, and then everybody goes at the pace of the slow one.
 *
 * Time is virtual, so the numbers are the same in every run. paced_test --curves FILE also writes
 * what has arrived when: a line with the study, the receiver, microseconds and bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/setting.h"
#include "packet/packet.h"
#include "portals/simulate.h"
#include "support/tap.h"
#include "transfer/node.h"

#define RECEIVERS 4u
#define SLOW 0u
#define SIZE ((size_t)8 << 20)
#define SPEED UINT64_C(10000) /* bytes in a microsecond */
#define SLOWER 8u
#define BUFFER ((uint64_t)2 << 20)
#define PATIENCE 60000
#define TAG 1
#define STEP ((uint64_t)128 << 10) /* of the curves */

/* Who sends, and how. */
struct study {
    bool one_sender; /* to all, by a link as fast as those of all receivers; else each its own */
    bool one_put;    /* else the receivers pull */
    bool has_slow;   /* else nobody sends to the slow one */
};

struct scene {
    struct study study;
    unsigned nodes;
    unsigned char *source;
    unsigned failures;
    uint64_t times[RECEIVERS]; /* that the transfers took */
    int64_t waiting, most;     /* bytes for the slow one that are between it and its sender */
    uint64_t arrived[RECEIVERS];
};

static FILE *curves;

/* ---- The programs ------------------------------------------------------------------------- */

static void must(struct scene *scene, bool held)
{
    scene->failures += !held;
}

static bool takes_part(const struct scene *scene, unsigned receiver)
{
    return receiver != SLOW || scene->study.has_slow;
}

static bool sends_to(const struct scene *scene, unsigned node, unsigned receiver)
{
    bool is_sender = node == RECEIVERS + (scene->study.one_sender ? 0 : receiver);
    return is_sender && takes_part(scene, receiver);
}

static void send_messages(struct scene *scene, unsigned node, weft_net *net)
{
    weft_request *requests[RECEIVERS] = {NULL};
    const weft_type *byte = weft_basic(WEFT_BYTE);
    for (unsigned i = 0; i < RECEIVERS; i++)
        if (sends_to(scene, node, i))
            must(scene, !weft_isend(net, byte, SIZE, scene->source, (int)i, TAG, &requests[i]));
    for (unsigned i = 0; i < RECEIVERS; i++)
        must(scene, !weft_wait(&requests[i], PATIENCE, NULL));
}

static void receive_message(struct scene *scene, unsigned node, weft_net *net, void *memory)
{
    uint64_t begin = node_time();
    must(scene, !weft_recv(net, weft_basic(WEFT_BYTE), SIZE, memory, WEFT_ANY_SOURCE, TAG, NULL));
    scene->times[node] = node_time() - begin;
}

/* A put of any length is one put of Portals. The initiator knows when it is over. */
static void put_all(struct scene *scene, unsigned node, weft_net *net)
{
    weft_request *requests[RECEIVERS] = {NULL};
    uint64_t keys[RECEIVERS], begin;
    for (unsigned i = 0; i < RECEIVERS; i++)
        if (sends_to(scene, node, i))
            must(scene, !weft_recv(net, weft_basic(WEFT_UINT64), 1, &keys[i], (int)i, TAG, NULL));
    begin = node_time();
    for (unsigned i = 0; i < RECEIVERS; i++)
        if (sends_to(scene, node, i))
            must(scene, !weft_iput(net, weft_basic(WEFT_BYTE), SIZE, scene->source, (int)i,
                                   keys[i], 0, &requests[i]));
    for (unsigned turn = 0; turn < RECEIVERS; turn++) {
        unsigned i = (SLOW + 1 + turn) % RECEIVERS; /* the slow one last */
        if (!requests[i])
            continue;
        must(scene, !weft_wait(&requests[i], PATIENCE, NULL));
        scene->times[i] = node_time() - begin;
        must(scene, !weft_isend(net, weft_basic(WEFT_BYTE), 0, NULL, (int)i, TAG, &requests[i]));
        must(scene, !weft_wait(&requests[i], PATIENCE, NULL));
    }
}

static void be_put_to(struct scene *scene, unsigned node, weft_net *net, void *memory)
{
    unsigned sender = RECEIVERS + (scene->study.one_sender ? 0 : node);
    uint64_t key;
    must(scene, !weft_expose(net, weft_basic(WEFT_BYTE), SIZE, memory, &key));
    must(scene, !weft_send(net, weft_basic(WEFT_UINT64), 1, &key, (int)sender, TAG));
    must(scene, !weft_recv(net, weft_basic(WEFT_BYTE), 0, NULL, (int)sender, TAG, NULL));
    must(scene, !weft_withdraw(net, key));
}

static void receive(struct scene *scene, unsigned node, weft_net *net)
{
    unsigned char *memory = calloc(1, SIZE);
    if (!memory)
        abort();
    if (scene->study.one_put)
        be_put_to(scene, node, net, memory);
    else
        receive_message(scene, node, net, memory);
    must(scene, memcmp(memory, scene->source, SIZE) == 0);
    free(memory);
}

static void program(unsigned node, void *argument)
{
    struct scene *scene = argument;
    struct node_net opened;
    if (!node_open(&opened, node, scene->nodes)) {
        must(scene, false);
        return;
    }
    if (node < RECEIVERS && takes_part(scene, node))
        receive(scene, node, opened.net);
    else if (node >= RECEIVERS && scene->study.one_put)
        put_all(scene, node, opened.net);
    else if (node >= RECEIVERS)
        send_messages(scene, node, opened.net);
    node_close(&opened);
}

/* ---- What is seen from outside ------------------------------------------------------------ */

static bool is_data(uint64_t kind)
{
    return kind == WEFT_PACKET_REPLY || kind == WEFT_PACKET_REPLY_DATA ||
           kind == WEFT_PACKET_PUT || kind == WEFT_PACKET_DATA;
}

static void draw(struct scene *scene, unsigned node, const struct weft_trace_line *record)
{
    uint64_t before = scene->arrived[node];
    scene->arrived[node] += record->b;
    if (curves && scene->study.has_slow && before / STEP != scene->arrived[node] / STEP)
        fprintf(curves, "%s-%s %u %.1f %llu\n", scene->study.one_sender ? "one" : "pairs",
                scene->study.one_put ? "puts" : "pulls", node, (double)record->time / 1e3,
                (unsigned long long)scene->arrived[node]);
}

static void watch(void *argument, unsigned node, const struct weft_trace_line *record)
{
    struct scene *scene = argument;
    if (!is_data(record->a & 255))
        return;
    if (record->what == WEFT_TRACE_RECEIVE && node < RECEIVERS)
        draw(scene, node, record);
    if (record->what == WEFT_TRACE_SEND && record->peer_nid == SLOW + 1)
        scene->waiting += (int64_t)record->b;
    else if (record->what == WEFT_TRACE_RECEIVE && node == SLOW)
        scene->waiting -= (int64_t)record->b;
    if (scene->waiting > scene->most)
        scene->most = scene->waiting;
}

static struct scene run(struct study study)
{
    const uint64_t fast = SPEED, sinks[2 * RECEIVERS] = {fast / SLOWER, fast, fast, fast,
                                                         fast,          fast, fast, fast};
    struct scene scene = {.study = study,
                          .nodes = RECEIVERS + (study.one_sender ? 1 : RECEIVERS),
                          .source = malloc(SIZE)};
    struct weft_sim_config config = {
        .nodes = scene.nodes,
        .seed = 1,
        .latency = 1000,
        .bandwidth = study.one_sender ? SPEED * RECEIVERS : SPEED,
        .buffer = BUFFER,
        .sinks = sinks,
        .packet_size = 2048,
        .timeout = UINT64_C(10000000000),
        .reliable = true,
        .nic.hpus.contexts = 256,
        .limit = UINT64_C(60000000000),
        .trace = watch,
        .trace_argument = &scene,
    };
    if (!scene.source)
        abort();
    for (size_t i = 0; i < SIZE; i++)
        scene.source[i] = (unsigned char)(i % 251);
    check_int(weft_portals_simulate(&config, program, &scene), 0);
    check_uint(scene.failures, 0);
    free(scene.source);
    return scene;
}

/* ---- The study ---------------------------------------------------------------------------- */

/* The speed of the slowest of the fast ones, in parts of that of their links. */
static double speed_of(const struct scene *scene)
{
    uint64_t longest = 0;
    for (unsigned i = 0; i < RECEIVERS; i++)
        if (i != SLOW && scene->times[i] > longest)
            longest = scene->times[i];
    return (double)SIZE * 1000 / (double)longest / SPEED;
}

/* How much of its speed a fast transfer keeps beside the slow one. */
static double compare(bool one_sender, bool one_put, double *chunks)
{
    struct scene alone = run((struct study){one_sender, one_put, false});
    struct scene beside = run((struct study){one_sender, one_put, true});
    double kept = speed_of(&beside) / speed_of(&alone);
    *chunks = (double)beside.most / (double)weft_setting(WEFT_SETTING_CHUNK);
    tap_note("%-11s %-5s alone %.3f, beside the slow one %.3f of the link: %.3f kept; "
             "the slow one took %.2f ms, %.2f chunks waited for it",
             one_sender ? "one sender," : "four pairs,", one_put ? "puts" : "pulls",
             speed_of(&alone), speed_of(&beside), kept, (double)beside.times[SLOW] / 1e6, *chunks);
    return kept;
}

static void study(bool one_sender)
{
    double chunks, most = (double)weft_setting(WEFT_SETTING_CHUNKS);
    check(compare(one_sender, false, &chunks) >= 0.95);
    check(chunks <= most);
    check(compare(one_sender, true, &chunks) < 0.5);
    check(chunks > most);
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--curves") == 0 &&
        !(curves = fopen(arguments[2], "w")))
        return 2;
    study(false);
    study(true);
    if (curves)
        fclose(curves);
    return tap_done();
}
