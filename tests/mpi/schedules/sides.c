/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mpi/schedules/known_bugs.h"
#include "mpi/schedules/run.h"

enum { MARGIN = 48 };
#define ROOMY ((size_t)1 << 30)

int first_use(const struct schedule *schedule, int message)
{
    int again = schedule->message[message].again;
    return again >= 0 ? again : message;
}

/* MPI_BOTTOM and a type that holds the address. */
void side_make_absolute(struct side *side)
{
    MPI_Datatype all;
    MPI_Aint where;
    int one = 1;
    if (side->absolute)
        return;
    MPI_Get_address(side->base, &where);
    MPI_Type_contiguous(side->count, side->type, &all);
    MPI_Type_create_hindexed(1, &one, &where, all, &side->type);
    MPI_Type_commit(&side->type);
    MPI_Type_free(&all);
    side->count = 1;
    side->address = MPI_BOTTOM;
    side->absolute = true;
}

/* Of a huge room, only what is written to takes memory; all else may come from a shared heap. */
static bool is_huge(const struct side *side)
{
    return side->mapped > ROOMY;
}

/* Displacement 0 is as aligned as malloc's memory is. */
static void side_map(struct side *side)
{
    int64_t start = (side->layout.low & ~(int64_t)15) - MARGIN;
    side->size = (size_t)(side->layout.high + MARGIN - start);
    side->mapped = (size_t)(side->layout.end + MARGIN - start);
    void *memory = is_huge(side) ? mmap(NULL, side->mapped, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                 : calloc(1, side->mapped);
    side->memory = memory == MAP_FAILED ? NULL : memory;
    side->base = side->memory - start;
}

static void side_unmap(struct side *side)
{
    if (is_huge(side))
        munmap(side->memory, side->mapped);
    else
        free(side->memory);
}

struct message draw_message(const struct run *run, int seed, int from, int to, size_t most)
{
    struct rng rng = rng_stream((uint64_t)seed, (uint64_t)(from * MOST_RANKS + to));
    struct message message = {.unit = unit_draw(&rng), .group = -1};
    size_t unit = unit_bytes(message.unit), bytes = rng_magnitude(&rng, most);
    if (!run->crew->bugs && unit_elements(message.unit) > 1 && bytes > BUG_MIXED_UNIT_BYTES)
        bytes %= BUG_MIXED_UNIT_BYTES;
    message.units = message.room = bytes / unit + 1;
    message.content = rng_next(&rng);
    message.send_layout = rng_next(&rng);
    message.receive_layout = rng_next(&rng);
    return message;
}

struct need need_to_send(const struct message *message)
{
    return (struct need){.unit = message->unit, .units = message->units, .room = message->units};
}

/* A receive of a group may get the longest message of it. */
struct need need_to_receive(const struct run *run, const struct message *message)
{
    struct need need = {.unit = message->unit, .units = message->units, .room = message->room};
    for (int m = 0; m < run->schedule->messages; m++) {
        const struct message *other = &run->schedule->message[m];
        if (other->group >= 0 && other->group == message->group && other->units > need.units)
            need.units = other->units;
    }
    return need;
}

void side_open(struct run *run, struct side *side, uint64_t seed, struct need need, char fill)
{
    struct rng rng = {seed};
    bool is_roomy = need.room * unit_bytes(need.unit) > ROOMY;
    side->layout = is_roomy ? layout_draw_roomy(&rng, need.unit, need.units, need.room)
                            : layout_draw(&rng, need.shape, need.unit, need.room);
    side_map(side);
    if (!side->memory)
        fail(run->crew, "no memory of %zu bytes", side->mapped);
    side->fill = fill;
    side->type = side->layout.type;
    side->count = side->layout.count;
    side->address = side->base;
    side->request = MPI_REQUEST_NULL;
    side->typed = true;
    if (need.room > 0 && rng_one_in(&rng, 10))
        side_make_absolute(side);
    side->ignores_status = rng_one_in(&run->rng, 12);
}

void side_free_type(struct side *side)
{
    if (side->absolute)
        MPI_Type_free(&side->type);
    side->absolute = side->typed = false;
    layout_free_type(&side->layout);
}

void side_close(struct side *side)
{
    if (!side->memory)
        return;
    side_free_type(side);
    layout_free(&side->layout);
    side_unmap(side);
    side->memory = NULL;
}

static size_t bytes_of(const struct message *message)
{
    return message->units * unit_bytes(message->unit);
}

char *message_content(const struct message *message)
{
    struct rng rng = {message->content};
    size_t words = bytes_of(message) / 8 + 1;
    uint64_t *content = malloc(words * 8);
    for (size_t i = 0; i < words; i++)
        content[i] = rng_next(&rng);
    unit_fill_padding(message->unit, (char *)content, bytes_of(message), RECEIVE_FILL);
    return (char *)content;
}

void side_blank(struct side *side)
{
    memset(side->memory, side->fill, side->size);
}

void side_write(struct side *side, const struct message *message)
{
    char *content = message_content(message);
    side_blank(side);
    layout_scatter(&side->layout, side->base, content, bytes_of(message));
    free(content);
}

static void compare(struct run *run, const struct side *side, const char *expected,
                    const struct message *message, const char *who)
{
    size_t at = 0;
    if (memcmp(side->memory, expected, side->size) == 0)
        return;
    while (side->memory[at] == expected[at])
        at++;
    fail(run->crew, "%s, message %d of %zu bytes: displacement %td is 0x%02x instead of 0x%02x",
         who, (int)(message - run->schedule->message), bytes_of(message),
         side->memory + at - side->base, (unsigned char)side->memory[at],
         (unsigned char)expected[at]);
}

void side_check(struct run *run, struct side *side, const struct message *message, const char *who)
{
    struct side twin = *side;
    twin.memory = malloc(side->size);
    twin.base = twin.memory + (side->base - side->memory);
    side_write(&twin, message);
    compare(run, side, twin.memory, message, who);
    free(twin.memory);
}

void send_check(struct run *run, struct side *side, const struct message *message)
{
    int cancelled = 0;
    if (!side->ignores_status)
        MPI_Test_cancelled(&side->status, &cancelled);
    if (cancelled)
        fail(run->crew, "message %d: the send is cancelled",
             (int)(message - run->schedule->message));
    must(run->crew, side->error, "a send");
    side_check(run, side, message, "a send");
}

/* An MPI library may move a long double as a number: where that holds nothing, anything may have
 * come. */
static void fill_padding(struct side *side, const struct message *message)
{
    size_t bytes = bytes_of(message);
    char *packed = malloc(bytes + 1);
    layout_gather(&side->layout, side->base, packed, bytes);
    unit_fill_padding(message->unit, packed, bytes, side->fill);
    layout_scatter(&side->layout, side->base, packed, bytes);
    free(packed);
}

void side_check_arrived(struct run *run, struct side *side, const struct message *message,
                        const char *who)
{
    fill_padding(side, message);
    side_check(run, side, message, who);
}

/* A receive without room for the message may have written anything where it has room. */
static void check_only_gaps(struct run *run, struct side *side, const struct message *message)
{
    char *zeros = calloc(message->room + 1, unit_bytes(message->unit));
    struct side twin = *side;
    twin.memory = malloc(side->size);
    twin.base = twin.memory + (side->base - side->memory);
    side_blank(&twin);
    layout_scatter(&side->layout, twin.base, zeros, message->room * unit_bytes(message->unit));
    layout_scatter(&side->layout, side->base, zeros, message->room * unit_bytes(message->unit));
    compare(run, side, twin.memory, message, "a receive that is too short");
    free(twin.memory);
    free(zeros);
}

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t state = a * UINT64_C(0x9E3779B97F4A7C15) ^ b;
    return weft_random_next(&state);
}

