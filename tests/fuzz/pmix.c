/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process believes of a server of PMIx: the values that it has of a job, and what others
 * have put on the board. This stands in place of the library of PMIx, which hands values on as
 * they came. Each is right but for what the input changes in it.
 *
 *   input: which of the two | what is asked, and so has to be answered, in turn
 *
 * If nothing was changed, all that is asked for is told, and is what it should be. In any case
 * every question ends, and what was believed can be used.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/deadline.h"
#include "fuzz/input.h"
#include "fuzz/use.h"
#include "job/board.h"
#include "job/launcher.h"
#include "job/pmix_client.h"

#define SIZE 4u
#define NUMBER 4711u /* on the board */
#define LONGEST 255u
#define LATE_MOST 3u
#define UNTOUCHED 0xA5

static const unsigned char token[WEFT_JOB_TOKEN_SIZE] = "the key and id of a job";
static const unsigned char card[] = "where it is";
static const uint32_t nodes[SIZE] = {0, 1, 2, 2};
static const char *const names[SIZE] = {"a", "b", "c", "c"};

static bool is_honest;
static bool has_names; /* hosts are named, not numbered */
static unsigned late;  /* answers that were not there yet */

/* ---- Values -------------------------------------------------------------------------------- */

static void set_number(pmix_value_t *value, uint32_t number)
{
    value->type = PMIX_UINT32;
    value->data.uint32 = number;
}

static void set_text(pmix_value_t *value, const char *text)
{
    value->type = PMIX_STRING;
    value->data.string = strdup(text);
    require(value->data.string);
}

static void set_bytes(pmix_value_t *value, const void *bytes, size_t size)
{
    value->type = PMIX_BYTE_OBJECT;
    value->data.bo.size = size;
    value->data.bo.bytes = size ? malloc(size) : NULL;
    require(!size || value->data.bo.bytes);
    if (size)
        memcpy(value->data.bo.bytes, bytes, size);
}

static void clear(pmix_value_t *value)
{
    if (value->type == PMIX_STRING)
        free(value->data.string);
    if (value->type == PMIX_BYTE_OBJECT)
        free(value->data.bo.bytes);
    *value = (pmix_value_t){.type = PMIX_UNDEF};
}

/* False if there is none. */
static bool set_right(pmix_value_t *value, uint32_t rank, const char *key)
{
    if (strcmp(key, PMIX_JOB_SIZE) == 0)
        set_number(value, SIZE);
    else if (strcmp(key, PMIX_NODEID) == 0)
        set_number(value, nodes[rank % SIZE]);
    else if (strcmp(key, "weft.here") == 0)
        set_number(value, NUMBER);
    else if (strcmp(key, PMIX_NODE_LIST) == 0 && has_names)
        set_text(value, "a,b,c");
    else if (strcmp(key, PMIX_HOSTNAME) == 0)
        set_text(value, names[rank % SIZE]);
    else if (strcmp(key, "weft.token") == 0)
        set_bytes(value, token, sizeof token);
    else if (strcmp(key, "weft.card") == 0)
        set_bytes(value, card, sizeof card);
    return value->type != PMIX_UNDEF;
}

/* ---- Lies ---------------------------------------------------------------------------------- */

static void set_other_type(pmix_value_t *value)
{
    clear(value);
    value->type = (pmix_data_type_t)(PMIX_BOOL + next_byte() % 2); /* or a byte */
    value->data.byte = (uint8_t)next_byte();
}

static void set_other(pmix_value_t *value)
{
    unsigned char bytes[LONGEST + 1] = "";
    pmix_data_type_t type = value->type;
    clear(value);
    size_t size = next_bytes(bytes, next_byte());
    if (type == PMIX_UINT32)
        memcpy(&value->data.uint32, bytes, sizeof value->data.uint32);
    value->type = type;
    if (type == PMIX_STRING)
        set_text(value, (char *)bytes);
    else if (type == PMIX_BYTE_OBJECT)
        set_bytes(value, bytes, size);
}

