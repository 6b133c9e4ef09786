/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * elf_test LIBRARY...: what `weft run` reads of ELF files, of real ones and of ones that are
 * damaged: cut off, with random bytes, and with random words where the tables are described. Those
 * must be answered somehow, and soon.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "elf_file.h"
#include "support/rng.h"
#include "support/tap.h"

enum { DAMAGES = 400, WORDS = 8, MOST_SECONDS = 2 };

static char linker[PATH_MAX];

/* ---- Sound files --------------------------------------------------------------------------- */

static void check_library(const char *path)
{
    tap_note("%s", path);
    check(weft_elf_defines(path, "elf_function"));
    check(weft_elf_defines(path, "elf_weak"));
    check(weft_elf_defines(path, "elf_object"));
    check(!weft_elf_defines(path, "elf_missing"));
    check(!weft_elf_defines(path, "elf_hidden"));
    check(!weft_elf_defines(path, "elf_functio"));
    check(!weft_elf_defines(path, ""));
    check(weft_elf_contains(path, "elf_function"));
    check(!weft_elf_contains(path, "elf_object"));
    check(!weft_elf_contains(path, "elf_missing"));
}

static void check_libc(void)
{
    Dl_info info;
    if (!check(dladdr(dlsym(dlopen("libc.so.6", RTLD_LAZY), "printf"), &info) != 0))
        return;
    tap_note("%s", info.dli_fname);
    check(weft_elf_defines(info.dli_fname, "printf"));
    check(weft_elf_defines(info.dli_fname, "environ"));
    check(!weft_elf_defines(info.dli_fname, "ompi_mpi_comm_world"));
}

static void check_kinds(const char *library)
{
    check_int(weft_elf_kind("/proc/self/exe", linker), WEFT_ELF_DYNAMIC);
    check(access(linker, X_OK) == 0);
    check_int(weft_elf_kind(library, linker), WEFT_ELF_STATIC);
    check_int(weft_elf_kind("/dev/null", linker), WEFT_ELF_NONE);
    check_int(weft_elf_kind("/", linker), WEFT_ELF_NONE);
    check_int(weft_elf_kind("/nonesuch", linker), WEFT_ELF_NONE);
    check(!weft_elf_defines("/dev/null", "elf_function"));
    check(!weft_elf_defines("/nonesuch", "elf_function"));
}

/* ---- Damaged ones -------------------------------------------------------------------------- */

struct copy {
    unsigned char *bytes;
    size_t size;
    char path[64];
    int fd;
};

static bool open_copy(struct copy *copy, const char *original)
{
    struct stat status;
    int fd = open(original, O_RDONLY);
    snprintf(copy->path, sizeof copy->path, "/proc/self/fd/%d", copy->fd = memfd_create("elf", 0));
    if (fd < 0 || copy->fd < 0 || fstat(fd, &status) != 0)
        return false;
    copy->size = (size_t)status.st_size;
    copy->bytes = malloc(copy->size);
    bool is_read = copy->bytes && read(fd, copy->bytes, copy->size) == status.st_size;
    close(fd);
    return is_read;
}

static void close_copy(struct copy *copy)
{
    close(copy->fd);
    free(copy->bytes);
}

/* The copy as it is, but of this size and with these bytes there. */
static bool write_copy(const struct copy *copy, size_t size, size_t at, const void *bytes,
                       size_t count)
{
    if (count > size - at)
        count = size - at;
    return ftruncate(copy->fd, 0) == 0 &&
           pwrite(copy->fd, copy->bytes, size, 0) == (ssize_t)size &&
           pwrite(copy->fd, bytes, count, (off_t)at) == (ssize_t)count;
}

/* Whether it was found does not matter, but that there is an answer does. */
static bool is_answered(const struct copy *copy)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    weft_elf_kind(copy->path, linker);
    weft_elf_defines(copy->path, "elf_function");
    weft_elf_defines(copy->path, "elf_nonesuch");
    weft_elf_contains(copy->path, "elf_nonesuch");
    clock_gettime(CLOCK_MONOTONIC, &end);
    return end.tv_sec - begin.tv_sec < MOST_SECONDS;
}

/* Words that damage more than random ones do. */
static uint64_t random_word(struct rng *rng)
{
    static const uint64_t nasty[] = {0, 1, INT64_MAX, UINT64_MAX, UINT64_MAX - 15, UINT32_MAX};
    uint64_t kind = rng_below(rng, 3);
    if (kind == 0)
        return nasty[rng_below(rng, sizeof nasty / sizeof *nasty)];
    return kind == 1 ? rng_below(rng, 1 << 16) : rng_next(rng);
}

static void check_cut(const struct copy *copy, struct rng *rng)
{
    unsigned answered = 0;
    for (unsigned i = 0; i < DAMAGES; i++)
        answered += write_copy(copy, rng_below(rng, copy->size), 0, "", 0) && is_answered(copy);
    check_uint(answered, DAMAGES);
}

/* `first` to `end`: where in the file. */
static void check_scribbled(const struct copy *copy, struct rng *rng, size_t first, size_t end)
{
    unsigned answered = 0;
    for (unsigned i = 0; i < DAMAGES; i++) {
        uint64_t words[WORDS];
        for (unsigned k = 0; k < WORDS; k++)
            words[k] = random_word(rng);
        size_t at = first + rng_below(rng, end - first) / 8 * 8;
        size_t count = 1 + rng_below(rng, sizeof words);
        answered += write_copy(copy, copy->size, at, words, count) && is_answered(copy);
    }
    check_uint(answered, DAMAGES);
}

static size_t place_of_dynamic(const struct copy *copy, size_t *size)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)copy->bytes;
    const Elf64_Phdr *parts = (const Elf64_Phdr *)(copy->bytes + head->e_phoff);
    unsigned i = 0;
    while (parts[i].p_type != PT_DYNAMIC)
        i++;
    *size = parts[i].p_filesz;
    return parts[i].p_offset;
}

/* Symbols that are each other's successors, in a table of System V: a search for what is not there
 * would never end. */
static void check_ring(const struct copy *copy, size_t dynamic)
{
    const Elf64_Dyn *entry = (const Elf64_Dyn *)(copy->bytes + dynamic);
    while (entry->d_tag != DT_NULL && entry->d_tag != DT_HASH)
        entry++;
    if (entry->d_tag == DT_NULL)
        return;
    uint32_t *table = (uint32_t *)(copy->bytes + entry->d_un.d_ptr);
    for (uint32_t i = 0; i < table[0] + table[1]; i++)
        table[2 + i] = 1;
    check(write_copy(copy, copy->size, 0, "", 0) && is_answered(copy));
}

static void check_damaged(const char *path, uint64_t seed)
{
    struct copy copy;
    struct rng rng = rng_stream(seed, 0);
    if (!check(open_copy(&copy, path)))
        return;
    tap_note("%s, damaged", path);
    size_t size, place = place_of_dynamic(&copy, &size);
    check_cut(&copy, &rng);
    check_scribbled(&copy, &rng, 0, copy.size);
    check_scribbled(&copy, &rng, 0, 1024);             /* the description of parts, and hashes */
    check_scribbled(&copy, &rng, place, place + size); /* and of tables */
    check_scribbled(&copy, &rng, copy.size - 1024, copy.size); /* and of sections */
    check_ring(&copy, place);
    close_copy(&copy);
}

int main(int argc, char **argv)
{
    check_libc();
    for (int i = 1; i < argc; i++) {
        check_kinds(argv[i]);
        check_library(argv[i]);
        check_damaged(argv[i], (uint64_t)i);
    }
    return tap_done();
}
