/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The queue of writes to host memory against an oracle that serves a sorted list, and against what
 * theory says of a queue with random arrivals and equal services.
 */
#include "nic/writes.h"

#include <math.h>

#include "base/random.h"
#include "support/tap.h"

#define WRITES 2000
#define LATENCY 250

struct request {
    uint64_t issue, bytes, end;
};

static struct weft_nic_writes pcie(void)
{
    return (struct weft_nic_writes){
        .latency = LATENCY, .rate = 63000, .tlp_header = 24, .tlp_payload = 256};
}

/* Each at its time or when the one before it is done; in picoseconds, as the queue has it. */
static void serve_in_order(struct request *requests, const struct weft_nic_writes *writes)
{
    uint64_t free = 0;
    for (unsigned i = 0; i < WRITES; i++) {
        uint64_t begin = requests[i].issue * 1000;
        free = (free > begin ? free : begin) + weft_nic_writes_service(writes, requests[i].bytes);
        requests[i].end = free;
    }
}

static uint64_t deepest_of(const struct request *requests)
{
    uint64_t deepest = 0;
    for (unsigned i = 0; i < WRITES; i++) {
        uint64_t depth = 1;
        for (unsigned before = 0; before < i; before++)
            depth += requests[before].end > requests[i].issue * 1000;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

static bool is_conserved(const struct weft_nic_write_counts *counts)
{
    return counts->issued == counts->served + counts->waiting;
}

/* Handlers of 16 HPUs: each adds its writes at once, and those of the next may come before. */
static void test_order(uint64_t seed)
{
    struct weft_nic_writes writes = pcie();
    uint64_t clock = 0, random = seed, end, bytes = 0, last = 0;
    uint32_t message;
    unsigned count = 0, served = 0;
    bool are_conserved = true, are_in_order = true;
    while (count < WRITES) {
        uint64_t issue = clock += weft_random_next(&random) % 60;
        for (unsigned i = 0; i < 10; i++) {
            issue += 1 + weft_random_next(&random) % 50;
            uint64_t size = weft_random_next(&random) % 2048;
            bytes += size;
            weft_nic_writes_add(&writes, issue, size, 1);
            count++;
        }
    }
    for (uint64_t now = 0; served < WRITES; now += 7) {
        for (; weft_nic_writes_serve(&writes, now, &message, &end); served++, last = end)
            are_in_order &= end >= last;
        are_conserved &= is_conserved(&writes.counts);
    }
    check(are_conserved && are_in_order);
    check_uint(writes.counts.bytes, bytes);
    check_uint(writes.counts.served_bytes, bytes);
    check_uint(writes.counts.waiting, 0);
    weft_nic_writes_close(&writes);
}

/* With one size, the order of those at one time does not matter: every end and the depth. */
static void test_ends(uint64_t seed, uint64_t bytes)
{
    static struct request requests[WRITES];
    struct weft_nic_writes writes = pcie();
    uint64_t clock = 0, random = seed, end;
    uint32_t message;
    unsigned wrong = 0;
    writes.period = 12 * WRITES / WEFT_NIC_WRITE_PERIODS + 1;
    for (unsigned i = 0; i < WRITES; i++) {
        clock += weft_random_next(&random) % 12;
        requests[i] = (struct request){clock, bytes, 0};
    }
    serve_in_order(requests, &writes);
    for (unsigned i = 0; i < WRITES; i++) { /* pairs in the wrong order */
        unsigned other = i ^ 1u;
        weft_nic_writes_add(&writes, requests[other].issue, bytes, other);
    }
    for (unsigned i = 0; weft_nic_writes_serve(&writes, UINT64_MAX, &message, &end); i++)
        wrong += end != (requests[i].end + 999) / 1000 + LATENCY;
    check_uint(wrong, 0);
    check_uint(writes.counts.deepest, deepest_of(requests));
    uint64_t deepest = 0;
    for (unsigned i = 0; i < WEFT_NIC_WRITE_PERIODS; i++)
        if (writes.counts.deepest_in[i] > deepest)
            deepest = writes.counts.deepest_in[i];
    check_uint(deepest, writes.counts.deepest);
    weft_nic_writes_close(&writes);
}

/* Arrivals at random, services of one length: the mean wait is rho / (2 (1 - rho)) services. */
static void test_theory(double load)
{
    const uint64_t service = 2000; /* nanoseconds: what rounding takes is little */
    const unsigned count = 2000000;
    struct weft_nic_writes writes = {.rate = 1000};
    uint64_t random = 17, end;
    uint32_t message;
    double clock = 0, waited = 0;
    for (unsigned i = 0; i < count; i++) {
        double chance = ((double)(weft_random_next(&random) >> 11) + 1) / 9007199254740993.0;
        clock -= log(chance) * (double)service / load;
        weft_nic_writes_add(&writes, (uint64_t)clock, service, 0);
        while (weft_nic_writes_serve(&writes, (uint64_t)clock, &message, &end))
            waited += (double)(end - (uint64_t)clock - service);
    }
    double expected = load / (2 * (1 - load)) * (double)service, mean = waited / count;
    tap_note("load %.1f: waited %.1f ns, theory %.1f ns", load, mean, expected);
    check(fabs(mean / expected - 1) < 0.02);
    weft_nic_writes_close(&writes);
}

static void test_packets(void)
{
    struct weft_nic_writes writes = pcie();
    check_uint(weft_nic_writes_service(&writes, 0), 24 * 1000000 / 63000);
    check_uint(weft_nic_writes_service(&writes, 64), 88 * 1000000 / 63000);
    check_uint(weft_nic_writes_service(&writes, 256), 280 * 1000000 / 63000);
    check_uint(weft_nic_writes_service(&writes, 257), (257 + 48) * 1000000 / 63000);
    writes.tlp_payload = 0;
    check_uint(weft_nic_writes_service(&writes, 2048), 2072 * 1000000 / 63000);
}

int main(void)
{
    test_packets();
    for (uint64_t seed = 1; seed <= 20; seed++) {
        test_order(seed);
        test_ends(seed, 32 * seed);
    }
    test_theory(0.3);
    test_theory(0.8);
    return tap_done();
}
