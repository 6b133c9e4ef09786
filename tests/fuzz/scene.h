/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process with some of the four interfaces, entries of all kinds whose memory lies between
 * guards, and a choice of what a program may do between two packets.
 */
#ifndef WEFT_TESTS_SCENE_H
#define WEFT_TESTS_SCENE_H

#include <portals4.h>
#include <portals4_spin.h>
#include <stdalign.h>

#include "fuzz/stub_world.h"
#include "portals/process.h"

#define SCENE_ARENA 20480u
#define SCENE_GUARDS 64u
#define SCENE_PTS 7u
#define SCENE_HANDLERS 5u /* the first portal table entry whose entries have handlers */
#define SCENE_ENTRIES 18u
#define SCENE_HANDLED 5u /* entries with handlers */

/* Interfaces are numbered as those of a NIC: bit 0 without matching, bit 1 physical. */
struct scene {
    struct stub_world stub;
    struct weft_portals_process process;
    struct scene_interface {
        bool is_open;
        ptl_handle_ni_t ni;
        ptl_handle_eq_t eq, few; /* the second is soon full */
        ptl_handle_ct_t ct;
        ptl_handle_md_t md, vector_md;
        ptl_handle_any_t entries[SCENE_ENTRIES];
        void *memory[SCENE_ENTRIES];
        ptl_handle_me_t handled[SCENE_HANDLED];
        void *handled_memory[SCENE_HANDLED];
        void *host_memory; /* of handlers */
        ptl_handle_hpu_t hpu_memory;
        ptl_me_t late; /* of triggered appends, which read it when they fire */
        alignas(16) unsigned char arena[SCENE_ARENA];
        size_t used; /* of the arena */
        unsigned char *guards[SCENE_GUARDS];
        unsigned guard_count;
    } interfaces[WEFT_NIC_NIS];
};

extern struct scene scene;

/* What runs handlers: the core that receives, one HPU, or several; and whether each stage of the
 * NIC takes time. */
enum scene_hpus { SCENE_NO_HPUS, SCENE_ONE_HPU, SCENE_HPUS, SCENE_HPUS_AND_STAGES };

/* Bit i of `interfaces`: whether the interface number i is open. */
void scene_open(bool reliable, unsigned interfaces, enum scene_hpus hpus);

/* With PtlNIFini for each interface, or with PtlFini alone. The guards must be intact. */
void scene_close(bool in_order);

void scene_receive(unsigned peer, const void *bytes, size_t size);

/* Reads all events, each of which must make sense. */
void scene_drain(void);

/* The process that a peer is on an interface. */
ptl_process_t scene_process(unsigned ni, unsigned peer);

/* One of the entries; in the place of an earlier one of the same number, which is gone. */
void scene_append(unsigned ni, unsigned number);

/* The same for entries with handlers, which interfaces with matching have; and all of them. */
void scene_handle(unsigned ni, unsigned number);
void scene_fill_handlers(unsigned ni);

/* Memory of an interface, between guards. */
void *scene_memory(struct scene_interface *interface, size_t size);

/* Something that a program does on an open interface; what, depends on the number only. */
void scene_act(unsigned what, unsigned ni, unsigned argument);

#endif
