/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/setting.h"
#include "job/board.h"
#include "job/pmix_client.h"

#define KEY "weft.here"
#define TOKEN "weft.token"

static pmix_proc_t self;

static bool is_there(void)
{
    return weft_setting_environment(WEFT_SETTING_ENVIRONMENT_PMIX_NAMESPACE) != NULL;
}

static bool put_value(const char *key, pmix_value_t *value)
{
    return weft_job_pmix_is_fine(weft_job_pmix.PMIx_Put(PMIX_GLOBAL, key, value),
                                 "it takes no value");
}

static bool put_token(void)
{
    unsigned char token[WEFT_JOB_TOKEN_SIZE];
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT,
                          .data.bo = {.bytes = (char *)token, .size = sizeof token}};
    bool is_put = weft_job_make_token(token) && put_value(TOKEN, &value);
    explicit_bzero(token, sizeof token);
    return is_put;
}

static bool put(uint32_t number, uint64_t deadline)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = number};
    if (!weft_job_pmix_start(&self, deadline))
        return false;
    if (put_value(KEY, &value) && (self.rank != 0 || put_token()) &&
        weft_job_pmix_is_fine(weft_job_pmix.PMIx_Commit(), "it passes no value on"))
        return true;
    weft_job_pmix.PMIx_Finalize(NULL, 0);
    return false;
}

/* The server has what all have put, or nobody has. */
static pmix_status_t get_value(uint32_t rank, const char *key, pmix_data_type_t type,
                               pmix_value_t **value)
{
    pmix_proc_t process = self;
    pmix_info_t at_once = {.key = PMIX_IMMEDIATE, .value = {.type = PMIX_BOOL, .data.flag = true}};
    *value = NULL;
    process.rank = rank;
    pmix_status_t status = weft_job_pmix.PMIx_Get(&process, key, &at_once, 1, value);
    if (status == PMIX_SUCCESS && *value && (*value)->type == type)
        return status;
    free(*value);
    *value = NULL;
    return status;
}

/* Versions of PMIx differ in how they say that there is no such value. */
static bool is_lost(pmix_status_t status)
{
    return status == PMIX_ERR_UNREACH || status == PMIX_ERR_COMM_FAILURE ||
           status == PMIX_ERR_LOST_CONNECTION;
}

static bool get(uint32_t rank, uint32_t *number, uint64_t deadline)
{
    pmix_value_t *value;
    pmix_status_t status = get_value(rank, KEY, PMIX_UINT32, &value);
    *number = value ? value->data.uint32 : 0;
    (void)deadline;
    free(value);
    return !is_lost(status);
}

static bool get_token(unsigned char token[WEFT_JOB_TOKEN_SIZE], uint64_t deadline)
{
    pmix_value_t *value;
    get_value(0, TOKEN, PMIX_BYTE_OBJECT, &value);
    (void)deadline;
    if (!value)
        return false;
    bool is_whole = value->data.bo.bytes && value->data.bo.size == WEFT_JOB_TOKEN_SIZE;
    if (is_whole) {
        memcpy(token, value->data.bo.bytes, WEFT_JOB_TOKEN_SIZE);
        explicit_bzero(value->data.bo.bytes, WEFT_JOB_TOKEN_SIZE);
    }
    free(value->data.bo.bytes);
    free(value);
    return is_whole;
}

static void leave(void)
{
    weft_job_pmix_is_fine(weft_job_pmix.PMIx_Finalize(NULL, 0), "it does not let us go");
}

const struct weft_job_board weft_job_board_pmix = {
    .is_there = is_there, .put = put, .get = get, .token = get_token, .close = leave};
