/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_noise.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim_file.h"

#define MOST_DETOURS 10000000u
#define MOST_TIME 1e18 /* picoseconds, eleven days */

/* ---- Times -------------------------------------------------------------------------------- */

bool sim_noise_time(const char *text, const char **end, uint64_t *picoseconds)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};
    char *rest;
    double value = strtod(text, &rest);
    if (rest == text || !(value >= 0))
        return false;
    rest += strspn(rest, " ");
    size_t length = strspn(rest, "nmups");
    *end = rest + length;
    *picoseconds = 0;
    if (value == 0 && !length)
        return true;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == length && strncmp(rest, units[i].name, length) == 0) {
            value = value * units[i].factor + 0.5;
            *picoseconds = value < MOST_TIME ? (uint64_t)value : 0;
            return value < MOST_TIME;
        }
    return false;
}

/* ---- Records ------------------------------------------------------------------------------ */

struct record {
    struct weft_sim_detour *detours;
    uint32_t count, room;
};

static bool add_detour(struct record *record, uint64_t begin, uint64_t end)
{
    if (record->count == record->room) {
        uint32_t room = record->room ? 2 * record->room : 256;
        void *larger =
            room < MOST_DETOURS ? realloc(record->detours, room * sizeof *record->detours) : NULL;
        if (!larger)
            return false;
        record->detours = larger;
        record->room = room;
    }
    record->detours[record->count++] = (struct weft_sim_detour){begin, end};
    return true;
}

/* Begin and duration, in nanoseconds, one behind the end of the other. */
static bool read_detour(struct record *record, const char *line)
{
    uint64_t begin, duration;
    uint64_t last = record->count ? record->detours[record->count - 1].end : 0;
    if (line[strspn(line, " \t\n")] == '\0' || *line == '#')
        return true;
    if (sscanf(line, "%" SCNu64 " %" SCNu64, &begin, &duration) != 2 ||
        begin > WEFT_SIM_MOST_NANOSECONDS || duration > WEFT_SIM_MOST_NANOSECONDS || !duration)
        return false;
    begin *= WEFT_SIM_NANOSECOND;
    return begin >= last && add_detour(record, begin, begin + duration * WEFT_SIM_NANOSECOND);
}

static bool read_record(const char *name, struct record *record)
{
    char line[SIM_LINE], where[2 * SIM_LINE];
    FILE *file = fopen(name, "r");
    bool is_good = file != NULL;
    if (!file)
        return sim_file_refuse(name, "cannot read the noise:", strerror(errno));
    for (unsigned number = 1; is_good && fgets(line, sizeof line, file); number++)
        if (!read_detour(record, line)) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(where, sizeof where, "%s:%u", name, number);
            is_good = sim_file_refuse(where, "is no `begin duration` behind the last:", line);
        }
    fclose(file);
    if (is_good && !record->count)
        is_good = sim_file_refuse(name, "has no", "begin duration");
    return is_good;
}

void sim_noise_fini(struct sim_costs *costs)
{
    free((void *)costs->costs.noise.record);
    costs->costs.noise.record = NULL;
    costs->costs.noise.record_count = 0;
}

static bool set_record(struct sim_costs *costs, const char *name)
{
    struct record record = {.count = 0};
    if (!read_record(name, &record)) {
        free(record.detours);
        return false;
    }
    sim_noise_fini(costs);
    costs->costs.noise.kind = WEFT_SIM_NOISE_RECORDED;
    costs->costs.noise.record = record.detours;
    costs->costs.noise.record_count = record.count;
    snprintf(costs->noise_file, sizeof costs->noise_file, "%s", name);
    return true;
}

/* ---- The word ----------------------------------------------------------------------------- */

/* What is behind a word, if the text begins with it. */
static const char *behind(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 ? text + length : NULL;
}

bool sim_noise_set(struct sim_costs *costs, const char *text)
{
    struct weft_sim_noise *noise = &costs->costs.noise;
    uint64_t first, second;
    const char *rest, *end;
    if (strcmp(text, "none") == 0) {
        noise->kind = WEFT_SIM_QUIET;
        return true;
    }
    if ((rest = behind(text, "recorded ")))
        return set_record(costs, rest);
    if ((rest = behind(text, "uniform ")) && sim_noise_time(rest, &end, &first) && !*end) {
        noise->kind = WEFT_SIM_NOISE_UNIFORM;
        noise->duration = first;
        return true;
    }
    if ((rest = behind(text, "poisson ")) && sim_noise_time(rest, &end, &first) && first &&
        sim_noise_time(end, &end, &second) && !*end) {
        noise->kind = WEFT_SIM_NOISE_POISSON;
        noise->interval = first;
        noise->duration = second;
        return true;
    }
    return false;
}

void sim_noise_name(const struct sim_costs *costs, char *text, size_t size)
{
    const struct weft_sim_noise *noise = &costs->costs.noise;
    double duration = (double)noise->duration / 1e3, interval = (double)noise->interval / 1e3;
    switch (noise->kind) {
    case WEFT_SIM_NOISE_UNIFORM:
        snprintf(text, size, "uniform %.12g ns", duration);
        break;
    case WEFT_SIM_NOISE_POISSON:
        snprintf(text, size, "poisson %.12g ns %.12g ns", interval, duration);
        break;
    case WEFT_SIM_NOISE_RECORDED:
        snprintf(text, size, "recorded %s", costs->noise_file);
        break;
    default:
        snprintf(text, size, "none");
    }
}
