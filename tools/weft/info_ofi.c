/* SPDX-License-Identifier: BSD-3-Clause */
#include "info_ofi.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/setting.h"
#include "json.h"
#include "packet/packet.h"
#include "world/fabric.h"
#include "world/ofi/frame.h"
#include "world/ofi/provider.h"
#include "world/rails.h"

#define MOST_PROVIDERS 64
#define MOST_INTERFACES 32

struct provider {
    const char *name;
    size_t rank; /* of preference; SIZE_MAX: only by name */
    const char *interfaces[MOST_INTERFACES];
    size_t interface_count;
    const char *chosen_on; /* an interface; or NULL */
};

struct offer {
    struct fi_info *list;
    struct provider providers[MOST_PROVIDERS];
    size_t count;
};

/* ---- Looking ------------------------------------------------------------------------------ */

/* Each provider comes with many variants of itself. NULL if there are too many of them. */
static struct provider *provider_of(struct offer *offer, const struct fi_info *info)
{
    const char *name = info->fabric_attr->prov_name;
    for (size_t i = 0; i < offer->count; i++)
        if (strcmp(offer->providers[i].name, name) == 0)
            return &offer->providers[i];
    if (offer->count == MOST_PROVIDERS)
        return NULL;
    struct provider *provider = &offer->providers[offer->count++];
    *provider = (struct provider){.name = name, .rank = weft_ofi_provider_rank(info)};
    return provider;
}

static void add_interface(struct provider *provider, const char *name)
{
    for (size_t i = 0; i < provider->interface_count; i++)
        if (strcmp(provider->interfaces[i], name) == 0)
            return;
    if (provider->interface_count < MOST_INTERFACES)
        provider->interfaces[provider->interface_count++] = name;
}

/* Stable, so that those without a rank stay as libfabric lists them. */
static void sort(struct offer *offer)
{
    for (size_t i = 1; i < offer->count; i++) {
        struct provider provider = offer->providers[i];
        size_t at = i;
        for (; at > 0 && offer->providers[at - 1].rank > provider.rank; at--)
            offer->providers[at] = offer->providers[at - 1];
        offer->providers[at] = provider;
    }
}

static const char *wanted_provider(void)
{
    return weft_setting_text(WEFT_SETTING_OFI_PROVIDER);
}

static const char *wanted_interfaces(void)
{
    return weft_setting_text(WEFT_SETTING_OFI_INTERFACE);
}

/* The first of them: the provider is the same on all. */
static const char *wanted_interface(void)
{
    static char name[WEFT_WORLD_INTERFACE_MAX];
    return weft_world_rails_interface(wanted_interfaces(), 0, name) ? name : wanted_interfaces();
}

/* NULL if nothing is as the settings say. The log has told so when the world was opened, so this
 * asks only if there is an answer. */
static struct fi_info *choose(struct fi_info *list)
{
    for (struct fi_info *info = list; info; info = info->next)
        if ((!*wanted_provider() || weft_ofi_provider_is(info, wanted_provider())) &&
            (!*wanted_interface() || strcmp(info->domain_attr->name, wanted_interface()) == 0))
            return weft_ofi_provider_choose(list, wanted_provider(), wanted_interface());
    return NULL;
}

static void look(struct offer *offer)
{
    size_t payload =
        weft_world_payload(weft_setting(WEFT_SETTING_OFI_PACKET_SIZE), WEFT_WORLD_PAYLOAD);
    *offer = (struct offer){0};
    offer->list = weft_ofi_provider_list(WEFT_OFI_FRAME_HEAD + WEFT_PACKET_HEADERS + payload);
    for (struct fi_info *info = offer->list; info; info = info->next) {
        struct provider *provider = provider_of(offer, info);
        if (provider)
            add_interface(provider, info->domain_attr->name);
    }
    struct fi_info *chosen = choose(offer->list);
    struct provider *provider = chosen ? provider_of(offer, chosen) : NULL;
    if (provider)
        provider->chosen_on = weft_world_rails_interfaces(wanted_interfaces()) > 1
                                  ? wanted_interfaces()
                                  : chosen->domain_attr->name;
    sort(offer);
}

static void explain(const struct provider *provider, char *text, size_t room)
{
    const char *by_name = weft_setting_info(WEFT_SETTING_OFI_PROVIDER)->name;
    const char *by_interface = weft_setting_info(WEFT_SETTING_OFI_INTERFACE)->name;
    if (provider->chosen_on && *wanted_provider())
        snprintf(text, room, "chosen, on %s: %s names it", provider->chosen_on, by_name);
    else if (provider->chosen_on && *wanted_interface())
        snprintf(text, room, "chosen: the best on the interface that %s names", by_interface);
    else if (provider->chosen_on)
        snprintf(text, room, "chosen, on %s: the best here", provider->chosen_on);
    else if (*wanted_provider())
        snprintf(text, room, "not chosen: %s names another", by_name);
    else if (provider->rank == SIZE_MAX)
        snprintf(text, room, "only if %s names it", by_name);
    else
        snprintf(text, room, "not chosen: less preferred, or not on the interface");
}

/* ---- Reports ------------------------------------------------------------------------------ */

void info_ofi_print(void)
{
    struct offer offer;
    char text[256];
    look(&offer);
    printf("\nProviders of libfabric that carry packets, best first:\n");
    for (size_t i = 0; i < offer.count; i++) {
        const struct provider *provider = &offer.providers[i];
        explain(provider, text, sizeof(text));
        printf("  %-14s %s; interfaces:", provider->name, text);
        for (size_t j = 0; j < provider->interface_count; j++)
            printf(" %s", provider->interfaces[j]);
        printf("\n");
    }
    if (offer.count == 0)
        printf("  none\n");
    fi_freeinfo(offer.list);
}

static void json_provider(const struct provider *provider)
{
    char text[256];
    explain(provider, text, sizeof(text));
    weft_json_open(NULL, '{');
    weft_json_string("name", provider->name);
    weft_json_bool("chosen", provider->chosen_on != NULL);
    weft_json_bool("only_by_name", provider->rank == SIZE_MAX);
    weft_json_string("why", text);
    if (provider->chosen_on)
        weft_json_string("interface", provider->chosen_on);
    weft_json_open("interfaces", '[');
    for (size_t i = 0; i < provider->interface_count; i++)
        weft_json_string(NULL, provider->interfaces[i]);
    weft_json_close(']');
    weft_json_close('}');
}

void info_ofi_json(void)
{
    struct offer offer;
    look(&offer);
    weft_json_open("providers", '[');
    for (size_t i = 0; i < offer.count; i++)
        json_provider(&offer.providers[i]);
    weft_json_close(']');
    fi_freeinfo(offer.list);
}
