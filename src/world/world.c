/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/world.h"

#include <stddef.h>

#include "base/setting.h"
#include "world/shm/shm.h"

/* In the order of the choices of WEFT_WORLD. */
static struct weft_world *(*const openers[])(uint32_t pid, enum weft_world_status *status) = {
    weft_shm_open,
};

struct weft_world *weft_world_open(uint32_t pid, enum weft_world_status *status)
{
    return openers[weft_setting(WEFT_SETTING_WORLD)](pid, status);
}
