/* SPDX-License-Identifier: BSD-3-Clause */
#include "elf_file.h"

#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Everything is read from the file where it is needed, and never mapped: a place that a damaged
 * file points to is then outside of it at worst, also if the file shrinks meanwhile. */
struct file {
    int fd;
    ElfW(Ehdr) head;
};

/* More steps than any list of a sound file takes. */
#define MOST_STEPS 65536
#define MOST_SYMBOLS (1 << 20)

/* Of symbols that are asked for, with the zero behind it. */
#define LONGEST_NAME 64

static bool read_at(const struct file *file, uint64_t offset, void *to, size_t size)
{
    return offset <= INT64_MAX - size && pread(file->fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* Our own head, where the linker has put it. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static bool is_for_this_processor(const ElfW(Ehdr) * head)
{
    return head->e_machine == __ehdr_start.e_machine &&
           memcmp(head->e_ident, __ehdr_start.e_ident, EI_VERSION) == 0;
}

/* The file is to be closed, whatever comes out. */
static enum weft_elf_kind open_file(struct file *file, const char *path)
{
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0 || !read_at(file, 0, &file->head, sizeof file->head) ||
        memcmp(file->head.e_ident, ELFMAG, SELFMAG) != 0)
        return WEFT_ELF_NONE;
    return is_for_this_processor(&file->head) ? WEFT_ELF_DYNAMIC : WEFT_ELF_FOREIGN;
}

static void close_file(struct file *file)
{
    if (file->fd >= 0)
        close(file->fd);
}

/* ---- Parts --------------------------------------------------------------------------------- */

/* Counts on from `*index`; false if there is no further part of this type. */
static bool next_part(const struct file *file, unsigned *index, uint32_t type, ElfW(Phdr) * part)
{
    while (*index < file->head.e_phnum) {
        uint64_t at = (uint64_t)(*index)++ * file->head.e_phentsize;
        if (file->head.e_phoff > UINT64_MAX - at ||
            !read_at(file, file->head.e_phoff + at, part, sizeof *part))
            return false;
        if (part->p_type == type)
            return true;
    }
    return false;
}

static bool find_linker(const struct file *file, char linker[PATH_MAX])
{
    ElfW(Phdr) part;
    unsigned index = 0;
    if (!next_part(file, &index, PT_INTERP, &part) || part.p_filesz == 0 ||
        part.p_filesz > PATH_MAX || !read_at(file, part.p_offset, linker, part.p_filesz))
        return false;
    linker[part.p_filesz - 1] = 0;
    return true;
}

enum weft_elf_kind weft_elf_kind(const char *path, char linker[PATH_MAX])
{
    struct file file;
    enum weft_elf_kind kind = open_file(&file, path);
    if (kind == WEFT_ELF_DYNAMIC && !find_linker(&file, linker))
        kind = WEFT_ELF_STATIC;
    close_file(&file);
    return kind;
}

/* Tables are named by the addresses that they will have. */
static bool read_address(const struct file *file, uint64_t address, void *to, size_t size)
{
    ElfW(Phdr) part;
    for (unsigned index = 0; next_part(file, &index, PT_LOAD, &part);)
        if (address >= part.p_vaddr && address - part.p_vaddr < part.p_filesz)
            return size <= part.p_filesz - (address - part.p_vaddr) &&
                   part.p_offset <= UINT64_MAX - (address - part.p_vaddr) &&
                   read_at(file, part.p_offset + (address - part.p_vaddr), to, size);
    return false;
}

/* Entry `index` of a table. */
static bool read_entry(const struct file *file, uint64_t table, uint64_t index, void *to,
                       size_t size)
{
    uint64_t offset;
    return !__builtin_mul_overflow(index, size, &offset) &&
           !__builtin_add_overflow(table, offset, &table) && read_address(file, table, to, size);
}

/* ---- Symbols for the dynamic linker -------------------------------------------------------- */

struct symbols {
    const struct file *file;
    const char *wanted;
    uint64_t table, names;
    uint64_t hash, gnu_hash; /* 0: it has none */
};

/* Where the address of a table is kept; NULL: it is not wanted. */
static uint64_t *place_of(struct symbols *symbols, int64_t tag)
{
    switch (tag) {
    case DT_SYMTAB:
        return &symbols->table;
    case DT_STRTAB:
        return &symbols->names;
    case DT_HASH:
        return &symbols->hash;
    case DT_GNU_HASH:
        return &symbols->gnu_hash;
    default:
        return NULL;
    }
}

/* Entries that are read at a time: a library has some thirty. */
#define BLOCK 64

static bool find_tables(struct symbols *symbols)
{
    ElfW(Phdr) part;
    ElfW(Dyn) block[BLOCK];
    unsigned index = 0;
    if (!next_part(symbols->file, &index, PT_DYNAMIC, &part))
        return false;
    uint64_t count = part.p_filesz / sizeof *block;
    for (uint64_t i = 0; i < count && i < MOST_STEPS; i++) {
        size_t k = i % BLOCK, rest = count - i < BLOCK ? (size_t)(count - i) : BLOCK;
        if ((k == 0 && !read_at(symbols->file, part.p_offset + i * sizeof *block, block,
                                rest * sizeof *block)) ||
            block[k].d_tag == DT_NULL)
            break;
        uint64_t *place = place_of(symbols, block[k].d_tag);
        if (place)
            *place = block[k].d_un.d_ptr;
    }
    return symbols->table && symbols->names && (symbols->hash || symbols->gnu_hash);
}

static bool is_defined(const ElfW(Sym) * symbol)
{
    return symbol->st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol->st_info) != STB_LOCAL;
}

