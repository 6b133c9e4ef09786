/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of libfabric's providers to use, and on which interface of the host. */
#ifndef WEFT_WORLD_OFI_PROVIDER_H
#define WEFT_WORLD_OFI_PROVIDER_H

#include <rdma/fabric.h>
#include <stdbool.h>
#include <stddef.h>

/* What libfabric offers that can carry frames of `frame_size` bytes, one after the other as it
 * lists them; to be freed with fi_freeinfo. NULL if there is nothing, and the log says so. */
struct fi_info *weft_ofi_provider_list(size_t frame_size);

/* The one to use, of the list; NULL if none is as the names say, and the log says so. Both may be
 * empty. */
struct fi_info *weft_ofi_provider_choose(struct fi_info *list, const char *provider,
                                         const char *interface);

/* Whether it is of this name, which may be that of another version of libfabric. */
bool weft_ofi_provider_is(const struct fi_info *info, const char *name);

/* The longest frame to use with it, up to the `wanted` bytes. */
size_t weft_ofi_provider_frame_size(const struct fi_info *info, size_t wanted);

/* Whoever reaches its port can disturb it: it takes the word of all that connect. Fabrics keep
 * users apart, and nobody else reaches the loopback. */
bool weft_ofi_provider_is_exposed(const struct fi_info *info);

/* Whether there is one, on an interface or ("") on any, that we prefer and that keeps users apart.
 */
bool weft_ofi_provider_isolates(const struct fi_info *list, const char *interface);

/* Its place in our order of preference, from 0; SIZE_MAX if it is used only by name. */
size_t weft_ofi_provider_rank(const struct fi_info *info);

#endif
