/* SPDX-License-Identifier: BSD-3-Clause */
#include "chaos/letters/coverage.h"

#include "support/tap.h"

#define RESULTS (PTL_HANDLER_SEGV + 1)
#define FAILURES 32

static uint64_t seen[COVERAGE_COUNT];
static uint64_t actions[ACTIONS];
static uint64_t results[STAGES][RESULTS];
static uint64_t failures[FAILURES];

void coverage_of(enum coverage what)
{
    seen[what]++;
}

void coverage_of_action(enum action action)
{
    actions[action]++;
}

void coverage_of_result(enum stage stage, ptl_handler_result_t result)
{
    results[stage][result]++;
}

void coverage_of_failure(ptl_ni_fail_t failure)
{
    failures[failure % FAILURES]++;
}

static void check_results(void)
{
    static const ptl_handler_result_t of_payloads[] = {PTL_HANDLER_SUCCESS, PTL_HANDLER_DROP,
                                                       PTL_HANDLER_FAIL, PTL_HANDLER_SEGV,
                                                       PTL_HANDLER_PROCEED};
    static const ptl_handler_result_t of_completions[] = {
        PTL_HANDLER_SUCCESS, PTL_HANDLER_SUCCESS_PENDING, PTL_HANDLER_FAIL, PTL_HANDLER_SEGV,
        PTL_HANDLER_DROP};
    bool all_headers = true, all_payloads = true, all_completions = true;
    for (unsigned i = 0; i < RESULTS; i++)
        all_headers &= i == PTL_HANDLER_SUCCESS_PENDING || results[STAGE_HEADER][i] > 0;
    for (unsigned i = 0; i < sizeof of_payloads / sizeof *of_payloads; i++)
        all_payloads &= results[STAGE_PAYLOAD][of_payloads[i]] > 0;
    for (unsigned i = 0; i < sizeof of_completions / sizeof *of_completions; i++)
        all_completions &= results[STAGE_COMPLETION][of_completions[i]] > 0;
    check(all_headers);
    check(all_payloads);
    check(all_completions);
}

void coverage_check(void)
{
    static const char *const names[] = {
#define COVERAGE_NAME(name) "happens: " #name,
        COVERAGE_MAP(COVERAGE_NAME)
#undef COVERAGE_NAME
    };
    for (unsigned i = 0; i < COVERAGE_COUNT; i++)
        tap_check(seen[i] > 0, __FILE__, __LINE__, names[i]);
    bool all_actions = true;
    for (unsigned i = 0; i < ACTIONS; i++)
        all_actions &= actions[i] > 0;
    check(all_actions);
    check_results();
    static const ptl_ni_fail_t told[] = {PTL_NI_OK, PTL_NI_HANDLER, PTL_NI_SEGV,
                                         PTL_NI_PT_DISABLED, PTL_NI_UNDELIVERABLE};
    bool all_failures = true;
    for (unsigned i = 0; i < sizeof told / sizeof *told; i++)
        all_failures &= failures[told[i]] > 0;
    check(all_failures);
}
