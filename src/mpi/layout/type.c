/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/layout/type.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "mpi/guard.h"
#include "mpi/layout/recipe.h"
#include "mpi/library/device.h"
#include "mpi/report/counter.h"

/* ---- Types of MPI itself ------------------------------------------------------------------- */

#ifdef OPEN_MPI

struct weft_mpi_object weft_mpi_library_object, weft_mpi_program_object;

static void widen(struct weft_mpi_object *object, const struct dl_phdr_info *info)
{
    object->begin = UINTPTR_MAX;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD)
            continue;
        if (begin < object->begin)
            object->begin = begin;
        if (begin + part->p_memsz > object->end)
            object->end = begin + part->p_memsz;
    }
}

/* The first is the program itself; the library is where the byte is made that MPI_BYTE stands for,
 * unless the linker has moved that into the program. */
static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
    struct weft_mpi_object object = {0};
    (void)size;
    (void)context;
    widen(&object, info);
    if (!weft_mpi_program_object.end)
        weft_mpi_program_object = object;
    else if ((uintptr_t)mpi.Type_free - object.begin < object.end - object.begin)
        weft_mpi_library_object = object;
    return 0;
}

static void learn_basic(void)
{
    dl_iterate_phdr(look_at, NULL);
}

#else

static void learn_basic(void)
{
}

#endif

/* ---- The table ----------------------------------------------------------------------------- */

#define BUCKETS 1024u

/* So often MPI sends or receives data of a new type: then it has spent about as much time on it as
 * it takes to understand it. */
#define USES_WHILE_NEW 4u

static struct weft_mpi_type *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The type that a thread has used last, as long as none was freed since: a program must not free a
 * type while a call of its own uses it, so this needs no lock. */
atomic_uint weft_mpi_types_freed;
static _Thread_local struct {
    MPI_Datatype handle;
    struct weft_mpi_type *type;
    unsigned freed;
} last;

void weft_mpi_type_lock(void)
{
    weft_mpi_lock(&lock);
}

void weft_mpi_type_unlock(void)
{
    weft_mpi_unlock(&lock);
}

static struct weft_mpi_type **place_of(MPI_Datatype handle)
{
    struct weft_mpi_type **at = &buckets[weft_hash_mix((uintptr_t)handle, 0) % BUCKETS];
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    return at;
}

/* MPI checks the arguments of a send to nobody, too. */
static bool is_committed(MPI_Datatype handle)
{
    char nothing;
    return weft_mpi_recipe_is_committed(handle) ||
           mpi.Send(&nothing, 0, handle, MPI_PROC_NULL, 0, weft_mpi.self) == MPI_SUCCESS;
}

/* What MPI says of a type that we do not understand, or not yet. */
static void describe_foreign(struct weft_mpi_type *type)
{
    MPI_Count size = 0, first = 0, extent = 0;
    mpi.Type_size_x(type->handle, &size);
    mpi.Type_get_true_extent_x(type->handle, &first, &extent);
    type->size = (size_t)size;
    type->first = (ptrdiff_t)first;
    type->is_receivable = true;
}

/* MPICH takes a message that ends within a basic element for one that is truncated. */
static bool can_hold_ticket(const struct weft_mpi_type *type)
{
    return weft_mpi_is_open_mpi ||
           (type->element > 0 && weft_mpi.ticket_size % type->element == 0);
}

static void describe(struct weft_mpi_type *type)
{
    struct weft_type_info info;
    type->type = weft_mpi_type_convert(type->handle);
    if (!type->type || weft_type_commit(type->type) != WEFT_OK ||
        weft_type_query(type->type, &info, sizeof info) != WEFT_OK) {
        weft_type_free(type->type);
        type->type = NULL;
        describe_foreign(type);
        return;
    }
    type->size = info.size;
    type->first = info.true_lb;
    type->is_contiguous = info.contiguous;
    type->is_block = info.pieces == 1;
    type->is_receivable = !info.may_overlap;
    type->element = weft_mpi_is_open_mpi ? 0 : weft_mpi_type_element(type->handle);
    type->holds_ticket = can_hold_ticket(type);
    type->basic = weft_mpi_type_basic(type->handle);
    type->form = type->is_contiguous ? NULL : weft_mpi_form_of(type->type);
    if (type->form)
        weft_mpi_form_meet(type->form, type->handle);
}

