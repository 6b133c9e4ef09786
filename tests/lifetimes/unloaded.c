/* SPDX-License-Identifier: BSD-3-Clause */
/* unloaded LIBRARY: joins its job by a library that it loads, lets go of, and loads again. */
#include <dlfcn.h>
#include <stdio.h>

typedef struct weft_net weft_net;

static int visit(const char *path)
{
    weft_net *net = NULL;
    void *library = dlopen(path, RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int (*open_net)(weft_net **);
    void (*close_net)(weft_net *);
    *(void **)&open_net = dlsym(library, "weft_open");
    *(void **)&close_net = dlsym(library, "weft_close");
    if (!open_net || !close_net || open_net(&net))
        return 1;
    close_net(net);
    return dlclose(library);
}

int main(int argc, char **argv)
{
    return argc < 2 || visit(argv[1]) || visit(argv[1]);
}