static bool is_wanted(const struct symbols *symbols, uint64_t index)
{
    ElfW(Sym) symbol;
    char name[LONGEST_NAME];
    size_t size = strlen(symbols->wanted) + 1;
    return size <= sizeof name &&
           read_entry(symbols->file, symbols->table, index, &symbol, sizeof symbol) &&
           is_defined(&symbol) && symbols->names <= UINT64_MAX - symbol.st_name &&
           read_address(symbols->file, symbols->names + symbol.st_name, name, size) &&
           memcmp(name, symbols->wanted, size) == 0;
}

/* The table of System V: counts, buckets, and for each symbol the next one. */
static bool is_in_hash(const struct symbols *symbols)
{
    uint32_t counts[2], index, hash = 0;
    for (const unsigned char *at = (const unsigned char *)symbols->wanted; *at; at++) {
        hash = (hash << 4) + *at;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    if (!read_address(symbols->file, symbols->hash, counts, sizeof counts) || counts[0] == 0)
        return false;
    uint64_t place = 2 + hash % counts[0];
    for (unsigned steps = 0; steps < MOST_STEPS; steps++) {
        if (!read_entry(symbols->file, symbols->hash, place, &index, sizeof index) || index == 0)
            return false;
        if (is_wanted(symbols, index))
            return true;
        place = 2 + (uint64_t)counts[0] + index;
    }
    return false;
}

/* GNU's table: counts, a filter, buckets, and for each symbol its hash, of which the lowest bit
 * says that it is the last of its bucket. */
static bool is_in_gnu_hash(const struct symbols *symbols)
{
    struct {
        uint32_t buckets, first, filter_words, shift;
    } counts;
    uint32_t index, other, hash = 5381;
    for (const unsigned char *at = (const unsigned char *)symbols->wanted; *at; at++)
        hash = hash * 33 + *at;
    if (!read_address(symbols->file, symbols->gnu_hash, &counts, sizeof counts) ||
        counts.buckets == 0)
        return false;
    uint64_t buckets =
        symbols->gnu_hash + sizeof counts + (uint64_t)counts.filter_words * sizeof(ElfW(Addr));
    uint64_t chains = buckets + (uint64_t)counts.buckets * sizeof index;
    if (!read_entry(symbols->file, buckets, hash % counts.buckets, &index, sizeof index))
        return false;
    for (unsigned steps = 0; steps < MOST_STEPS && index >= counts.first; steps++, index++) {
        if (!read_entry(symbols->file, chains, index - counts.first, &other, sizeof other))
            return false;
        if ((other | 1) == (hash | 1) && is_wanted(symbols, index))
            return true;
        if (other & 1)
            return false;
    }
    return false;
}

bool weft_elf_defines(const char *path, const char *symbol)
{
    struct file file;
    struct symbols symbols = {.file = &file, .wanted = symbol};
    bool is_found = open_file(&file, path) == WEFT_ELF_DYNAMIC && find_tables(&symbols) &&
                    (symbols.gnu_hash ? is_in_gnu_hash(&symbols) : is_in_hash(&symbols));
    close_file(&file);
    return is_found;
}

/* ---- Symbols for debuggers ----------------------------------------------------------------- */

static bool read_section(const struct file *file, unsigned index, ElfW(Shdr) * section)
{
    return read_at(file, file->head.e_shoff + (uint64_t)index * file->head.e_shentsize, section,
                   sizeof *section);
}

/* The table, and the section with its names. */
static bool find_all_symbols(const struct file *file, ElfW(Shdr) * table, ElfW(Shdr) * names)
{
    for (unsigned i = 0; i < file->head.e_shnum; i++) {
        if (!read_section(file, i, table))
            return false;
        if (table->sh_type == SHT_SYMTAB)
            return read_section(file, table->sh_link, names);
    }
    return false;
}

static bool has_name(const struct file *file, uint64_t place, const char *wanted)
{
    char name[LONGEST_NAME];
    size_t size = strlen(wanted) + 1;
    return size <= sizeof name && read_at(file, place, name, size) &&
           memcmp(name, wanted, size) == 0;
}

static bool is_in_all_symbols(const struct file *file, const char *wanted)
{
    ElfW(Shdr) table, names;
    ElfW(Sym) block[BLOCK];
    if (!find_all_symbols(file, &table, &names))
        return false;
    uint64_t count = table.sh_size / sizeof *block, place = table.sh_offset;
    for (uint64_t i = 0; i < count && i < MOST_SYMBOLS; i++) {
        size_t k = i % BLOCK, rest = count - i < BLOCK ? (size_t)(count - i) : BLOCK;
        if (k == 0 && !read_at(file, place + i * sizeof *block, block, rest * sizeof *block))
            return false;
        if (is_defined(&block[k]) && ELF64_ST_TYPE(block[k].st_info) == STT_FUNC &&
            has_name(file, names.sh_offset + block[k].st_name, wanted))
            return true;
    }
    return false;
}

bool weft_elf_contains(const char *path, const char *function)
{
    struct file file;
    bool is_found =
        open_file(&file, path) == WEFT_ELF_DYNAMIC && is_in_all_symbols(&file, function);
    close_file(&file);
    return is_found;
}
