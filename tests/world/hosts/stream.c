/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stream FILE [LENGTH]: rank 0 of a job of two puts messages to rank 1 for as long as FILE exists.
 * Rank 1 checks the number and every byte of each before it answers, and prints how many came;
 * rank 0 prints "begun" when the first was answered. Both print how many rails they have lost.
 */
#include <portals4.h>
#include <portals4_job.h>
#include <portals4_layout.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LENGTH 65536u
#define LENGTH_MAX (64u << 20)
#define MAILBOX 3
#define LAST UINT64_MAX /* in place of a number: no more will come */
#define PROBE (LAST - 1)
#define PROBE_AFTER 500 /* milliseconds */
#define PATIENCE 30000u /* milliseconds */
#define OUT_OF_REACH 3  /* how the program ends then */

static unsigned char memory[LENGTH_MAX];
static size_t length = LENGTH; /* of a message */

#define need(condition)                                                                           \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                               \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

static void fill(uint64_t number)
{
    for (size_t i = 0; i < length; i++)
        memory[i] = (unsigned char)(number * 31 + i * 7);
}

static bool is_filled(uint64_t number)
{
    for (size_t i = 0; i < length; i++)
        if (memory[i] != (unsigned char)(number * 31 + i * 7))
            return false;
    return true;
}

static ptl_event_t next(ptl_handle_eq_t queue)
{
    ptl_event_t event;
    unsigned which;
    need(PtlEQPoll(&queue, 1, PATIENCE, &event, &which) == PTL_OK);
    if (event.ni_fail_type == PTL_NI_UNDELIVERABLE) {
        fprintf(stderr, "the other is out of reach\n");
        exit(OUT_OF_REACH);
    }
    return event;
}

/* ---- Both ranks --------------------------------------------------------------------------- */

static struct {
    ptl_handle_ni_t ni;
    ptl_rank_t other;
    ptl_handle_eq_t sent, arrived;
    ptl_handle_md_t md;
    ptl_handle_le_t mailbox;
} self;

static void open_all(void)
{
    ptl_pt_index_t index;
    ptl_md_t md = {.start = memory,
                   .length = length,
                   .options = PTL_MD_EVENT_SEND_DISABLE,
                   .ct_handle = PTL_CT_NONE};
    ptl_le_t le = {.start = memory,
                   .length = length,
                   .ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options = PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE};
    need(PtlEQAlloc(self.ni, 16, &self.sent) == PTL_OK);
    need(PtlEQAlloc(self.ni, 16, &self.arrived) == PTL_OK);
    md.eq_handle = self.sent;
    need(PtlMDBind(self.ni, &md, &self.md) == PTL_OK);
    need(PtlPTAlloc(self.ni, 0, self.arrived, MAILBOX, &index) == PTL_OK);
    need(PtlLEAppend(self.ni, index, &le, PTL_PRIORITY_LIST, NULL, &self.mailbox) == PTL_OK);
}

/* The other may not have its mailbox yet: then the first message is dropped, and sent again. */
static void send(ptl_size_t size, uint64_t number)
{
    ptl_event_t event;
    do {
        need(PtlPut(self.md, 0, size, PTL_ACK_REQ, (ptl_process_t){.rank = self.other}, MAILBOX, 0,
                    0, NULL, number) == PTL_OK);
        event = next(self.sent);
    } while (number == 0 && event.ni_fail_type == PTL_NI_DROPPED);
    need(event.type == PTL_EVENT_ACK && event.ni_fail_type == PTL_NI_OK);
}

static ptl_event_t receive(void)
{
    ptl_event_t event = next(self.arrived);
    need(event.type == PTL_EVENT_PUT && event.ni_fail_type == PTL_NI_OK);
    return event;
}

/* ---- One of them -------------------------------------------------------------------------- */

/* One who only waits is not told that the other is gone: who waits for long asks. */
static ptl_event_t receive_answer(void)
{
    ptl_event_t event;
    unsigned which;
    int result;
    while ((result = PtlEQPoll(&self.arrived, 1, PROBE_AFTER, &event, &which)) == PTL_EQ_EMPTY)
        send(0, PROBE);
    need(result == PTL_OK && event.type == PTL_EVENT_PUT && event.ni_fail_type == PTL_NI_OK);
    return event;
}

static void say_that_it_has_begun(void)
{
    puts("begun");
    fflush(stdout);
}

static void send_all(const char *file)
{
    for (uint64_t number = 0; access(file, F_OK) == 0; number++) {
        fill(number);
        send(length, number);
        need(receive_answer().hdr_data == number);
        if (number == 0)
            say_that_it_has_begun();
    }
    send(0, LAST);
}

static void receive_all(void)
{
    uint64_t expected = 0;
    for (;;) {
        ptl_event_t event = receive();
        if (event.hdr_data == LAST)
            break;
        if (event.hdr_data == PROBE)
            continue;
        need(event.hdr_data == expected && event.mlength == length && is_filled(expected));
        send(0, expected++);
    }
    printf("%llu messages\n", (unsigned long long)expected);
}

static void print_losses(void)
{
    ptl_sr_value_t lost;
    need(PtlNIStatus(self.ni, PTL_SR_RAILS_LOST, &lost) == PTL_OK);
    printf("%d rails lost\n", lost);
}

int main(int argc, char **argv)
{
    ptl_rank_t rank;
    ptl_size_t size;
    need(argc == 2 || argc == 3);
    if (argc == 3)
        length = strtoul(argv[2], NULL, 10);
    need(length > 0 && length <= LENGTH_MAX);
    need(PtlInit() == PTL_OK);
    need(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL, NULL,
                   &self.ni) == PTL_OK);
    need(weft_job_init(self.ni, &rank, &size) == PTL_OK && size == 2);
    self.other = 1 - rank;
    open_all();
    if (rank == 0)
        send_all(argv[1]);
    else
        receive_all();
    print_losses();
    need(PtlNIFini(self.ni) == PTL_OK);
    PtlFini();
    return 0;
}
