/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_model.h"

#include <stdlib.h>
#include <string.h>

#include "sim_file.h"

#define TEXT SIM_VALUE

/* ---- Keys --------------------------------------------------------------------------------- */

enum kind { WHOLE, REAL, SHARE, YES_NO, WORD, TOPOLOGY, WINDOW };

static const char *const shapes[] = {"dragonfly", "fat-tree", "torus", "star", NULL};
static const unsigned char shape_sizes[] = {3, 2, 4, 1};
static const char *const routings[] = {"minimal", "valiant", "ugal", "progressive", NULL};
static const char *const patterns[] = {"pairs",  "permutation", "uniform", "shift",
                                       "incast", "all-to-all",  "halo",    NULL};
static const char *const loads[] = {"port", "channel", NULL};

struct key {
    const char *name;
    enum kind kind;
    size_t at; /* in the study */
    double least, most;
    const char *const *words;
};

#define AT(member) offsetof(struct weft_sim_study, member)

static const struct key keys[] = {
    {"topology", TOPOLOGY, AT(shape), 0, 0, shapes},
    {"routing", WORD, AT(routing.kind), 0, 0, routings},
    {"bias", REAL, AT(routing.bias), 0, 1000, NULL},
    {"threshold", REAL, AT(routing.threshold), -1e6, 1e6, NULL},
    {"decide-again", YES_NO, AT(routing.is_fickle), 0, 0, NULL},
    {"load", WORD, AT(routing.by_channel), 0, 0, loads},
    {"packet", WHOLE, AT(packet), 1, 1024, NULL},
    {"buffer", WHOLE, AT(buffer), 1, 65535, NULL},
    {"speed-up", REAL, AT(speedup), 0.1, 12, NULL},
    {"pipeline", WHOLE, AT(pipeline), 0, 1000, NULL},
    {"node-latency", WHOLE, AT(node_latency), 0, 100000, NULL},
    {"local-latency", WHOLE, AT(local_latency), 0, 100000, NULL},
    {"global-latency", WHOLE, AT(global_latency), 0, 100000, NULL},
    {"pattern", WORD, AT(pattern), 0, 0, patterns},
    {"pattern-number", WHOLE, AT(pattern_number), 0, 1e9, NULL},
    {"slow", SHARE, AT(slow), 0, 1, NULL},
    {"slowness", WHOLE, AT(slowness), 1, 1000, NULL},
    {"window", WINDOW, AT(window), 1, 65535, NULL},
    {"window-gain", REAL, AT(window_gain), 0.01, 1000, NULL},
    {"transfers", YES_NO, AT(has_transfers), 0, 0, NULL},
    {"chunk", WHOLE, AT(chunk), 1, 65535, NULL},
    {"notification", YES_NO, AT(is_notified), 0, 0, NULL},
    {"mark-from", SHARE, AT(mark_from), 0, 0.99, NULL},
    {"mark-rate", REAL, AT(mark_rate), 0, 1000, NULL},
    {"becn-add", WHOLE, AT(becn_add), 0, 65535, NULL},
    {"becn-drop", WHOLE, AT(becn_drop), 0, 65535, NULL},
    {"becn-most", WHOLE, AT(becn_most), 1, 65535, NULL},
    {"becn-every", WHOLE, AT(becn_every), 1, 1e9, NULL},
    {"by-flit", YES_NO, AT(by_flit), 0, 0, NULL},
    {"seed", WHOLE, AT(seed), 0, 4e9, NULL},
    {"sample", WHOLE, AT(sample), 1, 1e8, NULL},
    {"least", WHOLE, AT(least), 1, 1e9, NULL},
    {"most", WHOLE, AT(most), 1, 1e9, NULL},
    {"tolerance", SHARE, AT(tolerance), 0, 1, NULL},
};

/* ---- Values ------------------------------------------------------------------------------- */

static bool parse_real(const struct key *key, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text)
        return false;
    end += strspn(end, " ");
    if (key->kind == SHARE && *end == '%') {
        *value /= 100;
        end++;
    }
    return *end == '\0' && *value >= key->least && *value <= key->most;
}

static bool parse_word(const char *const *words, const char *text, int *value)
{
    for (*value = 0; words[*value]; (*value)++)
        if (strcmp(words[*value], text) == 0)
            return true;
    return false;
}

/* A word and as many numbers as it takes. */
static bool set_topology(struct weft_sim_study *study, const char *text)
{
    char word[TEXT];
    int used, which;
    if (sscanf(text, "%31s%n", word, &used) != 1 || !parse_word(shapes, word, &which))
        return false;
    uint32_t sizes[4] = {0};
    for (unsigned i = 0; i < shape_sizes[which]; i++) {
        int more;
        if (sscanf(text += used, "%u%n", &sizes[i], &more) != 1 || sizes[i] == 0)
            return false;
        used = more;
    }
    study->shape = (enum weft_sim_shape)which;
    memcpy(study->sizes, sizes, sizeof sizes);
    return text[used] == '\0';
}

