/* SPDX-License-Identifier: BSD-3-Clause */
#include <weft_handlers.h>

#include "spin/spin.h"

#define EXTENT 40000 /* bytes of memory that the types below stay within */

static weft_type *parse(struct job *job, const char *text)
{
    weft_type *type = NULL;
    equals(weft_type_parse(text, &type, NULL), WEFT_OK);
    equals(weft_type_commit(type), WEFT_OK);
    return type;
}

/* A message of a type is what packing it gives. */
static void send(struct job *job, const char *text, size_t count, ptl_size_t beyond)
{
    weft_type *type = parse(job, text);
    size_t size = count * weft_type_size(type);
    unsigned char *memory = job_memory(job, size + beyond), *data = job_memory(job, EXTENT);
    job_fill(data, EXTENT, 9);
    if (job->target)
        post(memory, size + beyond, .options = PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        struct weft_handler_gather gather = {type, count, data};
        ptl_outbound_handlers_t handlers = weft_handler_gather(&gather);
        ptl_handle_md_t md = job_bind(job, data, EXTENT, 0, job->eq, PTL_CT_NONE);
        ok(PtlProcessPut(md, size + beyond, PTL_ACK_REQ, job_process(job, 0), job->pt, 0, 0, NULL,
                         0, &handlers));
        next_failure(job->eq, PTL_EVENT_SEND, beyond ? PTL_NI_SEGV : PTL_NI_OK);
        next_event(job->eq, PTL_EVENT_ACK);
    }
    if (job->target) {
        unsigned char *packed = job_memory(job, size);
        equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, size + beyond);
        equals(weft_pack(type, count, data, 0, packed, size), WEFT_OK);
        if (!beyond)
            equals(memcmp(memory, packed, size), 0);
    }
    weft_type_free(type);
}

BEHAVIOUR("a message of blocks at a stride is gathered while it leaves", SPIN)
{
    send(job, "vector(1000, 3, 5, double)", 1, 0);
}

BEHAVIOUR("a message of irregular blocks, of several packets and elements, is gathered", SPIN)
{
    send(job, "hindexed([100, 7, 3000], [5, 211, 1002], char)", 7, 0);
}

BEHAVIOUR("a message that is longer than its type is told by the SEND event", SPIN)
{
    send(job, "vector(10, 1, 2, int)", 3, 1);
}
