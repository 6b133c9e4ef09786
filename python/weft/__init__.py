# SPDX-License-Identifier: BSD-3-Clause
"""Strided and structured NumPy arrays, moved without packing them first.

Any view of an array is a layout: columns, every third row, the fields of records, a list of rows.
Weft packs, unpacks and copies layouts, and sends them to other processes, where they arrive in a
layout of the receiver's:

    import numpy, weft

    grid = numpy.zeros((4096, 4096))
    with weft.open() as net:
        right = (net.rank + 1) % net.size
        incoming = net.irecv(grid[:, 0])
        net.send(grid[:, -2], right)
        incoming.wait()

The bytes of a layout travel in the order in which NumPy would iterate over the view (C order), the
fields of a record in the order of their names in the dtype, without padding. Neither byte order nor
types are converted.
"""

from ._layout import Layout, layout, select
from ._library import Error, Status, version
from ._move import copy, explain, pack, unpack
from ._net import ANY_SOURCE, ANY_TAG, Net, Request, open

__all__ = [
    "ANY_SOURCE",
    "ANY_TAG",
    "Error",
    "Layout",
    "Net",
    "Request",
    "Status",
    "copy",
    "explain",
    "layout",
    "open",
    "pack",
    "select",
    "unpack",
    "version",
]
