/* SPDX-License-Identifier: BSD-3-Clause */
/* Random types against an MPI library; campaign.h has the arguments. */
#include <mpi.h>
#include <stdlib.h>

#include "type/mpi/known_bugs.h"
#include "type/mpi/model_mpi.h"
#include "type/random/campaign.h"
#include "type/random/checks.h"
#include "support/tap.h"

/* The type under trial, which a check may leave behind if it fails. */
static MPI_Datatype type = MPI_DATATYPE_NULL;

static bool usable; /* whether MPI can express it and has not been found wrong yet */
static unsigned long inexpressible;

/* The result of a check in which MPI differs; Weft has been compared with the type map before. */
static bool excused(struct bench *bench, enum symptom symptom, const char *what, int64_t actual,
                    int64_t expected)
{
    usable = false;
    return known_bug(bench->side.model, symptom) ||
           trial_fail(bench, "%s: MPI has %lld, expected %lld", what, (long long)actual,
                      (long long)expected);
}

static bool build_with_mpi(struct bench *bench)
{
    if (type != MPI_DATATYPE_NULL)
        MPI_Type_free(&type);
    usable = model_fits_mpi(bench->side.model);
    inexpressible += !usable;
    if (!usable)
        return true;
    type = model_build_mpi(bench->side.model);
    if (type != MPI_DATATYPE_NULL && MPI_Type_commit(&type) == MPI_SUCCESS)
        return true;
    usable = false;
    return known_bug(bench->side.model, SYMPTOM_REFUSED) ||
           trial_fail(bench, "MPI refuses to build the type");
}

static bool check_bounds(struct bench *bench)
{
    const struct typemap *map = bench->side.map;
    if (!usable)
        return true;
    MPI_Count size, lb, extent, true_lb, true_extent;
    MPI_Type_size_x(type, &size);
    MPI_Type_get_extent_x(type, &lb, &extent);
    MPI_Type_get_true_extent_x(type, &true_lb, &true_extent);
    if (size != (MPI_Count)map->size)
        return excused(bench, SYMPTOM_DATA, "size", size, (int64_t)map->size);
    /* The standard defines the bounds of a type by its bytes; without any, there are none. */
    if (size == 0)
        return true;
    if (lb != map->lb)
        return excused(bench, SYMPTOM_BOUNDS, "lb", lb, map->lb);
    if (extent != typemap_extent(map))
        return excused(bench, SYMPTOM_BOUNDS, "extent", extent, typemap_extent(map));
    if (true_lb != map->true_lb)
        return excused(bench, SYMPTOM_TRUE_BOUNDS, "true lb", true_lb, map->true_lb);
    if (true_lb + true_extent != map->true_ub)
        return excused(bench, SYMPTOM_TRUE_BOUNDS, "true ub", true_lb + true_extent,
                       map->true_ub);
    return true;
}

/* check_pack_ranges has left what Weft packed in the stream. */
static bool check_packed(struct bench *bench)
{
    struct side *side = &bench->side;
    int room = 0, position = 0;
    size_t k = 0;
    usable = usable && !known_bug(side->model, SYMPTOM_FAULT);
    if (!usable)
        return true;
    MPI_Pack_size((int)side->count, type, MPI_COMM_SELF, &room);
    unsigned char *packed = model_alloc((size_t)room, 1);
    MPI_Pack(side->base, (int)side->count, type, packed, room, &position, MPI_COMM_SELF);
    while (k < side->total && k < (size_t)position && packed[k] == bench->stream[k])
        k++;
    free(packed);
    if ((size_t)position != side->total)
        return excused(bench, SYMPTOM_DATA, "length packed", position, (int64_t)side->total);
    return k == side->total || excused(bench, SYMPTOM_DATA, "first bytes packed alike",
                                       (int64_t)k, (int64_t)side->total);
}

/* check_unpack_ranges has left what Weft unpacked in the stream, and found memory right. */
static bool check_unpacked(struct bench *bench)
{
    struct side *side = &bench->side;
    int position = 0;
    int64_t wrong;
    if (side->overlaps || !usable)
        return true;
    side_blank(side);
    MPI_Unpack(bench->stream, (int)side->total, &position, side->base, (int)side->count, type,
               MPI_COMM_SELF);
    return side_was_unpacked(side, bench->stream, side->total, &wrong) ||
           excused(bench, SYMPTOM_DATA, "memory unpacked alike up to displacement", wrong,
                   side->high);
}

static const trial_check checks[] = {
    build_with_mpi,      check_bounds,   check_pack_ranges, check_packed,
    check_unpack_ranges, check_unpacked, NULL,
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int rc = campaign_run(argc, argv, checks);
    tap_note("%lu types left out: a displacement in elements does not fit an int", inexpressible);
    known_bugs_report();
    if (type != MPI_DATATYPE_NULL)
        MPI_Type_free(&type);
    MPI_Finalize();
    return rc;
}
