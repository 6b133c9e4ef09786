/* SPDX-License-Identifier: BSD-3-Clause */
/* The bare engine where Weft runs over libfabric: plain libfabric on the same provider. */
#include <stdio.h>

#include "base/setting.h"
#include "bench/pair/side.h"

static void open_ofi(struct side *side)
{
    struct bare_ofi_config config = {
        .provider = weft_setting_text(WEFT_SETTING_OFI_PROVIDER),
        .interface = weft_setting_text(WEFT_SETTING_OFI_INTERFACE),
        .packet = side->shape->packet,
        .window = side->shape->window,
        .source = side->source,
        .target = side->target,
        .bytes = side->shape->largest,
    };
    side->ofi = bare_ofi_open(&config, &side->shared->cards[side->rank]);
    side_meet(side);
    bare_ofi_connect(side->ofi, &side->shared->cards[1 - side->rank]);
}

static void close_ofi(struct side *side)
{
    bare_ofi_close(side->ofi);
}

static void send_ofi(struct side *side, size_t size)
{
    bare_ofi_send(side->ofi, size);
}

static void receive_ofi(struct side *side, size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bare_ofi_receive(side->ofi, size);
}

static bool can_get(const struct side *side)
{
    static bool is_told;
    if (bare_ofi_reads(side->ofi))
        return true;
    if (side->rank == 0 && !is_told)
        fprintf(stderr,
                "weft bench: the provider %s has no fi_read, so there is nothing to compare gets "
                "with\n",
                side->shared->cards[0].provider);
    is_told = true;
    return false;
}

static void get_ofi(struct side *side, size_t size)
{
    bare_ofi_read(side->ofi, size);
}

static void attend_ofi(struct side *side)
{
    bare_ofi_receive(side->ofi, 0);
}

const struct side_engine side_engine_ofi = {.open = open_ofi,
                                            .close = close_ofi,
                                            .send = send_ofi,
                                            .receive = receive_ofi,
                                            .can_get = can_get,
                                            .get = get_ofi,
                                            .attend = attend_ofi};
