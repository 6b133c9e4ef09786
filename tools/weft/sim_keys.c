/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_keys.h"

#include <string.h>

#include "json.h"
#include "sim_file.h"

static const void *key_at(const struct sim_keys *keys, size_t number)
{
    return (const char *)keys->keys + number * keys->size;
}

static const char *name_of(const void *key)
{
    return *(const char *const *)key;
}

static const void *find(const struct sim_keys *keys, const char *name)
{
    for (size_t i = 0; i < keys->count; i++)
        if (strcmp(name_of(key_at(keys, i)), name) == 0)
            return key_at(keys, i);
    return NULL;
}

static bool refuse_value(const struct sim_keys *keys, const void *key, const char *where,
                         const char *value)
{
    fprintf(stderr, "weft sim: %s: '%s' is no value of '%s'", where, value, name_of(key));
    keys->tell(key);
    fprintf(stderr, "\n");
    return false;
}

bool sim_keys_set(const struct sim_keys *keys, void *model, const char *line, const char *where)
{
    struct sim_line split;
    if (!sim_file_split(line, where, &split))
        return false;
    const void *key = find(keys, split.key);
    if (!key)
        return sim_file_refuse_key(where, split.key, keys->keys, keys->size, keys->count);
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
    for (size_t i = 0; i < keys->count; i++) {
        keys->name(model, key_at(keys, i), text);
        fprintf(out, "%s%s = %s\n", prefix, name_of(key_at(keys, i)), text);
    }
}

void sim_keys_json(const struct sim_keys *keys, const void *model)
{
    char text[SIM_VALUE];
    for (size_t i = 0; i < keys->count; i++) {
        keys->name(model, key_at(keys, i), text);
        weft_json_string(name_of(key_at(keys, i)), text);
    }
}
