#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: mute_server.py COMMAND...

Runs a command with the address of a PMIx server that accepts connections but says nothing.
"""

import os
import socket
import subprocess
import sys

with socket.create_server(('127.0.0.1', 0)) as server:
    address = f'nobody.0;tcp4://127.0.0.1:{server.getsockname()[1]}'
    environment = dict(os.environ, PMIX_NAMESPACE='nobody', PMIX_RANK='0',
                       PMIX_SECURITY_MODE='native', PMIX_GDS_MODULE='hash',
                       PMIX_BFROP_BUFFER_TYPE='PMIX_BFROP_BUFFER_NON_DESC')
    for version in ('2', '21', '3', '4', '41'):
        environment['PMIX_SERVER_URI' + version] = address
    sys.exit(subprocess.run(sys.argv[1:], env=environment, check=False).returncode)
