/* SPDX-License-Identifier: BSD-3-Clause */
#include "riscv/image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "riscv/elf.h"

/* So that NULL, and what is near it, leads nowhere. */
#define LOWEST 0x1000

/* ---- Segments ----------------------------------------------------------------------------- */

/* Where the image lies, and which segment has its code. */
struct plan {
    uint64_t begin, end;
    struct weft_riscv_segment text;
};

static bool is_loaded(const struct weft_riscv_segment *segment)
{
    return segment->type == PT_LOAD && segment->memory_size > 0;
}

static const char *check_segment(const struct weft_riscv_elf *elf,
                                 const struct weft_riscv_segment *segment)
{
    if (segment->type == PT_INTERP || segment->type == PT_DYNAMIC || segment->type == PT_TLS)
        return "it needs a dynamic linker or has thread-local data";
    if (!is_loaded(segment))
        return NULL;
    if (segment->flags & PF_W)
        return "it has variables: what handlers remember belongs into HPU memory";
    if (segment->file_size > segment->memory_size ||
        !weft_riscv_elf_has(elf, segment->offset, segment->file_size))
        return "a segment is not within the file";
    if (segment->address < LOWEST || segment->address >= WEFT_RISCV_WINDOW_SIZE ||
        segment->memory_size > WEFT_RISCV_WINDOW_SIZE - segment->address)
        return "it is linked for an address outside of the first 256 MiB, or for 0";
    return NULL;
}

static const char *add_segment(struct plan *plan, const struct weft_riscv_segment *segment)
{
    if (!is_loaded(segment))
        return NULL;
    uint64_t end = segment->address + segment->memory_size;
    if (segment->address < plan->begin)
        plan->begin = segment->address;
    if (end > plan->end)
        plan->end = end;
    if (!(segment->flags & PF_X))
        return NULL;
    if (plan->text.memory_size)
        return "it has more than one segment of code";
    plan->text = *segment;
    return segment->address % 2 ? "its code is at an odd address" : NULL;
}

static const char *make_plan(const struct weft_riscv_elf *elf, struct plan *plan)
{
    *plan = (struct plan){.begin = UINT64_MAX};
    for (uint64_t i = 0; i < elf->segment_count; i++) {
        struct weft_riscv_segment segment = weft_riscv_elf_segment(elf, i);
        const char *why = check_segment(elf, &segment);
        if (!why)
            why = add_segment(plan, &segment);
        if (why)
            return why;
    }
    return plan->text.memory_size ? NULL : "it has no code";
}

static bool load(struct weft_riscv_image *image, const struct weft_riscv_elf *elf,
                 const struct plan *plan, const struct weft_riscv_profile *profile)
{
    image->base = plan->begin;
    image->size = plan->end - plan->begin;
    image->bytes = calloc(1, image->size);
    if (!image->bytes)
        return false;
    for (uint64_t i = 0; i < elf->segment_count; i++) {
        struct weft_riscv_segment segment = weft_riscv_elf_segment(elf, i);
        if (is_loaded(&segment))
            memcpy(image->bytes + (segment.address - image->base), elf->bytes + segment.offset,
                   segment.file_size);
    }
    return weft_riscv_text_open(&image->text, elf->is_64 ? 64 : 32, plan->text.address,
                                image->bytes + (plan->text.address - image->base),
                                plan->text.memory_size, profile);
}

/* ---- Symbols ------------------------------------------------------------------------------ */

/* The table of symbols and that of their names, which ends with a 0; false: there is none. */
static bool find_symbols(const struct weft_riscv_elf *elf, struct weft_riscv_section *table,
                         struct weft_riscv_section *names)
{
    for (uint64_t i = 0; i < elf->section_count; i++) {
        *table = weft_riscv_elf_section(elf, i);
        if (table->type != SHT_SYMTAB || table->link >= elf->section_count)
            continue;
        *names = weft_riscv_elf_section(elf, table->link);
        return weft_riscv_elf_has(elf, table->offset, table->size) &&
               weft_riscv_elf_has(elf, names->offset, names->size) && names->size > 0 &&
               names->type == SHT_STRTAB && elf->bytes[names->offset + names->size - 1] == 0;
    }
    return false;
}

static bool is_function(const struct weft_riscv_image *image,
                        const struct weft_riscv_elf_symbol *symbol, uint64_t names_size)
{
    return symbol->type == STT_FUNC && symbol->name < names_size &&
           weft_riscv_text_has(&image->text, symbol->value);
}

static bool read_symbols(struct weft_riscv_image *image, const struct weft_riscv_elf *elf)
{
    struct weft_riscv_section table, names;
    if (!find_symbols(elf, &table, &names))
        return true;
    uint64_t count = weft_riscv_elf_symbol_count(elf, &table);
    image->names = malloc(names.size);
    image->symbols = calloc(count + 1, sizeof *image->symbols);
    if (!image->names || !image->symbols)
        return false;
    memcpy(image->names, elf->bytes + names.offset, names.size);
    for (uint64_t i = 0; i < count; i++) {
        struct weft_riscv_elf_symbol symbol = weft_riscv_elf_symbol(elf, &table, i);
        if (is_function(image, &symbol, names.size))
            image->symbols[image->symbol_count++] =
                (struct weft_riscv_symbol){symbol.value, image->names + symbol.name};
    }
    return true;
}

uint64_t weft_riscv_image_find(const struct weft_riscv_image *image, const char *name)
{
    for (size_t i = 0; i < image->symbol_count; i++)
        if (strcmp(image->symbols[i].name, name) == 0)
            return image->symbols[i].address;
    return 0;
}

/* ---- Life --------------------------------------------------------------------------------- */

enum weft_riscv_image_result weft_riscv_image_open(struct weft_riscv_image *image,
                                                   const void *file, size_t length, uint64_t most,
                                                   const struct weft_riscv_profile *profile,
                                                   const char **why)
{
    struct weft_riscv_elf elf;
    struct plan plan;
    *image = (struct weft_riscv_image){0};
    *why = weft_riscv_elf_open(&elf, file, length);
    if (!*why)
        *why = make_plan(&elf, &plan);
    if (*why)
        return WEFT_RISCV_IMAGE_INVALID;
    *why = "it is too large";
    if (plan.end - plan.begin > most)
        return WEFT_RISCV_IMAGE_TOO_LARGE;
    *why = "there is no memory";
    if (load(image, &elf, &plan, profile) && read_symbols(image, &elf))
        return WEFT_RISCV_IMAGE_OK;
    weft_riscv_image_close(image);
    return WEFT_RISCV_IMAGE_NO_MEMORY;
}

void weft_riscv_image_close(struct weft_riscv_image *image)
{
    weft_riscv_text_close(&image->text);
    free(image->bytes);
    free(image->symbols);
    free(image->names);
    *image = (struct weft_riscv_image){0};
}

struct weft_riscv_window weft_riscv_image_window(const struct weft_riscv_image *image)
{
    return (struct weft_riscv_window){
        .base = image->base, .bytes = image->bytes, .readable = image->size};
}
