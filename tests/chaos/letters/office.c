/* SPDX-License-Identifier: BSD-3-Clause */
#include "chaos/letters/office.h"

#include <stdlib.h>
#include <string.h>

#include "nic/state.h"

/* ---- Letters ------------------------------------------------------------------------------ */

static void open_letter(struct office *office, struct rng *rng, unsigned from, unsigned to)
{
    enum { SIZE = LETTER_LONGEST + LETTER_OFFSET + 2 * LETTER_MARGIN };
    struct letter *letter = run_make(&office->run, sizeof *letter + 2 * SIZE);
    if (!letter)
        return;
    unsigned nodes = office->design.world.nodes;
    *letter = (struct letter){.tag = TAG_LETTER, .from = from, .to = to, .is_repostable = true};
    letter->hpu_memory = PTL_HPU_NONE;
    letter->memory = (unsigned char *)(letter + 1);
    letter->shadow = letter->memory + SIZE;
    memset(letter->memory, LETTER_GUARD, 2 * SIZE);
    struct script *script = &letter->script;
    script_draw(rng, script, office->design.world.packet_size);
    for (unsigned i = LETTER_MARGIN; i < LETTER_MARGIN + script->room; i++)
        letter->memory[i] = letter->shadow[i] = (unsigned char)(i * 7);
    script->source = office_process(from);
    script->target = office_process(to);
    script->third = office_process((unsigned)rng_below(rng, nodes));
    script->match_bits = office->letter_count;
    script->tally_bits = OFFICE_TALLY_BITS + rng_below(rng, OFFICE_TALLIES);
    script->library_bits = OFFICE_LIBRARY_BITS;
    memset(letter->host.uniform, (int)office->letter_count, sizeof letter->host.uniform);
    office->letters[office->letter_count++] = letter;
}

static void open_letters(struct office *office)
{
    unsigned nodes = office->design.world.nodes;
    struct rng rng = rng_stream(office->design.seed, OFFICE_NODES + 1);
    open_letter(office, &rng, 0, 1);
    /* Some pairs talk and others do not, as the seed wants it. */
    for (unsigned i = 0; i < nodes * nodes && office->letter_count < OFFICE_LETTERS; i++) {
        size_t pair = rng_below(&rng, (size_t)nodes * nodes);
        size_t count = rng_below(&rng, office->design.letters + 1);
        for (; count > 0 && office->letter_count < OFFICE_LETTERS; count--)
            open_letter(office, &rng, (unsigned)pair / nodes, (unsigned)pair % nodes);
    }
}

/* ---- Life --------------------------------------------------------------------------------- */

static void open_office(struct office *office, const struct design *design, FILE *trace_file)
{
    office->design = *design;
    office->design.world.trace = design->is_traced ? watch_trace : NULL;
    office->design.world.trace_argument = office;
    office->run.trace_file = trace_file;
    office->run.plan.crashes = office->design.crashes;
    office->run.plan.crash_count = design->crash_count;
    for (unsigned i = 0; i < design->world.nodes; i++) {
        struct desk *desk = &office->desks[i];
        desk->office = office;
        desk->number = i;
        desk->rng = rng_stream(design->seed, i + 1);
        for (unsigned j = 0; j < OFFICE_TALLIES; j++)
            tally_draw(&desk->rng, &desk->tallies[j], OFFICE_TALLY_BITS + j);
    }
    open_letters(office);
}

/* Programs that hang cannot say what they wait for. */
static void explain_hang(struct office *office, int code)
{
    for (unsigned i = 0; i < office->letter_count; i++) {
        const struct letter *letter = office->letters[i];
        if (run_is_dead(&office->run, letter->from) || letter->is_finished)
            continue;
        run_fail(&office->run, letter->from,
                 "the simulation ends with %d; letter %u to node %u stays: turn %u, tries %u, "
                 "sent %d, linked %d",
                 code, i, letter->to, letter->turn, letter->tries, letter->is_sent,
                 letter->is_linked);
    }
    for (unsigned i = 0; i < office->design.world.nodes; i++) {
        const struct desk *desk = &office->desks[i];
        if (desk->is_settled)
            continue;
        run_fail(&office->run, i,
                 "the simulation ends with %d; %llu messages to tallies, table disabled %llu "
                 "times and enabled %llu times, %llu forwards, %llu fetches",
                 code, (unsigned long long)desk->tallies_under_way,
                 (unsigned long long)desk->disabled, (unsigned long long)desk->enabled,
                 (unsigned long long)(desk->forwards_ok + desk->forwards_failed),
                 (unsigned long long)desk->fetches);
    }
    run_fail(&office->run, 0, "the simulation ends with %d", code);
}

/* What a tally took without failure, its sender was told so, and the other way round. */
static void judge_tallies(struct office *office)
{
    for (unsigned from = 0; from < office->design.world.nodes; from++)
        for (unsigned to = 0; to < office->design.world.nodes; to++) {
            bool both_live = office->desks[from].is_closed && office->desks[to].is_closed;
            if (both_live && office->told[from][to] != office->acked[from][to])
                run_fail(&office->run, to, "node %u was told of %llu messages to tallies of %llu",
                         from, (unsigned long long)office->acked[from][to],
                         (unsigned long long)office->told[from][to]);
        }
}

struct outcome office_run(const struct design *design, FILE *trace_file)
{
    struct outcome outcome = {.holds = false};
    struct office *office = calloc(1, sizeof *office);
    if (!office) {
        snprintf(outcome.complaint, sizeof outcome.complaint, "the test is out of memory");
        return outcome;
    }
    open_office(office, design, trace_file);
    int code = run_simulate(&office->run, &office->design.world, program_run, office);
    if (code != 0)
        explain_hang(office, code);
    judge_tallies(office);
    outcome.holds = !office->run.has_failed;
    memcpy(outcome.complaint, office->run.complaint, sizeof outcome.complaint);
    /* Without a trace these must do. */
    outcome.trace_hash = office->run.trace_hash ^ office->run.end ^ office->run.totals.sent_bytes;
    outcome.ops = office->sent;
    outcome.packets = office->run.totals.sent;
    outcome.end = office->run.end;
    run_close(&office->run);
    free(office);
    return outcome;
}
