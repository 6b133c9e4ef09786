/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The launcher's board, for a process whose MPI library uses the launcher, too: what is put there
 * before MPI is initialised can be read by all when it is, because to initialise MPI ends with a
 * wait for all, which passes on whatever was put. So nobody waits for a process that never comes.
 *
 *   pmix   PMIx counts its users, so we are one beside MPI
 *   pmi    PMI-1 answers line by line, and MPI says nothing before its start and after it
 *
 * Rank 0 also puts a token there for all of the job, so that it does not travel by MPI, whose
 * messages everybody on their way can read.
 */
#ifndef WEFT_JOB_BOARD_H
#define WEFT_JOB_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "job/wireup.h"

/* Before MPI is initialised: puts a number that is not 0 on the board. False if there is none that
 * we can use; the log says why. True is no promise that it is there: an answer can get lost. */
bool weft_job_board_put(uint32_t number, uint64_t deadline);

/* After it: what a rank has put there, 0 if nothing. False if nobody answers: then neither is
 * known, and the launcher is lost for MPI, too, which shares it with us. */
bool weft_job_board_get(uint32_t rank, uint32_t *number, uint64_t deadline);

/* Also after it: the token of the job; false if there is none. */
bool weft_job_board_token(unsigned char token[WEFT_JOB_TOKEN_SIZE], uint64_t deadline);

/* Must follow a put that was true, when all has been read. */
void weft_job_board_close(void);

/* What a launcher provides to board.c. */
struct weft_job_board {
    bool (*is_there)(void);
    bool (*put)(uint32_t number, uint64_t deadline);
    bool (*get)(uint32_t rank, uint32_t *number, uint64_t deadline);
    bool (*token)(unsigned char token[WEFT_JOB_TOKEN_SIZE], uint64_t deadline);
    void (*close)(void);
};

extern const struct weft_job_board weft_job_board_pmix;
extern const struct weft_job_board weft_job_board_pmi;

#endif
