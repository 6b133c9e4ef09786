/* SPDX-License-Identifier: BSD-3-Clause */
/* Linked with the tests of the stock, this lets its handlers run on cores: those functions of an
 * image that have the names of the native ones. */
#include <stdio.h>
#include <stdlib.h>

#include "spin/spin.h"
#include "support/own_symbol.h"

static unsigned char image[1 << 16];
static size_t image_length;

static bool image_has(struct job *job, const ptl_image_handlers_t *handlers)
{
    ptl_handle_me_t entry;
    ptl_me_t me = job_entry(POSTING(NULL, 0, PTL_ME_OP_PUT));
    const ptl_handlers_t trial = {.hpu_memory = PTL_HPU_NONE, .image = handlers};
    if (PtlMEAppendHandlers(job->ni, job->pt, &me, &trial, PTL_PRIORITY_LIST, NULL, &entry))
        return false;
    ok(PtlMEUnlink(entry));
    return true;
}

#define NAME(handler) ((handler) ? own_symbol((void (*)(void))(handler)) : NULL)

/* Handlers that are not of the stock, but of its tests, stay native. */
static void place_on_core(struct job *job, ptl_handlers_t *handlers, ptl_image_handlers_t *names)
{
    *names = (ptl_image_handlers_t){.header_handler = NAME(handlers->header_handler),
                                    .payload_handler = NAME(handlers->payload_handler),
                                    .completion_handler = NAME(handlers->completion_handler)};
    ok(PtlHandlersLoad(job->ni, image, image_length, &names->image));
    if (!image_has(job, names))
        return;
    handlers->header_handler = NULL;
    handlers->payload_handler = NULL;
    handlers->completion_handler = NULL;
    handlers->image = names;
}

__attribute__((constructor)) static void read_image(void)
{
    const char *path = getenv("STOCK_IMAGE");
    FILE *file = path ? fopen(path, "rb") : NULL;
    image_length = file ? fread(image, 1, sizeof image, file) : 0;
    if (!file || image_length == 0) {
        fprintf(stderr, "STOCK_IMAGE must name an image of the stock\n");
        exit(2);
    }
    fclose(file);
    spin_place = place_on_core;
}
