/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/far.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/log.h"
#include "base/setting.h"
#include "world/ofi/ofi.h"
#include "world/rails.h"
#include "world/secret.h"
#include "world/tcp/tcp.h"
#include "world/world.h"

static_assert(WEFT_JOB_CARD_SIZE >= WEFT_WORLD_CARD_MAX, "launchers carry our cards");
static_assert(WEFT_JOB_KEY_SIZE == WEFT_WORLD_KEY_SIZE, "the key is that of the job");

/* ---- Cards --------------------------------------------------------------------------------- */

/* One for all worlds of this process: a launcher accepts a process once. */
static struct job_directory {
    struct weft_world_directory directory; /* must be first */
    struct weft_job_wireup *wireup;
} cards;

static int find_card(struct weft_world_directory *directory, struct weft_nic_address address,
                     struct weft_world_card *card)
{
    struct weft_job_wireup *wireup = ((struct job_directory *)directory)->wireup;
    uint32_t rank = address.pid - 1, node;
    int result = weft_job_node(wireup, rank, &node);
    if (result == 0 && node + 1 != address.nid)
        return -ENOENT;
    size_t size = 0;
    if (result == 0)
        result = weft_job_fetch(wireup, rank, card->bytes, sizeof card->bytes, &size);
    card->size = (uint32_t)size;
    return result;
}

/* ---- Opening ------------------------------------------------------------------------------- */

/* Of the choices of WEFT_PRIVATE. */
enum { OFF = 1 };

static bool read_settings(struct weft_world_config *config)
{
    uint64_t payload = weft_setting(WEFT_SETTING_OFI_PACKET_SIZE);
    uint64_t connections = weft_setting(WEFT_SETTING_OFI_CONNECTIONS);
    if (payload > UINT32_MAX || connections > UINT32_MAX) {
        weft_log(WEFT_LOG_ERROR, "%s or %s is out of range",
                 weft_setting_info(WEFT_SETTING_OFI_PACKET_SIZE)->name,
                 weft_setting_info(WEFT_SETTING_OFI_CONNECTIONS)->name);
        return false;
    }
    config->provider = weft_setting_text(WEFT_SETTING_OFI_PROVIDER);
    config->interface = weft_setting_text(WEFT_SETTING_OFI_INTERFACE);
    config->payload = (uint32_t)payload;
    config->session_limit = (uint32_t)connections;
    config->timeout = weft_deadline_span(WEFT_SETTING_TIMEOUT);
    config->uid = (uint32_t)geteuid();
    config->is_plain = weft_setting(WEFT_SETTING_PRIVATE) == OFF;
    return true;
}

/* One process of the job says it for all. */
static void warn_of_strangers(const struct weft_nic_world *world, const struct weft_job *job)
{
    if (job->rank != 0 || weft_setting(WEFT_SETTING_OFI_TRUST) || !weft_ofi_is_exposed(world))
        return;
    weft_log(WEFT_LOG_WARN,
             "libfabric's provider %s on %s can be disturbed by everybody who reaches this host: "
             "choose an isolated network with %s; %s=1 if this is one (docs/security.md)",
             weft_ofi_provider(world), weft_ofi_interface(world),
             weft_setting_info(WEFT_SETTING_OFI_INTERFACE)->name,
             weft_setting_info(WEFT_SETTING_OFI_TRUST)->name);
}

enum weft_world_far weft_world_far_choose(void)
{
    char interface[WEFT_WORLD_INTERFACE_MAX] = "";
    weft_world_rails_interface(weft_setting_text(WEFT_SETTING_OFI_INTERFACE), 0, interface);
    bool is_asked_for = *weft_setting_text(WEFT_SETTING_OFI_PROVIDER);
    return !weft_tcp_is_built() || is_asked_for || weft_ofi_isolates(interface)
               ? WEFT_WORLD_FAR_OFI
               : WEFT_WORLD_FAR_TCP;
}

static struct weft_nic_world *open_kind(const struct weft_world_config *config,
                                        struct weft_world_card *own, const struct weft_job *job,
                                        enum weft_world_far kind)
{
    if (kind == WEFT_WORLD_FAR_TCP)
        return weft_tcp_open(config, own);
    struct weft_nic_world *world = weft_ofi_open(config, own);
    if (world)
        warn_of_strangers(world, job);
    return world;
}

struct weft_nic_world *weft_world_far_open(const struct weft_job *job,
                                           struct weft_job_wireup *wireup,
                                           enum weft_world_far kind)
{
    struct weft_world_config config = {.self = {job->node + 1, job->rank + 1},
                                       .directory = &cards.directory};
    struct weft_world_card own;
    if (!read_settings(&config))
        return NULL;
    cards = (struct job_directory){{find_card}, wireup};
    memcpy(config.key, job->key, sizeof config.key);
    struct weft_nic_world *world = open_kind(&config, &own, job, kind);
    weft_world_wipe(config.key, sizeof config.key);
    if (!world)
        return NULL;
    if (weft_job_publish(wireup, own.bytes, own.size) == 0)
        return world;
    world->ops->close(world);
    return NULL;
}
