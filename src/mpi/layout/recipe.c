/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/layout/recipe.h"

#include <string.h>

#include "base/hash.h"
#include "base/setting.h"

/* ---- As it is made ------------------------------------------------------------------------- */

#define FRESH 64u

/* Types that are made for one message are not used more often than by a send and a receive. */
#define BRIEF_USES 2u

static struct fresh {
    MPI_Datatype handle;
    bool is_known, is_committed, is_brief;
    unsigned uses;
    struct weft_mpi_recipe recipe;
} all_fresh[FRESH];

/* Where it would be. */
static struct fresh *fresh_of(MPI_Datatype handle)
{
    return &all_fresh[weft_hash_mix((uintptr_t)handle, 0) % FRESH];
}

static bool is_fresh(const struct fresh *fresh, MPI_Datatype handle)
{
    return fresh->is_known && fresh->handle == handle;
}

/* Programs use few types of MPI's own. */
static MPI_Count size_of(MPI_Datatype basic)
{
    static struct {
        MPI_Datatype basic;
        MPI_Count size; /* 0: of none */
    } last;
    if (last.size == 0 || last.basic != basic) {
        mpi.Type_size_x(basic, &last.size);
        last.basic = basic;
    }
    return last.size;
}

static bool is_brief(const struct weft_mpi_recipe *recipe)
{
    bool is_vector = recipe->combiner != MPI_COMBINER_CONTIGUOUS;
    MPI_Count count = recipe->numbers[0], length = is_vector ? recipe->numbers[1] : 1;
    MPI_Count bytes = count <= WEFT_MPI_BRIEF && length <= WEFT_MPI_BRIEF
                          ? count * length * size_of(recipe->of)
                          : WEFT_MPI_BRIEF;
    return bytes > 0 && bytes < WEFT_MPI_BRIEF && bytes < (MPI_Count)weft_mpi.ticket_size;
}

void weft_mpi_recipe_note(MPI_Datatype handle, const struct weft_mpi_recipe *recipe)
{
    *fresh_of(handle) = (struct fresh){
        .handle = handle, .is_known = true, .is_brief = is_brief(recipe), .recipe = *recipe};
}

bool weft_mpi_recipe_is_committed(MPI_Datatype handle)
{
    const struct fresh *fresh = fresh_of(handle);
    return is_fresh(fresh, handle) && fresh->is_committed;
}

bool weft_mpi_recipe_is_brief(MPI_Datatype handle)
{
    return fresh_of(handle)->is_brief && weft_mpi_recipe_is_committed(handle);
}

bool weft_mpi_recipe_use_brief(MPI_Datatype handle)
{
    return weft_mpi_recipe_is_brief(handle) && fresh_of(handle)->uses++ < BRIEF_USES;
}

void weft_mpi_recipe_note_commit(MPI_Datatype handle)
{
    struct fresh *fresh = fresh_of(handle);
    fresh->is_committed = fresh->is_committed || is_fresh(fresh, handle);
}

void weft_mpi_recipe_forget(MPI_Datatype handle)
{
    struct fresh *fresh = fresh_of(handle);
    if (is_fresh(fresh, handle))
        fresh->is_known = false;
}

/* Who wants lists as short as these numbers to be new at first has it so. */
static bool is_readable(const struct fresh *fresh, MPI_Datatype handle)
{
    const struct weft_mpi_recipe *recipe = &fresh->recipe;
    return is_fresh(fresh, handle) && weft_setting(WEFT_SETTING_LONG_LIST) >=
                                          sizeof recipe->numbers / sizeof *recipe->numbers;
}

bool weft_mpi_recipe_read(MPI_Datatype handle, struct weft_mpi_recipe *recipe)
{
    const struct fresh *fresh = fresh_of(handle);
    bool is_noted = is_readable(fresh, handle);
    if (is_noted)
        *recipe = fresh->recipe;
    return is_noted;
}

/* ---- Remembering --------------------------------------------------------------------------- */

#define MEMORIES 4096u

static struct memory {
    struct weft_mpi_recipe recipe;
    struct weft_mpi_type *type; /* NULL: free */
} memories[MEMORIES];

static struct memory *memory_of(const struct weft_mpi_recipe *recipe)
{
    uint64_t hash = weft_hash_mix((uintptr_t)recipe->of, (uint64_t)recipe->combiner);
    for (unsigned i = 0; i < sizeof recipe->numbers / sizeof *recipe->numbers; i++)
        hash = weft_hash_mix((uint64_t)recipe->numbers[i], hash);
    return &memories[hash % MEMORIES];
}

static bool is_equal(const struct weft_mpi_recipe *a, const struct weft_mpi_recipe *b)
{
    return a->combiner == b->combiner && a->of == b->of && a->numbers[0] == b->numbers[0] &&
           a->numbers[1] == b->numbers[1] && a->numbers[2] == b->numbers[2];
}

struct weft_mpi_type *weft_mpi_recipe_find(const struct weft_mpi_recipe *recipe)
{
    const struct memory *memory = memory_of(recipe);
    return memory->type && is_equal(&memory->recipe, recipe) ? memory->type : NULL;
}

struct weft_mpi_type *weft_mpi_recipe_find_alike(MPI_Datatype handle)
{
    const struct fresh *fresh = fresh_of(handle);
    bool is_usable = fresh->is_committed && is_readable(fresh, handle);
    return is_usable ? weft_mpi_recipe_find(&fresh->recipe) : NULL;
}

void weft_mpi_recipe_keep(const struct weft_mpi_recipe *recipe, struct weft_mpi_type *type)
{
    struct memory *memory = memory_of(recipe);
    weft_mpi_type_drop(memory->type);
    *memory = (struct memory){*recipe, type};
}

/* The next MPI of a program gives other types the same handles. */
void weft_mpi_recipe_forget_all(void)
{
    memset(all_fresh, 0, sizeof all_fresh);
    for (unsigned i = 0; i < MEMORIES; i++) {
        weft_mpi_type_drop(memories[i].type);
        memories[i].type = NULL;
    }
}
