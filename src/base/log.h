/* SPDX-License-Identifier: BSD-3-Clause */
/* The one log. It speaks where an error is first decided, and goes to standard error. */
#ifndef WEFT_BASE_LOG_H
#define WEFT_BASE_LOG_H

/* In the order of the choices of WEFT_LOG. */
enum weft_log_level { WEFT_LOG_OFF, WEFT_LOG_ERROR, WEFT_LOG_WARN, WEFT_LOG_INFO };

__attribute__((format(printf, 2, 3))) void weft_log(enum weft_log_level level, const char *format,
                                                    ...);

#endif
