/* SPDX-License-Identifier: BSD-3-Clause */
#include "transfer/family.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tap.h"

#define MOST 1024u

static void set_number(const char *name, unsigned value)
{
    char text[16];
    snprintf(text, sizeof text, "%u", value);
    setenv(name, text, 1);
}

void family_run(unsigned ranks, unsigned seconds, int (*live)(int rank, void *argument),
                void *argument)
{
    char folder[] = "/tmp/weft-family-XXXXXX", file[sizeof folder + 8];
    pid_t pids[MOST];
    if (ranks > MOST || !mkdtemp(folder))
        abort();
    snprintf(file, sizeof file, "%s/job", folder);
    setenv("WEFT_RENDEZVOUS", file, 1);
    setenv("WEFT_LAUNCHER", "file", 1);
    set_number("WEFT_SIZE", ranks);
    fflush(stdout);
    for (unsigned rank = 0; rank < ranks; rank++) {
        pids[rank] = fork();
        if (pids[rank] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            set_number("WEFT_RANK", rank);
            alarm(seconds);
            exit(live((int)rank, argument));
        }
    }
    for (unsigned rank = 0; rank < ranks; rank++) {
        int status = -1;
        check(waitpid(pids[rank], &status, 0) == pids[rank]);
        check_int(status, 0);
    }
    unlink(file);
    check_int(rmdir(folder), 0);
}

void *family_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}
