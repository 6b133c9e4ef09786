/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lines of PMI-1 on the socket that the launcher left us: "cmd=get kvsname=a key=b", answered
 * by "cmd=get_result rc=0 value=c". Values have no spaces. One line is answered by one.
 */
#ifndef WEFT_JOB_PMI_WIRE_H
#define WEFT_JOB_PMI_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_JOB_PMI_LINE 4096u

struct weft_job_pmi_wire {
    int fd;
    size_t fill; /* of a line that has not come to its end */
    char line[WEFT_JOB_PMI_LINE];
};

/* Text that ends with a newline: 0 or a negative errno, -ETIMEDOUT at the deadline. */
int weft_job_pmi_send(struct weft_job_pmi_wire *wire, const char *text, uint64_t deadline);

/* Puts the next line, without its newline, into `line`: 0, or a negative errno: -ETIMEDOUT at the
 * deadline, and what has come is kept for the next call; -EPROTO if it is not a line. */
int weft_job_pmi_receive(struct weft_job_pmi_wire *wire, uint64_t deadline);

/* The value of a field: false if there is none or it is too long. */
bool weft_job_pmi_field(const char *line, const char *name, char *value, size_t room);

/* Bytes as hexadecimal digits, which fit, and back: false if they are none, or too many. */
void weft_job_pmi_write_bytes(char *text, const void *bytes, size_t size);
bool weft_job_pmi_read_bytes(const char *text, unsigned char *bytes, size_t room, size_t *size);

/* A decimal number and nothing else. */
bool weft_job_pmi_number(const char *text, uint32_t *number);

#endif
