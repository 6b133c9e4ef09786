/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a process is not let in, or no longer. The numbers travel. X(name, text) */
#ifndef WEFT_WORLD_REASON_H
#define WEFT_WORLD_REASON_H

#include <stdint.h>

#define WEFT_WORLD_REASON_MAP(X)                                                                  \
    X(VERSION, "it runs another version of this library: use the same one everywhere")            \
    X(PACKET_SIZE,                                                                                \
      "its packets are of another size: set the same WEFT_OFI_PACKET_SIZE everywhere")            \
    X(GONE, "it has given us up, because we did not answer in time")                              \
    X(MISTAKEN, "it is not the process that was looked for, which must have ended")               \
    X(PRIVACY, "only one of the two encrypts: set the same WEFT_PRIVATE everywhere")

enum weft_world_reason {
    WEFT_WORLD_REASON_NONE,
#define WEFT_WORLD_REASON_ENUM(name, text) WEFT_WORLD_REASON_##name,
    WEFT_WORLD_REASON_MAP(WEFT_WORLD_REASON_ENUM)
#undef WEFT_WORLD_REASON_ENUM
        WEFT_WORLD_REASONS
};

/* For people; also for a number that is none of these. */
const char *weft_world_reason(uint32_t reason);

#endif
