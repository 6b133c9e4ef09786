/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network cards of fabrics that keep users apart, as the kernel lists them. Most hosts have
 * none, and to learn that from libfabric takes much longer: it starts all of its providers.
 */
#ifndef WEFT_WORLD_OFI_DEVICES_H
#define WEFT_WORLD_OFI_DEVICES_H

#include <stdbool.h>

#define WEFT_OFI_DEVICE_CLASSES "/sys/class"

/* Whether there is one, below the folder of the kernel's classes of devices. */
bool weft_ofi_devices_exist(const char *classes);

#endif
