/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "support/model.h"

static const char *const basic_names[] = {
#define BASIC_NAME(name, ctype, text) text,
    WEFT_BASIC_MAP(BASIC_NAME)
#undef BASIC_NAME
};

static const char *const kind_names[] = {
    [MODEL_BASIC] = "",
    [MODEL_CONTIGUOUS] = "contiguous",
    [MODEL_VECTOR] = "vector",
    [MODEL_HVECTOR] = "hvector",
    [MODEL_INDEXED] = "indexed",
    [MODEL_HINDEXED] = "hindexed",
    [MODEL_INDEXED_BLOCK] = "indexed_block",
    [MODEL_HINDEXED_BLOCK] = "hindexed_block",
    [MODEL_STRUCT] = "struct",
    [MODEL_SUBARRAY] = "subarray",
    [MODEL_DARRAY] = "darray",
    [MODEL_RESIZED] = "resized",
    [MODEL_DUP] = "dup",
};

static void write_sizes(FILE *out, const size_t *values, size_t count)
{
    fputc('[', out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%zu", i ? ", " : "", values[i]);
    fputs("], ", out);
}

static void write_places(FILE *out, const ptrdiff_t *values, size_t count)
{
    fputc('[', out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%td", i ? ", " : "", values[i]);
    fputs("], ", out);
}

static void write_distributions(FILE *out, const struct model *model)
{
    static const char *const names[] = {
        [WEFT_DISTRIBUTE_NONE] = "none",
        [WEFT_DISTRIBUTE_BLOCK] = "block",
        [WEFT_DISTRIBUTE_CYCLIC] = "cyclic",
    };
    fputc('[', out);
    for (size_t i = 0; i < model->count; i++) {
        fprintf(out, "%s%s", i ? ", " : "", names[model->distributions[i]]);
        if (model->lengths[i] != WEFT_DISTRIBUTE_DEFAULT)
            fprintf(out, "(%zu)", model->lengths[i]);
    }
    fputs("], ", out);
}

static void write_model(FILE *out, const struct model *model);

static void write_members(FILE *out, const struct model *model)
{
    for (size_t i = 0; i < model->count; i++) {
        fprintf(out, "%s%zu ", i ? ", " : "", model->lengths[i]);
        write_model(out, model->child[i]);
        fprintf(out, " @ %td", model->where[i]);
    }
}

static void write_arguments(FILE *out, const struct model *model)
{
    size_t n = model->count;
    const char *order = model->order == WEFT_ORDER_C ? "C, " : "F, ";
    switch (model->kind) {
    case MODEL_CONTIGUOUS:
        fprintf(out, "%zu, ", n);
        break;
    case MODEL_VECTOR:
    case MODEL_HVECTOR:
        fprintf(out, "%zu, %zu, %td, ", n, model->blocklength, model->stride);
        break;
    case MODEL_INDEXED:
    case MODEL_HINDEXED:
        write_sizes(out, model->lengths, n);
        write_places(out, model->where, n);
        break;
    case MODEL_INDEXED_BLOCK:
    case MODEL_HINDEXED_BLOCK:
        fprintf(out, "%zu, ", model->blocklength);
        write_places(out, model->where, n);
        break;
    case MODEL_SUBARRAY:
        write_sizes(out, model->sizes, n);
        write_sizes(out, model->lengths, n);
        write_sizes(out, model->starts, n);
        fputs(order, out);
        break;
    case MODEL_DARRAY:
        fprintf(out, "%zu, %zu, ", model->nprocs, model->rank);
        write_sizes(out, model->sizes, n);
        write_distributions(out, model);
        write_sizes(out, model->starts, n);
        fputs(order, out);
        break;
    case MODEL_RESIZED:
        fprintf(out, "%td, %td, ", model->lb, model->extent);
        break;
    default:
        break;
    }
}

static void write_model(FILE *out, const struct model *model)
{
    if (model->kind == MODEL_BASIC) {
        fputs(basic_names[model->basic], out);
        return;
    }
    fprintf(out, "%s(", kind_names[model->kind]);
    if (model->kind == MODEL_STRUCT) {
        write_members(out, model);
    } else {
        write_arguments(out, model);
        write_model(out, model->child[0]);
    }
    fputc(')', out);
}

char *model_text(const struct model *model)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    write_model(out, model);
    fclose(out);
    return text;
}
