/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin LIBRARY: loads MPI late, and so that nobody else sees it. The library is start.c. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*start)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "main") : NULL;
    if (!start) {
        fprintf(stderr, "%s\n", dlerror());
        return 127;
    }
    return start(1, argv);
}
