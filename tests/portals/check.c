/* SPDX-License-Identifier: BSD-3-Clause */
/* What a behaviour expects. Complaints go to memory that the parent process reads. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "portals/job.h"

/* Milliseconds: far more than anything takes, even if many others want the processors, and little
 * once something has gone wrong. */
#define PATIENT 30000
#define IMPATIENT 100

ptl_time_t job_patience(const struct job *job)
{
    return atomic_load(&job->verdict->failures) ? IMPATIENT : PATIENT;
}

__attribute__((format(printf, 4, 5))) static void complain(struct job *job, const char *file,
                                                           int line, const char *format, ...)
{
    unsigned slot = atomic_fetch_add(&job->verdict->failures, 1);
    if (slot >= JOB_COMPLAINTS)
        return;
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const char *name = strrchr(file, '/');
    snprintf(job->verdict->complaints[slot], sizeof job->verdict->complaints[slot],
             "rank %u, %s:%d: %s", job->rank, name ? name + 1 : file, line, what);
}

static const char *code_name(int code)
{
    static const char *const names[] = {
#define CODE_NAME(name, text) "PTL_" #name,
        PTL_RETURN_MAP(CODE_NAME)
#undef CODE_NAME
    };
    return code >= 0 && code < PTL_STATUS_LAST ? names[code] : "not a code";
}

static const char *fail_name(ptl_ni_fail_t fail)
{
    static const char *const names[] = {
#define FAIL_NAME(name, text) "PTL_NI_" #name,
        PTL_NI_FAIL_MAP(FAIL_NAME)
#undef FAIL_NAME
    };
    return fail < PTL_NI_FAIL_LAST ? names[fail] : "not a failure";
}

static const char *event_name(ptl_event_kind_t type)
{
    static const char *const names[] = {
        "GET",          "GET_OVERFLOW",
        "PUT",          "PUT_OVERFLOW",
        "ATOMIC",       "ATOMIC_OVERFLOW",
        "FETCH_ATOMIC", "FETCH_ATOMIC_OVERFLOW",
        "REPLY",        "SEND",
        "ACK",          "PT_DISABLED",
        "LINK",         "AUTO_UNLINK",
        "AUTO_FREE",    "SEARCH",
    };
    return type <= PTL_EVENT_SEARCH ? names[type] : "not a type";
}

bool job_check(struct job *job, bool held, const char *file, int line, const char *what)
{
    if (!held)
        complain(job, file, line, "not so: %s", what);
    return held;
}

bool job_check_equal(struct job *job, uint64_t actual, uint64_t expected, const char *file,
                     int line, const char *what)
{
    if (actual != expected)
        complain(job, file, line, "%s is %" PRIu64 ", expected %" PRIu64, what, actual, expected);
    return actual == expected;
}

bool job_check_code(struct job *job, int actual, int expected, const char *file, int line,
                    const char *call)
{
    if (actual != expected)
        complain(job, file, line, "%.*s gives %s, expected %s", (int)strcspn(call, "("), call,
                 code_name(actual), code_name(expected));
    return actual == expected;
}

ptl_event_t job_next_event(struct job *job, ptl_handle_eq_t eq, ptl_event_kind_t type,
                           ptl_ni_fail_t fail, const char *file, int line)
{
    ptl_event_t event;
    memset(&event, 0, sizeof event);
    unsigned which;
    int code = PtlEQPoll(&eq, 1, job_patience(job), &event, &which);
    if (code != PTL_OK)
        complain(job, file, line, "waiting for %s gives %s", event_name(type), code_name(code));
    else if (event.type != type || event.ni_fail_type != fail)
        complain(job, file, line, "the event is %s %s, expected %s %s", event_name(event.type),
                 fail_name(event.ni_fail_type), event_name(type), fail_name(fail));
    return event;
}

void job_check_no_event(struct job *job, ptl_handle_eq_t eq, const char *file, int line)
{
    ptl_event_t event;
    int code = PtlEQGet(eq, &event);
    if (code == PTL_OK)
        complain(job, file, line, "an event that must not be: %s %s", event_name(event.type),
                 fail_name(event.ni_fail_type));
    else if (code != PTL_EQ_EMPTY)
        complain(job, file, line, "PtlEQGet gives %s", code_name(code));
}

void job_check_count(struct job *job, ptl_handle_ct_t ct, ptl_size_t success, ptl_size_t failure,
                     const char *file, int line)
{
    ptl_size_t sum = success + failure;
    ptl_ct_event_t value = {0, 0};
    unsigned which;
    int code = PtlCTPoll(&ct, &sum, 1, job_patience(job), &value, &which);
    if (code != PTL_OK) {
        PtlCTGet(ct, &value);
        complain(job, file, line,
                 "waiting for %" PRIu64 " gives %s: success %" PRIu64 ", failure %" PRIu64, sum,
                 code_name(code), value.success, value.failure);
    } else if (value.success != success || value.failure != failure) {
        complain(job, file, line,
                 "the counter is %" PRIu64 "/%" PRIu64 ", expected %" PRIu64 "/%" PRIu64,
                 value.success, value.failure, success, failure);
    }
}
