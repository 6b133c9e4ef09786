#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: sim_nic_image.py OUTPUT NAME [IMAGE]

Writes the bytes of a file, or none, as the source of sim_nic_image.h.
"""

import sys

data = b''
if len(sys.argv) > 3:
    with open(sys.argv[3], 'rb') as file:
        data = file.read()
with open(sys.argv[1], 'w', encoding='utf-8') as out:
    out.write('#include "sim_nic_image.h"\n')
    out.write(f'const size_t sim_nic_{sys.argv[2]}_length = {len(data)};\n')
    out.write(f'const unsigned char sim_nic_{sys.argv[2]}[] = {{\n')
    for at in range(0, len(data) or 1, 16):
        out.write(''.join(f'{byte},' for byte in data[at:at + 16] or b'\0') + '\n')
    out.write('};\n')
