/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/board.h"

#include <stddef.h>

#include "base/log.h"

static const struct weft_job_board *board;

static const struct weft_job_board *find(void)
{
    if (weft_job_board_pmix.is_there())
        return &weft_job_board_pmix;
    return weft_job_board_pmi.is_there() ? &weft_job_board_pmi : NULL;
}

bool weft_job_board_put(uint32_t number, uint64_t deadline)
{
    board = find();
    if (!board)
        weft_log(WEFT_LOG_INFO, "the launcher speaks neither PMIx nor PMI-1");
    return board && board->put(number, deadline);
}

bool weft_job_board_get(uint32_t rank, uint32_t *number, uint64_t deadline)
{
    *number = 0;
    return board->get(rank, number, deadline);
}

bool weft_job_board_token(unsigned char token[WEFT_JOB_TOKEN_SIZE], uint64_t deadline)
{
    return board->token(token, deadline);
}

void weft_job_board_close(void)
{
    board->close();
}
