/* SPDX-License-Identifier: BSD-3-Clause */
/* Text into a buffer that may be too short, counting on as snprintf does. */
#ifndef WEFT_TYPE_WRITER_H
#define WEFT_TYPE_WRITER_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Longer texts are cut: a small serialised type can stand for an enormous tree. */
#ifndef WEFT_TYPE_WRITER_LIMIT
#define WEFT_TYPE_WRITER_LIMIT ((size_t)1 << 28)
#endif

struct weft_type_writer {
    char *text;
    size_t size;
    size_t length; /* of the whole text, written or not */
};

static inline int weft_type_writer_full(const struct weft_type_writer *writer)
{
    return writer->length >= WEFT_TYPE_WRITER_LIMIT;
}

__attribute__((format(printf, 2, 3))) static inline void
weft_type_write(struct weft_type_writer *writer, const char *format, ...)
{
    size_t left = writer->length < writer->size ? writer->size - writer->length : 0;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(left ? writer->text + writer->length : NULL, left, format, arguments);
    va_end(arguments);
    writer->length += length > 0 ? (size_t)length : 0;
}

#endif
