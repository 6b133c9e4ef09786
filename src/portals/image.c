/* SPDX-License-Identifier: BSD-3-Clause */
/* Images of handlers, from the side of the program. */
#include "portals/image.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/setting.h"
#include "nic/execution.h"
#include "portals/process.h"
#include "portals/sandbox.h"

/* ---- Loading ------------------------------------------------------------------------------ */

static void close_image(void *content)
{
    weft_riscv_image_close(content);
    free(content);
}

static struct weft_riscv_profile profile(void)
{
    struct weft_riscv_profile profile;
    const char *text = weft_setting_text(WEFT_SETTING_HANDLER_CORE);
    if (weft_riscv_profile_read(text, &profile))
        return profile;
    weft_log(WEFT_LOG_WARN, "WEFT_HANDLER_CORE=%s is no core; ri5cy is used", text);
    weft_riscv_profile_read("ri5cy", &profile);
    return profile;
}

/* Decoded, it takes eight times as much memory of the host. */
#define LARGEST ((uint64_t)1 << 20)

static uint64_t most_bytes(const struct weft_nic_ni *ni)
{
    uint64_t most = ni->handler_limits.max_handler_mem;
    return most < LARGEST ? most : LARGEST;
}

static int load(struct weft_nic_ni *ni, const void *file, ptl_size_t length, uint32_t *id)
{
    struct weft_riscv_image *image = malloc(sizeof *image);
    if (!image)
        return PTL_NO_SPACE;
    const struct weft_riscv_profile core = profile();
    const char *why;
    enum weft_riscv_image_result result =
        weft_riscv_image_open(image, file, length, most_bytes(ni), &core, &why);
    if (result != WEFT_RISCV_IMAGE_OK) {
        weft_log(WEFT_LOG_WARN, "an image of handlers cannot be loaded: %s", why);
        free(image);
        return result == WEFT_RISCV_IMAGE_INVALID ? PTL_ARG_INVALID : PTL_NO_SPACE;
    }
    int code = weft_nic_code_open(ni, image, close_image, image->size, id);
    if (code != PTL_OK)
        close_image(image);
    return code;
}

int PtlHandlersLoad(ptl_handle_ni_t ni_handle, const void *file, ptl_size_t length,
                    ptl_handle_image_t *image)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    uint32_t id;
    int result = file && image ? load(scope.ni, file, length, &id) : PTL_ARG_INVALID;
    if (result == PTL_OK)
        *image = weft_portals_handle(WEFT_PORTALS_HANDLE_IMAGE, scope.ni->number, id);
    return weft_portals_leave(&scope, result);
}

int PtlHandlersUnload(ptl_handle_image_t *image)
{
    struct weft_portals_scope scope;
    if (!image)
        return PTL_ARG_INVALID;
    if (!weft_portals_enter(&scope, *image, WEFT_PORTALS_HANDLE_IMAGE))
        return scope.result;
    struct weft_nic_code *code = scope.object;
    int result = code->ni == scope.ni ? weft_nic_code_close(code) : PTL_ARG_INVALID;
    if (result == PTL_OK)
        *image = PTL_INVALID_HANDLE;
    else if (result == PTL_IN_USE)
        weft_portals_process_advance(scope.process);
    return weft_portals_leave(&scope, result);
}

/* ---- Handlers of an entry ----------------------------------------------------------------- */

/* The NIC asks a pointer whether there is a handler. These stand for those of images, and a core
 * runs instead of them. */
static ptl_handler_result_t header_of_image(const ptl_header_t *header, void *state)
{
    (void)header;
    (void)state;
    return PTL_HANDLER_FAIL;
}

static ptl_handler_result_t payload_of_image(const ptl_payload_t *payload, void *state)
{
    (void)payload;
    (void)state;
    return PTL_HANDLER_FAIL;
}

static ptl_handler_result_t completion_of_image(ptl_size_t dropped_bytes,
                                                int flow_control_triggered, void *state)
{
    (void)dropped_bytes;
    (void)flow_control_triggered;
    (void)state;
    return PTL_HANDLER_FAIL;
}

/* False: there is no function of the name. */
static bool find_all(struct weft_portals_sandbox *sandbox, const ptl_image_handlers_t *wanted)
{
    const char *const names[WEFT_PORTALS_SANDBOX_HANDLERS] = {
        [WEFT_NIC_HANDLER_HEADER] = wanted->header_handler,
        [WEFT_NIC_HANDLER_PAYLOAD] = wanted->payload_handler,
        [WEFT_NIC_HANDLER_COMPLETION] = wanted->completion_handler,
    };
    for (unsigned i = 0; i < WEFT_PORTALS_SANDBOX_HANDLERS; i++) {
        sandbox->functions[i] = names[i] ? weft_riscv_image_find(sandbox->image, names[i]) : 0;
        if (names[i] && !sandbox->functions[i]) {
            weft_log(WEFT_LOG_WARN, "an image of handlers has no function %s", names[i]);
            return false;
        }
    }
    return true;
}

int weft_portals_image_bind(const struct weft_nic_ni *ni, ptl_handlers_t *handlers,
                            struct weft_nic_entry_spec *spec)
{
    const ptl_image_handlers_t *wanted = handlers->image;
    spec->code = weft_portals_find(ni, wanted->image, WEFT_PORTALS_HANDLE_IMAGE);
    if (!spec->code || spec->code->ni != ni || handlers->header_handler ||
        handlers->payload_handler || handlers->completion_handler)
        return PTL_ARG_INVALID;
    struct weft_portals_sandbox *sandbox = weft_portals_sandbox_open(spec->code->content);
    if (!sandbox)
        return PTL_NO_SPACE;
    if (!find_all(sandbox, wanted)) {
        free(sandbox);
        return PTL_ARG_INVALID;
    }
    handlers->header_handler = wanted->header_handler ? header_of_image : NULL;
    handlers->payload_handler = wanted->payload_handler ? payload_of_image : NULL;
    handlers->completion_handler = wanted->completion_handler ? completion_of_image : NULL;
    handlers->image = NULL; /* the program may forget it */
    spec->core = &sandbox->core;
    return PTL_OK;
}
