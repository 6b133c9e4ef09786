/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/pmi_wire.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/deadline.h"

static int wait_for(int fd, short events, uint64_t deadline)
{
    for (;;) {
        struct pollfd entry = {.fd = fd, .events = events};
        int count = poll(&entry, 1, weft_deadline_poll(deadline));
        if (count > 0)
            return 0;
        if (count < 0 && errno != EINTR)
            return -errno;
        if (weft_deadline_is_over(deadline))
            return -ETIMEDOUT;
    }
}

static bool is_passing(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

int weft_job_pmi_send(struct weft_job_pmi_wire *wire, const char *text, uint64_t deadline)
{
    size_t left = strlen(text);
    while (left > 0) {
        /* A launcher that is gone must not kill us by a signal. */
        ssize_t sent = send(wire->fd, text, left, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && !is_passing(errno))
            return -errno;
        if (sent > 0) {
            text += sent;
            left -= (size_t)sent;
            continue;
        }
        int result = wait_for(wire->fd, POLLOUT, deadline);
        if (result < 0)
            return result;
    }
    return 0;
}

/* Nobody sends before it is asked, so nothing follows a line. */
static int end_line(struct weft_job_pmi_wire *wire)
{
    char *end = memchr(wire->line, '\n', wire->fill);
    if (!end)
        return wire->fill < sizeof(wire->line) ? -EAGAIN : -EPROTO;
    if (end + 1 != wire->line + wire->fill || memchr(wire->line, '\0', wire->fill))
        return -EPROTO;
    *end = '\0';
    wire->fill = 0;
    return 0;
}

int weft_job_pmi_receive(struct weft_job_pmi_wire *wire, uint64_t deadline)
{
    for (;;) {
        int result = wait_for(wire->fd, POLLIN, deadline);
        if (result < 0)
            return result;
        ssize_t got =
            recv(wire->fd, wire->line + wire->fill, sizeof(wire->line) - wire->fill, MSG_DONTWAIT);
        if (got == 0)
            return -EPIPE;
        if (got < 0 && !is_passing(errno))
            return -errno;
        if (got > 0) {
            wire->fill += (size_t)got;
            result = end_line(wire);
            if (result != -EAGAIN)
                return result;
        }
    }
}

bool weft_job_pmi_field(const char *line, const char *name, char *value, size_t room)
{
    size_t width = strlen(name);
    while (*line) {
        size_t length = strcspn(line, " ");
        if (length > width && line[width] == '=' && memcmp(line, name, width) == 0) {
            length -= width + 1;
            if (length >= room)
                return false;
            memcpy(value, line + width + 1, length);
            value[length] = '\0';
            return true;
        }
        line += length;
        line += strspn(line, " ");
    }
    return false;
}

void weft_job_pmi_write_bytes(char *text, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)bytes)[i]);
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool weft_job_pmi_read_bytes(const char *text, unsigned char *bytes, size_t room, size_t *size)
{
    size_t length = strlen(text);
    if (length == 0 || length % 2 || length / 2 > room)
        return false;
    for (size_t i = 0; i < length / 2; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = (unsigned char)(high << 4 | low);
    }
    *size = length / 2;
    return true;
}

bool weft_job_pmi_number(const char *text, uint32_t *number)
{
    uint64_t value = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || value > UINT32_MAX / 10)
            return false;
        value = value * 10 + (uint64_t)(*text - '0');
    }
    *number = (uint32_t)value;
    return value <= UINT32_MAX;
}
