/* SPDX-License-Identifier: BSD-3-Clause */
/* Put and get in fence, post-start-complete-wait and lock epochs, with derived datatypes on both
 * sides, with requests, in windows of the three kinds. */
#include "program.h"

#define MOST ((size_t)1 << 20)

static unsigned char *memory;
static MPI_Win win;

static int next(void)
{
    return (rank + 1) % size;
}

static int last(void)
{
    return (rank + size - 1) % size;
}

static void put_and_get(size_t length, int round)
{
    unsigned char *out = malloc(length + 1), *in = malloc(length + 1);
    fill(out, length, (unsigned)(round + rank));
    memset(memory, 0xee, length + 1);
    in[length] = 0xdd;
    MPI_Win_fence(0, win);
    MPI_Put(out, (int)length, MPI_BYTE, next(), 0, (int)length, MPI_BYTE, win);
    MPI_Win_fence(0, win);
    check(is_filled(memory, length, (unsigned)(round + last())) && memory[length] == 0xee);
    MPI_Get(in, (int)length, MPI_BYTE, next(), 0, (int)length, MPI_BYTE, win);
    MPI_Win_fence(0, win);
    check(is_filled(in, length, (unsigned)(round + rank)) && in[length] == 0xdd);
    free(in);
    free(out);
}

/* Every second number goes to every third place of the target, and comes back. */
static void put_and_get_typed(int count)
{
    MPI_Datatype here, there;
    int *out = calloc((size_t)count * 2, sizeof(int)),
        *in = calloc((size_t)count * 2, sizeof(int));
    MPI_Type_vector(count, 1, 2, MPI_INT, &here);
    MPI_Type_vector(count, 1, 3, MPI_INT, &there);
    MPI_Type_commit(&here);
    MPI_Type_commit(&there);
    for (int i = 0; i < count; i++)
        out[2 * i] = 1000 * rank + i;
    memset(memory, 0, (size_t)count * 12);
    MPI_Win_fence(0, win);
    MPI_Put(out, 1, here, next(), 0, 1, there, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < count; i++) {
        const int *place = (const int *)memory + 3 * i;
        check(place[0] == 1000 * last() + i && (i == count - 1 || (!place[1] && !place[2])));
    }
    MPI_Get(in, 1, here, next(), 0, 1, there, win);
    MPI_Win_fence(0, win);
    check(memcmp(in, out, (size_t)count * 8) == 0);
    MPI_Type_free(&here);
    MPI_Type_free(&there);
    free(in);
    free(out);
}

static void post_and_start(int round)
{
    MPI_Group all, to, from;
    int to_rank = next(), from_rank = last(), value = 100 * round + rank;
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &to_rank, &to);
    MPI_Group_incl(all, 1, &from_rank, &from);
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Put(&value, 1, MPI_INT, next(), (MPI_Aint)round * 4, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    check(((int *)memory)[round] == 100 * round + last());
    MPI_Group_free(&from);
    MPI_Group_free(&to);
    MPI_Group_free(&all);
}

static void with_requests(size_t length)
{
    MPI_Request requests[8];
    unsigned char *out = malloc(8 * length), *in = malloc(8 * length);
    fill(out, 8 * length, (unsigned)rank);
    MPI_Win_lock_all(0, win);
    for (size_t i = 0; i < 8; i++)
        MPI_Rput(out + i * length, (int)length, MPI_BYTE, next(), (MPI_Aint)(i * length),
                 (int)length, MPI_BYTE, win, &requests[i]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush(next(), win);
    for (size_t i = 0; i < 8; i++)
        MPI_Rget(in + i * length, (int)length, MPI_BYTE, next(), (MPI_Aint)(i * length),
                 (int)length, MPI_BYTE, win, &requests[i]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(win);
    check(is_filled(in, 8 * length, (unsigned)rank));
    MPI_Barrier(MPI_COMM_WORLD);
    free(in);
    free(out);
}

static void attached(void)
{
    MPI_Aint address, theirs;
    int mine = -1, value = rank;
    MPI_Win dynamic;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_attach(dynamic, &mine, sizeof mine);
    MPI_Get_address(&mine, &address);
    MPI_Sendrecv(&address, 1, MPI_AINT, last(), 0, &theirs, 1, MPI_AINT, next(), 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Win_fence(0, dynamic);
    MPI_Put(&value, 1, MPI_INT, next(), theirs, 1, MPI_INT, dynamic);
    MPI_Win_fence(0, dynamic);
    check(mine == last());
    MPI_Win_detach(dynamic, &mine);
    MPI_Win_free(&dynamic);
}

static void use_window(void)
{
    for (size_t length = 1; length < MOST; length = length * 5 + 3)
        put_and_get(length, (int)length);
    for (int count = 1; count <= 10000; count *= 10)
        put_and_get_typed(count);
    for (int round = 0; round < 50; round++)
        post_and_start(round);
    with_requests(8);
    with_requests(100000);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Win_allocate(MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    use_window();
    MPI_Win_free(&win);
    memory = malloc(MOST);
    MPI_Win_create(memory, MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    use_window();
    MPI_Win_free(&win);
    free(memory);
    attached();
    return finish();
}
