/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an expert would write for two processes in plain libfabric, as a yardstick: messages leave
 * straight from their memory, cut into packets as long as Weft's, and come into multi-receive
 * buffers, out of which one memcpy takes them to their place. Reads are fi_read. No headers, no
 * credits, no matching, no events.
 */
#ifndef WEFT_BENCH_PAIR_BARE_OFI_H
#define WEFT_BENCH_PAIR_BARE_OFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BARE_OFI_TEXT 64

/* What one side tells the other, and the program. */
struct bare_ofi_card {
    char provider[BARE_OFI_TEXT];
    char interface[BARE_OFI_TEXT];
    size_t packet; /* bytes of the longest */
    size_t name_size;
    unsigned char name[256]; /* libfabric's */
    uint64_t source;         /* where reads begin, and the key to it */
    uint64_t source_key;
};

struct bare_ofi_config {
    const char *provider; /* as the settings of Weft's own world, and chosen in the same way */
    const char *interface;
    size_t packet;
    size_t window;         /* packets that libfabric may have at once */
    unsigned char *source; /* messages leave from here and arrive there */
    unsigned char *target;
    size_t bytes; /* of each */
};

struct bare_ofi;

/* False if this program was built without libfabric. */
bool bare_ofi_is_here(void);

/* Failures, here and below, end the process, and say why. */
struct bare_ofi *bare_ofi_open(const struct bare_ofi_config *config, struct bare_ofi_card *own);
void bare_ofi_connect(struct bare_ofi *bare, const struct bare_ofi_card *other);
void bare_ofi_close(struct bare_ofi *bare);

void bare_ofi_send(struct bare_ofi *bare, size_t size);
void bare_ofi_receive(struct bare_ofi *bare, size_t size);

/* Whether the provider reads the memory of others. */
bool bare_ofi_reads(const struct bare_ofi *bare);

/* From the source of the other side to our target; the other side has to be in
 * bare_ofi_receive. */
void bare_ofi_read(struct bare_ofi *bare, size_t size);

#endif
