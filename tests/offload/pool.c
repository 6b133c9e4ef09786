/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of the NIC as a pool: which images stay, which leave, and what becomes of receives
 * for which there is no room. One simulated node, which sends to itself. The types are vectors of
 * eight doubles: an image of 136 bytes each, and heads of 64.
 */
#include <stdlib.h>
#include <string.h>

#include "offload/self.h"
#include "portals/simulate.h"

#define IMAGE 136u
#define HEAD 64u
#define TYPES 6
#define DOUBLES 8
#define PATIENCE 10000

struct scene {
    struct self self;
    weft_type *types[TYPES];
};

/* ---- Setting the scene -------------------------------------------------------------------- */

static void open_scene(struct scene *scene)
{
    scene->self = self_open();
    for (size_t i = 0; i < TYPES; i++) {
        check_int(weft_type_vector(DOUBLES, 1, 2 + (ptrdiff_t)i, weft_basic(WEFT_DOUBLE),
                                   &scene->types[i]),
                  WEFT_OK);
        check_int(weft_type_commit(scene->types[i]), WEFT_OK);
    }
}

/* All NIC memory must be free again. */
static void close_scene(struct scene *scene)
{
    ptl_handler_limits_t limits;
    ptl_handle_hpu_t all;
    weft_offload_pool_close(scene->self.pool);
    check_int(PtlNIHandlerLimits(scene->self.ni, NULL, &limits), PTL_OK);
    check_int(PtlHPUAllocMem(limits.max_handler_mem, scene->self.ni, &all), PTL_OK);
    check_int(PtlHPUFreeMem(&all), PTL_OK);
    for (size_t i = 0; i < TYPES; i++)
        weft_type_free(scene->types[i]);
    check_int(PtlPTFree(scene->self.ni, PT), PTL_OK);
    check_int(PtlEQFree(scene->self.eq), PTL_OK);
    PtlNIFini(scene->self.ni);
    PtlFini();
}

/* ---- Receives ----------------------------------------------------------------------------- */

static weft_offload *ready(struct scene *scene, size_t type, unsigned priority)
{
    struct weft_offload_attributes attributes = {.priority = priority};
    weft_offload *offload = NULL;
    check_int(weft_offload_open(scene->self.pool, scene->types[type], 1, &attributes, &offload),
              WEFT_OK);
    return offload;
}

static struct weft_offload_info info_of(const struct scene *scene, const weft_offload *offload)
{
    struct weft_offload_info info = {0};
    check_int(weft_offload_query(scene->self.pool, offload, &info, sizeof info), WEFT_OK);
    return info;
}

static struct weft_offload_counters counters_of(const struct scene *scene)
{
    struct weft_offload_counters counters = {0};
    check_int(weft_offload_pool_counters(scene->self.pool, &counters, sizeof counters), WEFT_OK);
    return counters;
}

static weft_offload_receive *post(struct scene *scene, const weft_offload *offload, size_t type,
                                  double *memory)
{
    weft_offload_receive *receive = NULL;
    ptl_me_t me = {.ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .match_id = {.phys = {PTL_NID_ANY, PTL_PID_ANY}},
                   .match_bits = type};
    check_int(
        weft_offload_receive_post(scene->self.pool, offload, memory, PT, &me, NULL, &receive),
        PTL_OK);
    return receive;
}

static weft_offload_receive *start(struct scene *scene, size_t type, unsigned priority,
                                   double *memory)
{
    weft_offload *offload = ready(scene, type, priority);
    check_uint(info_of(scene, offload).image_bytes, IMAGE);
    check_uint(info_of(scene, offload).head_bytes, HEAD);
    weft_offload_receive *receive = post(scene, offload, type, memory);
    weft_offload_close(offload);
    return receive;
}

/* Posts a receive and takes it back; says whether the image was on the NIC. */
static bool was_there(struct scene *scene, size_t type, unsigned priority)
{
    double memory[DOUBLES * (TYPES + 1)];
    uint64_t reused = counters_of(scene).reused;
    weft_offload_receive *receive = start(scene, type, priority, memory);
    check_int(weft_offload_receive_cancel(receive), PTL_OK);
    return counters_of(scene).reused > reused;
}

