/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_result.h"

#include <weft.h>

#include "json.h"

static void write_model(const struct sim_result *result)
{
    weft_json_open("model", '{');
    sim_keys_json(result->keys, result->model);
    weft_json_close('}');
}

static void write_points(const struct sim_result *result)
{
    weft_json_open("points", '[');
    for (size_t i = 0; i < result->count; i++) {
        weft_json_open(NULL, '{');
        result->write_point((const char *)result->points + i * result->size);
        weft_json_close('}');
    }
    weft_json_close(']');
}

void sim_result_json(const struct sim_result *result)
{
    weft_json_open(NULL, '{');
    weft_json_string("version", weft_version());
    if (result->write_facts)
        result->write_facts(result->context);
    if (result->keys)
        write_model(result);
    write_points(result);
    if (result->claims)
        sim_claims_json(result->claims);
    weft_json_close('}');
}
