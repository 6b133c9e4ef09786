/* SPDX-License-Identifier: BSD-3-Clause */
/* ELF files: what is loaded, and every field that could be forged. */
#include <stdlib.h>
#include <string.h>

#include "riscv/assemble.h"
#include "riscv/elf_file.h"
#include "riscv/image.h"
#include "support/rng.h"
#include "support/tap.h"

#define MOST (1 << 20)

static const uint32_t words[] = {addi(A0, ZERO, 1), RETURN, addi(A0, ZERO, 2), RETURN};
static const struct elf_function functions[] = {{"one", 0}, {"two", 2}, {NULL, 0}};

static struct weft_riscv_profile profile;

static enum weft_riscv_image_result load(const struct elf_file *file, size_t length)
{
    struct weft_riscv_image image;
    const char *why;
    /* A copy of its exact size, so that sanitizers see what is read behind it. */
    void *copy = malloc(length ? length : 1);
    memcpy(copy, file, length);
    enum weft_riscv_image_result result =
        weft_riscv_image_open(&image, copy, length, MOST, &profile, &why);
    free(copy);
    if (result == WEFT_RISCV_IMAGE_OK)
        weft_riscv_image_close(&image);
    return result;
}

static void check_loading(void)
{
    struct elf_file file;
    struct weft_riscv_image image;
    const char *why;
    elf_file_make(&file, words, 4, functions);
    check(weft_riscv_image_open(&image, &file, sizeof file, MOST, &profile, &why) ==
          WEFT_RISCV_IMAGE_OK);
    check_uint(weft_riscv_image_find(&image, "one"), ELF_FILE_BASE);
    check_uint(weft_riscv_image_find(&image, "two"), ELF_FILE_BASE + 8);
    check_uint(weft_riscv_image_find(&image, "three"), 0);
    check_uint(weft_riscv_image_find(&image, ""), 0);
    struct weft_riscv_core core = {.text = &image.text, .pc = ELF_FILE_BASE + 8};
    core.x[WEFT_RISCV_RA] = WEFT_RISCV_RETURN;
    core.windows[0] = weft_riscv_image_window(&image);
    check(weft_riscv_core_run(&core, 100) == WEFT_RISCV_RETURNED);
    check_uint(core.x[WEFT_RISCV_A0], 2);
    check(memcmp(weft_riscv_core_read(&core, ELF_FILE_BASE, 16), words, 16) == 0);
    check(!weft_riscv_core_write(&core, ELF_FILE_BASE, 1));
    weft_riscv_image_close(&image);
}

/* One field with another value. */
#define forged(field, value)                                                                      \
    load_forged(offsetof(struct elf_file, field), sizeof(((struct elf_file *)0)->field), value)

static enum weft_riscv_image_result load_forged(size_t offset, size_t size, uint64_t value)
{
    struct elf_file file;
    elf_file_make(&file, words, 4, functions);
    memcpy((char *)&file + offset, &value, size);
    return load(&file, sizeof file);
}

static void check_forged_header(void)
{
    check_int(forged(header.e_ident[0], 0), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(header.e_ident[EI_CLASS], 3), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(header.e_ident[EI_CLASS], ELFCLASS32), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(header.e_ident[EI_DATA], ELFDATA2MSB), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(header.e_type, ET_DYN), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(header.e_type, ET_REL), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(header.e_machine, EM_X86_64), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(header.e_flags, EF_RISCV_FLOAT_ABI_DOUBLE), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(header.e_phoff, UINT64_MAX), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(header.e_phoff, sizeof(struct elf_file) - 8), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(header.e_phnum, UINT16_MAX), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(header.e_phnum, 0), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(header.e_phentsize, 1), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(header.e_shoff, UINT64_MAX - 8), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(header.e_shnum, UINT16_MAX), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(header.e_shentsize, 0), WEFT_RISCV_IMAGE_INVALID);
}

