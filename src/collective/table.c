/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by `weft bench ways`, between processes of one host and, where it says so, in virtual
 * time. Behind each number of bytes, microseconds. */
#include "collective/table.h"

const struct weft_collective_rule weft_collective_rules[] = {
    {WEFT_COLLECTIVE_BCAST, 2, 0, WEFT_COLLECTIVE_BINOMIAL},
    /*       8: binomial 3.22, pipeline 4.07, stream 7.36 */
    /*      64: binomial 0.73, pipeline 0.73, stream 1.29 */
    /*     512: binomial 0.82, pipeline 0.81, stream 1.37 */
    /*    4096: binomial 1.56, pipeline 1.58, stream 2.04 */
    /*   32768: binomial 5.12, pipeline 5.14, stream 4.93 */
    /*  262144: binomial 22.66, pipeline 23.24, stream 22.13 */
    /* 1048576: binomial 124.75, pipeline 119.62, stream 113.77 */
    {WEFT_COLLECTIVE_REDUCE, 2, 0, WEFT_COLLECTIVE_BINOMIAL},
    /*       8: binomial 0.87, pipeline 0.85 */
    /*      64: binomial 0.87, pipeline 0.90 */
    /*     512: binomial 1.36, pipeline 1.32 */
    /*    4096: binomial 2.19, pipeline 2.23 */
    /*   32768: binomial 8.20, pipeline 8.28 */
    /*  262144: binomial 48.44, pipeline 48.94 */
    /* 1048576: binomial 282.07, pipeline 270.80 */
    {WEFT_COLLECTIVE_ALLREDUCE, 2, 0, WEFT_COLLECTIVE_DOUBLING},
    /*       8: doubling 1.43, ring 2.10, binomial 2.00 */
    /*      64: doubling 1.49, ring 2.47, binomial 2.07 */
    /*     512: doubling 1.65, ring 2.40, binomial 2.01 */
    /*    4096: doubling 3.71, ring 3.80, binomial 3.99 */
    {WEFT_COLLECTIVE_ALLREDUCE, 2, 32768, WEFT_COLLECTIVE_RING},
    /*   32768: doubling 15.90, ring 11.46, binomial 13.61 */
    /*  262144: doubling 74.49, ring 54.48, binomial 71.42 */
    /* 1048576: doubling 402.85, ring 253.61, binomial 381.07 */
    {WEFT_COLLECTIVE_ALLGATHER, 2, 0, WEFT_COLLECTIVE_RING},
    /*      64: Bruck 11.02, ring 4.37 */
    /*     512: Bruck 3.62, ring 2.57 */
    /*    4096: Bruck 2.67, ring 2.04 */
    /*   32768: Bruck 8.25, ring 5.15 */
    /*  262144: Bruck 31.08, ring 23.60 */
    /* 1048576: Bruck 186.70, ring 107.61 */
    {WEFT_COLLECTIVE_ALLTOALL, 2, 0, WEFT_COLLECTIVE_LINEAR},
    /*      64: linear 1.54, Bruck 2.72 */
    /*     512: linear 1.70, Bruck 3.08 */
    /*    4096: linear 1.98, Bruck 3.07 */
    /*   32768: linear 5.36, Bruck 8.24 */
    /*  262144: linear 24.38, Bruck 45.47 */
    /* 1048576: linear 140.88, Bruck 284.48 */
    {WEFT_COLLECTIVE_BCAST, 4, 0, WEFT_COLLECTIVE_BINOMIAL},
    /*       8: binomial 21.10, pipeline 22.82, stream 53.28 */
    /*      64: binomial 21.15, pipeline 22.40, stream 53.74 */
    /*     512: binomial 22.21, pipeline 23.38, stream 54.66 */
    /*    4096: binomial 24.70, pipeline 24.55, stream 53.98 */
    /*   32768: binomial 50.04, pipeline 54.98, stream 62.81 */
    /*  262144: binomial 122.04, pipeline 136.89, stream 148.33 */
    {WEFT_COLLECTIVE_BCAST, 4, 1048576, WEFT_COLLECTIVE_PIPELINE},
    /* 1048576: binomial 466.46, pipeline 381.81, stream 483.80 */
    {WEFT_COLLECTIVE_REDUCE, 4, 0, WEFT_COLLECTIVE_BINOMIAL},
    /*       8: binomial 26.64, pipeline 26.39 */
    /*      64: binomial 26.73, pipeline 26.70 */
    /*     512: binomial 27.28, pipeline 27.72 */
    /*    4096: binomial 29.16, pipeline 29.82 */
    /*   32768: binomial 66.62, pipeline 67.07 */
    {WEFT_COLLECTIVE_REDUCE, 4, 262144, WEFT_COLLECTIVE_PIPELINE},
    /*  262144: binomial 253.32, pipeline 195.94 */
    {WEFT_COLLECTIVE_REDUCE, 4, 1048576, WEFT_COLLECTIVE_BINOMIAL},
    /* 1048576: binomial 1131.75, pipeline 1218.56 */
    {WEFT_COLLECTIVE_ALLREDUCE, 4, 0, WEFT_COLLECTIVE_DOUBLING},
    /*       8: doubling 34.87, ring 66.62, binomial 33.97 */
    /*      64: doubling 34.89, ring 72.24, binomial 34.26 */
    /*     512: doubling 35.60, ring 71.34, binomial 34.54 */
    {WEFT_COLLECTIVE_ALLREDUCE, 4, 4096, WEFT_COLLECTIVE_BINOMIAL},
    /*    4096: doubling 38.96, ring 72.64, binomial 36.16 */
    {WEFT_COLLECTIVE_ALLREDUCE, 4, 32768, WEFT_COLLECTIVE_DOUBLING},
    /*   32768: doubling 80.51, ring 154.20, binomial 113.73 */
    {WEFT_COLLECTIVE_ALLREDUCE, 4, 262144, WEFT_COLLECTIVE_RING},
    /*  262144: doubling 457.75, ring 295.62, binomial 438.84 */
    /* 1048576: doubling 1781.17, ring 1028.42, binomial 1488.08 */
    {WEFT_COLLECTIVE_ALLGATHER, 4, 0, WEFT_COLLECTIVE_BRUCK},
    /*      64: Bruck 47.15, ring 47.06 */
    /*     512: Bruck 47.11, ring 48.01 */
    /*    4096: Bruck 47.68, ring 48.18 */
    /*   32768: Bruck 86.00, ring 91.80 */
    {WEFT_COLLECTIVE_ALLGATHER, 4, 262144, WEFT_COLLECTIVE_RING},
    /*  262144: Bruck 190.83, ring 146.68 */
    /* 1048576: Bruck 826.43, ring 461.83 */
    {WEFT_COLLECTIVE_ALLTOALL, 4, 0, WEFT_COLLECTIVE_LINEAR},
    /*      64: linear 20.57, Bruck 53.05 */
    /*     512: linear 20.73, Bruck 53.60 */
    /*    4096: linear 21.75, Bruck 57.08 */
    /*   32768: linear 56.01, Bruck 97.15 */
    /*  262144: linear 151.79, Bruck 362.68 */
    /* 1048576: linear 555.43, Bruck 1517.77 */
    {WEFT_COLLECTIVE_BCAST, 8, 0, WEFT_COLLECTIVE_BINOMIAL},
    /*       8: binomial 61.48, pipeline 72.18, stream 146.85 */
    /*      64: binomial 55.59, pipeline 69.91, stream 148.97 */
    /*     512: binomial 55.76, pipeline 69.47, stream 149.86 */
    /*    4096: binomial 58.15, pipeline 76.46, stream 153.04 */
    {WEFT_COLLECTIVE_BCAST, 8, 32768, WEFT_COLLECTIVE_PIPELINE},
    /*   32768: binomial 144.18, pipeline 135.29, stream 176.77 */
    /*  262144: binomial 417.37, pipeline 375.77, stream 471.19 */
    /* 1048576: binomial 1121.74, pipeline 1107.19, stream 1533.60 */
    {WEFT_COLLECTIVE_REDUCE, 8, 0, WEFT_COLLECTIVE_BINOMIAL},
    /*       8: binomial 91.12, pipeline 114.80 */
    /*      64: binomial 91.15, pipeline 112.31 */
    /*     512: binomial 94.13, pipeline 114.21 */
    /*    4096: binomial 101.06, pipeline 122.45 */
    {WEFT_COLLECTIVE_REDUCE, 8, 32768, WEFT_COLLECTIVE_PIPELINE},
    /*   32768: binomial 266.37, pipeline 224.73 */
    /*  262144: binomial 1130.53, pipeline 960.59 */
    {WEFT_COLLECTIVE_REDUCE, 8, 1048576, WEFT_COLLECTIVE_BINOMIAL},
    /* 1048576: binomial 2999.93, pipeline 3815.63 */
    {WEFT_COLLECTIVE_ALLREDUCE, 8, 0, WEFT_COLLECTIVE_DOUBLING},
    /*       8: doubling 143.37, ring 302.89, binomial 152.84 */
    /*      64: doubling 142.70, ring 385.38, binomial 151.20 */
    /*     512: doubling 144.90, ring 389.35, binomial 160.76 */
    /*    4096: doubling 161.45, ring 391.37, binomial 162.17 */
    /*   32768: doubling 412.17, ring 464.80, binomial 424.58 */
    {WEFT_COLLECTIVE_ALLREDUCE, 8, 262144, WEFT_COLLECTIVE_RING},
    /*  262144: doubling 1751.21, ring 1299.37, binomial 1360.12 */
    /* 1048576: doubling 6629.18, ring 3416.36, binomial 4044.38 */
    {WEFT_COLLECTIVE_ALLGATHER, 8, 0, WEFT_COLLECTIVE_BRUCK},
    /*      64: Bruck 149.04, ring 225.17 */
    /*     512: Bruck 146.72, ring 219.08 */
    /*    4096: Bruck 155.83, ring 230.05 */
    {WEFT_COLLECTIVE_ALLGATHER, 8, 32768, WEFT_COLLECTIVE_RING},
    /*   32768: Bruck 282.04, ring 242.94 */
    {WEFT_COLLECTIVE_ALLGATHER, 8, 262144, WEFT_COLLECTIVE_BRUCK},
    /*  262144: Bruck 620.55, ring 675.57 */
    {WEFT_COLLECTIVE_ALLGATHER, 8, 1048576, WEFT_COLLECTIVE_RING},
    /* 1048576: Bruck 2097.29, ring 1476.69 */
    {WEFT_COLLECTIVE_ALLTOALL, 8, 0, WEFT_COLLECTIVE_LINEAR},
    /*      64: linear 92.67, Bruck 228.54 */
    /*     512: linear 93.70, Bruck 232.63 */
    /*    4096: linear 100.15, Bruck 238.93 */
    /*   32768: linear 140.28, Bruck 427.64 */
    /*  262144: linear 472.23, Bruck 1147.42 */
    /* 1048576: linear 1267.39, Bruck 4670.48 */
    /* In virtual time: 3 us for a message, and 0.4 ns for each byte. */
    {WEFT_COLLECTIVE_BCAST, 16, 0, WEFT_COLLECTIVE_BINOMIAL},
    /*       8: binomial 15.22, pipeline 48.81, stream 12.14 */
    /*      64: binomial 15.30, pipeline 49.14, stream 12.23 */
    /*     512: binomial 16.02, pipeline 51.84, stream 12.94 */
    /*    4096: binomial 21.76, pipeline 73.34, stream 18.68 */
    /*   32768: binomial 89.28, pipeline 334.81, stream 59.02 */
    /*  262144: binomial 662.56, pipeline 631.01, stream 435.93 */
    {WEFT_COLLECTIVE_BCAST, 16, 1048576, WEFT_COLLECTIVE_PIPELINE},
    /* 1048576: binomial 3633.03, pipeline 1021.68, stream 1713.29 */
    {WEFT_COLLECTIVE_REDUCE, 16, 0, WEFT_COLLECTIVE_BINOMIAL},
    /*       8: binomial 15.12, pipeline 48.71 */
    /*      64: binomial 15.20, pipeline 49.04 */
    /*     512: binomial 15.92, pipeline 51.74 */
    /*    4096: binomial 21.66, pipeline 73.23 */
    /*   32768: binomial 89.28, pipeline 334.81 */
    /*  262144: binomial 459.87, pipeline 631.01 */
    {WEFT_COLLECTIVE_REDUCE, 16, 1048576, WEFT_COLLECTIVE_PIPELINE},
    /* 1048576: binomial 1730.45, pipeline 1021.68 */
    {WEFT_COLLECTIVE_ALLREDUCE, 16, 0, WEFT_COLLECTIVE_DOUBLING},
    /*       8: doubling 15.22, ring 94.62, binomial 27.43 */
    /*      64: doubling 15.30, ring 94.62, binomial 27.61 */
    /*     512: doubling 16.02, ring 94.92, binomial 29.05 */
    /*    4096: doubling 21.76, ring 97.59, binomial 40.51 */
    /*   32768: doubling 89.28, ring 119.10, binomial 178.57 */
    /*  262144: doubling 459.87, ring 471.09, binomial 1119.12 */
    {WEFT_COLLECTIVE_ALLREDUCE, 16, 1048576, WEFT_COLLECTIVE_RING},
    /* 1048576: doubling 1730.45, ring 1066.68, binomial 5389.95 */
    {WEFT_COLLECTIVE_ALLGATHER, 16, 0, WEFT_COLLECTIVE_BRUCK},
    /*     512: Bruck 15.39, ring 48.96 */
    /*    4096: Bruck 16.74, ring 50.30 */
    /*   32768: Bruck 36.66, ring 61.05 */
    /*  262144: Bruck 135.61, ring 235.55 */
    /* 1048576: Bruck 433.40, ring 533.34 */
    {WEFT_COLLECTIVE_ALLTOALL, 16, 0, WEFT_COLLECTIVE_LINEAR},
    /*     512: linear 3.67, Bruck 24.61 */
    /*    4096: linear 5.02, Bruck 27.48 */
    /*   32768: linear 15.79, Bruck 62.81 */
    /*  262144: linear 108.40, Bruck 248.11 */
    /* 1048576: linear 406.19, Bruck 883.40 */
    /* In virtual time: 3 us for a message, and 0.4 ns for each byte. */
    {WEFT_COLLECTIVE_BCAST, 64, 0, WEFT_COLLECTIVE_BINOMIAL},
    /*       8: binomial 21.32, pipeline 195.40, stream 18.21 */
    /*      64: binomial 21.46, pipeline 196.79, stream 18.34 */
    /*     512: binomial 22.54, pipeline 208.13, stream 19.42 */
    /*    4096: binomial 31.13, pipeline 298.41, stream 28.02 */
    /*   32768: binomial 133.93, pipeline 1406.22, stream 86.48 */
    /*  262144: binomial 1292.06, pipeline 2337.70, stream 665.53 */
    {WEFT_COLLECTIVE_BCAST, 64, 1048576, WEFT_COLLECTIVE_PIPELINE},
    /* 1048576: binomial 7259.47, pipeline 2728.37, stream 2596.66 */
    {WEFT_COLLECTIVE_REDUCE, 64, 0, WEFT_COLLECTIVE_BINOMIAL},
    /*       8: binomial 21.22, pipeline 195.30 */
    /*      64: binomial 21.36, pipeline 196.69 */
    /*     512: binomial 22.44, pipeline 208.03 */
    /*    4096: binomial 31.03, pipeline 298.31 */
    /*   32768: binomial 133.93, pipeline 1406.22 */
    /*  262144: binomial 689.80, pipeline 2337.70 */
    /* 1048576: binomial 2595.67, pipeline 2728.37 */
    {WEFT_COLLECTIVE_ALLREDUCE, 64, 0, WEFT_COLLECTIVE_DOUBLING},
    /*       8: doubling 21.32, ring 387.80, binomial 39.65 */
    /*      64: doubling 21.46, ring 387.80, binomial 39.91 */
    /*     512: doubling 22.54, ring 387.80, binomial 42.07 */
    /*    4096: doubling 31.13, ring 390.58, binomial 59.27 */
    /*   32768: doubling 133.93, ring 413.25, binomial 267.85 */
    {WEFT_COLLECTIVE_ALLREDUCE, 64, 262144, WEFT_COLLECTIVE_RING},
    /*  262144: doubling 689.80, ring 593.81, binomial 1983.51 */
    /* 1048576: doubling 2595.67, ring 1978.58, binomial 10022.24 */
    {WEFT_COLLECTIVE_ALLGATHER, 64, 0, WEFT_COLLECTIVE_BRUCK},
    /*     512: Bruck 21.51, ring 195.40 */
    /*    4096: Bruck 22.92, ring 196.79 */
    /*   32768: Bruck 43.37, ring 208.13 */
    /*  262144: Bruck 152.69, ring 298.41 */
    /* 1048576: Bruck 471.42, ring 989.29 */
    {WEFT_COLLECTIVE_ALLTOALL, 64, 0, WEFT_COLLECTIVE_LINEAR},
    /*     512: linear 5.22, Bruck 36.92 */
    /*    4096: linear 6.69, Bruck 41.22 */
    /*   32768: linear 18.00, Bruck 94.22 */
    /*  262144: linear 108.29, Bruck 372.16 */
    /* 1048576: linear 426.37, Bruck 1325.09 */
    /* Not measured: of more, short blocks travel together, for the sake of memory. */
    {WEFT_COLLECTIVE_ALLTOALL, 128, 0, WEFT_COLLECTIVE_BRUCK},
    {WEFT_COLLECTIVE_ALLTOALL, 128, 32768, WEFT_COLLECTIVE_LINEAR},
    {WEFT_COLLECTIVE_NAMES, 0, 0, WEFT_COLLECTIVE_AUTO},
};
