#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A parallel FFT of mpi4py-fft, by MPI_Alltoallw of subarrays, and back; then the same data by
messages of those subarrays. FFTW chooses its way by the clock, so rounding errors differ from run
to run, but not in size."""

import numpy
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

comm = MPI.COMM_WORLD
fft = PFFT(comm, (48, 40, 56), axes=(0, 1, 2), dtype='d')
before = newDistArray(fft, False)
before[:] = numpy.random.RandomState(comm.rank).rand(*before.shape)
after = before
for _ in range(5):
    after = fft.backward(fft.forward(after)).copy()
worst = comm.allreduce(float(numpy.abs(after - before).max()), MPI.MAX)

whole = [64, 64, 64]
right = numpy.full(whole, float(comm.rank))
left = numpy.zeros(whole)
face = MPI.DOUBLE.Create_subarray(whole, [64, 64, 8], [0, 0, 8]).Commit()
comm.Sendrecv([right, 1, face], (comm.rank + 1) % comm.size, 0,
              [left, 1, face], (comm.rank - 1) % comm.size, 0)
wrong = int((left[:, :, 8:16] != (comm.rank - 1) % comm.size).sum()) + int(left[:, :, 16:].any())
wrong = comm.allreduce(wrong)
if comm.rank == 0:
    print(f'FFT: {"right" if worst < 1e-13 else worst}, faces: {wrong} wrong')
