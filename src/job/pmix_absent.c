/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of pmix.c where the headers of PMIx were missing: says so to whom it concerns. */
#include "base/log.h"
#include "base/setting.h"
#include "job/board.h"
#include "job/launcher.h"

static bool is_there(void)
{
    return weft_setting_environment(WEFT_SETTING_ENVIRONMENT_PMIX_NAMESPACE) != NULL;
}

static struct weft_job_wireup *open_nothing(struct weft_job *job,
                                            unsigned char token[WEFT_JOB_TOKEN_SIZE])
{
    (void)job;
    (void)token;
    weft_log(WEFT_LOG_ERROR, "the launcher speaks PMIx, which this library was built without");
    return NULL;
}

const struct weft_job_launcher weft_job_launcher_pmix = {
    .name = "PMIx", .is_there = is_there, .open = open_nothing};

static bool put_nothing(uint32_t number, uint64_t deadline)
{
    (void)number;
    (void)deadline;
    weft_log(WEFT_LOG_WARN, "the launcher speaks PMIx, which this library was built without");
    return false;
}

const struct weft_job_board weft_job_board_pmix = {.is_there = is_there, .put = put_nothing};
