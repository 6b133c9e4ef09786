/* SPDX-License-Identifier: BSD-3-Clause */
#include "transfer/locator.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "job/machine.h"
#include "transfer/request.h"

/* ---- The root ----------------------------------------------------------------------------- */

/* Process numbers mean the same where this is the same; 0 where it is not known. */
static uint64_t this_host(void)
{
    struct weft_job_machine host;
    return weft_job_machine_learn(&host) ? weft_job_machine_of_processes(&host) : 0;
}

static int open_door(struct weft_net *net)
{
    ptl_me_t me = {
        .start = &net->locators.root,
        .length = sizeof net->locators.root,
        .ct_handle = PTL_CT_NONE,
        .uid = PTL_UID_ANY,
        .options = PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_LINK_DISABLE,
        .match_id = weft_net_process(PTL_RANK_ANY),
        .match_bits = WEFT_NET_DOOR,
    };
    return PtlMEAppend(net->ni, WEFT_NET_CONTROL, &me, PTL_PRIORITY_LIST, NULL, &net->root);
}

/* Atomic: a thread may allocate first while another opens a net. */
static _Atomic(struct weft_heap *) heap_to_use;

void weft_net_locator_use_heap(struct weft_heap *heap)
{
    atomic_store_explicit(&heap_to_use, heap, memory_order_release);
}

static void *take_or_forget(struct weft_net *net, size_t count, size_t size)
{
    void *taken = net->heap ? weft_heap_take(net->heap, count * size, alignof(max_align_t)) : NULL;
    if (!taken)
        net->heap = NULL;
    return taken;
}

/* Where peers can see them, if there is room in such a place; else it is as if there were none. */
static void open_in_heap(struct weft_net *net, size_t messages, size_t all)
{
    struct weft_net_locator_table *table = &net->locators;
    struct weft_heap *heap =
        net->is_near ? atomic_load_explicit(&heap_to_use, memory_order_acquire) : NULL;
    net->heap = heap;
    table->locators = take_or_forget(net, all, sizeof *table->locators);
    table->works = take_or_forget(net, messages, sizeof *table->works);
    if (!net->heap && table->locators) {
        weft_heap_give(heap, table->locators);
        table->locators = NULL;
    }
    net->names.heap = net->heap;
}

int weft_net_locator_open(struct weft_net *net)
{
    struct weft_net_locator_table *table = &net->locators;
    struct weft_net_locator_root *root = &table->root;
    /* Pages of locators that are never used are never there. */
    size_t count = net->requests.limit + WEFT_NET_LOCATOR_REGIONS;
    open_in_heap(net, net->requests.limit, count);
    if (net->direct == 0 && !net->heap)
        return PTL_OK;
    *root = (struct weft_net_locator_root){
        .host = this_host(), .pid = (uint64_t)getpid(), .messages = net->requests.limit};
    if (getrandom(root->word, sizeof root->word, 0) != sizeof root->word ||
        !weft_net_name_open(&net->names))
        return PTL_FAIL;
    if (!net->heap)
        table->locators = calloc(count, sizeof *table->locators);
    table->names = calloc(count, sizeof(struct weft_net_name *));
    if (!table->locators || !table->names)
        return PTL_NO_SPACE;
    root->locators = (uintptr_t)table->locators;
    root->works = (uintptr_t)table->works;
    if (net->heap)
        root->heap = net->heap->id;
    return open_door(net);
}

/* The works stay in the heap: a receiver that has not noticed our end may still write there. */
void weft_net_locator_close(struct weft_net *net)
{
    if (!net->heap)
        free(net->locators.locators);
    else if (net->locators.locators)
        weft_heap_give(net->heap, net->locators.locators);
    free(net->locators.names);
    weft_net_name_close(&net->names);
}

/* ---- Locators ----------------------------------------------------------------------------- */

static bool show(struct weft_net *net, uint64_t index, uint64_t number,
                 const struct weft_net_layout *layout)
{
    struct weft_net_locator_table *table = &net->locators;
    struct weft_net_name *name = NULL;
    if (layout->type && !(name = weft_net_name_use(&net->names, layout->type)))
        return false;
    struct weft_net_locator *locator = &table->locators[index];
    memcpy(locator->word, table->root.word, sizeof locator->word);
    locator->base = (uintptr_t)layout->base;
    locator->count = layout->type ? layout->count : layout->length;
    locator->key = name ? name->key : 0;
    locator->text = name ? (uintptr_t)name->text : 0;
    locator->text_length = name ? name->length : 0;
    table->names[index] = name;
    atomic_store_explicit(&locator->number, number, memory_order_release);
    return true;
}

bool weft_net_locator_show(struct weft_net *net, uint64_t index, uint64_t number,
                           const struct weft_net_layout *layout)
{
    return net->locators.locators && net->direct && layout->piece >= net->direct &&
           layout->length <= net->direct_most && show(net, index, number, layout);
}

bool weft_net_locator_share(struct weft_net *net, uint64_t index, uint64_t number,
                            const struct weft_net_layout *layout)
{
    if (!net->heap || !weft_net_layout_is_in(layout, net->heap))
        return false;
    /* Not while the receiver of an earlier message has the claim. */
    struct weft_net_work *work = &net->locators.works[index];
    if (!weft_net_work_is_free(work))
        return false;
    atomic_store_explicit(&work->watched, number, memory_order_relaxed);
    atomic_store_explicit(&work->state, number, memory_order_relaxed);
    if (show(net, index, number, layout))
        return true;
    atomic_store_explicit(&work->state, 0, memory_order_relaxed);
    return false;
}

static void close_work(struct weft_net_work *work, uint64_t number)
{
    atomic_compare_exchange_strong(&work->state, &number, 0);
}

void weft_net_locator_withdraw(struct weft_net *net, uint64_t index)
{
    struct weft_net_locator_table *table = &net->locators;
    if (net->heap && index < table->root.messages)
        close_work(&table->works[index], table->locators[index].number);
    atomic_store(&table->locators[index].number, 0);
    /* Whoever has seen what its owner writes from now on must not find the number. */
    if (net->heap)
        atomic_thread_fence(memory_order_seq_cst);
    if (table->names[index])
        table->names[index]->users--;
    table->names[index] = NULL;
}
