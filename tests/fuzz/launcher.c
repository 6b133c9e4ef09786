/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process believes of those who start it: the answers of a server of PMI-1, and the file of
 * processes that are started by hand. Both are right but for what the input changes in them.
 *
 *   input: which of the three (PMI-1, its board, the file) | changes
 *
 * If nothing was changed, all that is asked for is told, and is what it should be. In any case
 * every question ends, no more is written than there is room for, and of the file no byte but
 * those of the own place.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/deadline.h"
#include "fuzz/input.h"
#include "fuzz/use.h"
#include "job/board.h"
#include "job/launcher.h"
#include "job/pmi_wire.h"

#define SIZE 4u
#define FILE_RANK 1u
#define PATIENCE WEFT_CLOCK_SECOND
#define UNTOUCHED 0xA5

static const unsigned char token[WEFT_JOB_TOKEN_SIZE] = "the key and id of a job";
static const unsigned char card[] = "where it is";

/* ---- The server ---------------------------------------------------------------------------- */

/* Each of its answers is one record of the socket, so all can be said in advance. */
static struct {
    int ours, theirs;
    bool is_honest, is_over;
} server;

static void begin_server(unsigned rank)
{
    char number[16];
    int ends[2];
    require(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    server.ours = ends[0];
    server.theirs = ends[1];
    server.is_honest = true;
    server.is_over = false;
    snprintf(number, sizeof number, "%d", server.theirs);
    setenv("PMI_FD", number, 1);
    snprintf(number, sizeof number, "%u", rank);
    setenv("PMI_RANK", number, 1);
}

static void end_server(void)
{
    close(server.ours);
    close(server.theirs);
}

static void say(const char *bytes, size_t size)
{
    require(!size || send(server.ours, bytes, size, 0) == (ssize_t)size);
}

static void say_otherwise(char *line, size_t size, size_t room)
{
    switch (next_byte() & 3) {
    case 0:
        server.is_honest &= !change(line, size);
        say(line, size);
        break;
    case 1:
        server.is_honest = false;
        say(line, next_bytes((unsigned char *)line, next_byte()));
        break;
    case 2: /* as a value that is nearly right */
        server.is_honest = false;
        size = strcspn(line, "(=") + 1;
        size += next_bytes((unsigned char *)line + size, next_byte() % (room - size - 1));
        line[size++] = '\n';
        say(line, size);
        break;
    default:
        server.is_honest = false;
        server.is_over = true;
    }
}

/* In one piece, in two, or not so. */
static void answer(const char *text)
{
    char line[512];
    unsigned how = next_byte();
    size_t size = strlen(text), first = how >> 2;
    memcpy(line, text, size);
    if (server.is_over)
        return;
    if (how & 2) {
        say_otherwise(line, size, sizeof line);
        return;
    }
    first = how & 1 && first < size ? first : size;
    say(line, first);
    say(line + first, size - first);
}

static void answer_bytes(const void *bytes, size_t size)
{
    char value[480], line[512];
    weft_job_pmi_write_bytes(value, bytes, size);
    snprintf(line, sizeof line, "cmd=get_result rc=0 value=%s\n", value);
    answer(line);
}

/* ---- PMI-1 --------------------------------------------------------------------------------- */

static void answer_opening(unsigned rank)
{
    answer("cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
    answer("cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n");
    answer("cmd=my_kvsname kvsname=kvs_7\n");
    answer("cmd=get_result rc=0 value=(vector,(0,2,1),(5,1,2))\n");
    if (rank == 0)
        answer("cmd=put_result rc=0\n");
    answer("cmd=barrier_out\n");
    if (rank > 0)
        answer_bytes(token, sizeof token);
}

static void answer_rest(void)
{
    answer("cmd=put_result rc=0\n");
    answer("cmd=barrier_out\n");
    for (unsigned i = 0; i < SIZE; i++)
        answer_bytes(card, sizeof card);
    answer("cmd=finalize_ack\n");
    shutdown(server.ours, SHUT_WR);
}

/* Whether it was told; then it is within its room. */
static bool fetch_card(struct weft_job_wireup *wireup, unsigned rank, size_t room,
                       unsigned char *found)
{
    size_t size = 0;
    memset(found, UNTOUCHED, WEFT_JOB_CARD_SIZE);
    int result = wireup->ops->fetch(wireup, rank, found, room, &size);
    require(result < 0 || size <= room);
    for (size_t i = result == 0 ? size : 0; i < WEFT_JOB_CARD_SIZE; i++)
        require(found[i] == UNTOUCHED);
    return result == 0;
}

static void use_pmi(struct weft_job_wireup *wireup)
{
    static const uint32_t nodes[SIZE] = {0, 1, 5, 5};
    unsigned char found[WEFT_JOB_CARD_SIZE];
    bool is_published = wireup->ops->publish(wireup, card, sizeof card) == 0;
    require(is_published || !server.is_honest);
    for (unsigned i = 0; i < SIZE; i++) {
        uint32_t node = 0;
        require(wireup->ops->node(wireup, i, &node) == 0 && node < INT32_MAX);
        bool is_told = fetch_card(wireup, i, sizeof card, found);
        require(!server.is_honest ||
                (is_told && node == nodes[i] && memcmp(found, card, sizeof card) == 0));
    }
    wireup->ops->leave(wireup);
}

static void play_pmi(void)
{
    unsigned rank = next_byte() % SIZE;
    struct weft_job job;
    unsigned char got[WEFT_JOB_TOKEN_SIZE];
    begin_server(rank);
    answer_opening(rank);
    answer_rest();
    struct weft_job_wireup *wireup = weft_job_launcher_pmi.open(&job, got);
    require(wireup || !server.is_honest);
    if (wireup) {
        require(job.rank == rank && job.size == SIZE);
        require(!server.is_honest || rank == 0 || memcmp(got, token, sizeof token) == 0);
        use_pmi(wireup);
    }
    free(wireup);
    end_server();
}

/* ---- The board ----------------------------------------------------------------------------- */

static void play_board(void)
{
    unsigned rank = next_byte() % SIZE;
    unsigned char got[WEFT_JOB_TOKEN_SIZE + 1] = {[WEFT_JOB_TOKEN_SIZE] = UNTOUCHED};
    uint64_t deadline = weft_deadline_after(PATIENCE);
    begin_server(rank);
    answer("cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
    answer("cmd=my_kvsname kvsname=kvs_7\n");
    answer("cmd=put_result rc=0\n");
    if (rank == 0)
        answer("cmd=put_result rc=0\n");
    answer("cmd=get_result rc=0 value=4711\n");
    answer_bytes(token, sizeof token);
    shutdown(server.ours, SHUT_WR);
    bool is_put = weft_job_board_put(7, deadline);
    require(is_put || !server.is_honest);
    if (is_put) {
        uint32_t number = 1;
        bool is_answered = weft_job_board_get(2, &number, deadline);
        bool is_told = weft_job_board_token(got, deadline);
        require(is_answered || number == 0);
        require(!server.is_honest || (number == 4711 && is_told));
        require(!server.is_honest || memcmp(got, token, sizeof token) == 0);
        require(got[WEFT_JOB_TOKEN_SIZE] == UNTOUCHED);
        weft_job_board_close();
    }
    end_server();
}

/* ---- The file ------------------------------------------------------------------------------ */

/* As it says itself: magic, version, size; the token follows. */
#define TOKEN_AT 16u
#define PLACES_AT (TOKEN_AT + WEFT_JOB_TOKEN_SIZE)
#define FILE_MOST 4096u

struct content {
    size_t size;
    unsigned char bytes[FILE_MOST];
};

static char folder[] = "/tmp/weft-launcher-XXXXXX";
static char path[sizeof folder + 8];
static struct content right; /* in which all ranks have come but ours */
static size_t place_size;

static void read_file(struct content *content)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? 0 : read(fd, content->bytes, FILE_MOST);
    require(size >= 0);
    content->size = (size_t)size;
    if (fd >= 0)
        close(fd);
}

static void write_file(const struct content *content)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    require(fd >= 0 && write(fd, content->bytes, content->size) == (ssize_t)content->size);
    close(fd);
}

static unsigned char *place_of(struct content *content, unsigned rank)
{
    return content->bytes + PLACES_AT + rank * place_size;
}

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

static void make_folder(void)
{
    struct weft_job job;
    unsigned char got[WEFT_JOB_TOKEN_SIZE];
    require(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/job", folder);
    atexit(remove_folder);
    setenv("WEFT_RENDEZVOUS", path, 1);
    struct weft_job_wireup *wireup = weft_job_launcher_file.open(&job, got);
    require(wireup && wireup->ops->publish(wireup, card, sizeof card) == 0);
    free(wireup);
    read_file(&right);
    place_size = (right.size - PLACES_AT) / (FILE_RANK + 1);
    right.size = PLACES_AT + SIZE * place_size;
    require(right.size <= FILE_MOST);
    for (unsigned i = 0; i < SIZE; i++)
        if (i != FILE_RANK)
            memcpy(place_of(&right, i), place_of(&right, FILE_RANK), place_size);
    memset(place_of(&right, FILE_RANK), 0, place_size);
}

/* What was there is there still, but for our own place; unless nobody has used it any more, and
 * there is another key. */
static void check_file(struct content *before, struct content *after)
{
    if (before->size < PLACES_AT ||
        memcmp(before->bytes + TOKEN_AT, after->bytes + TOKEN_AT, WEFT_JOB_TOKEN_SIZE) != 0)
        return;
    size_t begin = PLACES_AT + FILE_RANK * place_size, end = begin + place_size;
    for (size_t i = 0; i < before->size; i++)
        require((i >= begin && i < end) || after->bytes[i] == before->bytes[i]);
}

static void use_file(struct weft_job_wireup *wireup, bool is_honest)
{
    unsigned char found[WEFT_JOB_CARD_SIZE];
    require(wireup->ops->publish(wireup, card, sizeof card) == 0);
    for (unsigned i = 0; i < SIZE; i++) {
        uint32_t node = 0;
        wireup->ops->node(wireup, i, &node);
        require(node < INT32_MAX);
        bool is_told = fetch_card(wireup, i, sizeof card, found);
        require(!is_honest || (is_told && memcmp(found, card, sizeof card) == 0));
    }
    wireup->ops->leave(wireup);
}

static void play_file(void)
{
    static struct content before, after;
    struct weft_job job;
    unsigned char got[WEFT_JOB_TOKEN_SIZE];
    before = right;
    bool is_honest = !change(before.bytes, before.size);
    size_t cut = next_byte() << 8;
    cut |= next_byte();
    if (cut) {
        before.size = cut % before.size;
        is_honest = false;
    }
    write_file(&before);
    struct weft_job_wireup *wireup = weft_job_launcher_file.open(&job, got);
    read_file(&after);
    require(wireup || !is_honest);
    if (wireup) {
        require(job.rank == FILE_RANK && job.size == SIZE);
        require(memcmp(got, after.bytes + TOKEN_AT, sizeof got) == 0);
        check_file(&before, &after);
        use_file(wireup, is_honest);
    } else {
        require(after.size == before.size && memcmp(after.bytes, before.bytes, after.size) == 0);
    }
    free(wireup);
}

/* -------------------------------------------------------------------------------------------- */

static void begin(void)
{
    char number[16];
    setenv("WEFT_LOG", "off", 1);
    setenv("WEFT_LAUNCH_TIMEOUT", "1000", 1);
    setenv("WEFT_TIMEOUT", "1000", 1);
    snprintf(number, sizeof number, "%u", SIZE);
    setenv("WEFT_SIZE", number, 1);
    setenv("PMI_SIZE", number, 1);
    snprintf(number, sizeof number, "%u", FILE_RANK);
    setenv("WEFT_RANK", number, 1);
    unsetenv("PMIX_NAMESPACE");
    make_folder();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static void (*const plays[])(void) = {play_pmi, play_board, play_file};
    if (!place_size)
        begin();
    begin_input(data, size);
    plays[next_byte() % (sizeof plays / sizeof *plays)]();
    return 0;
}