static bool set_window(struct weft_sim_study *study, const struct key *key, const char *text)
{
    double value;
    if (strcmp(text, "none") == 0) {
        study->window = WEFT_SIM_WINDOW_NONE;
    } else if (strcmp(text, "measured") == 0) {
        study->window = WEFT_SIM_WINDOW_MEASURED;
        study->window_size = 4;
    } else if (parse_real(key, text, &value)) {
        study->window = WEFT_SIM_WINDOW_FIXED;
        study->window_size = (uint32_t)value;
    } else {
        return false;
    }
    return true;
}

static bool set_number(void *where, const struct key *key, const char *text)
{
    double value;
    if (!parse_real(key, text, &value))
        return false;
    if (key->kind != WHOLE)
        *(double *)where = value;
    else if (key->at == AT(seed))
        *(uint64_t *)where = (uint64_t)value;
    else
        *(uint32_t *)where = (uint32_t)value;
    return true;
}

static bool set_value(void *self, const void *entry, const char *text)
{
    struct weft_sim_study *study = self;
    const struct key *key = entry;
    static const char *const answers[] = {"no", "yes", NULL};
    void *where = (char *)study + key->at;
    int which;
    switch (key->kind) {
    case TOPOLOGY:
        return set_topology(study, text);
    case WINDOW:
        return set_window(study, key, text);
    case YES_NO:
        if (!parse_word(answers, text, &which))
            return false;
        *(bool *)where = which;
        return true;
    case WORD:
        if (!parse_word(key->words, text, &which))
            return false;
        if (key->words == loads)
            *(bool *)where = which;
        else
            *(int *)where = which;
        return true;
    default:
        return set_number(where, key, text);
    }
}

/* ---- Lines -------------------------------------------------------------------------------- */

static void tell_values(const void *entry)
{
    const struct key *key = entry;
    if (key->words)
        for (unsigned i = 0; key->words[i]; i++)
            fprintf(stderr, "%s%s", i ? ", " : ": it takes ", key->words[i]);
    else if (key->most > key->least)
        fprintf(stderr, ": it takes %g to %g", key->least, key->most);
}

static bool is_whole(struct weft_sim_study *study, const char *where)
{
    if (study->buffer >= study->packet)
        return true;
    return sim_file_refuse(where, "a packet does not fit into", "buffer");
}

/* ---- Showing ------------------------------------------------------------------------------ */

static void name_topology(const struct weft_sim_study *study, char *text)
{
    int used = snprintf(text, TEXT, "%s", shapes[study->shape]);
    for (unsigned i = 0; i < shape_sizes[study->shape]; i++)
        used += snprintf(text + used, TEXT - (size_t)used, " %u", study->sizes[i]);
}

static void name_window(const struct weft_sim_study *study, char *text)
{
    if (study->window == WEFT_SIM_WINDOW_FIXED)
        snprintf(text, TEXT, "%u", study->window_size);
    else
        snprintf(text, TEXT, "%s", study->window ? "measured" : "none");
}

static void name_number(const void *where, const struct key *key, char *text)
{
    if (key->kind == SHARE)
        snprintf(text, TEXT, "%g %%", 100 * *(const double *)where);
    else if (key->kind == REAL)
        snprintf(text, TEXT, "%g", *(const double *)where);
    else if (key->at == AT(seed))
        snprintf(text, TEXT, "%llu", (unsigned long long)*(const uint64_t *)where);
    else
        snprintf(text, TEXT, "%u", *(const uint32_t *)where);
}

static void name_value(const void *self, const void *entry, char text[SIM_VALUE])
{
    const struct weft_sim_study *study = self;
    const struct key *key = entry;
    const void *where = (const char *)study + key->at;
    if (key->kind == TOPOLOGY)
        name_topology(study, text);
    else if (key->kind == WINDOW)
        name_window(study, text);
    else if (key->kind == YES_NO)
        snprintf(text, TEXT, "%s", *(const bool *)where ? "yes" : "no");
    else if (key->words == loads)
        snprintf(text, TEXT, "%s", loads[*(const bool *)where]);
    else if (key->kind == WORD)
        snprintf(text, TEXT, "%s", key->words[*(const int *)where]);
    else
        name_number(where, key, text);
}

/* ---- All keys ----------------------------------------------------------------------------- */

const struct sim_keys sim_net_keys = {SIM_LIST(keys), set_value, name_value, tell_values};

bool sim_model_read(struct weft_sim_study *study, const char *name)
{
    return sim_keys_read(&sim_net_keys, study, name) && is_whole(study, name);
}
