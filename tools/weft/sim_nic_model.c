/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_nic_model.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "riscv/profile.h"
#include "sim_file.h"

#define TEXT SIM_VALUE

const char *const sim_nic_ways[] = {
    "seek",    "specialized",  "rw-cp",     "ro-cp",        "hpu-local",  "contiguous",  "host",
    "iovec",   "own",          "pong-rdma", "pong-portals", "pong-store", "pong-stream", "busy",
    "product", "product-host", "raid",      "raid-host",    "halo",       "halo-host",   NULL};

/* ---- Keys --------------------------------------------------------------------------------- */

enum kind { NUMBER, WHOLE, BYTES, WAY, YES_NO, CORE, NAME };

struct key {
    const char *name;
    enum kind kind;
    size_t at; /* in the study */
    double least, most;
};

#define AT(member) offsetof(struct sim_nic_study, member)
#define MEBI 1048576.0

static const struct key keys[] = {
    {"rate", NUMBER, AT(rate), 0.1, 10000},
    {"packet", BYTES, AT(packet), 640, 65536},
    {"flight", WHOLE, AT(flight), 0, 1e6},
    {"overhead", WHOLE, AT(overhead), 0, 1e6},
    {"poll", WHOLE, AT(poll), 0, 1e6},
    {"match", WHOLE, AT(match), 0, 1e6},
    {"look-up", WHOLE, AT(look_up), 0, 1e6},
    {"copy", WHOLE, AT(copy), 0, 1e6},
    {"copy-rate", NUMBER, AT(copy_rate), 0, 1e6},
    {"start", WHOLE, AT(start), 0, 1e6},
    {"hpus", WHOLE, AT(hpus), 1, 1024},
    {"clock", NUMBER, AT(clock), 0.02, 100},
    {"core", CORE, AT(core), 0, 0},
    {"contexts", WHOLE, AT(contexts), 1, 1e6},
    {"memory", BYTES, AT(memory), 65536, 1024 * MEBI},
    {"turns", WHOLE, AT(turns), 1, 64},
    {"cluster", WHOLE, AT(cluster), 0, 1024},
    {"l1-stall", NUMBER, AT(l1_stall), 0, 1000},
    {"l2-latency", WHOLE, AT(l2_latency), 0, 1000},
    {"l2-rate", NUMBER, AT(l2_rate), 0, 1000},
    {"quantum", WHOLE, AT(quantum), 1, 1e6},
    {"dma-latency", WHOLE, AT(dma_latency), 0, 1e6},
    {"dma-rate", NUMBER, AT(dma_rate), 0.01, 1e6},
    {"tlp-header", BYTES, AT(tlp_header), 0, 4096},
    {"tlp-payload", BYTES, AT(tlp_payload), 0, 65536},
    {"iovec", WHOLE, AT(iovec), 1, 1e6},
    {"iovec-fetch", WHOLE, AT(iovec_fetch), 0, 1e6},
    {"host-rate", NUMBER, AT(host_rate), 0.01, 1e6},
    {"host-block", NUMBER, AT(host_block), 0, 1e6},
    {"host-cache", BYTES, AT(host_cache), 0, 1024 * MEBI},
    {"busy", WHOLE, AT(busy), 0, 1e6},
    {"item", NUMBER, AT(item), 0, 1e6},
    {"host-item", NUMBER, AT(host_item), 0, 1e6},
    {"host-memory", NUMBER, AT(host_memory), 0.01, 1e6},
    {"halo-dimensions", WHOLE, AT(halo_dimensions), 1, 4},
    {"halo-eager", BYTES, AT(halo_eager), 16, MEBI},
    {"halo-share", NUMBER, AT(halo_share), 0.1, 99},
    {"halo-overlap", NUMBER, AT(halo_overlap), 0, 100},
    {"size", BYTES, AT(size), 1, 256 * MEBI},
    {"block", BYTES, AT(block), 1, 16 * MEBI},
    {"layout", NAME, AT(layout), 0, 0},
    {"strategy", WAY, AT(way), 0, 0},
    {"image", NAME, AT(image), 0, 0},
    {"handler", NAME, AT(handler), 0, 0},
    {"shuffled", YES_NO, AT(is_shuffled), 0, 0},
    {"seed", WHOLE, AT(seed), 0, 4e9},
};

/* ---- Values ------------------------------------------------------------------------------- */

/* Bytes may have a suffix: K or M. */
static double unit_of(const struct key *key, char **end)
{
    double unit = 1;
    if (key->kind == BYTES && (**end == 'K' || **end == 'M')) {
        unit = **end == 'K' ? 1024 : MEBI;
        (*end)++;
    }
    return unit;
}

static bool set_number(double *where, const struct key *key, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text)
        return false;
    value *= unit_of(key, &end);
    if (*end || !(value >= key->least && value <= key->most) ||
        (key->kind != NUMBER && value != floor(value)))
        return false;
    *where = value;
    return true;
}

static bool set_word(const char *const *words, const char *text, int *value)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0) {
            *value = i;
            return true;
        }
    return false;
}

static const char *const answers[] = {"no", "yes", NULL};

static bool set_core(char *core, const char *text)
{
    struct weft_riscv_profile profile;
    if (strlen(text) >= SIM_NIC_CORE || !weft_riscv_profile_read(text, &profile))
        return false;
    snprintf(core, SIM_NIC_CORE, "%s", text);
    return true;
}

static bool set_name(char *name, const char *text)
{
    if (strlen(text) >= SIM_NIC_TEXT)
        return false;
    snprintf(name, SIM_NIC_TEXT, "%s", text);
    return true;
}

static bool set_value(void *self, const void *entry, const char *text)
{
    struct sim_nic_study *study = self;
    const struct key *key = entry;
    void *where = (char *)study + key->at;
    int answer;
    switch (key->kind) {
    case WAY:
        return set_word(sim_nic_ways, text, where);
    case CORE:
        return set_core(where, text);
    case NAME:
        return set_name(where, text);
    case YES_NO:
        if (!set_word(answers, text, &answer))
            return false;
        *(bool *)where = answer;
        return true;
    default:
        return set_number(where, key, text);
    }
}

static void tell_values(const void *entry)
{
    const struct key *key = entry;
    if (key->kind == WAY)
        for (unsigned i = 0; sim_nic_ways[i]; i++)
            fprintf(stderr, "%s%s", i ? ", " : ": it takes ", sim_nic_ways[i]);
    else if (key->most > key->least)
        fprintf(stderr, ": it takes %s%g to %g", key->kind == NUMBER ? "" : "whole numbers from ",
                key->least, key->most);
}

/* ---- Showing ------------------------------------------------------------------------------ */

static void name_value(const void *self, const void *entry, char text[SIM_VALUE])
{
    const struct sim_nic_study *study = self;
    const struct key *key = entry;
    const void *where = (const char *)study + key->at;
    if (key->kind == WAY)
        snprintf(text, TEXT, "%s", sim_nic_ways[*(const int *)where]);
    else if (key->kind == YES_NO)
        snprintf(text, TEXT, "%s", answers[*(const bool *)where]);
    else if (key->kind == CORE || key->kind == NAME)
        snprintf(text, TEXT, "%s", (const char *)where);
    else
        snprintf(text, TEXT, "%.10g", *(const double *)where);
}

/* ---- All keys ----------------------------------------------------------------------------- */

const struct sim_keys sim_nic_keys = {SIM_LIST(keys), set_value, name_value, tell_values};