static struct weft_offload_result deliver(struct scene *scene, size_t type, const double *data)
{
    ptl_md_t md = {.start = (void *)data,
                   .length = DOUBLES * sizeof *data,
                   .options = PTL_MD_EVENT_SEND_DISABLE,
                   .eq_handle = PTL_EQ_NONE,
                   .ct_handle = PTL_CT_NONE};
    ptl_handle_md_t handle;
    struct weft_offload_result result = {0};
    check_int(PtlMDBind(scene->self.ni, &md, &handle), PTL_OK);
    check_int(PtlPut(handle, 0, md.length, PTL_NO_ACK_REQ, scene->self.id, PT, type, 0, NULL, 0),
              PTL_OK);
    while (!result.is_over) {
        ptl_event_t event;
        unsigned which;
        if (!check_int(PtlEQPoll(&scene->self.eq, 1, PATIENCE, &event, &which), PTL_OK))
            break;
        result = weft_offload_receive_event(event.user_ptr, &event);
    }
    check_int(PtlMDRelease(handle), PTL_OK);
    return result;
}

static bool arrived(const double *memory, size_t stride, const double *data)
{
    for (size_t i = 0; i < DOUBLES; i++)
        if (memory[i * stride] != data[i])
            return false;
    return true;
}

static uint64_t fallbacks(const struct scene *scene, enum weft_offload_fallback reason)
{
    return counters_of(scene).fallback[reason];
}

/* ---- Cases -------------------------------------------------------------------------------- */

/* Room for three images and a head. */
static void least_recently_used_leaves(struct scene *scene)
{
    check(!was_there(scene, 0, 0));
    check(!was_there(scene, 1, 0));
    check(!was_there(scene, 2, 0));
    check_uint(counters_of(scene).images, 3);
    check_uint(counters_of(scene).bytes, 3 * IMAGE);
    check(was_there(scene, 0, 0));
    check(!was_there(scene, 3, 0)); /* in the place of 1 */
    check_uint(counters_of(scene).evicted, 1);
    check(was_there(scene, 2, 0));
    check(was_there(scene, 0, 0));
    check(was_there(scene, 3, 0));
    check(!was_there(scene, 1, 0)); /* in the place of 2 */
    check(!was_there(scene, 2, 0));
}

static void low_priority_leaves_first(struct scene *scene)
{
    check(!was_there(scene, 0, 2));
    check(!was_there(scene, 1, 0));
    check(!was_there(scene, 2, 1));
    check(!was_there(scene, 3, 1)); /* in the place of 1, which has the lowest */
    check(was_there(scene, 0, 2));
    check(was_there(scene, 2, 1));
    check(was_there(scene, 3, 1));
    check(
        !was_there(scene, 4, 1)); /* in the place of 2, the least recently used of its priority */
    check(was_there(scene, 3, 1));
    check_uint(fallbacks(scene, WEFT_OFFLOAD_FALLBACK_NO_SPACE), 0);
}

/* What is there has a higher priority, and stays; the receive is taken back and not counted. */
static void high_priority_stays(struct scene *scene)
{
    double memory[DOUBLES * (TYPES + 1)];
    for (size_t i = 0; i < 3; i++)
        was_there(scene, i, 1);
    weft_offload_receive *receive = start(scene, 3, 0, memory);
    check_uint(fallbacks(scene, WEFT_OFFLOAD_FALLBACK_NO_SPACE), 1);
    check_int(weft_offload_receive_cancel(receive), PTL_OK);
    check_uint(fallbacks(scene, WEFT_OFFLOAD_FALLBACK_NO_SPACE), 0);
    for (size_t i = 0; i < 3; i++)
        check(was_there(scene, i, 1));
}

/* Images of receives that are under way stay too. */
static void host_takes_over(struct scene *scene)
{
    double memory[2][DOUBLES * (TYPES + 1)] = {{0}}, data[DOUBLES];
    for (size_t i = 0; i < DOUBLES; i++)
        data[i] = (double)i + 1;
    weft_offload_receive *first = start(scene, 0, 0, memory[0]);
    check(first);
    weft_offload_receive *second = start(scene, 1, 9, memory[1]);
    check(second);
    check_uint(counters_of(scene).offloaded, 1);
    check_uint(fallbacks(scene, WEFT_OFFLOAD_FALLBACK_NO_SPACE), 1);
    struct weft_offload_result result = deliver(scene, 1, data);
    check_int(result.fallback, WEFT_OFFLOAD_FALLBACK_NO_SPACE);
    check_uint(result.length, sizeof data);
    check(arrived(memory[1], 3, data));
    result = deliver(scene, 0, data);
    check_int(result.fallback, WEFT_OFFLOAD_FALLBACK_NONE);
    check(arrived(memory[0], 2, data));
    check(!was_there(scene, 1, 0));
    check_uint(counters_of(scene).bytes, IMAGE);
}