static void set_nearly_right(pmix_value_t *value)
{
    if (value->type == PMIX_UINT32)
        change(&value->data.uint32, sizeof value->data.uint32);
    else if (value->type == PMIX_STRING)
        change(value->data.string, strlen(value->data.string));
    else
        change(value->data.bo.bytes, value->data.bo.size);
}

/* The largest number, or no text, or no bytes: all of these a server can send. */
static void set_extreme(pmix_value_t *value)
{
    pmix_data_type_t type = value->type;
    clear(value);
    value->type = type;
    if (type == PMIX_UINT32)
        value->data.uint32 = UINT32_MAX;
}

static pmix_status_t refuse(pmix_value_t *value)
{
    pmix_status_t status = -1 - (pmix_status_t)next_byte();
    bool is_late = status == PMIX_ERR_NOT_FOUND || status == PMIX_ERR_TIMEOUT;
    clear(value);
    return is_late && late++ >= LATE_MOST ? PMIX_ERROR : status;
}

static pmix_status_t answer(uint32_t rank, const char *key, pmix_value_t *value)
{
    static void (*const lies[])(pmix_value_t *value) = {
        [1] = set_other_type, [2] = set_other, [3] = set_nearly_right, [4] = set_extreme,
        [6] = clear}; /* success, and nothing */
    *value = (pmix_value_t){.type = PMIX_UNDEF};
    if (!set_right(value, rank, key))
        return PMIX_ERR_NOT_FOUND;
    unsigned how = next_byte() % 8;
    if (how == 7)
        return PMIX_SUCCESS;
    is_honest &= how == 0;
    if (how == 5)
        return refuse(value);
    if (how > 0)
        lies[how](value);
    return PMIX_SUCCESS;
}

/* ---- The library --------------------------------------------------------------------------- */

static pmix_status_t get(const pmix_proc_t *process, const char *key, const pmix_info_t *info,
                         size_t count, pmix_value_t **value)
{
    pmix_value_t told;
    (void)info, (void)count;
    pmix_status_t status = answer(process->rank, key, &told);
    if (status != PMIX_SUCCESS)
        return status;
    if (told.type == PMIX_UNDEF)
        return PMIX_SUCCESS;
    *value = malloc(sizeof told);
    require(*value);
    **value = told;
    return status;
}

static pmix_status_t get_later(const pmix_proc_t *process, const char *key,
                               const pmix_info_t *info, size_t count, pmix_value_cbfunc_t take,
                               void *context)
{
    pmix_value_t told;
    (void)info, (void)count;
    pmix_status_t status = answer(process->rank, key, &told);
    take(status, status == PMIX_SUCCESS ? &told : NULL, context);
    clear(&told);
    return PMIX_SUCCESS;
}

static pmix_status_t agree(void)
{
    bool is_fine = next_byte() % 8 != 1;
    is_honest &= is_fine;
    return is_fine ? PMIX_SUCCESS : PMIX_ERROR;
}

static pmix_status_t put(pmix_scope_t scope, const char *key, pmix_value_t *value)
{
    (void)scope, (void)key, (void)value;
    return agree();
}

static pmix_status_t finalize(const pmix_info_t *info, size_t count)
{
    (void)info, (void)count;
    return agree();
}

static const char *error_string(pmix_status_t status)
{
    (void)status;
    return "an error";
}

struct weft_job_pmix_calls weft_job_pmix = {.PMIx_Finalize = finalize,
                                            .PMIx_Put = put,
                                            .PMIx_Commit = agree,
                                            .PMIx_Get = get,
                                            .PMIx_Get_nb = get_later,
                                            .PMIx_Error_string = error_string};

bool weft_job_pmix_start(pmix_proc_t *self, uint64_t deadline)
{
    (void)deadline;
    *self = (pmix_proc_t){.nspace = "job", .rank = next_byte()};
    is_honest &= self->rank < SIZE;
    return true;
}

