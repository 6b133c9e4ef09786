/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Beside Portals: memory that lies anywhere. A descriptor or list entry with the option PTL_LAYOUT
 * stands for a packed stream of bytes that two functions of the program read and write in any
 * order, a range at a time. Every operation then moves ranges of that stream: a get of the bytes
 * [a, b) of one layout into the bytes [c, d) of another packs nothing on the way.
 *
 * The functions are called by whatever thread steps the NIC, and only for ranges of the stream.
 * With HPU threads, those move the packets of messages that have several: functions are then
 * called by more than one thread at once, for ranges that are apart, in any order, also those of
 * two messages that follow one another. They are code of the program, and as trusted.
 */
#ifndef PORTALS4_LAYOUT_H
#define PORTALS4_LAYOUT_H

#include <portals4.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the options of a memory descriptor or list entry: `start` is one ptl_layout_t, which the call
 * copies; `length` means nothing. */
#define PTL_LAYOUT (1u << 30)

/* For PtlNIStatus: how many packets HPUs have scattered into layouts of the interface, how many
 * they have written that leave, from layouts or by handlers, and how many of layouts they were to
 * move and did not, because there was no room: whoever sent or received has moved those. */
#define PTL_SR_HPU_SCATTERED ((ptl_sr_index_t)(PTL_SR_LAST + 1))
#define PTL_SR_HPU_GATHERED ((ptl_sr_index_t)(PTL_SR_LAST + 2))
#define PTL_SR_HPU_REFUSED ((ptl_sr_index_t)(PTL_SR_LAST + 3))
/* And how many rails to other processes (WEFT_OFI_INTERFACE) were lost, while others carry on. */
#define PTL_SR_RAILS_LOST ((ptl_sr_index_t)(PTL_SR_LAST + 4))
#define PTL_SR_LAYOUT_LAST (PTL_SR_LAST + 5)

typedef struct {
    ptl_size_t length; /* of the packed stream */
    void (*gather)(const void *context, ptl_size_t offset, void *to, ptl_size_t length);
    void (*scatter)(const void *context, ptl_size_t offset, const void *from, ptl_size_t length);
    const void *context;
    /* Bytes of the NIC (WEFT_NIC_MEM) that the layout takes while HPUs move a message from or into
     * it. Without HPUs it takes none. */
    ptl_size_t memory;
    unsigned priority; /* layouts of lower priority leave that memory first */
} ptl_layout_t;

#ifdef __cplusplus
}
#endif

#endif
