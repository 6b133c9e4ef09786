/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lifetimes HOW: a process of a job that ends, or has children, in the way that is named. Its exit
 * status is 0 if all that it sends and receives is right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft_net.h>

#define CHILDREN 5

static weft_net *net;

static void need(bool is_fine, const char *what)
{
    if (is_fine)
        return;
    fprintf(stderr, "rank %d: %s\n", net ? weft_rank(net) : -1, what);
    _exit(1);
}

/* Each sends to all others, so also to those that it has not met yet. */
static void talk(int tag)
{
    int rank = weft_rank(net), size = weft_size(net), value;
    const weft_type *type = weft_basic(WEFT_INT);
    for (int step = 1; step < size; step++)
        need(!weft_send(net, type, 1, &rank, (rank + step) % size, tag), "cannot send");
    for (int step = 1; step < size; step++) {
        int source = (rank + step) % size;
        need(!weft_recv(net, type, 1, &value, source, tag, NULL), "cannot receive");
        need(value == source, "what was received is wrong");
    }
}

static void open_net(void)
{
    need(!weft_open(&net), "cannot open a net");
}

static void close_net(void)
{
    weft_close(net);
    net = NULL;
}

/* ---- Ends --------------------------------------------------------------------------------- */

/* Registered before the library knows of the job, so it runs after all that the library could
 * register then. */
static void last_words(void)
{
    talk(1);
    close_net();
    open_net();
    talk(2);
    close_net();
}

static void in_handler(void)
{
    need(atexit(last_words) == 0, "cannot register a handler");
    open_net();
}

static void without_closing(void)
{
    open_net();
    talk(1);
}

/* ---- Children ----------------------------------------------------------------------------- */

static void child_exits(void)
{
    exit(0);
}

static void child_leaves(void)
{
    _exit(0);
}

static void child_executes(void)
{
    execl("/bin/true", "true", (char *)NULL);
    _exit(1);
}

/* As handlers that were registered for the parent do. */
static void child_closes(void)
{
    weft_close(net);
    exit(0);
}

static void child_opens(void)
{
    weft_net *second;
    _exit(weft_open(&second) == WEFT_ERR_NETWORK ? 0 : 1);
}

static void with_children(void)
{
    static void (*const lives[CHILDREN])(void) = {child_exits, child_leaves, child_executes,
                                                  child_closes, child_opens};
    open_net();
    talk(0);
    for (int i = 0; i < CHILDREN; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            lives[i]();
        }
        need(child > 0 && waitpid(child, &status, 0) == child, "cannot have a child");
        if (status != 0)
            fprintf(stderr, "child %d ended with %d\n", i, status);
        need(status == 0, "a child failed");
        talk(i + 1);
    }
    close_net();
    open_net();
    talk(CHILDREN + 1);
    close_net();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    setenv("WEFT_LOG", "off", strcmp(how, "children") == 0);
    alarm(60);
    if (strcmp(how, "handler") == 0)
        in_handler();
    else if (strcmp(how, "exit") == 0)
        without_closing();
    else if (strcmp(how, "children") == 0)
        with_children();
    else
        return 2;
    return 0;
}
