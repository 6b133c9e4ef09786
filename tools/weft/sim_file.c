/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/distance.h"

#define MOST_DEPTH 8u

struct reading {
    bool (*set)(void *self, const char *line, const char *where);
    void *self;
};

/* ---- Lines -------------------------------------------------------------------------------- */

/* Without a comment, and without spaces around it. */
static char *trim(char *text)
{
    text += strspn(text, " \t");
    text[strcspn(text, "#\n")] = '\0';
    for (size_t length = strlen(text); length && strchr(" \t", text[length - 1]);)
        text[--length] = '\0';
    return text;
}

bool sim_file_refuse(const char *where, const char *what, const char *text)
{
    fprintf(stderr, "weft sim: %s: %s '%s'\n", where, what, text);
    return false;
}

/* The key that a mistyped name may have meant, or NULL. */
static const char *guess_key(const char *name, const struct sim_list *keys)
{
    const char *meant = NULL;
    size_t length = strlen(name), least = length / 2 + 1;
    for (size_t i = 0; i < keys->count; i++) {
        const char *key = sim_list_name(sim_list_at(keys, i));
        size_t distance = weft_distance(name, length, key);
        if (distance < least) {
            least = distance;
            meant = key;
        }
    }
    return meant;
}

bool sim_file_refuse_key(const char *where, const char *name, const struct sim_list *keys)
{
    const char *meant = guess_key(name, keys);
    fprintf(stderr, "weft sim: %s: there is no key '%s'; ", where, name);
    if (meant)
        fprintf(stderr, "did you mean '%s'?\n", meant);
    else
        fprintf(stderr, "--keys lists those there are\n");
    return false;
}

bool sim_file_split(const char *line, const char *where, struct sim_line *split)
{
    snprintf(split->copy, sizeof split->copy, "%s", line);
    char *equals = strchr(split->copy, '=');
    if (!equals)
        return sim_file_refuse(where, "there is no `key = value` in", line);
    *equals = '\0';
    split->key = trim(split->copy);
    split->value = trim(equals + 1);
    return true;
}

/* ---- Files -------------------------------------------------------------------------------- */

static FILE *open_beside(const char *folder, const char *name, char path[PATH_MAX])
{
    char program[PATH_MAX - 64] = "";
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = length > 0 ? strrchr(program, '/') : NULL;
    if (!slash)
        return NULL;
    *slash = '\0';
    if (snprintf(path, PATH_MAX, "%s/%s/%s.conf", program, folder, name) >= PATH_MAX)
        return NULL;
    return fopen(path, "r");
}

/* Where it is installed, or where it is built. */
static FILE *open_model(const char *name, char path[PATH_MAX])
{
    FILE *file = NULL;
    if (!strchr(name, '/'))
        file = open_beside(WEFT_MODELS, name, path);
    if (!file && !strchr(name, '/'))
        file = open_beside("../../models", name, path);
    if (file)
        return file;
    snprintf(path, PATH_MAX, "%s", name);
    return fopen(name, "r");
}

static bool read_model(const struct reading *reading, const char *name, unsigned depth);

static bool read_line(const struct reading *reading, char *line, const char *where, unsigned depth)
{
    char included[SIM_LINE / 2];
    line = trim(line);
    if (*line == '\0')
        return true;
    if (sscanf(line, "include = %127s", included) == 1)
        return depth < MOST_DEPTH ? read_model(reading, included, depth + 1)
                                  : sim_file_refuse(where, "too many models include", included);
    return reading->set(reading->self, line, where);
}

static bool read_model(const struct reading *reading, const char *name, unsigned depth)
{
    char path[PATH_MAX], line[SIM_LINE], where[PATH_MAX + 32];
    FILE *file = open_model(name, path);
    bool is_good = file != NULL;
    if (!file)
        return sim_file_refuse(name, "cannot read the model:", strerror(errno));
    for (unsigned number = 1; is_good && fgets(line, sizeof line, file); number++) {
        snprintf(where, sizeof where, "%s:%u", path, number);
        is_good = read_line(reading, line, where, depth);
    }
    fclose(file);
    return is_good;
}

bool sim_file_read(const char *name, bool (*set)(void *self, const char *line, const char *where),
                   void *self)
{
    struct reading reading = {.set = set, .self = self};
    return read_model(&reading, name, 0);
}
