/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program may say of a type and ask of it, by the public headers and the shared libraries
 * alone. One process, which sends to itself.
 */
#include <math.h>

#include "offload/self.h"

#define PATIENCE 10000
#define ROWS 512
#define COLUMNS 64

struct scene {
    struct self self;
    weft_type *columns; /* of a matrix of doubles, one after the other */
};

/* ---- Setting the scene -------------------------------------------------------------------- */

static weft_type *committed(const char *text)
{
    weft_type *type = NULL;
    check_int(weft_type_parse(text, &type, NULL), WEFT_OK);
    check_int(weft_type_commit(type), WEFT_OK);
    return type;
}

static void open_scene(struct scene *scene)
{
    check_int(weft_offload_pool_open(PTL_INVALID_HANDLE, &scene->self.pool), PTL_NO_INIT);
    scene->self = self_open();
    scene->columns = committed("hvector(64, 1, 8, vector(512, 1, 64, double))");
}

static void close_scene(struct scene *scene)
{
    weft_type_free(scene->columns);
    weft_offload_pool_close(scene->self.pool);
    weft_offload_pool_close(NULL);
    weft_offload_close(NULL);
    check_int(PtlNIFini(scene->self.ni), PTL_OK);
    PtlFini();
}

static struct weft_offload_info info_with(struct scene *scene, const weft_type *type,
                                          const struct weft_offload_attributes *attributes)
{
    struct weft_offload_info info = {0};
    weft_offload *offload = NULL;
    check_int(weft_offload_open(scene->self.pool, type, 1, attributes, &offload), WEFT_OK);
    check_int(weft_offload_query(scene->self.pool, offload, &info, sizeof info), WEFT_OK);
    weft_offload_close(offload);
    return info;
}

static ptl_me_t entry(void)
{
    return (ptl_me_t){.ct_handle = PTL_CT_NONE,
                      .uid = PTL_UID_ANY,
                      .match_id = {.phys = {PTL_NID_ANY, PTL_PID_ANY}}};
}

/* ---- Attributes --------------------------------------------------------------------------- */

static void zeros_are_defaults(struct scene *scene)
{
    struct weft_offload_attributes zeros = {0};
    struct weft_offload_info plain = info_with(scene, scene->columns, NULL);
    struct weft_offload_info same = info_with(scene, scene->columns, &zeros);
    check_int(plain.strategy, WEFT_OFFLOAD_SEEK);
    check_int(same.strategy, plain.strategy);
    check_uint(same.image_bytes, plain.image_bytes);
    check_int(plain.obstacle, WEFT_OFFLOAD_FALLBACK_NONE);
    check_uint(plain.bytes, sizeof(double[ROWS][COLUMNS]));
    check(plain.image_bytes > 0 && plain.head_bytes > 0);
    check(!plain.is_contiguous && !plain.is_resident);
    check_uint(plain.interval, 0);
}

static void strategies_are_wishes(struct scene *scene)
{
    for (int i = WEFT_OFFLOAD_SEEK; i < WEFT_OFFLOAD_STRATEGIES; i++) {
        struct weft_offload_attributes attributes = {.strategy = (enum weft_offload_strategy)i};
        struct weft_offload_info info = info_with(scene, scene->columns, &attributes);
        bool has_checkpoints = i == WEFT_OFFLOAD_RO_CP || i == WEFT_OFFLOAD_RW_CP;
        check_int(info.strategy, i);
        check_int(info.obstacle, i == WEFT_OFFLOAD_SPECIALIZED
                                     ? WEFT_OFFLOAD_FALLBACK_NOT_SPECIALIZED
                                     : WEFT_OFFLOAD_FALLBACK_NONE);
        check_int(info.interval > 0, has_checkpoints);
    }
}

static void host_can_be_wished_for(struct scene *scene)
{
    struct weft_offload_attributes attributes = {.stays_on_host = true};
    struct weft_offload_info info = info_with(scene, scene->columns, &attributes);
    check_int(info.obstacle, WEFT_OFFLOAD_FALLBACK_NOT_WANTED);
    check(info.image_bytes > 0);
}

