/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules as text: what is read, what is refused and where, and that nothing else happens. */
#include "sim/message/text.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "sim/message/job.h"
#include "support/tap.h"

static const char example[] = "/* A message that is computed,\n"
                              "   and then sent. */\n"
                              "num_ranks 3\n"
                              "rank 0 {\n"
                              "l1: calc 1000 cpu 1 // on its second CPU\n"
                              "l2: send 8b to 1 tag 3 cpu 2 nic 1\n"
                              "l2 requires l1\n"
                              "l3: send 10 b to 2\r\n"
                              "l3 irequires l2\n"
                              "}\n"
                              "\n"
                              "rank 2 { recv 10b from -1 tag -1\n"
                              "any: tcalc 5\n"
                              "more: put 1b to 2\n"
                              "more requires any }\n"
                              "rank 1 {\n"
                              "a: recv 8b from 0 tag 3\n"
                              "b: recv 8b from 1 tag 4\n"
                              "c: tput 8b to 1 tag 4\n"
                              "c requires any a\n"
                              "c requires any b\n"
                              "}";

static void test_example(void)
{
    struct weft_sim_graph graph = {0};
    struct weft_sim_mistake mistake;
    char name[64];
    static const char *const names[] = {"calc 1000",
                                        "send 8b to 1 tag 3",
                                        "send 10b to 2 tag 0",
                                        "recv 10b from -1 tag -1",
                                        "tcalc 5",
                                        "put 1b to 2 tag 0",
                                        "recv 8b from 0 tag 3",
                                        "recv 8b from 1 tag 4",
                                        "tput 8b to 1 tag 4"};
    check(weft_sim_text_read(&graph, example, strlen(example), &mistake));
    check_uint(graph.ranks, 3);
    check_uint(graph.cpus, 3);
    check_uint(graph.nics, 2);
    check(graph.has_wildcards && graph.has_begun);
    if (check_uint(graph.count, sizeof names / sizeof *names))
        for (uint32_t i = 0; i < graph.count; i++) {
            weft_sim_text_name(&graph.operations[i], name, sizeof name);
            check_string(name, names[i]);
        }
    check_uint(graph.operations[2].waits, 1);
    check_uint(graph.operations[5].waits, 1);
    check_uint(graph.operations[8].waits, 2);
    check(graph.operations[8].is_any && !graph.operations[5].is_any);
    weft_sim_graph_fini(&graph);
}

/* ---- Mistakes ----------------------------------------------------------------------------- */

static void check_mistake(const char *text, unsigned line, const char *part)
{
    struct weft_sim_graph graph = {0};
    struct weft_sim_mistake mistake = {0};
    check(!weft_sim_text_read(&graph, text, strlen(text), &mistake));
    check_uint(mistake.line, line);
    if (!check(strstr(mistake.text, part) != NULL))
        tap_note("'%s' is not in '%s'", part, mistake.text);
    weft_sim_graph_fini(&graph);
}

#define BLOCK "num_ranks 2\nrank 1 {\n"