static struct weft_mpi_type *allocate(MPI_Datatype handle)
{
    struct weft_mpi_type *type = calloc(1, sizeof *type);
    if (!type)
        return NULL;
    type->handle = handle;
    type->users = 1;
    return type;
}

/* All that is understood of a type, which stays the origin's. */
static void borrow(struct weft_mpi_type *type, struct weft_mpi_type *origin)
{
    weft_mpi_add(&origin->users, 1);
    type->origin = origin;
    type->type = origin->type;
    type->size = origin->size;
    type->first = origin->first;
    type->is_contiguous = origin->is_contiguous;
    type->is_block = origin->is_block;
    type->is_receivable = origin->is_receivable;
    type->element = origin->element;
    type->holds_ticket = origin->holds_ticket;
    type->basic = origin->basic;
    type->form = origin->form;
}

static void describe_by_recipe(struct weft_mpi_type *type, const struct weft_mpi_recipe *recipe)
{
    struct weft_mpi_type *origin = weft_mpi_recipe_find(recipe);
    if (!origin && (origin = allocate(type->handle))) {
        describe(origin);
        weft_mpi_recipe_keep(recipe, origin);
    }
    if (origin && origin->type)
        borrow(type, origin);
    else
        describe(type);
}

static struct weft_mpi_type *make(MPI_Datatype handle)
{
    struct weft_mpi_recipe recipe;
    struct weft_mpi_type *type = allocate(handle);
    if (!type)
        return NULL;
    weft_mpi_device_learn();
    bool is_simple = weft_mpi_recipe_read(handle, &recipe);
    type->is_new = !is_simple && weft_mpi_type_has_long_list(handle);
    if (is_simple)
        describe_by_recipe(type, &recipe);
    else if (type->is_new)
        describe_foreign(type);
    else
        describe(type);
    return type;
}

/* The lock is held. Others see that it is not new any more when all else is there. */
static void understand(struct weft_mpi_type *type)
{
    describe(type);
    atomic_store_explicit(&type->is_new, false, memory_order_release);
}

static void use(struct weft_mpi_type *type)
{
    if (type->is_new && ++type->uses > USES_WHILE_NEW)
        understand(type);
    type->users++;
}

bool weft_mpi_type_understand(struct weft_mpi_type *type)
{
    if (atomic_load_explicit(&type->is_new, memory_order_acquire)) {
        weft_mpi_lock(&lock);
        if (type->is_new)
            understand(type);
        weft_mpi_unlock(&lock);
    }
    return type->type != NULL;
}

/* The program may have freed the type: the lock keeps its handle, or the copy of it. */
size_t weft_mpi_type_whole(struct weft_mpi_type *type, size_t bytes)
{
    if (weft_mpi_is_open_mpi || type->size == 0 || bytes % type->size == 0 ||
        !weft_mpi_type_understand(type) || !weft_mpi_type_is_measured(type))
        return bytes;
    if (type->element > 0)
        return bytes - bytes % type->element;
    weft_mpi_lock(&lock);
    if (type->handle != MPI_DATATYPE_NULL)
        bytes = weft_mpi_type_whole_of(type->handle, bytes);
    weft_mpi_unlock(&lock);
    return bytes;
}

/* The lock is held. */
static enum weft_mpi_finding find(MPI_Datatype handle, struct weft_mpi_type **type)
{
    struct weft_mpi_type **at = place_of(handle);
    if (!*at && (handle == MPI_DATATYPE_NULL || !is_committed(handle)))
        return WEFT_MPI_INVALID;
    if (!*at)
        *at = make(handle);
    if (!*at)
        return WEFT_MPI_UNFOUND;
    use(*at);
    *type = *at;
    return WEFT_MPI_FOUND;
}