/* The more delay is allowed, the fewer checkpoints there are. */
static void epsilon_trades_time_for_memory(struct scene *scene)
{
    struct weft_offload_attributes low = {.strategy = WEFT_OFFLOAD_RW_CP, .epsilon = 0.01};
    struct weft_offload_attributes usual = {.strategy = WEFT_OFFLOAD_RW_CP};
    struct weft_offload_attributes named = {.strategy = WEFT_OFFLOAD_RW_CP,
                                            .epsilon = WEFT_OFFLOAD_EPSILON};
    struct weft_offload_attributes high = {.strategy = WEFT_OFFLOAD_RW_CP, .epsilon = 1e300};
    struct weft_offload_info many = info_with(scene, scene->columns, &low);
    struct weft_offload_info few = info_with(scene, scene->columns, &high);
    check(many.interval < few.interval);
    check(many.image_bytes > few.image_bytes);
    check_uint(info_with(scene, scene->columns, &usual).interval,
               info_with(scene, scene->columns, &named).interval);
}

static void blocks_need_nothing(struct scene *scene)
{
    weft_type *block = committed("contiguous(100, double)"), *nothing = committed("bytes(0)");
    check(info_with(scene, block, NULL).is_contiguous);
    check_uint(info_with(scene, nothing, NULL).bytes, 0);
    weft_type_free(block);
    weft_type_free(nothing);
}

static void names_are_never_null(void)
{
    check_string(weft_offload_strategy_name(WEFT_OFFLOAD_AUTO), "auto");
    check_string(weft_offload_strategy_name(WEFT_OFFLOAD_RW_CP), "rw-cp");
    check_string(weft_offload_strategy_name(WEFT_OFFLOAD_STRATEGIES), "unknown");
    check_string(weft_offload_fallback_text(WEFT_OFFLOAD_FALLBACK_NONE), "offloaded");
    check_string(weft_offload_fallback_text(WEFT_OFFLOAD_FALLBACKS), "unknown");
}

/* ---- Wrong arguments ---------------------------------------------------------------------- */

static int result_with(struct scene *scene, struct weft_offload_attributes attributes)
{
    weft_offload *offload;
    return weft_offload_open(scene->self.pool, scene->columns, 1, &attributes, &offload);
}

static void wrong_attributes(struct scene *scene)
{
    const int past = WEFT_OFFLOAD_STRATEGIES;
    check_int(result_with(scene, (struct weft_offload_attributes){.strategy = past}),
              WEFT_ERR_ARGUMENT);
    check_int(result_with(scene, (struct weft_offload_attributes){.strategy = -1}),
              WEFT_ERR_ARGUMENT);
    check_int(result_with(scene, (struct weft_offload_attributes){.epsilon = -0.1}),
              WEFT_ERR_ARGUMENT);
    check_int(result_with(scene, (struct weft_offload_attributes){.epsilon = NAN}),
              WEFT_ERR_ARGUMENT);
    check_int(result_with(scene, (struct weft_offload_attributes){.epsilon = INFINITY}),
              WEFT_ERR_ARGUMENT);
}

static void wrong_types(struct scene *scene)
{
    weft_offload *offload = NULL;
    weft_type *raw;
    check_int(weft_offload_open(NULL, scene->columns, 1, NULL, &offload), WEFT_ERR_ARGUMENT);
    check_int(weft_offload_open(scene->self.pool, NULL, 1, NULL, &offload), WEFT_ERR_ARGUMENT);
    check_int(weft_offload_open(scene->self.pool, scene->columns, 1, NULL, NULL),
              WEFT_ERR_ARGUMENT);
    check_int(weft_offload_open(scene->self.pool, scene->columns, SIZE_MAX, NULL, &offload),
              WEFT_ERR_OVERFLOW);
    check_int(weft_type_vector(4, 1, 2, weft_basic(WEFT_DOUBLE), &raw), WEFT_OK);
    check_int(weft_offload_open(scene->self.pool, raw, 1, NULL, &offload), WEFT_ERR_NOT_COMMITTED);
    check(!offload);
    weft_type_free(raw);
}

static void wrong_pools(struct scene *scene)
{
    weft_offload_pool *pool;
    check_int(weft_offload_pool_open(PTL_INVALID_HANDLE, &pool), PTL_ARG_INVALID);
    check_int(weft_offload_pool_open(scene->self.eq, &pool), PTL_ARG_INVALID);
    check_int(weft_offload_pool_open(scene->self.ni, NULL), PTL_ARG_INVALID);
}