/* One image, however many receives; a type that was freed and made again finds it. */
static void images_are_shared(struct scene *scene)
{
    double memory[3][DOUBLES * (TYPES + 1)] = {{0}}, data[DOUBLES] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (size_t i = 0; i < 3; i++)
        check(start(scene, 0, 0, memory[i]));
    check_uint(counters_of(scene).images, 1);
    check_uint(counters_of(scene).bytes, IMAGE + 3 * HEAD);
    for (size_t i = 0; i < 3; i++) {
        struct weft_offload_result result = deliver(scene, 0, data);
        check_int(result.fallback, WEFT_OFFLOAD_FALLBACK_NONE);
        check(arrived(memory[i], 2, data));
    }
    weft_type_free(scene->types[0]);
    weft_type_vector(DOUBLES, 1, 2, weft_basic(WEFT_DOUBLE), &scene->types[0]);
    weft_type_commit(scene->types[0]);
    check(was_there(scene, 0, 0));
    check_uint(counters_of(scene).bytes, IMAGE);
}

/* What an offload says of its image. Room for one. */
static void stays_are_told(struct scene *scene)
{
    double memory[DOUBLES * (TYPES + 1)];
    weft_offload *low = ready(scene, 0, 0), *same = ready(scene, 0, 0), *high = ready(scene, 1, 1);
    check(!info_of(scene, low).is_resident);
    check_uint(info_of(scene, low).admitted, 0);
    check_int(weft_offload_receive_cancel(post(scene, low, 0, memory)), PTL_OK);
    check_int(weft_offload_receive_cancel(post(scene, same, 0, memory)), PTL_OK);
    check(info_of(scene, low).is_resident);
    check_uint(info_of(scene, low).admitted, 1);
    check(info_of(scene, same).is_resident); /* the image that `low` brought */
    check_uint(info_of(scene, same).admitted, 0);
    check_int(weft_offload_receive_cancel(post(scene, high, 1, memory)), PTL_OK);
    check(!info_of(scene, low).is_resident);
    check_uint(info_of(scene, low).evicted, 1);
    check(info_of(scene, high).is_resident);
    check_int(weft_offload_receive_cancel(post(scene, low, 0, memory)), PTL_OK);
    check_uint(info_of(scene, low).admitted, 1); /* what has a higher priority stays */
    check_uint(info_of(scene, high).evicted, 0);
    weft_offload_close(low);
    weft_offload_close(same);
    weft_offload_close(high);
}

/* A list that is larger than the NIC has its obstacle from the start. */
static void too_large(struct scene *scene)
{
    static const ptrdiff_t where[] = {0, 2, 5, 6, 9, 14, 15, 21, 30, 32, 33, 40, 44, 47, 52, 61};
    weft_type *type;
    weft_offload *offload;
    check_int(weft_type_indexed_block(16, 1, where, weft_basic(WEFT_BYTE), &type), WEFT_OK);
    check_int(weft_type_commit(type), WEFT_OK);
    check_int(weft_offload_open(scene->self.pool, type, 1, NULL, &offload), WEFT_OK);
    check_int(info_of(scene, offload).obstacle, WEFT_OFFLOAD_FALLBACK_TOO_LARGE);
    check(!info_of(scene, offload).is_resident);
    check_string(weft_offload_fallback_text(WEFT_OFFLOAD_FALLBACK_TOO_LARGE),
                 "more than the NIC gives to one type");
    weft_offload_close(offload);
    weft_type_free(type);
}

/* ---- Running ------------------------------------------------------------------------------ */

static void program(unsigned node, void *argument)
{
    struct scene scene;
    (void)node;
    open_scene(&scene);
    (*(void (**)(struct scene *))argument)(&scene);
    close_scene(&scene);
}

static void run(uint64_t nic_memory, void (*play)(struct scene *scene))
{
    struct weft_sim_config config = {.nodes = 1,
                                     .seed = 1,
                                     .latency = 1000,
                                     .bandwidth = 10000,
                                     .packet_size = 2048,
                                     .timeout = 1000000000,
                                     .reliable = true,
                                     .limit = 600000000000,
                                     .nic.memory = nic_memory};
    check_int(weft_portals_simulate(&config, program, &play), 0);
}

int main(void)
{
    run(3 * IMAGE + HEAD, least_recently_used_leaves);
    run(3 * IMAGE + HEAD, low_priority_leaves_first);
    run(3 * IMAGE + HEAD, high_priority_stays);
    run(IMAGE + HEAD, host_takes_over);
    run(IMAGE + 3 * HEAD, images_are_shared);
    run(IMAGE + HEAD, stays_are_told);
    run(IMAGE + HEAD, too_large);
    return tap_done();
}