static void test_mistakes(void)
{
    check_mistake("", 1, "num_ranks is wanted");
    check_mistake("rank 0 {\n}", 1, "before the first rank");
    check_mistake("num_ranks 0", 1, "from 1 to");
    check_mistake("num_ranks 2\nnum_ranks 2", 2, "twice");
    check_mistake("num_ranks 99999999999999999999", 1, "too large");
    check_mistake("num_ranks 2\nrank 2 {\n}", 2, "from 0 to 1");
    check_mistake("num_ranks 2\nrank 1\n{\n}", 2, "{ is wanted at the end");
    check_mistake(BLOCK "}\nrank 1 {\n}", 4, "two blocks");
    check_mistake(BLOCK "calc 5\n", 4, "the text ends");
    check_mistake(BLOCK "calk 5\n}", 3, "':' or requires is wanted instead of '5'");
    check_mistake(BLOCK "a: calk 5\n}", 3, "send, recv or calc");
    check_mistake(BLOCK "calc\n}", 3, "nanoseconds is wanted at the end");
    check_mistake(BLOCK "calc 5 tag 3\n}", 3, "cpu or nic");
    check_mistake(BLOCK "calc 9000000000000000000\n}", 3, "nanoseconds is from 0");
    check_mistake(BLOCK "send 8 to 0\n}", 3, "b is wanted instead of 'to'");
    check_mistake(BLOCK "send 8b from 0\n}", 3, "to is wanted");
    check_mistake(BLOCK "recv 8b to 0\n}", 3, "from is wanted");
    check_mistake(BLOCK "send 8b to -1\n}", 3, "a rank is wanted instead of '-'");
    check_mistake(BLOCK "send 8b to 0 tag -1\n}", 3, "a tag is wanted");
    check_mistake(BLOCK "recv 8b from -2\n}", 3, "1 is wanted");
    check_mistake(BLOCK "recv 8b from 2\n}", 3, "from 0 to 1");
    check_mistake(BLOCK "calc 5 cpu 64\n}", 3, "from 0 to 63");
    check_mistake(BLOCK "calc 5 calc 6\n}", 3, "cpu or nic");
    check_mistake(BLOCK "calc 5 ; calc 6\n}", 3, "the end of the line is wanted instead of ';'");
    check_mistake(BLOCK "a: calc 5\na: calc 6\n}", 4, "two operations are called 'a'");
    check_mistake(BLOCK "a: calc 5\na requires b\nb: calc 6\n}", 4, "is called 'b'");
    check_mistake(BLOCK "a: calc 5\na requires 5\n}", 4, "name of an operation");
    check_mistake(BLOCK "a: calc 5\nb: calc 5\nb requires a\nb requires any a\n}", 6, "any of");
    check_mistake(BLOCK "/* and so\non", 4, "a comment does not end");
    check_mistake("num_ranks 2 }", 1, "num_ranks or rank");
}

/* ---- Anything ----------------------------------------------------------------------------- */

/* The example with some characters changed, moved or left out: it is read and run, or the line of
 * a mistake is told. */
static unsigned garble(char *text, unsigned length, uint64_t *random)
{
    static const char signs[] = "0129:{}b-\n /*_a";
    unsigned changes = 1 + (unsigned)(weft_random_next(random) % 4);
    for (unsigned i = 0; i < changes; i++) {
        unsigned at = (unsigned)(weft_random_next(random) % length);
        switch (weft_random_next(random) % 3) {
        case 0:
            text[at] = signs[weft_random_next(random) % (sizeof signs - 1)];
            break;
        case 1:
            memmove(text + at, text + at + 1, length - at - 1);
            length--;
            break;
        default:
            text[at] = (char)weft_random_next(random);
        }
    }
    return length;
}

static void test_anything(void)
{
    struct weft_sim_costs costs = {.latency = 1000, .overhead = 100, .eager = 100};
    uint64_t random = 1;
    unsigned good = 0, wrong = 0;
    for (unsigned round = 0; round < 20000; round++) {
        char text[sizeof example];
        memcpy(text, example, sizeof example);
        unsigned length = garble(text, sizeof example - 1, &random);
        struct weft_sim_graph graph = {0};
        struct weft_sim_mistake mistake = {0};
        struct weft_sim_outcome outcome;
        if (!weft_sim_text_read(&graph, text, length, &mistake)) {
            wrong += mistake.line < 1 || mistake.line > 30 || !*mistake.text;
        } else if (graph.ranks < 1000) {
            good++;
            wrong += weft_sim_job_run(&graph, &costs, NULL, &outcome) == WEFT_SIM_END_STARVED;
        }
        weft_sim_graph_fini(&graph);
    }
    check_uint(wrong, 0);
    check(good > 1000 && good < 19000);
    tap_note("%u of 20000 were read", good);
}

int main(void)
{
    test_example();
    test_mistakes();
    test_anything();
    return tap_done();
}