static bool is_last(MPI_Datatype handle, unsigned now)
{
    return last.type && last.handle == handle && last.freed == now;
}

bool weft_mpi_type_is_empty(MPI_Datatype handle)
{
    if (weft_mpi_type_is_basic(handle))
        return false;
    if (is_last(handle, weft_mpi_type_generation()))
        return last.type->size == 0;
    weft_mpi_lock(&lock);
    const struct weft_mpi_type *type = *place_of(handle);
    MPI_Count size = type ? (MPI_Count)type->size : 0;
    weft_mpi_unlock(&lock);
    if (!type)
        mpi.Type_size_x(handle, &size);
    return size == 0;
}

enum weft_mpi_finding weft_mpi_type_find(MPI_Datatype handle, struct weft_mpi_type **type)
{
    unsigned now = weft_mpi_type_generation();
    if (is_last(handle, now)) {
        weft_mpi_add(&last.type->users, 1);
        *type = last.type;
        return WEFT_MPI_FOUND;
    }
    weft_mpi_lock(&lock);
    enum weft_mpi_finding finding = find(handle, type);
    weft_mpi_unlock(&lock);
    last.handle = handle;
    last.type = finding == WEFT_MPI_FOUND && (*type)->type ? *type : NULL;
    last.freed = now;
    return finding;
}

struct weft_mpi_type *weft_mpi_type_hold(struct weft_mpi_type *type)
{
    weft_mpi_add(&type->users, 1);
    return type;
}

void weft_mpi_type_drop(struct weft_mpi_type *type)
{
    if (!type || weft_mpi_add(&type->users, -1) > 1)
        return;
    if (type->origin)
        weft_mpi_type_drop(type->origin);
    else
        weft_type_free(type->type);
    if (type->is_copy)
        mpi.Type_free(&type->handle);
    free(type);
}

/* No duplicate: with that MPI would call the functions that the program has attached to its type,
 * and with the end of it those that free what is attached. */
bool weft_mpi_type_copy(MPI_Datatype handle, MPI_Datatype *copy)
{
    MPI_Datatype made;
    if (mpi.Type_contiguous(1, handle, &made) != MPI_SUCCESS)
        return false;
    bool is_committed = mpi.Type_commit(&made) == MPI_SUCCESS;
    if (is_committed)
        *copy = made;
    else
        mpi.Type_free(&made);
    return is_committed;
}

/* Whether MPI has to be asked of the type when a message has come: to place it, or where its
 * elements end. */
static bool needs_handle(const struct weft_mpi_type *type)
{
    return !type->type || (weft_mpi_type_is_measured(type) && type->element == 0);
}

/* Receives that are under way will need it, and MPI will not have it any more. Without a copy
 * those fail that MPI places. */
static void keep(struct weft_mpi_type *type)
{
    if (type->is_new)
        understand(type);
    if (!needs_handle(type))
        return;
    type->is_copy = weft_mpi_type_copy(type->handle, &type->handle);
    if (!type->is_copy)
        type->handle = MPI_DATATYPE_NULL;
}

static void forget(MPI_Datatype handle)
{
    weft_mpi_lock(&lock);
    struct weft_mpi_type **at = place_of(handle), *type = *at;
    if (type && type->users > 1)
        keep(type);
    if (type)
        *at = type->next;
    weft_mpi_recipe_forget(handle);
    weft_mpi_add(&weft_mpi_types_freed, 1);
    weft_mpi_unlock(&lock);
    weft_mpi_type_drop(type);
}

void weft_mpi_type_begin(void)
{
    learn_basic();
}

void weft_mpi_type_end(void)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        while (buckets[i])
            forget(buckets[i]->handle);
    weft_mpi_recipe_forget_all();
}

/* The handle may stand for another type next. Also when the library itself calls: it may free what
 * the program has made. */
int MPI_Type_free(MPI_Datatype *datatype)
{
    if (weft_mpi.is_on && datatype)
        forget(*datatype);
    return mpi.Type_free(datatype);
}
WEFT_MPI_ALSO_PMPI(Type_free);
