/* SPDX-License-Identifier: BSD-3-Clause */
/* The program of a node: posts and sends until nothing is under way anywhere, and checks that
 * nothing is left. */
#include "chaos/letters/office.h"
#include "nic/interface.h"
#include "portals/process.h"
#include "world/sim/state.h"

enum phase { QUIET, CLOSED };

/* The NIC is stepped whenever a packet comes or a handler ends, so when a program has slept, no
 * packet waits that the NIC could take. */
static void judge_inbox(struct desk *desk)
{
    struct weft_nic *nic = weft_portals_process_self()->nic;
    const struct weft_sim_node *node = weft_sim_node_of(nic->world);
    bool is_idle = node->inbox.first;
    for (const struct weft_sim_backlog *backlog = node->backlogs; backlog;
         backlog = backlog->next) {
        struct weft_nic_address source = {backlog->source + 1, WEFT_SIM_PID};
        is_idle |= backlog->queue.first && !weft_nic_peer_waits(nic, weft_nic_peer(nic, source));
    }
    if (is_idle)
        desk_fail(desk, "packets wait for a NIC that waits for packets");
}

static void step(struct desk *desk)
{
    judge_inbox(desk);
    drain_all(desk);
    post_letters(desk);
    send_step(desk);
}

static bool is_settled(const struct office *office, const struct desk *desk)
{
    uint64_t forwards = 0, fetches = 0;
    for (unsigned i = 0; i < office->letter_count; i++) {
        const struct letter *letter = office->letters[i];
        if (letter->from == desk->number && !letter->is_finished)
            return false;
        if (letter->to != desk->number)
            continue;
        forwards += letter->host.forwards;
        fetches += letter->host.fetches;
    }
    return desk->tallies_left == 0 && desk->tallies_under_way == 0 && desk->enable_at == 0 &&
           desk->table->enabled && forwards == desk->forwards_ok + desk->forwards_failed &&
           fetches == desk->fetches && weft_list_is_empty(&desk->nic->hpu.active) &&
           desk->nic->hpu.used == 0;
}

static bool is_quiet(struct office *office)
{
    bool all = !run_has_last_words(&office->run, &office->design.world);
    for (unsigned i = 0; i < office->design.world.nodes; i++) {
        struct desk *desk = &office->desks[i];
        desk->is_settled = run_is_dead(&office->run, i) || is_settled(office, desk);
        all &= desk->is_settled;
    }
    return all;
}

static void wait_for_all(struct desk *desk, enum phase phase)
{
    struct run *run = &desk->office->run;
    uint64_t nap = 0;
    run_arrive(run, desk->number, phase);
    while (!run->has_failed && !run_all_present(run, phase))
        run_nap(&nap);
}

/* Time passes in short pauses first, and in longer ones if there is nothing to do. */
static void work(struct desk *desk)
{
    struct office *office = desk->office;
    uint64_t nap = 0;
    for (unsigned i = 0; i < 100 && !office->run.has_failed; i++) {
        step(desk);
        run_pause(1 + rng_below(&desk->rng, office->design.pace));
    }
    desk->tallies_left = 0;
    while (!office->run.has_failed) {
        step(desk);
        if (is_quiet(office))
            return;
        run_nap(&nap);
    }
}

void program_run(unsigned number, void *argument)
{
    struct office *office = argument;
    struct desk *desk = &office->desks[number];
    struct run *run = &office->run;
    PtlInit();
    post_open(desk);
    send_open(desk);
    if (run->has_failed)
        return;
    work(desk);
    wait_for_all(desk, QUIET);
    if (!run->has_failed) {
        drain_all(desk);
        post_close(desk);
    }
    if (!run->has_failed)
        send_close(desk);
    wait_for_all(desk, CLOSED);
    if (run->has_failed)
        return;
    desk->is_closed = true;
    if (PtlNIFini(desk->ni) != PTL_OK)
        desk_fail(desk, "PtlNIFini fails");
    PtlFini();
}
