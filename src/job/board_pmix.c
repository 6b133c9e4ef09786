/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "base/setting.h"
#include "job/board.h"
#include "job/pmix_client.h"

#define KEY "weft.here"

static pmix_proc_t self;

static bool is_there(void)
{
    return weft_setting_environment(WEFT_SETTING_ENVIRONMENT_PMIX_NAMESPACE) != NULL;
}

static bool put(uint32_t number, uint64_t deadline)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = number};
    if (!weft_job_pmix_start(&self, deadline))
        return false;
    if (weft_job_pmix_is_fine(weft_job_pmix.PMIx_Put(PMIX_GLOBAL, KEY, &value),
                              "it takes no value") &&
        weft_job_pmix_is_fine(weft_job_pmix.PMIx_Commit(), "it passes no value on"))
        return true;
    weft_job_pmix.PMIx_Finalize(NULL, 0);
    return false;
}

/* The server has what all have put, or nobody has. */
static uint32_t get(uint32_t rank, uint64_t deadline)
{
    pmix_proc_t process = self;
    pmix_info_t at_once = {.key = PMIX_IMMEDIATE, .value = {.type = PMIX_BOOL, .data.flag = true}};
    pmix_value_t *value = NULL;
    uint32_t number = 0;
    (void)deadline;
    process.rank = rank;
    if (weft_job_pmix.PMIx_Get(&process, KEY, &at_once, 1, &value) == PMIX_SUCCESS &&
        value->type == PMIX_UINT32)
        number = value->data.uint32;
    free(value);
    return number;
}

static void leave(void)
{
    weft_job_pmix_is_fine(weft_job_pmix.PMIx_Finalize(NULL, 0), "it does not let us go");
}

const struct weft_job_board weft_job_board_pmix = {
    .is_there = is_there, .put = put, .get = get, .close = leave};
