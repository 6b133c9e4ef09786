/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_keys.h"

#include "json.h"
#include "sim_file.h"

static bool refuse_value(const struct sim_keys *keys, const void *key, const char *where,
                         const char *value)
{
    fprintf(stderr, "weft sim: %s: '%s' is no value of '%s'", where, value, sim_list_name(key));
    keys->tell(key);
    fprintf(stderr, "\n");
    return false;
}

bool sim_keys_set(const struct sim_keys *keys, void *model, const char *line, const char *where)
{
    struct sim_line split;
    if (!sim_file_split(line, where, &split))
        return false;
    const void *key = sim_list_find(&keys->list, split.key);
    if (!key)
        return sim_file_refuse_key(where, split.key, &keys->list);
    return keys->set(model, key, split.value) || refuse_value(keys, key, where, split.value);
}

struct reading {
    const struct sim_keys *keys;
    void *model;
};

static bool set_line(void *self, const char *line, const char *where)
{
    const struct reading *reading = self;
    return sim_keys_set(reading->keys, reading->model, line, where);
}

bool sim_keys_read(const struct sim_keys *keys, void *model, const char *name)
{
    struct reading reading = {keys, model};
    return sim_file_read(name, set_line, &reading);
}

void sim_keys_print(const struct sim_keys *keys, const void *model, FILE *out, const char *prefix)
{
    char text[SIM_VALUE];
    for (size_t i = 0; i < keys->list.count; i++) {
        const void *key = sim_list_at(&keys->list, i);
        keys->name(model, key, text);
        fprintf(out, "%s%s = %s\n", prefix, sim_list_name(key), text);
    }
}

void sim_keys_json(const struct sim_keys *keys, const void *model)
{
    char text[SIM_VALUE];
    for (size_t i = 0; i < keys->list.count; i++) {
        const void *key = sim_list_at(&keys->list, i);
        keys->name(model, key, text);
        weft_json_string(sim_list_name(key), text);
    }
}