void status_check(struct run *run, MPI_Status *status, const struct message *message,
                  MPI_Datatype type, const char *who)
{
    struct crew *crew = run->crew;
    int number = (int)(message - run->schedule->message);
    int elements = -1, count = -1;
    int source = comm_rank_of(message->comm, message->source, crew->ranks);
    size_t expected = message->units * unit_elements(message->unit);
    if (status->MPI_SOURCE != source || status->MPI_TAG != message->tag)
        fail(crew, "%s, message %d: source %d and tag %d instead of %d and %d", who, number,
             status->MPI_SOURCE, status->MPI_TAG, source, message->tag);
    MPI_Get_count(status, MPI_BYTE, &count);
    if (count != (int)bytes_of(message))
        fail(crew, "%s, message %d: %d bytes instead of %zu", who, number, count,
             bytes_of(message));
    if (type != MPI_DATATYPE_NULL) {
        MPI_Get_elements(status, type, &elements);
        if (elements != (int)expected)
            fail(crew, "%s, message %d: %d elements instead of %zu", who, number, elements,
                 expected);
    }
    crew->digest += mixed(message->content, (uint64_t)(unsigned)(count + source * 1000003));
}

/* MPI_Get_elements of both libraries miscounts pairs, and that of MPICH 4.0.2 divides by zero for
 * their like and for types of more than 2 GiB. */
static bool knows_elements(const struct side *side)
{
    return side->typed && side->layout.is_plain;
}

void receive_check(struct run *run, struct side *side, const struct message *message)
{
    struct crew *crew = run->crew;
    int class = MPI_SUCCESS;
    MPI_Error_class(side->error, &class);
    if (message->room < message->units) {
        if (class != MPI_ERR_TRUNCATE)
            fail(crew, "message %d: error class %d instead of MPI_ERR_TRUNCATE",
                 (int)(message - run->schedule->message), class);
        crew->digest += mixed(message->content, (uint64_t) class);
        check_only_gaps(run, side, message);
        return;
    }
    must(crew, side->error, "a receive");
    if (!side->ignores_status) {
        int cancelled = 1;
        MPI_Test_cancelled(&side->status, &cancelled);
        if (cancelled)
            fail(crew, "a receive that nobody cancelled is cancelled");
        status_check(run, &side->status, message,
                     knows_elements(side) ? side->type : MPI_DATATYPE_NULL, "a receive");
    }
    side_check_arrived(run, side, message, "a receive");
}