static void wrong_questions(struct scene *scene)
{
    struct weft_offload_info info = {.bytes = 7};
    struct weft_offload_counters counters = {.evicted = 7};
    weft_offload *offload;
    check_int(weft_offload_open(scene->self.pool, scene->columns, 1, NULL, &offload), WEFT_OK);
    check_int(weft_offload_query(NULL, offload, &info, sizeof info), WEFT_ERR_ARGUMENT);
    check_int(weft_offload_query(scene->self.pool, NULL, &info, sizeof info), WEFT_ERR_ARGUMENT);
    check_int(weft_offload_query(scene->self.pool, offload, NULL, sizeof info), WEFT_ERR_ARGUMENT);
    check_int(weft_offload_pool_counters(NULL, &counters, sizeof counters), WEFT_ERR_ARGUMENT);
    check_int(weft_offload_pool_counters(scene->self.pool, NULL, sizeof counters),
              WEFT_ERR_ARGUMENT);
    /* Programs of older versions have shorter structs. */
    check_int(weft_offload_query(scene->self.pool, offload, &info, sizeof info.strategy), WEFT_OK);
    check_int(info.strategy, WEFT_OFFLOAD_SEEK);
    check_uint(info.bytes, 7);
    check_int(weft_offload_pool_counters(scene->self.pool, &counters, sizeof counters.offloaded),
              WEFT_OK);
    check_uint(counters.evicted, 7);
    weft_offload_close(offload);
}

static void wrong_receives(struct scene *scene)
{
    static double matrix[ROWS][COLUMNS];
    ptl_me_t me = entry(), silent = entry();
    weft_offload *offload;
    weft_offload_receive *receive = NULL;
    silent.options = PTL_ME_EVENT_COMM_DISABLE;
    check_int(weft_offload_open(scene->self.pool, scene->columns, 1, NULL, &offload), WEFT_OK);
    check_int(weft_offload_receive_post(NULL, offload, matrix, PT, &me, NULL, &receive),
              PTL_ARG_INVALID);
    check_int(weft_offload_receive_post(scene->self.pool, NULL, matrix, PT, &me, NULL, &receive),
              PTL_ARG_INVALID);
    check_int(
        weft_offload_receive_post(scene->self.pool, offload, matrix, PT, NULL, NULL, &receive),
        PTL_ARG_INVALID);
    check_int(weft_offload_receive_post(scene->self.pool, offload, matrix, PT, &me, NULL, NULL),
              PTL_ARG_INVALID);
    check_int(
        weft_offload_receive_post(scene->self.pool, offload, matrix, PT, &silent, NULL, &receive),
        PTL_ARG_INVALID);
    check_int(
        weft_offload_receive_post(scene->self.pool, offload, matrix, PT + 1, &me, NULL, &receive),
        PTL_ARG_INVALID);
    check(!receive);
    check_int(weft_offload_receive_cancel(NULL), PTL_ARG_INVALID);
    weft_offload_close(offload);
}

/* ---- Messages ----------------------------------------------------------------------------- */

static void send(struct scene *scene, double *rows)
{
    ptl_md_t md = {.start = rows,
                   .length = sizeof(double[ROWS][COLUMNS]),
                   .options = PTL_MD_EVENT_SEND_DISABLE,
                   .eq_handle = PTL_EQ_NONE,
                   .ct_handle = PTL_CT_NONE};
    ptl_handle_md_t handle;
    check_int(PtlMDBind(scene->self.ni, &md, &handle), PTL_OK);
    check_int(PtlPut(handle, 0, md.length, PTL_NO_ACK_REQ, scene->self.id, PT, 0, 0, NULL, 0),
              PTL_OK);
}

static struct weft_offload_result take(struct scene *scene)
{
    struct weft_offload_result result = {0};
    while (!result.is_over) {
        ptl_event_t event;
        unsigned which;
        if (!check_int(PtlEQPoll(&scene->self.eq, 1, PATIENCE, &event, &which), PTL_OK))
            break;
        result = weft_offload_receive_event(event.user_ptr, &event);
    }
    return result;
}

static bool is_transposed(double (*matrix)[COLUMNS], const double *sent)
{
    for (size_t column = 0; column < COLUMNS; column++)
        for (size_t row = 0; row < ROWS; row++)
            if (matrix[row][column] != *sent++)
                return false;
    return true;
}

