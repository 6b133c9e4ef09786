/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded before an MPI library, this makes it say that it has the standard ABI of MPI. */
int PMPI_Abi_get_version(int *major, int *minor);

int PMPI_Abi_get_version(int *major, int *minor)
{
    *major = 1;
    *minor = 0;
    return 0;
}