static void check_forged_segment(void)
{
    check_int(forged(segment.p_type, PT_INTERP), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_type, PT_DYNAMIC), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_type, PT_TLS), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_type, PT_NULL), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_flags, PF_R), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_flags, PF_R | PF_W | PF_X), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_offset, UINT64_MAX), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_offset, sizeof(struct elf_file)), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_filesz, UINT64_MAX), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_filesz, 17), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_memsz, UINT64_MAX), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_memsz, 0), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_vaddr, 0), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_vaddr, 0xfff), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_vaddr, 0x10001), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_vaddr, UINT64_MAX - 1), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_vaddr, WEFT_RISCV_WINDOW_SIZE - 8), WEFT_RISCV_IMAGE_INVALID);
    check_int(forged(segment.p_vaddr, WEFT_RISCV_WINDOW_SIZE - 16), WEFT_RISCV_IMAGE_OK);
    check_int(forged(segment.p_memsz, MOST), WEFT_RISCV_IMAGE_OK);
    check_int(forged(segment.p_memsz, MOST + 1), WEFT_RISCV_IMAGE_TOO_LARGE);
}

/* A file without symbols can be loaded, but has no functions. */
static void check_forged_symbols(void)
{
    static const struct {
        size_t offset, size;
        uint64_t value;
    } changes[] = {
#define CHANGE(field, value)                                                                      \
    {offsetof(struct elf_file, field), sizeof(((struct elf_file *)0)->field), value}
        CHANGE(sections[1].sh_type, SHT_NULL),
        CHANGE(sections[1].sh_link, 77),
        CHANGE(sections[1].sh_offset, UINT64_MAX),
        CHANGE(sections[1].sh_size, UINT64_MAX),
        CHANGE(sections[2].sh_type, SHT_NULL),
        CHANGE(sections[2].sh_offset, UINT64_MAX),
        CHANGE(sections[2].sh_size, UINT64_MAX),
        CHANGE(sections[2].sh_size, 0),
        CHANGE(sections[2].sh_size, 3),
        CHANGE(symbols[1].st_name, UINT32_MAX),
        CHANGE(symbols[1].st_info, STT_OBJECT),
        CHANGE(symbols[1].st_value, ELF_FILE_BASE + 1),
        CHANGE(symbols[1].st_value, ELF_FILE_BASE + sizeof words),
        CHANGE(symbols[1].st_value, UINT64_MAX - 1),
#undef CHANGE
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct elf_file file;
        struct weft_riscv_image image;
        const char *why;
        elf_file_make(&file, words, 4, functions);
        memcpy((char *)&file + changes[i].offset, &changes[i].value, changes[i].size);
        if (!check(weft_riscv_image_open(&image, &file, sizeof file, MOST, &profile, &why) ==
                   WEFT_RISCV_IMAGE_OK))
            continue;
        if (!check_uint(weft_riscv_image_find(&image, "one"), 0))
            tap_note("change %zu", i);
        weft_riscv_image_close(&image);
    }
}

static void check_every_length(void)
{
    struct elf_file file;
    size_t loaded = 0;
    elf_file_make(&file, words, 4, functions);
    size_t needed = offsetof(struct elf_file, text) + sizeof words;
    for (size_t length = 0; length < needed; length++)
        loaded += load(&file, length) == WEFT_RISCV_IMAGE_OK;
    check_uint(loaded, 0);
    check_int(load(&file, needed), WEFT_RISCV_IMAGE_OK);
}

/* Whatever a few bytes are, nothing happens that sanitizers would see. */
static void check_random_bytes(void)
{
    struct rng rng = rng_stream(1, 0);
    unsigned refused = 0;
    for (int i = 0; i < 20000; i++) {
        struct elf_file file;
        elf_file_make(&file, words, 4, functions);
        for (size_t changes = 1 + rng_below(&rng, 8); changes; changes--) {
            size_t at = rng_below(&rng, offsetof(struct elf_file, text));
            ((unsigned char *)&file)[at] = (unsigned char)rng_next(&rng);
        }
        refused += load(&file, sizeof file) == WEFT_RISCV_IMAGE_INVALID;
    }
    check(refused > 1000);
}

int main(void)
{
    check(weft_riscv_profile_read("ri5cy", &profile));
    check_loading();
    check_forged_header();
    check_forged_segment();
    check_forged_symbols();
    check_every_length();
    check_random_bytes();
    return tap_done();
}