bool weft_job_pmix_refuse(const char *what, const char *why)
{
    require(what && why);
    return false;
}

bool weft_job_pmix_is_fine(pmix_status_t status, const char *what)
{
    require(what);
    return status == PMIX_SUCCESS;
}

/* ---- A job --------------------------------------------------------------------------------- */

static void fetch_card(struct weft_job_wireup *wireup, unsigned rank)
{
    unsigned char found[WEFT_JOB_CARD_SIZE + 1] = {[sizeof card] = UNTOUCHED};
    size_t size = 0;
    int result;
    while ((result = wireup->ops->fetch(wireup, rank, found, sizeof card, &size)) == -EAGAIN)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    require(result != 0 || size <= sizeof card);
    require(found[sizeof card] == UNTOUCHED);
    require(!is_honest || (result == 0 && memcmp(found, card, sizeof card) == 0));
}

static void use_job(struct weft_job_wireup *wireup)
{
    bool is_published = wireup->ops->publish(wireup, card, sizeof card) == 0;
    require(is_published || !is_honest);
    for (unsigned i = 0; i < SIZE; i++) {
        uint32_t node = 0;
        bool is_told = wireup->ops->node(wireup, i, &node) == 0;
        require(!is_told || node < INT32_MAX);
        require(!is_honest || (is_told && node == nodes[i]));
        fetch_card(wireup, i);
    }
    wireup->ops->leave(wireup);
}

/* A process has one until it ends, and so has no call that frees what belongs to it. */
static void keep(struct weft_job_wireup *wireup)
{
    static struct kept {
        struct kept *next;
        struct weft_job_wireup *wireup;
    } *all;
    struct kept *kept = malloc(sizeof *kept);
    require(kept);
    *kept = (struct kept){all, wireup};
    all = kept;
}

static void play_job(void)
{
    struct weft_job job = {0};
    unsigned char got[WEFT_JOB_TOKEN_SIZE + 1] = {[WEFT_JOB_TOKEN_SIZE] = UNTOUCHED};
    struct weft_job_wireup *wireup = weft_job_launcher_pmix.open(&job, got);
    require(got[WEFT_JOB_TOKEN_SIZE] == UNTOUCHED);
    require(wireup || !is_honest);
    if (!wireup)
        return;
    keep(wireup);
    require(job.rank < job.size && job.size <= INT32_MAX && job.node < INT32_MAX);
    require(!is_honest || (job.size == SIZE && job.node == nodes[job.rank]));
    require(!is_honest || job.rank == 0 || memcmp(got, token, sizeof token) == 0);
    use_job(wireup);
}

/* ---- The board ----------------------------------------------------------------------------- */

static void play_board(void)
{
    uint64_t deadline = weft_deadline_after(WEFT_CLOCK_SECOND);
    unsigned char got[WEFT_JOB_TOKEN_SIZE + 1] = {[WEFT_JOB_TOKEN_SIZE] = UNTOUCHED};
    bool is_put = weft_job_board_pmix.put(NUMBER, deadline);
    require(is_put || !is_honest);
    if (!is_put)
        return;
    uint32_t number = 1;
    bool is_answered = weft_job_board_pmix.get(2, &number, deadline);
    bool is_told = weft_job_board_pmix.token(got, deadline);
    require(is_answered || number == 0);
    require(!is_honest || (number == NUMBER && is_told));
    require(!is_honest || memcmp(got, token, sizeof token) == 0);
    require(got[WEFT_JOB_TOKEN_SIZE] == UNTOUCHED);
    weft_job_board_pmix.close();
}

/* -------------------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    setenv("WEFT_LOG", "off", 1);
    begin_input(data, size);
    is_honest = true;
    late = 0;
    unsigned what = next_byte();
    has_names = what & 2;
    (what & 1 ? play_board : play_job)();
    return 0;
}
