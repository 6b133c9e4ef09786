/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_BASE_PRIVATE_H
#define WEFT_BASE_PRIVATE_H

/* Of one library of Weft, for another of the same version: exported, but no interface. The version
 * scripts say so, too. */
#define WEFT_PRIVATE __attribute__((visibility("default")))

#endif