static void receive_with(struct scene *scene, struct weft_offload_attributes attributes,
                         enum weft_offload_fallback fallback)
{
    static double sent[ROWS * COLUMNS], matrix[ROWS][COLUMNS];
    weft_offload *offload;
    weft_offload_receive *receive;
    struct weft_offload_info info;
    ptl_me_t me = entry();
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        sent[i] = (double)i + attributes.strategy;
    check_int(weft_offload_open(scene->self.pool, scene->columns, 1, &attributes, &offload),
              WEFT_OK);
    check_int(
        weft_offload_receive_post(scene->self.pool, offload, matrix, PT, &me, scene, &receive),
        PTL_OK);
    send(scene, sent);
    struct weft_offload_result result = take(scene);
    check_int(result.fail, PTL_NI_OK);
    check_uint(result.length, sizeof sent);
    check_int(result.fallback, fallback);
    check(result.user_ptr == scene && is_transposed(matrix, sent));
    check_int(weft_offload_query(scene->self.pool, offload, &info, sizeof info), WEFT_OK);
    check_int(info.is_resident, fallback == WEFT_OFFLOAD_FALLBACK_NONE);
    check_uint(info.admitted, fallback == WEFT_OFFLOAD_FALLBACK_NONE);
    weft_offload_close(offload);
}

static void messages_arrive_by_all_strategies(struct scene *scene)
{
    /* First, before another has brought the same image. */
    receive_with(scene, (struct weft_offload_attributes){.stays_on_host = true},
                 WEFT_OFFLOAD_FALLBACK_NOT_WANTED);
    for (int i = WEFT_OFFLOAD_SEEK; i < WEFT_OFFLOAD_STRATEGIES; i++)
        receive_with(scene, (struct weft_offload_attributes){.strategy = i},
                     i == WEFT_OFFLOAD_SPECIALIZED ? WEFT_OFFLOAD_FALLBACK_NOT_SPECIALIZED
                                                   : WEFT_OFFLOAD_FALLBACK_NONE);
}

/* Checkpoints make do with less; what does not is left to the host. */
static void memory_is_bounded(struct scene *scene)
{
    struct weft_offload_attributes free_hand = {.strategy = WEFT_OFFLOAD_RW_CP, .epsilon = 0.01};
    struct weft_offload_info many = info_with(scene, scene->columns, &free_hand);
    uint64_t bytes = many.image_bytes + many.head_bytes;
    free_hand.memory = bytes;
    check_uint(info_with(scene, scene->columns, &free_hand).interval, many.interval);
    free_hand.memory = bytes - 1;
    struct weft_offload_info few = info_with(scene, scene->columns, &free_hand);
    check_int(few.obstacle, WEFT_OFFLOAD_FALLBACK_NONE);
    check(few.image_bytes + few.head_bytes < bytes && few.interval > many.interval);
    struct weft_offload_attributes tight = {.memory = 1};
    check_int(info_with(scene, scene->columns, &tight).obstacle, WEFT_OFFLOAD_FALLBACK_TOO_LARGE);
}

/* With WEFT_OFFLOAD_STRATEGY=hpu-local and WEFT_OFFLOAD_MEM=1 in the environment. */
static void settings_are_for_those_who_say_nothing(struct scene *scene)
{
    struct weft_offload_attributes own = {.strategy = WEFT_OFFLOAD_SEEK, .memory = 1 << 20};
    struct weft_offload_info plain = info_with(scene, scene->columns, NULL);
    check_int(plain.strategy, WEFT_OFFLOAD_HPU_LOCAL);
    check_int(plain.obstacle, WEFT_OFFLOAD_FALLBACK_TOO_LARGE);
    struct weft_offload_info wished = info_with(scene, scene->columns, &own);
    check_int(wished.strategy, WEFT_OFFLOAD_SEEK);
    check_int(wished.obstacle, WEFT_OFFLOAD_FALLBACK_NONE);
}

static void attributes_are_wishes(struct scene *scene)
{
    zeros_are_defaults(scene);
    strategies_are_wishes(scene);
    host_can_be_wished_for(scene);
    epsilon_trades_time_for_memory(scene);
    memory_is_bounded(scene);
}

int main(int argc, char **argv)
{
    struct scene scene;
    (void)argv;
    open_scene(&scene);
    if (argc > 1) {
        settings_are_for_those_who_say_nothing(&scene);
        close_scene(&scene);
        return tap_done();
    }
    attributes_are_wishes(&scene);
    blocks_need_nothing(&scene);
    names_are_never_null();
    wrong_attributes(&scene);
    wrong_types(&scene);
    wrong_pools(&scene);
    wrong_questions(&scene);
    messages_arrive_by_all_strategies(&scene);
    wrong_receives(&scene);
    close_scene(&scene);
    return tap_done();
}
